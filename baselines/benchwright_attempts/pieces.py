"""A long string that is edited often: kept in pieces, so that an edit costs no copy of the whole."""

from __future__ import annotations

_SIZE = 8192
"""Code points of a piece, about."""


class Pieces:
    """A string that is changed in place.

    Args:
        text: At the beginning.
    """

    __slots__ = ("_pieces", "length")

    def __init__(self, text: str = "") -> None:
        self._pieces = _cut(text)
        self.length = len(text)
        """Code points."""

    def __str__(self) -> str:
        return "".join(self._pieces)

    def __getitem__(self, place: slice) -> str:
        """The code points from `start` up to `stop`, which are inside."""
        first, start = self._find(place.start)
        last, stop = self._find(place.stop, first, place.start - start)
        if first == last:
            return self._pieces[first][start:stop]
        return "".join((self._pieces[first][start:], *self._pieces[first + 1 : last], self._pieces[last][:stop]))

    def replace(self, start: int, end: int, new: str) -> None:
        """Replaces the code points from `start` up to `end`, which are inside."""
        pieces = self._pieces
        first, begin = self._find(start)
        last, stop = self._find(end, first, start - begin)
        changed = f"{pieces[first][:begin]}{new}{pieces[last][stop:]}"
        self.length += len(new) - (end - start)
        if first == last and len(changed) <= 2 * _SIZE:
            pieces[first] = changed
        else:
            pieces[first : last + 1] = _cut(changed)

    def _find(self, offset: int, piece: int = 0, before: int = 0) -> tuple[int, int]:
        """The piece that an offset is in, or at whose end it is, and the offset within; from a piece on."""
        pieces = self._pieces
        offset -= before
        while offset > (length := len(pieces[piece])):
            offset -= length
            piece += 1
        return piece, offset


def _cut(text: str) -> list[str]:
    return [text[at : at + _SIZE] for at in range(0, len(text), _SIZE)] or [""]
