"""Where each edit came from: a label with the method that found it, worked out from raw facts that stay in the log.

The best fact wins: what the editor said of the edit, then our own completion provider's word, then a command
that ran just before, and last the edit's shape, which is a guess.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from benchwright_attempts.events import Edit
from benchwright_attempts.evidence import (
    AssistAccepted,
    AttributionMethod,
    CommandUsed,
    EditReason,
    EditShape,
)
from benchwright_attempts.record import RecordedEvent

CLASSIFIER = "1"
"""Version of the rules below; kept with every label. Raise it whenever a label could change."""


class Origin(StrEnum):
    """Where an edit came from."""

    TYPED = "typed"
    PASTE = "paste"
    COMPLETION = "completion"
    """An inline completion of an assistant, taken whole."""
    COMPLETION_PART = "completion-part"
    """A word or a line of one."""
    OWN_COMPLETION = "own-completion"
    """Of Benchwright's own provider."""
    CHAT = "chat"
    """An edit that a chat or an agent in the editor made."""
    SUGGESTION = "suggestion"
    """From the list of suggestions: a name, no model's text."""
    SNIPPET = "snippet"
    UNDO = "undo"
    """Undo or redo."""
    FORMAT = "format"
    """A formatter, a rename, a quick fix: a tool that follows rules."""
    OUTSIDE = "outside"
    """Another program changed the file, and the editor took it over."""
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Attribution:
    """The label of one edit."""

    seq: int
    """Number of the edit's event."""
    path: str
    version: int | None
    origin: Origin
    method: AttributionMethod
    inserted: int
    """Code points put in."""
    deleted: int | None
    """Code points taken out; `None` where everything was replaced and its length is not in the event."""
    assist: str | None = None
    """Id of the offer that was taken."""
    classifier: str = CLASSIFIER


_REASONS: Mapping[str, Origin] = {
    "inlinecompletionaccept": Origin.COMPLETION,
    "inlinecompletionpartialaccept": Origin.COMPLETION_PART,
    "inlinesuggestaccept": Origin.COMPLETION,
    "inlinechat.applyedits": Origin.CHAT,
    "inlinechat.applyedit": Origin.CHAT,
    "chat.applyedits": Origin.CHAT,
    "chat.undoedits": Origin.CHAT,
    "chat.reset": Origin.CHAT,
    "suggest": Origin.SUGGESTION,
    "snippet": Origin.SNIPPET,
    "codeaction": Origin.FORMAT,
    "rename": Origin.FORMAT,
    "format": Origin.FORMAT,
    "eolchange": Origin.FORMAT,
    "reloadfromdisk": Origin.OUTSIDE,
    "undo": Origin.UNDO,
    "redo": Origin.UNDO,
}
"""VS Code's words for the source of an edit (`textModelEditSource.ts`), in small letters."""

_KINDS: Mapping[str, Origin] = {
    "type": Origin.TYPED,
    "cut": Origin.TYPED,
    "paste": Origin.PASTE,
    "compositiontype": Origin.TYPED,
    "compositionend": Origin.TYPED,
    "executecommand": Origin.TYPED,
    "executecommands": Origin.TYPED,
}
"""What the keyboard did, where the source is `cursor`."""


def origin_of_reason(reason: str, metadata: Mapping[str, object]) -> Origin:
    """What an editor's word for an edit's source means."""
    word = reason.lower()
    if word == "cursor":
        return _KINDS.get(str(metadata.get("kind", "")).lower(), Origin.TYPED)
    if word in _REASONS:
        return _REASONS[word]
    for begins, origin in (("chat", Origin.CHAT), ("inlinechat", Origin.CHAT), ("inlinecompletion", Origin.COMPLETION)):
        if word.startswith(begins):
            return origin
    return Origin.UNKNOWN


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
"""Commands that put text in, in small letters."""

_COMMAND_REACH_S = 2.0
"""How long after a command its edit may come, where no version ties them together."""
_OWN = "benchwright"
_TYPED_AT_ONCE = 3
"""Code points that a keyboard puts in at a time: a key, a pair of brackets, a composed character."""
_PASTE_FROM = 20
"""Code points from which on text that came at once is taken for a paste, if nothing else is known."""


