"""Positions of bytes of a document before it was edited."""

from __future__ import annotations

from benchwright_verilog.syntax.tree import differing_start_old_end_new_end


class TextShift:
    """Maps bytes between two versions of a document, which differ in one part.

    Args:
        old_data: The older text, as UTF-8.
        new_data: The newer text.
    """

    def __init__(self, old_data: bytes, new_data: bytes) -> None:
        if old_data is new_data or old_data == new_data:
            self._start = self._old_end = self._end = len(new_data)
        else:
            self._start, self._old_end, self._end = differing_start_old_end_new_end(old_data, new_data)

    def is_in_or_beside_inserted_text(self, new_byte: int) -> bool:
        """True if a byte of the newer text is in or beside what the older text does not have."""
        has_changed = (self._start, self._old_end) != (self._end, self._end)
        return has_changed and self._start <= new_byte <= self._end

    def to_old(self, new_byte: int) -> int:
        """The byte in the older text; inside of what is new, where that was inserted."""
        if new_byte <= self._start:
            return new_byte
        return new_byte - self._end + self._old_end if new_byte >= self._end else self._start

    def to_new(self, old_byte: int) -> int:
        """The byte in the newer text."""
        return old_byte if old_byte <= self._start else old_byte - self._old_end + self._end
