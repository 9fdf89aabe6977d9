"""Origin by the command that ran just before the edit."""

from __future__ import annotations

from collections.abc import Mapping

from benchwright_attempts.attribution.method import EditFacts, EventsAboutEdit, OriginFinding, origin_finding
from benchwright_attempts.attribution.origin import EditOrigin
from benchwright_attempts.attribution_method import AttributionMethod
from benchwright_attempts.events.evidence import CommandUsed

_COMMANDS: Mapping[str, EditOrigin] = {
    "editor.action.inlinesuggest.commit": EditOrigin.COMPLETION,
    "editor.action.inlinesuggest.acceptnextword": EditOrigin.COMPLETION_PART,
    "editor.action.inlinesuggest.acceptnextline": EditOrigin.COMPLETION_PART,
    "editor.action.clipboardpasteaction": EditOrigin.PASTE,
    "editor.action.formatdocument": EditOrigin.FORMAT,
    "editor.action.formatselection": EditOrigin.FORMAT,
    "editor.action.rename": EditOrigin.FORMAT,
    "benchwright.answerform": EditOrigin.TYPED,
    "undo": EditOrigin.UNDO,
    "redo": EditOrigin.UNDO,
    "acceptselectedsuggestion": EditOrigin.SUGGESTION,
    "editor.action.insertsnippet": EditOrigin.SNIPPET,
}
"""Commands that insert text, in lower case."""


def origin_by_preceding_command(_edit: EditFacts, known_events: EventsAboutEdit) -> OriginFinding | None:
    """Finding by the effect of the command, if it is a known one."""
    command_use = known_events.get(CommandUsed)
    origin = _COMMANDS.get(command_use.command.lower()) if isinstance(command_use, CommandUsed) else None
    return None if origin is None else origin_finding(origin, AttributionMethod.WRAPPED_COMMAND)
