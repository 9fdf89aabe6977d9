"""Sites of a recorded attempt: the text as it was at each pause, what its author wrote next, and how it ended."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from benchwright_attempts.events.events import Edit
from benchwright_attempts.log.record import RecordedEvent
from benchwright_attempts.summary.replay import states
from benchwright_subjects.inline.sites import Pause, Site, SiteKind
from benchwright_verilog.syntax.suffixes import DESIGN_SUFFIXES


@dataclass(frozen=True)
class _Pause:
    seq: int
    path: str
    text: str
    cursor: int
    gap_ms: float = 0.0


def recorded_sites(ref: str, name: str, events: Iterable[RecordedEvent], pause_ms: int) -> list[Site]:
    """The pauses of an attempt at which somebody could have been helped.

    A pause that is followed by an edit elsewhere is left out: what its author would have accepted there is unknown.

    Args:
        ref: PACK/ID of the problem.
        name: Of the attempt, for the sites' names.
        events: All of the attempt, in order.
        pause_ms: Time between two edits from which on it is a pause.
    """
    pauses, final = _pauses(events, pause_ms)
    found = []
    for pause, following in zip(pauses, [*pauses[1:], None], strict=False):
        later = following.text if following is not None and following.path == pause.path else final.get(pause.path)
        before, after = pause.text[: pause.cursor], pause.text[pause.cursor :]
        written = _between(before, after, later)
        if written is not None and written.strip():
            site = f"{ref}/{pause.path}#{SiteKind.REPLAY}@{name}-{pause.seq}"
            end = final.get(pause.path)
            where = Pause(name, pause.seq, pause.gap_ms)
            found.append(Site(site, ref, pause.path, SiteKind.REPLAY, before, after, written, final=end, pause=where))
    return found


def _pauses(events: Iterable[RecordedEvent], pause_ms: int) -> tuple[list[_Pause], dict[str, str]]:
    found: list[_Pause] = []
    last: tuple[RecordedEvent, _Pause | None] | None = None
    final: dict[str, str] = {}
    for recorded, files in states(events):
        final = {path: file.text for path, file in files.items() if file.text is not None}
        if not isinstance(recorded.event, Edit):
            continue
        gap_ms = 0.0 if last is None else _gap_ms(last[0], recorded)
        if last is not None and last[1] is not None and gap_ms >= pause_ms:
            found.append(replace(last[1], gap_ms=gap_ms))
        last = (recorded, _pause(recorded.seq, recorded.event, final))
    if last is not None and last[1] is not None:
        found.append(replace(last[1], gap_ms=float(pause_ms)))
    return found, final


def _pause(seq: int, edit: Edit, texts: dict[str, str]) -> _Pause | None:
    if edit.path not in texts or not edit.path.endswith(tuple(DESIGN_SUFFIXES)) or not edit.changes:
        return None
    change = edit.changes[-1]
    if change.start is None:
        return None
    return _Pause(seq, edit.path, texts[edit.path], change.start + len(change.text))


def _gap_ms(one: RecordedEvent, other: RecordedEvent) -> float:
    if one.moment.process == other.moment.process:
        return (other.moment.mono_ns - one.moment.mono_ns) / 1e6
    return (other.moment.wall - one.moment.wall).total_seconds() * 1000


def _between(before: str, after: str, later: str | None) -> str | None:
    """What was written between two parts that are still there; None if they are not."""
    if later is None or len(later) < len(before) + len(after):
        return None
    if not (later.startswith(before) and later.endswith(after)):
        return None
    return later[len(before) : len(later) - len(after)]
