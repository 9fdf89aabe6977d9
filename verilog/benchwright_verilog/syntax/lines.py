"""Line index of a document, and conversion between the three units of position.

Clients count UTF-16 code units by default (LSP 3.18, `PositionEncodingKind`), Python counts code
points, slang and tree-sitter count UTF-8 bytes. Lines end at LF, CRLF and CR and nowhere else:
`str.splitlines` would also split at form feeds and U+2028.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable
from functools import cached_property
from typing import Self

from lsprotocol.types import Position, PositionEncodingKind, Range

from benchwright_verilog.syntax.surrogates import encode_text, join_surrogates

_END = re.compile(r"\r\n|\n|\r")
_SURROGATE = re.compile("[\ud800-\udfff]")
_CONTINUATION_BYTES = bytes(range(0x80, 0xC0))


class Lines:
    """The line index of one version of a document. Offsets are in code points.

    Args:
        text: The whole text.
        encoding: Position encoding that the client counts in.
    """

    def __init__(self, text: str, encoding: PositionEncodingKind = PositionEncodingKind.Utf16) -> None:
        self.text = text
        self.encoding = encoding
        self._ascii = text.isascii()
        self._starts = [0, *(end.end() for end in _END.finditer(text))]
        # Where both are the same, they are one list.
        self._byte_starts = self._starts if self._ascii else _byte_starts(text, self._starts, 0)

    def replaced(self, start: int, end: int, new: str) -> Self:
        """The lines after code points `start` to `end` became `new`.

        Two halves of a surrogate pair that meet become one character.
        """
        text = self.text[:start] + new + self.text[end:]
        border = self.text[max(0, start - 1) : start] + new + self.text[end : end + 1]
        if not border.isascii() and _SURROGATE.search(border):
            return type(self)(join_surrogates(text), self.encoding)
        # A CR before the place belongs to a CRLF as soon as an LF follows, so its line is indexed again.
        first = bisect_right(self._starts, max(0, start - 1)) - 1
        next_line = bisect_right(self._starts, end)
        known_after = next_line < len(self._starts)
        old_end = self._starts[next_line] if known_after else len(self.text)
        shift = len(new) - (end - start)
        begin = self._starts[first]
        inner = [match.end() for match in _END.finditer(text, begin, old_end + shift)]
        starts = [*self._starts[: first + 1], *inner]
        if known_after:
            # The last line end found is where the first untouched line begins.
            tail = self._starts[next_line + 1 :]
            starts += [start + shift for start in tail] if shift else tail
        lines = type(self).__new__(type(self))
        lines.text, lines.encoding, lines._ascii, lines._starts = text, self.encoding, text.isascii(), starts
        lines._byte_starts = starts if lines._ascii else self._bytes_replaced(lines, first, next_line, len(inner))
        return lines

    def _bytes_replaced(self, lines: Self, first: int, next_line: int, inner: int) -> list[int]:
        begin = self._byte_starts[first]
        changed_starts = lines._starts[first : first + inner + 1]
        starts = [*self._byte_starts[:first], *_byte_starts(lines.text, changed_starts, begin)]
        if next_line < len(self._byte_starts):
            shift = starts[-1] - self._byte_starts[next_line]
            tail = self._byte_starts[next_line + 1 :]
            starts += [start + shift for start in tail] if shift else tail
        return starts

    def __len__(self) -> int:
        """Number of lines; after a line end at the end there is an empty one."""
        return len(self._starts)

    @cached_property
    def data(self) -> bytes:
        """The text in UTF-8, half of a surrogate pair as U+FFFD, which has as many bytes as are counted for it."""
        return encode_text(self.text)

    def offset(self, position: Position) -> int:
        """The offset of a client's position; beyond the end of a line or of the text is that end."""
        if position.line >= len(self._starts):
            return len(self.text)
        start = self._starts[position.line]
        end = self._line_end(position.line)
        if self._ascii or self.encoding == PositionEncodingKind.Utf32 or self.text[start:end].isascii():
            return min(start + position.character, end)
        left = position.character
        for offset in range(start, end):
            left -= self._units(self.text[offset])
            if left < 0:
                return offset
        return end

    def position(self, offset: int) -> Position:
        """The client's position of an offset."""
        return Position(*self.line_and_column(offset))

    def line_and_column(self, offset: int) -> tuple[int, int]:
        """The same as a line and a character: making thousands of positions takes longer than finding them."""
        line = bisect_right(self._starts, offset) - 1
        start = self._starts[line]
        return line, offset - start if self._ascii else self.width(start, offset)

    def width(self, start: int, end: int) -> int:
        """Distance from one offset to another, in the client's units."""
        if self._ascii or self.encoding == PositionEncodingKind.Utf32:
            return end - start
        part = self.text[start:end]
        if part.isascii():
            return end - start
        if self.encoding == PositionEncodingKind.Utf8:
            return len(part.encode("utf-8", "surrogatepass"))
        return len(part.encode("utf-16-le", "surrogatepass")) // 2

    def range(self, start: int, end: int) -> Range:
        """The client's range of two offsets."""
        return Range(self.position(start), self.position(end))

    def from_byte(self, byte: int) -> int:
        """The offset of a UTF-8 byte offset."""
        if self._ascii:
            return min(byte, len(self.text))
        line = bisect_right(self._byte_starts, byte) - 1
        start = self._starts[line]
        end = self._starts[line + 1] if line + 1 < len(self._starts) else len(self.text)
        line_offset = byte - self._byte_starts[line]
        part = self.text[start:end]
        if part.isascii():
            return min(start + line_offset, end)
        data = part.encode("utf-8", "surrogatepass")
        if line_offset >= len(data):
            return end
        return start + len(data[: line_offset + 1].translate(None, _CONTINUATION_BYTES)) - 1

    def to_byte(self, offset: int) -> int:
        """The UTF-8 byte offset of an offset."""
        if self._ascii:
            return offset
        line = bisect_right(self._starts, offset) - 1
        part = self.text[self._starts[line] : offset]
        return self._byte_starts[line] + len(part.encode("utf-8", "surrogatepass"))

    def byte_at(self, position: Position) -> int:
        """The UTF-8 byte offset of a client's position."""
        return self.to_byte(self.offset(position))

    def byte_range(self, start: int, end: int) -> Range:
        """The client's range of two UTF-8 byte offsets."""
        return self.range(self.from_byte(start), self.from_byte(end))

    def line_of(self, offset: int) -> int:
        """The line of an offset, counted from 0."""
        return bisect_right(self._starts, offset) - 1

    def line_of_byte(self, byte: int) -> int:
        """The line of a UTF-8 byte offset, counted from 0."""
        return bisect_right(self._byte_starts, byte) - 1

    def line(self, number: int) -> tuple[int, int]:
        """The offsets of a tool's line, counted from 1, without its end; of the end of the text beyond it."""
        if number > len(self._starts):
            return len(self.text), len(self.text)
        return self._starts[number - 1], self._line_end(number - 1)

    def _line_end(self, line: int) -> int:
        if line + 1 == len(self._starts):
            return len(self.text)
        end = self._starts[line + 1] - 1
        return end - 1 if self.text[end] == "\n" and end > 0 and self.text[end - 1] == "\r" else end

    def _units(self, character: str) -> int:
        if self.encoding == PositionEncodingKind.Utf8:
            return len(character.encode("utf-8", "surrogatepass"))
        return 2 if ord(character) > 0xFFFF else 1


def _byte_starts(text: str, starts: Iterable[int], begin: int) -> list[int]:
    """The byte offsets of code points, in order, the first of which is at byte `begin`."""
    byte_starts: list[int] = []
    previous_start = 0
    for start in starts:
        part = text[previous_start:start] if byte_starts else ""
        begin += len(part) if part.isascii() else len(part.encode("utf-8", "surrogatepass"))
        byte_starts.append(begin)
        previous_start = start
    return byte_starts
