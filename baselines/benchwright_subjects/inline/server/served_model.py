"""A model of Inspect's that an inline-completion server asks in place of its own, and all that it reaches."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from benchwright_foundation.untrusted_folder import remove_folder_if_possible
from benchwright_harness.execution.run_folder import new_run_folder
from benchwright_subjects.inline.witness import UsageListener

if TYPE_CHECKING:
    from inspect_ai.model import Model

    from benchwright_subjects.inline.server.model_service import ModelService


@dataclass(frozen=True)
class ServedModel:
    """Model that answers a server's requests."""

    model: Model
    seed: int | None = None
    """Sent to the model with each request."""


@asynccontextmanager
async def open_model_service(
    served_model: ServedModel | None, on_usage: UsageListener
) -> AsyncIterator[ModelService | None]:
    """A model to ask while the block lasts; None if the server's model is its own affair.

    Args:
        served_model: Model that is asked.
        on_usage: Hears of what each answer used.
    """
    if served_model is None:
        yield None
        return
    # Inspect takes seconds to load.
    from benchwright_subjects.bridge.http_server import serve_bridge
    from benchwright_subjects.inline.server.model_service import ModelService

    folder = new_run_folder()
    try:
        service = ModelService(served_model.model, served_model.seed, folder / "bridge", on_usage)
        async with serve_bridge(service.bridge, service.address, None):
            yield service
        service.raise_if_failed()
    finally:
        remove_folder_if_possible(folder)
