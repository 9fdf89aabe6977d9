"""A long string that is edited often: kept in pieces, so that an edit costs no copy of the whole."""

from __future__ import annotations

_SIZE = 8192
"""Code points of a piece, about."""
_STRIDE = 16
"""Pieces that a search passes at once."""


class EditableText:
    """A string that is changed in place.

    Args:
        text: At the beginning.
    """

    __slots__ = ("_lengths", "_offset_before", "_piece", "_pieces", "length")

    def __init__(self, text: str = "") -> None:
        self._pieces = _split_text(text)
        self._lengths = [len(piece) for piece in self._pieces]
        self.length = len(text)
        """Code points."""
        self._piece = 0
        """Position of the newest match; the next search, mostly nearby, continues from there."""
        self._offset_before = 0
        """Code points before that piece."""

    def __str__(self) -> str:
        return "".join(self._pieces)

    def __getitem__(self, span: slice) -> str:
        """The code points from `start` up to `stop`, which are inside."""
        first_index, start = self._find_piece_and_offset(span.start)
        last_index, stop = self._find_from_last_piece(span.stop)
        if first_index == last_index:
            return self._pieces[first_index][start:stop]
        return "".join(
            (
                self._pieces[first_index][start:],
                *self._pieces[first_index + 1 : last_index],
                self._pieces[last_index][:stop],
            )
        )

    def replace(self, start_code_point: int, end_code_point: int, replacement: str) -> None:
        """Replaces the code points from `start_code_point` up to `end_code_point`, which are inside."""
        pieces = self._pieces
        first_index, start_offset = self._find_piece_and_offset(start_code_point)
        last_index, stop = self._find_from_last_piece(end_code_point)
        changed_text = f"{pieces[first_index][:start_offset]}{replacement}{pieces[last_index][stop:]}"
        self.length += len(replacement) - (end_code_point - start_code_point)
        if first_index == last_index and len(changed_text) <= 2 * _SIZE:
            pieces[first_index] = changed_text
            self._lengths[first_index] = len(changed_text)
        else:
            cut = _split_text(changed_text)
            pieces[first_index : last_index + 1] = cut
            self._lengths[first_index : last_index + 1] = [len(piece) for piece in cut]

    def _find_piece_and_offset(self, offset: int) -> tuple[int, int]:
        """The first piece that an offset is in, or at whose end it is, and the offset within."""
        lengths, piece, offset_before = self._lengths, self._piece, self._offset_before
        while piece >= _STRIDE and offset <= offset_before:
            piece -= _STRIDE
            offset_before -= sum(lengths[piece : piece + _STRIDE])
        while piece and offset <= offset_before:
            piece -= 1
            offset_before -= lengths[piece]
        self._piece, self._offset_before = piece, offset_before
        self._piece, offset_within = self._find_from_last_piece(offset)
        self._offset_before = offset - offset_within
        return self._piece, offset_within

    def _find_from_last_piece(self, offset: int) -> tuple[int, int]:
        """As `_find`, of an offset that is not before the one that was found last."""
        lengths, piece = self._lengths, self._piece
        offset -= self._offset_before
        while offset > _SIZE * _STRIDE and offset > (length := sum(lengths[piece : piece + _STRIDE])):
            offset -= length
            piece += _STRIDE
        while offset > (length := lengths[piece]):
            offset -= length
            piece += 1
        return piece, offset


def _split_text(text: str) -> list[str]:
    return [text[offset : offset + _SIZE] for offset in range(0, len(text), _SIZE)] or [""]
