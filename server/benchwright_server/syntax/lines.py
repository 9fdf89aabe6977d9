"""Where lines begin, and how the three units of position meet.

Clients count UTF-16 code units by default (LSP 3.18, `PositionEncodingKind`), Python counts code
points, slang and tree-sitter count UTF-8 bytes. Lines end at LF, CRLF and CR and nowhere else:
`str.splitlines` would also split at form feeds and U+2028.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import cached_property

from lsprotocol.types import Position, PositionEncodingKind, Range

_END = re.compile(r"\r\n|\n|\r")


class Lines:
    """The line index of one version of a text. Offsets are in code points.

    Args:
        text: The whole text.
        encoding: What the client counts in.
    """

    def __init__(self, text: str, encoding: PositionEncodingKind = PositionEncodingKind.Utf16) -> None:
        self.text = text
        self._encoding = encoding
        self._starts = [0, *(end.end() for end in _END.finditer(text))]
        self._ascii = text.isascii()

    def offset(self, position: Position) -> int:
        """The offset of a client's position; beyond the end of a line or of the text is that end."""
        if position.line >= len(self._starts):
            return len(self.text)
        start = self._starts[position.line]
        end = self._line_end(position.line)
        if self._ascii or self._encoding == PositionEncodingKind.Utf32:
            return min(start + position.character, end)
        left = position.character
        for offset in range(start, end):
            left -= self._units(self.text[offset])
            if left < 0:
                return offset
        return end

    def position(self, offset: int) -> Position:
        """The client's position of an offset."""
        line = bisect_right(self._starts, offset) - 1
        start = self._starts[line]
        if self._ascii or self._encoding == PositionEncodingKind.Utf32:
            return Position(line, offset - start)
        return Position(line, sum(self._units(character) for character in self.text[start:offset]))

    def range(self, start: int, end: int) -> Range:
        """The client's range of two offsets."""
        return Range(self.position(start), self.position(end))

    def from_byte(self, byte: int) -> int:
        """The offset of a UTF-8 byte offset."""
        if self._ascii:
            return min(byte, len(self.text))
        return bisect_right(self._byte_starts, byte) - 1

    def line(self, number: int) -> tuple[int, int]:
        """The offsets of a tool's line, counted from 1, without its end; of the end of the text beyond it."""
        if number > len(self._starts):
            return len(self.text), len(self.text)
        return self._starts[number - 1], self._line_end(number - 1)

    @cached_property
    def _byte_starts(self) -> list[int]:
        starts = [0]
        for character in self.text:
            starts.append(starts[-1] + _utf8_length(character))
        return starts

    def _line_end(self, line: int) -> int:
        if line + 1 == len(self._starts):
            return len(self.text)
        end = self._starts[line + 1] - 1
        return end - 1 if self.text[end] == "\n" and end > 0 and self.text[end - 1] == "\r" else end

    def _units(self, character: str) -> int:
        if self._encoding == PositionEncodingKind.Utf8:
            return _utf8_length(character)
        return 2 if ord(character) > 0xFFFF else 1


def _utf8_length(character: str) -> int:
    code = ord(character)
    return 1 if code < 0x80 else 2 if code < 0x800 else 3 if code < 0x10000 else 4
