"""The models that an assignment lets help its solvers, in words that its solvers see."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Self

from pydantic import Field, model_validator

from benchwright_foundation.model import Model

MOST_EXTENSIONS = 20
ExtensionId = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$")]
"""Such as `github.copilot`, or `benchwright` for Benchwright's own completion."""

CHECK_NOTICE = (
    "The record of your attempt says where text came from, as far as your editor reports it: typed, pasted, an accepted"
    " completion, or a chat's edit, and by which extension. The course's staff compare it with this."
)
"""The way in which it is checked."""


class AllowedHelp(StrEnum):
    """The amount of help that is allowed."""

    NONE = "none"
    COMPLETION = "completion"
    """Inline completion, by any extension."""
    CHAT = "chat"
    """Chat and agents too."""
    NAMED = "named"
    """Any help, by the named extensions alone."""


class Assistance(Model):
    """The rule of an assignment on help by models."""

    allowed: AllowedHelp
    extensions: tuple[ExtensionId, ...] = Field(default=(), max_length=MOST_EXTENSIONS)
    """With `named`, and only with it."""

    @model_validator(mode="after")
    def _require_consistent_rule(self) -> Self:
        if (self.allowed is AllowedHelp.NAMED) != bool(self.extensions):
            raise ValueError("extensions are named with “named”, and only with it")
        return self

    def allows_text_from(self, extension_id: str, *, is_chat: bool) -> bool:
        """True if text of a model may come from here.

        Args:
            extension_id: Id of the extension, in any case; empty if the editor did not name it.
            is_chat: True if a chat or an agent made the edit, and not an inline completion.
        """
        match self.allowed:
            case AllowedHelp.NAMED:
                return _canonical_extension_name(extension_id) in map(_canonical_extension_name, self.extensions)
            case AllowedHelp.COMPLETION:
                return not is_chat
            case _:
                return self.allowed is AllowedHelp.CHAT

    def allows_active_extension(self, extension_id: str) -> bool:
        """True if an extension of a model may be active: one that chats as well may complete."""
        return self.allowed is AllowedHelp.COMPLETION or self.allows_text_from(extension_id, is_chat=True)

    @property
    def rule(self) -> str:
        """The rule on what is allowed, for the solver."""
        if self.extensions:
            return f"These assistants may help, and no others: {', '.join(self.extensions)}."
        return _RULES[self.allowed]

    @property
    def rule_and_check_notice(self) -> str:
        """The rule on what is allowed, and how it is checked."""
        return f"{self.rule} {CHECK_NOTICE}"


def _canonical_extension_name(extension_id: str) -> str:
    """Our own completion has one name, whether the log or VS Code names it."""
    return _OWN if extension_id.lower() == _OWN_IN_VSCODE else extension_id.lower()


_OWN, _OWN_IN_VSCODE = "benchwright", "benchwright.benchwright"
_RULES = {
    AllowedHelp.NONE: "No model may help: neither inline completion nor chat or agents.",
    AllowedHelp.COMPLETION: "Inline completion by a model may help; chat and agents may not.",
    AllowedHelp.CHAT: "Models may help: inline completion, chat and agents.",
}


class DatedAssistance(Model):
    """The rule of an assignment on help by models, from a time on."""

    since: float | None
    """Seconds since 1970, by the service's clock; None from the assignment's beginning."""
    rule: Assistance | None
    """None if it said nothing."""
