"""Positions of a few bytes of a file, without an index of its lines: making that takes longer than counting to them."""

from __future__ import annotations

from lsprotocol.types import PositionEncodingKind

from benchwright_verilog.syntax.lines import Lines


class BytePositions:
    """Finds the positions of bytes of one version of a file. Quickest for one byte after the other, in their order.

    Args:
        data: The text as UTF-8.
        encoding: Position encoding that the client counts in.
    """

    def __init__(self, data: bytes, encoding: PositionEncodingKind) -> None:
        self._data = data
        self._encoding = encoding
        self._line = 0
        self._line_start = 0
        has_lone_returns = b"\r" in data and data.count(b"\r") != data.count(b"\r\n")
        self._lines = Lines(data.decode("utf-8", "replace"), encoding) if has_lone_returns else None

    def line_and_column(self, byte: int) -> tuple[int, int]:
        """The line of a byte, from 0, and its column in the client's units."""
        if self._lines is not None:
            return self._lines.line_and_column(self._lines.from_byte(byte))
        if byte < self._line_start:
            self._line = self._line_start = 0
        if line_ends := self._data.count(b"\n", self._line_start, byte):
            self._line += line_ends
            self._line_start = self._data.rfind(b"\n", 0, byte) + 1
        before = self._data[self._line_start : byte]
        if before.isascii() or self._encoding == PositionEncodingKind.Utf8:
            return self._line, len(before)
        text_before = before.decode("utf-8", "replace")
        wide_count = sum(character > "\uffff" for character in text_before)
        return self._line, len(text_before) + (wide_count if self._encoding == PositionEncodingKind.Utf16 else 0)
