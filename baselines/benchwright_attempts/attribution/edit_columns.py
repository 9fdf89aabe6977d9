"""The edits of an attempt, column by column: there may be a million, and as objects they take ten times the memory."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence

from benchwright_attempts.attribution.method import EditFacts
from benchwright_attempts.events.event_body import EventBody

_NOTHING = -(1 << 63)
"""Stands for a number that there is not."""


class EditColumns:
    """Edits in order, kept in columns; iterating makes each again."""

    __slots__ = ("_announced", "_deleted", "_shapes", "_shared", "_versions", "path", "seq", "total")

    def __init__(self) -> None:
        self.seq = array("q")
        """Number of each edit's event."""
        self.path: list[str] = []
        """File of each edit."""
        self.total = array("q")
        """Code points that each edit inserted."""
        self._deleted = array("q")
        self._versions = array("q")
        self._shapes: list[tuple[Sequence[int], Sequence[int]]] = []
        self._shared: dict[tuple[int, ...], tuple[Sequence[int], Sequence[int]]] = {}
        self._announced: dict[int, EventBody] = {}

    def __len__(self) -> int:
        return len(self.seq)

    def __iter__(self) -> Iterator[EditFacts]:
        edit_rows = zip(
            self.seq, self.path, self._versions, self._shapes, self.total, self.deleted_counts(), strict=True
        )
        for index, (seq, path, version, (inserted, lines), total, deleted) in enumerate(edit_rows):
            known_version = None if version == _NOTHING else version
            yield EditFacts(seq, path, known_version, inserted, lines, total, deleted, self._announced.get(index))

    def append(self, edit: EditFacts) -> None:
        """One more edit.

        Raises:
            OverflowError: A number does not fit into 64 bits.
        """
        self.seq.append(edit.seq)
        self.total.append(edit.total)
        self._deleted.append(_NOTHING if edit.deleted is None else edit.deleted)
        # An editor sends the version: one that does not fit into 64 bits counts as none.
        version = _NOTHING if edit.version is None or abs(edit.version) >= -_NOTHING else edit.version
        self._versions.append(version)
        self.path.append(edit.path)
        shape = (tuple(edit.inserted), tuple(edit.lines))
        self._shapes.append(self._shared.setdefault(shape[0] + shape[1], shape))
        if edit.announced_by is not None:
            self._announced[len(self.seq) - 1] = edit.announced_by

    def deleted_counts(self) -> Iterator[int | None]:
        """Code points that each edit deleted; `None` where that is not known."""
        return (None if amount == _NOTHING else amount for amount in self._deleted)
