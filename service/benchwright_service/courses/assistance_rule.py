"""Rule of an assignment on help by models, from what its makers write."""

from __future__ import annotations

from collections.abc import Collection

from pydantic import ValidationError

from benchwright_problems.assistance import MOST_EXTENSIONS, AllowedHelp, Assistance
from benchwright_service.errors import BenchServiceError


def assistance_rule(allowed: AllowedHelp | None, extensions: Collection[str]) -> Assistance | None:
    """Returns the rule of an assignment on help by models.

    Args:
        allowed: None if nothing.
        extensions: Those that may help, with `named`.

    Raises:
        BenchServiceError: The arguments don't fit each other, or one extension is no id of an extension.
    """
    if allowed is None and not extensions:
        return None
    if (allowed is AllowedHelp.NAMED) != bool(extensions):
        raise BenchServiceError("extensions are named where “named” ones are allowed, at least one, and only there")
    try:
        return Assistance.model_validate({"allowed": allowed, "extensions": tuple(extensions)})
    except ValidationError:
        raise BenchServiceError(
            f"an extension has an id such as github.copilot, and there are at most {MOST_EXTENSIONS}"
        ) from None
