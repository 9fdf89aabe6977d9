"""Model judges of `judges.toml` that a command asks by their names."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from benchwright_server.errors import ServerError

if TYPE_CHECKING:
    from benchwright_judges.models.budget import JudgingBudget
    from benchwright_judges.models.endpoint import ModelEndpoint


@asynccontextmanager
async def model_endpoints(
    judge_names: Sequence[str], budget_override_usd: float | None
) -> AsyncIterator[tuple[Sequence[ModelEndpoint], JudgingBudget]]:
    """The endpoints of models, in the order of their names, and what they may spend together.

    Args:
        judge_names: Names of model judges; one may be named twice.
        budget_override_usd: Budget in US dollars; as `judges.toml` says if not given.

    Raises:
        ServerError: No judge has such a name, or no model may be asked.
        ConfigurationError: The file can't be read, or a key's environment variable is not set.
    """
    from benchwright_judges.models.budget import JudgingBudget
    from benchwright_judges.models.configuration import open_all_endpoints, read_settings

    settings = read_settings()
    known_names = [model.name for model in settings.models]
    for name in judge_names:
        if name not in known_names:
            raise ServerError(
                f"judges.toml has no model judge {name!r}; it has {', '.join(known_names) or 'none'}. "
                "docs/how-to/judges.md"
                " shows how to set one up."
            )
    if settings.offline:
        raise ServerError("judges.toml says offline = true, so no model is asked. Set it to false.")
    chosen_settings = settings.model_copy(
        update={"judge": tuple(model for model in settings.models if model.name in judge_names)}
    )
    endpoints = {
        endpoint.settings.name: endpoint for endpoint in await asyncio.to_thread(open_all_endpoints, chosen_settings)
    }
    try:
        spending = JudgingBudget(settings.budget_usd if budget_override_usd is None else budget_override_usd)
        yield [endpoints[name] for name in judge_names], spending
    finally:
        for endpoint in endpoints.values():
            await endpoint.close()
