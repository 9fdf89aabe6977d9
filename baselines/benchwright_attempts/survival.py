"""What became of text that an assistant put in: how much of it was still there 30 s, 2 min later and at the end.

Every code point of every file is followed through the replay: an edit that changes a part of an accepted text
takes away that part only.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from benchwright_attempts.attribution import Attribution, Origin, attribute
from benchwright_attempts.clock import ClockState, next_clock
from benchwright_attempts.events import Edit, Event, Opened, TextSet
from benchwright_attempts.file_text import FileText, apply_changes
from benchwright_attempts.record import RecordedEvent

AFTER_S = (30.0, 120.0)
"""How long after an acceptance is looked."""
FOLLOWED = (Origin.COMPLETION, Origin.COMPLETION_PART, Origin.OWN_COMPLETION, Origin.CHAT, Origin.PASTE)
"""Text of these origins is followed."""


@dataclass(frozen=True, slots=True)
class Survival:
    """One accepted or pasted text."""

    label: Attribution
    inserted: int
    """Code points put in."""
    after: Mapping[float, int | None]
    """Seconds since → code points still there; `None` where the attempt ended before."""
    at_end: int
    """Code points still there at the attempt's newest event."""


class Provenance:
    """Which edit each code point of a file came from, as runs of equal ones."""

    def __init__(self, text: str, owner: int) -> None:
        self._runs: list[tuple[int, int]] = [(owner, len(text))] if text else []

    def replace(self, start: int, end: int, owner: int, length: int) -> None:
        """Code points `start` to `end` give way to `length` new ones."""
        before, _, after = self._cut(start, end)
        middle = [(owner, length)] if length else []
        self._runs = [*before, *middle, *after]

    def fit(self, length: int, at: int) -> None:
        """Surrogates that came together count once less: take what is too much away at a place."""
        excess = sum(count for _, count in self._runs) - length
        if excess > 0:
            before, _, after = self._cut(at, at + excess)
            self._runs = [*before, *after]

    def counts(self) -> dict[int, int]:
        """Code points by the edit that put them there."""
        found: dict[int, int] = {}
        for owner, count in self._runs:
            found[owner] = found.get(owner, 0) + count
        return found

    def _cut(self, start: int, end: int) -> tuple[list[tuple[int, int]], ...]:
        parts: tuple[list[tuple[int, int]], ...] = ([], [], [])
        place = 0
        for owner, count in self._runs:
            for part, low, high in zip(parts, (place, start, end), (start, end, place + count), strict=True):
                size = min(high, place + count) - max(low, place)
                if size > 0:
                    part.append((owner, size))
            place += count
        return parts


def survivals(events: Iterable[RecordedEvent], origins: Sequence[Origin] = FOLLOWED) -> list[Survival]:
    """Follows every text of these origins through an attempt that was recorded in full.

    Times are those of the attempt's own time line (monotonic, without what lay between two processes).
    """
    recorded = list(events)
    followed = {label.seq: label for label in attribute(recorded) if label.origin in origins and label.inserted}
    files: dict[str, Provenance] = {}
    texts: dict[str, str | None] = {}
    born: dict[int, float] = {}
    looked: dict[int, dict[float, int]] = {}
    clock = ClockState()
    for one in recorded:
        clock = next_clock(clock, one)
        now = clock.at_ns / 1e9
        # What stood there just before this event is what stood there at every moment since the one before.
        _look(files, born, looked, now)
        if one.seq in followed:
            born[one.seq] = now
        _follow(one.seq, one.event, files, texts)
    counts = _totals(files)
    return [
        Survival(
            label, label.inserted, {after: looked.get(seq, {}).get(after) for after in AFTER_S}, counts.get(seq, 0)
        )
        for seq, label in followed.items()
    ]


def _look(
    files: Mapping[str, Provenance], born: Mapping[int, float], looked: dict[int, dict[float, int]], now: float
) -> None:
    due = [
        (seq, after)
        for seq, since in born.items()
        for after in AFTER_S
        if now > since + after and after not in looked.get(seq, {})
    ]
    if due:
        counts = _totals(files)
        for seq, after in due:
            looked.setdefault(seq, {})[after] = counts.get(seq, 0)


def _totals(files: Mapping[str, Provenance]) -> dict[int, int]:
    totals: dict[int, int] = {}
    for file in files.values():
        for owner, count in file.counts().items():
            totals[owner] = totals.get(owner, 0) + count
    return totals


def _follow(seq: int, event: Event, files: dict[str, Provenance], texts: dict[str, str | None]) -> None:
    match event:
        case Opened():
            contents: Mapping[str, FileText | None] = event.files
        case TextSet():
            contents = {event.path: event.file}
        case Edit():
            _edit(seq, event, files, texts)
            return
        case _:
            return
    for path, content in contents.items():
        text = content.text if content is not None else None
        if text is None or text != texts.get(path):
            # It came from elsewhere; nothing in it is known to stem from an edit.
            files[path] = Provenance(text or "", seq)
        texts[path] = text


def _edit(seq: int, event: Edit, files: dict[str, Provenance], texts: dict[str, str | None]) -> None:
    for change in event.changes:
        text = texts.get(event.path)
        if change.start is None or change.end is None or text is None:
            texts[event.path] = change.text if change.start is None else None
            files[event.path] = Provenance(texts[event.path] or "", seq)
            continue
        file = files[event.path]
        file.replace(change.start, change.end, seq, len(change.text))
        changed = apply_changes(text, [change])
        file.fit(len(changed), change.start)
        texts[event.path] = changed