def attribute(events: Iterable[RecordedEvent]) -> list[Attribution]:
    """Labels every edit of an attempt.

    Args:
        events: All events of one attempt in order. What the editor said of an edit may stand before or behind it.
    """
    recorded = list(events)
    reasons: dict[tuple[str, int], EditReason] = {}
    accepted: dict[tuple[str, int], AssistAccepted] = {}
    for one in recorded:
        match one.event:
            case EditReason() as reason:
                reasons[reason.path, reason.version] = reason
            case AssistAccepted(version=int() as version) as assist:
                accepted[assist.path, version] = assist
            case _:
                pass
    found: list[Attribution] = []
    waiting: tuple[CommandUsed, RecordedEvent] | None = None
    for one in recorded:
        event = one.event
        if isinstance(event, CommandUsed):
            waiting = (event, one)
        if not isinstance(event, Edit | EditShape):
            continue
        place = (event.path, -1 if event.version is None else event.version)
        command = _command_of(one, event, waiting)
        if command is not None:
            waiting = None
        found.append(_label(one.seq, event, reasons.get(place), accepted.get(place), command))
    return found


def _command_of(
    one: RecordedEvent, event: Edit | EditShape, waiting: tuple[CommandUsed, RecordedEvent] | None
) -> CommandUsed | None:
    if waiting is None:
        return None
    command, ran = waiting
    if command.path not in (None, event.path):
        return None
    if command.version is not None and event.version is not None:
        return command if event.version == command.version + 1 else None
    late = (one.moment.wall - ran.moment.wall).total_seconds()
    return command if 0 <= late <= _COMMAND_REACH_S else None


def _label(
    seq: int,
    event: Edit | EditShape,
    reason: EditReason | None,
    assist: AssistAccepted | None,
    command: CommandUsed | None,
) -> Attribution:
    if isinstance(event, Edit):
        inserted = [len(change.text) for change in event.changes]
        lines = [change.text.count("\n") for change in event.changes]
    else:
        inserted = [shape.length for shape in event.changes]
        lines = [shape.lines for shape in event.changes]
    spans = [None if c.start is None or c.end is None else c.end - c.start for c in event.changes]
    deleted = None if None in spans else sum(span for span in spans if span is not None)
    own = assist is not None and assist.provider == _OWN

    def labelled(origin: Origin, method: AttributionMethod) -> Attribution:
        taken = assist.assist if assist is not None and origin in _ASSISTED else None
        return Attribution(seq, event.path, event.version, origin, method, sum(inserted), deleted, taken)

    if reason is not None:
        origin = origin_of_reason(reason.reason, reason.metadata)
        if own and origin in (Origin.COMPLETION, Origin.COMPLETION_PART):
            origin = Origin.OWN_COMPLETION
        if origin is not Origin.UNKNOWN:
            return labelled(origin, reason.method)
    if assist is not None:
        part = Origin.COMPLETION_PART if assist.partial else Origin.COMPLETION
        return labelled(Origin.OWN_COMPLETION if own else part, AttributionMethod.OWN_PROVIDER)
    if command is not None and (known := _COMMANDS.get(command.command.lower())) is not None:
        return labelled(known, AttributionMethod.WRAPPED_COMMAND)
    return labelled(_guess(inserted, lines), AttributionMethod.HEURISTIC)


_ASSISTED = (Origin.COMPLETION, Origin.COMPLETION_PART, Origin.OWN_COMPLETION)


def _guess(inserted: Sequence[int], lines: Sequence[int]) -> Origin:
    """What an edit's shape suggests: keyboards put in little at a time, and never two lines."""
    if len(inserted) == 1 and (inserted[0] >= _PASTE_FROM or lines[0] > 1):
        return Origin.PASTE
    if all(count <= _TYPED_AT_ONCE for count in inserted):
        return Origin.TYPED
    return Origin.UNKNOWN


def origin_of_command(command: str) -> Origin | None:
    """What a command that puts text in means; `None` if it is none of these."""
    return _COMMANDS.get(command.lower())


def origin_of_shape(inserted: Sequence[int], lines: Sequence[int]) -> Origin:
    """What is guessed from an edit's shape: code points and line ends that each change put in."""
    return _guess(inserted, lines)
