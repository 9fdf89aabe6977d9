"""Origin by the command that ran just before the edit."""

from __future__ import annotations

from collections.abc import Mapping

from benchwright_attempts.attribution.method import EditFacts, Finding, KnownOfEdit, finding
from benchwright_attempts.attribution.origin import Origin
from benchwright_attempts.attribution_method import AttributionMethod
from benchwright_attempts.events.evidence import CommandUsed

_COMMANDS: Mapping[str, Origin] = {
    "editor.action.inlinesuggest.commit": Origin.COMPLETION,
    "editor.action.inlinesuggest.acceptnextword": Origin.COMPLETION_PART,
    "editor.action.inlinesuggest.acceptnextline": Origin.COMPLETION_PART,
    "editor.action.clipboardpasteaction": Origin.PASTE,
    "editor.action.formatdocument": Origin.FORMAT,
    "editor.action.formatselection": Origin.FORMAT,
    "editor.action.rename": Origin.FORMAT,
    "undo": Origin.UNDO,
    "redo": Origin.UNDO,
    "acceptselectedsuggestion": Origin.SUGGESTION,
    "editor.action.insertsnippet": Origin.SNIPPET,
}
"""Commands that insert text, in lower case."""


def by_command(_edit: EditFacts, known_events: KnownOfEdit) -> Finding | None:
    """Finding by the effect of the command, if it is a known one."""
    command = known_events.get(CommandUsed)
    origin = _COMMANDS.get(command.command.lower()) if isinstance(command, CommandUsed) else None
    return None if origin is None else finding(origin, AttributionMethod.WRAPPED_COMMAND)
