"""What became of accepted text: the rules of `survival`, for events as they are stored."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from benchwright_attempts.survival import AFTER_S
from benchwright_verilog.syntax.surrogates import join_surrogates

_NS = 1_000_000_000
_OTHER = "\0"


class FollowedText:
    """The files of an attempt, and for each of their code points which accepted text it is of.

    Beside each file stands a text of the same length whose n-th character is n for the n-th accepted text, so that
    an edit is a few copies of memory, however many pieces there are.

    Args:
        followed: Number of the edit's event → code points it put in.
    """

    def __init__(self, followed: Mapping[int, int]) -> None:
        self._followed = followed
        self._marks = {seq: chr(place) for place, seq in enumerate(followed, start=1)}
        self._texts: dict[str, str | None] = {}
        self._owners: dict[str, str] = {}
        self._soonest = math.inf
        """When the next one is due."""
        self._due: list[list[tuple[float, int]]] = [[] for _ in AFTER_S]
        self._reached = [0] * len(AFTER_S)
        self._survived = [0] * len(AFTER_S)

    def follow(
        self, contents: Sequence[tuple[int, int, dict[str, Any]]], end_ns: int
    ) -> tuple[list[int], list[int], int]:
        """Code points that each moment came for, of these still there then, and at the end."""
        if not self._followed:
            return self._reached, self._survived, 0
        for at, seq, value in contents:
            kind = value["type"]
            if at / _NS > self._soonest:
                self._look(at)
            if seq in self._followed:
                for due, after in zip(self._due, AFTER_S, strict=True):
                    due.append((at / _NS + after, seq))
                    self._soonest = min(self._soonest, due[0][0])
            if kind == "edit":
                self._edit(seq, value)
            elif kind == "opened":
                for path, file in value["files"].items():
                    self._set(path, file)
            else:
                self._set(value["path"], value["file"])
        self._look(end_ns)
        at_end = sum(len(owners) - owners.count(_OTHER) for owners in self._owners.values())
        return self._reached, self._survived, at_end

    def _look(self, at: int) -> None:
        """Counts what is there of texts whose moment has come: contents do not change in between."""
        now = at / _NS
        for place, due in enumerate(self._due):
            while due and now > due[0][0]:
                _, seq = due.pop(0)
                self._reached[place] += self._followed[seq]
                mark = self._marks[seq]
                self._survived[place] += sum(owners.count(mark) for owners in self._owners.values())
        self._soonest = min((due[0][0] for due in self._due if due), default=math.inf)

    def _set(self, path: str, file: dict[str, Any] | None) -> None:
        text = file.get("text") if file is not None else None
        text = text if text is None else join_surrogates(text)
        if text is None or text != self._texts.get(path):
            self._owners[path] = _OTHER * len(text or "")
        self._texts[path] = text

    def _edit(self, seq: int, value: dict[str, Any]) -> None:
        path = value["path"]
        mark = self._marks.get(seq, _OTHER)
        for change in value["changes"]:
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
            changed = f"{text[:start]}{new}{text[end:]}"
            if not changed.isascii():
                changed = join_surrogates(changed)
                excess = len(owners) - len(changed)
                if excess > 0:
                    owners = owners[:start] + owners[start + excess :]
            self._texts[path], self._owners[path] = changed, owners
