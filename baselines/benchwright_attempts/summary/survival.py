"""Survival of text that an assistant inserted: how much of it is left after 30 s, after 2 min and at the end.

Every code point of every file is followed through the replay: an edit that changes a part of an accepted text removes
that part only.
"""

from __future__ import annotations

import math
from array import array
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from benchwright_attempts.events.marked_text import MarkedTexts, StoredChange

AFTER_S = (30.0, 120.0)
"""Ages at which the text that is left is counted, in seconds."""
_NS = 1_000_000_000
_OTHER = "\0"
_NOWHERE = -(1 << 63)
"""Stands for an offset that there is not."""


@dataclass(slots=True)
class TextChangePoint:
    """A point of an attempt at which text changed. It has either `files` or `path` and `changes`."""

    since_opening_ns: int
    """Since the opening, on the attempt's own time line."""
    seq: int
    files: Mapping[str, str | None] | None = None
    """Path → whole text; `None` if the file was deleted or its text is unknown."""
    path: str = ""
    changes: Sequence[StoredChange] = ()


class TextChangePoints:
    """The points of an attempt at which text changed, in columns: there may be a million."""

    __slots__ = ("_at_ns", "_ends", "_files", "_paths", "_seq", "_starts", "_stops", "_texts")

    def __init__(self) -> None:
        self._at_ns = array("q")
        self._seq = array("q")
        self._files: dict[int, Mapping[str, str | None]] = {}
        self._paths: list[str] = []
        self._stops = array("q")
        """Number of changes up to and with each point's."""
        self._starts = array("q")
        self._ends = array("q")
        self._texts: list[str] = []

    def add_files(self, since_opening_ns: int, seq: int, text_by_path: Mapping[str, str | None]) -> None:
        """Whole files are set."""
        self._files[len(self._seq)] = text_by_path
        self.add_edit(since_opening_ns, seq, "", ())

    def add_edit(self, since_opening_ns: int, seq: int, path: str, changes: Iterable[StoredChange]) -> None:
        """A file is edited.

        Raises:
            OverflowError: A number does not fit into 64 bits.
        """
        for start, end, text in changes:
            self._starts.append(_NOWHERE if start is None else start)
            self._ends.append(_NOWHERE if end is None else end)
            self._texts.append(text)
        self._at_ns.append(since_opening_ns)
        self._seq.append(seq)
        self._paths.append(path)
        self._stops.append(len(self._texts))

    def __iter__(self) -> Iterator[TextChangePoint]:
        first_change = 0
        content_rows = zip(self._at_ns, self._seq, self._paths, self._stops, strict=True)
        for index, (at_ns, seq, path, stop) in enumerate(content_rows):
            changes = [self._stored_change(change_index) for change_index in range(first_change, stop)]
            yield TextChangePoint(at_ns, seq, self._files.get(index), path, changes)
            first_change = stop

    def _stored_change(self, index: int) -> StoredChange:
        start, end = self._starts[index], self._ends[index]
        return (None if start == _NOWHERE else start, None if end == _NOWHERE else end, self._texts[index])


@dataclass(frozen=True, slots=True)
class InsertionSurvival:
    """Code points of the followed insertions of an attempt."""

    inserted_reaching_age: tuple[int, ...]
    """For each age of `AFTER_S`, those that were inserted at least that long before the end."""
    left_at_age: tuple[int, ...]
    """Of these, those that were left at that age."""
    at_end: int
    """Those that were left at the end."""


MOST_FOLLOWED = 0x10FFFF
"""Insertions that can be followed in one attempt: each has a character as its mark."""


class TextSurvival:
    """The files of an attempt, and for each of their code points which followed text it belongs to.

    Each code point's mark is a number: n for the n-th followed text. How much is left of each is counted as it is
    inserted and removed, so no count reads a file.

    Args:
        inserted_by_seq: Number of an edit's event → code points it inserted; at most `MOST_FOLLOWED`.
    """

    def __init__(self, inserted_by_seq: Mapping[int, int]) -> None:
        self._followed = inserted_by_seq
        self._marks = {seq: chr(number) for number, seq in enumerate(inserted_by_seq, start=1)}
        self._left: Counter[str] = Counter()
        """Mark → code points that are left in all files."""
        self._files = MarkedTexts(self._count_inserted, self._count_removed)
        self._soonest = math.inf
        """Time of the next count, in seconds since the opening."""
        self._due: list[deque[tuple[float, int]]] = [deque() for _ in AFTER_S]
        self._reached = [0] * len(AFTER_S)
        self._survived = [0] * len(AFTER_S)

    def count_survival(self, change_points: Iterable[TextChangePoint], end_ns: int) -> InsertionSurvival:
        """Follows the insertions through every change, up to the end of the time line."""
        at_end = 0
        if self._followed:
            for change_point in change_points:
                self._follow_change_point(change_point)
            self._count_reached_ages(end_ns)
            at_end = sum(self._left.values())
        return InsertionSurvival(tuple(self._reached), tuple(self._survived), at_end)

    def _follow_change_point(self, change_point: TextChangePoint) -> None:
        # The text just before this change is what was there all the time since the change before.
        at_s = change_point.since_opening_ns / _NS
        if at_s > self._soonest:
            self._count_reached_ages(change_point.since_opening_ns)
        if change_point.seq in self._followed:
            for due, age_s in zip(self._due, AFTER_S, strict=True):
                due.append((at_s + age_s, change_point.seq))
                self._soonest = min(self._soonest, due[0][0])
        marked_texts = self._files
        if change_point.files is None:
            marked_texts.edit_text(change_point.path, change_point.changes, self._marks.get(change_point.seq, _OTHER))
        else:
            for path, text in change_point.files.items():
                if (
                    text is None
                    or path not in marked_texts.pieces_by_path
                    or text != str(marked_texts.pieces_by_path[path])
                ):
                    # It came from elsewhere: nothing in it is known to stem from an edit.
                    marked_texts.set_text(path, text, _OTHER)

    def _count_reached_ages(self, at_ns: int) -> None:
        """Counts what is left of insertions that have reached an age."""
        now_s = at_ns / _NS
        for index, due in enumerate(self._due):
            while due and now_s > due[0][0]:
                _, seq = due.popleft()
                self._reached[index] += self._followed[seq]
                self._survived[index] += self._left[self._marks[seq]]
        self._soonest = min((due[0][0] for due in self._due if due), default=math.inf)

    def _count_inserted(self, mark: str, character_count: int) -> None:
        if mark != _OTHER:
            self._left[mark] += character_count

    def _count_removed(self, removed_marks: str) -> None:
        if removed_marks.count(_OTHER) < len(removed_marks):
            self._left.subtract(owner for owner in removed_marks if owner != _OTHER)
