"""Survival of text that an assistant inserted: how much of it is left after 30 s, after 2 min and at the end.

Every code point of every file is followed through the replay: an edit that changes a part of an accepted text removes
that part only.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NotRequired, TypedDict

from benchwright_attempts.file_text import replaced
from benchwright_verilog.syntax.surrogates import join_surrogates

AFTER_S = (30.0, 120.0)
"""Ages at which the text that is left is counted, in seconds."""
_NS = 1_000_000_000
_OTHER = "\0"


class StoredChange(TypedDict):
    """A change as a record has it: its text may hold surrogate pairs."""

    start: NotRequired[int | None]
    end: NotRequired[int | None]
    text: str


@dataclass(slots=True)
class Content:
    """A point of an attempt at which text changed. It has either `files` or `path` and `changes`."""

    at_ns: int
    """Since the opening, on the attempt's own time line."""
    seq: int
    files: Mapping[str, str | None] | None = None
    """Path → whole text; `None` if the file was deleted or its text is unknown."""
    path: str = ""
    changes: Sequence[StoredChange] = ()


@dataclass(frozen=True, slots=True)
class Survival:
    """Code points of the followed insertions of an attempt."""

    reached: tuple[int, ...]
    """For each age of `AFTER_S`, those that were inserted at least that long before the end."""
    survived: tuple[int, ...]
    """Of these, those that were left at that age."""
    at_end: int
    """Those that were left at the end."""


class TextSurvival:
    """The files of an attempt, and for each of their code points which followed text it belongs to.

    Each file is accompanied by a string of the same length whose characters are numbers: n for the n-th followed text.
    So an edit is a few copies of memory, however many pieces there are.

    Args:
        followed: Number of an edit's event → code points it inserted.
    """

    def __init__(self, followed: Mapping[int, int]) -> None:
        self._followed = followed
        self._marks = {seq: chr(place) for place, seq in enumerate(followed, start=1)}
        self._texts: dict[str, str | None] = {}
        self._owners: dict[str, str] = {}
        self._soonest = math.inf
        """When the next count is due, in seconds since the opening."""
        self._due: list[list[tuple[float, int]]] = [[] for _ in AFTER_S]
        self._reached = [0] * len(AFTER_S)
        self._survived = [0] * len(AFTER_S)

    def follow(self, contents: Sequence[Content], end_ns: int) -> Survival:
        """Follows the insertions through every change, up to the end of the time line."""
        at_end = 0
        if self._followed:
            for content in contents:
                self._take(content)
            self._count(end_ns)
            at_end = sum(len(owners) - owners.count(_OTHER) for owners in self._owners.values())
        return Survival(tuple(self._reached), tuple(self._survived), at_end)

    def _take(self, content: Content) -> None:
        # The text just before this change is what was there all the time since the change before.
        at_s = content.at_ns / _NS
        if at_s > self._soonest:
            self._count(content.at_ns)
        if content.seq in self._followed:
            for due, after in zip(self._due, AFTER_S, strict=True):
                due.append((at_s + after, content.seq))
                self._soonest = min(self._soonest, due[0][0])
        if content.files is None:
            self._edit(content)
        else:
            for path, text in content.files.items():
                self._set(path, text)

    def _count(self, at_ns: int) -> None:
        """Counts what is left of insertions that have reached an age."""
        now = at_ns / _NS
        for place, due in enumerate(self._due):
            while due and now > due[0][0]:
                _, seq = due.pop(0)
                self._reached[place] += self._followed[seq]
                mark = self._marks[seq]
                self._survived[place] += sum(owners.count(mark) for owners in self._owners.values())
        self._soonest = min((due[0][0] for due in self._due if due), default=math.inf)

    def _set(self, path: str, text: str | None) -> None:
        if text is None or text != self._texts.get(path):
            # It came from elsewhere: nothing in it is known to stem from an edit.
            self._owners[path] = _OTHER * len(text or "")
        self._texts[path] = text

    def _edit(self, content: Content) -> None:
        path, mark = content.path, self._marks.get(content.seq, _OTHER)
        for change in content.changes:
            text, new = self._texts.get(path), change["text"]
            if not new.isascii():
                new = join_surrogates(new)
            start, end = change.get("start"), change.get("end")
            if start is None or end is None or text is None or end > len(text):
                self._texts[path] = new if start is None else None
                self._owners[path] = mark * len(new) if start is None else ""
                continue
            owners = self._owners[path]
            owners = f"{owners[:start]}{mark * len(new)}{owners[end:]}"
            changed = replaced(text, start, end, new)
            excess = len(owners) - len(changed)
            if excess > 0:
                # Surrogates that came together count once.
                owners = owners[:start] + owners[start + excess :]
            self._texts[path], self._owners[path] = changed, owners
