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
from itertools import accumulate
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
        if "\r" in text:
            self._starts = [0, *(end.end() for end in _END.finditer(text))]
        else:
            *whole_lines, _ = text.split("\n")
            self._starts = [0, *accumulate(len(line) + 1 for line in whole_lines)]
        # Where both are the same, they are one list.
        self._byte_starts = self._starts if self._ascii else _byte_starts(text, self._starts, 0)

    def with_range_replaced(self, start_code_point: int, end_code_point: int, new_text: str) -> Self:
        """The lines after code points `start_code_point` to `end_code_point` became `new_text`.

        Two halves of a surrogate pair that meet become one character.
        """
        text = self.text[:start_code_point] + new_text + self.text[end_code_point:]
        border = (
            self.text[max(0, start_code_point - 1) : start_code_point]
            + new_text
            + self.text[end_code_point : end_code_point + 1]
        )
        if not border.isascii() and _SURROGATE.search(border):
            return type(self)(join_surrogates(text), self.encoding)
        # A CR before the place belongs to a CRLF as soon as an LF follows, so its line is indexed again.
        first_line = bisect_right(self._starts, max(0, start_code_point - 1)) - 1
        next_line = bisect_right(self._starts, end_code_point)
        known_after = next_line < len(self._starts)
        old_end = self._starts[next_line] if known_after else len(self.text)
        shift = len(new_text) - (end_code_point - start_code_point)
        first_start = self._starts[first_line]
        inner_starts = [match.end() for match in _END.finditer(text, first_start, old_end + shift)]
        line_starts = [*self._starts[: first_line + 1], *inner_starts]
        if known_after:
            # The last line end found is where the first untouched line begins.
            tail = self._starts[next_line + 1 :]
            line_starts += [start + shift for start in tail] if shift else tail
        lines = type(self).__new__(type(self))
        lines.text, lines.encoding, lines._ascii, lines._starts = text, self.encoding, text.isascii(), line_starts
        lines._byte_starts = (
            line_starts
            if lines._ascii
            else self._byte_starts_after_replacement(lines, first_line, next_line, len(inner_starts))
        )
        return lines

    def _byte_starts_after_replacement(
        self, new_lines: Self, first_line: int, next_line: int, inner_line_count: int
    ) -> list[int]:
        first_byte = self._byte_starts[first_line]
        changed_starts = new_lines._starts[first_line : first_line + inner_line_count + 1]
        byte_starts = [*self._byte_starts[:first_line], *_byte_starts(new_lines.text, changed_starts, first_byte)]
        if next_line < len(self._byte_starts):
            shift = byte_starts[-1] - self._byte_starts[next_line]
            tail = self._byte_starts[next_line + 1 :]
            byte_starts += [start + shift for start in tail] if shift else tail
        return byte_starts

    def __len__(self) -> int:
        """Number of lines; after a line end at the end there is an empty one."""
        return len(self._starts)

    @cached_property
    def data(self) -> bytes:
        """The text in UTF-8, half of a surrogate pair as U+FFFD, which has as many bytes as are counted for it."""
        return encode_text(self.text)

    def code_point_at(self, position: Position) -> int:
        """The code point of a client's position; beyond the end of a line or of the text is that end."""
        if position.line >= len(self._starts):
            return len(self.text)
        start = self._starts[position.line]
        end = self._line_end_without_break(position.line)
        if self._ascii or self.encoding == PositionEncodingKind.Utf32 or self.text[start:end].isascii():
            return min(start + position.character, end)
        units_left = position.character
        for offset in range(start, end):
            units_left -= self._client_unit_count(self.text[offset])
            if units_left < 0:
                return offset
        return end

    def position(self, code_point: int) -> Position:
        """The client's position of a code point."""
        return Position(*self.line_and_column(code_point))

    def line_and_column(self, code_point: int) -> tuple[int, int]:
        """The same as a line from 0 and a column in the client's units: thousands are made faster than positions."""
        line = bisect_right(self._starts, code_point) - 1
        start = self._starts[line]
        return line, code_point - start if self._ascii else self.client_width(start, code_point)

    def client_width(self, start_code_point: int, end_code_point: int) -> int:
        """Distance from one code point to another, in the client's units."""
        if self._ascii or self.encoding == PositionEncodingKind.Utf32:
            return end_code_point - start_code_point
        span_text = self.text[start_code_point:end_code_point]
        if span_text.isascii():
            return end_code_point - start_code_point
        if self.encoding == PositionEncodingKind.Utf8:
            return len(span_text.encode("utf-8", "surrogatepass"))
        return len(span_text.encode("utf-16-le", "surrogatepass")) // 2

    def range(self, start_code_point: int, end_code_point: int) -> Range:
        """The client's range of two code points."""
        return Range(self.position(start_code_point), self.position(end_code_point))

    def from_byte(self, byte: int) -> int:
        """The code point of a UTF-8 byte offset."""
        if self._ascii:
            return min(byte, len(self.text))
        line = bisect_right(self._byte_starts, byte) - 1
        start = self._starts[line]
        end = self._starts[line + 1] if line + 1 < len(self._starts) else len(self.text)
        line_offset = byte - self._byte_starts[line]
        line_text = self.text[start:end]
        if line_text.isascii():
            return min(start + line_offset, end)
        data = line_text.encode("utf-8", "surrogatepass")
        if line_offset >= len(data):
            return end
        return start + len(data[: line_offset + 1].translate(None, _CONTINUATION_BYTES)) - 1

    def to_byte(self, code_point: int) -> int:
        """The UTF-8 byte offset of a code point."""
        if self._ascii:
            return code_point
        line = bisect_right(self._starts, code_point) - 1
        line_text = self.text[self._starts[line] : code_point]
        return self._byte_starts[line] + len(line_text.encode("utf-8", "surrogatepass"))

    def byte_at(self, position: Position) -> int:
        """The UTF-8 byte offset of a client's position."""
        return self.to_byte(self.code_point_at(position))

    def byte_range(self, start_byte: int, end_byte: int) -> Range:
        """The client's range of two UTF-8 byte offsets."""
        return self.range(self.from_byte(start_byte), self.from_byte(end_byte))

    def line_index(self, code_point: int) -> int:
        """The line of a code point, counted from 0."""
        return bisect_right(self._starts, code_point) - 1

    def line_index_of_byte(self, byte: int) -> int:
        """The line of a UTF-8 byte offset, counted from 0."""
        return bisect_right(self._byte_starts, byte) - 1

    def line_bounds(self, line_number: int) -> tuple[int, int]:
        """The code points of a tool's line, counted from 1, without its end; those of the end of the text beyond it."""
        if line_number > len(self._starts):
            return len(self.text), len(self.text)
        return self._starts[line_number - 1], self._line_end_without_break(line_number - 1)

    def _line_end_without_break(self, line_index: int) -> int:
        if line_index + 1 == len(self._starts):
            return len(self.text)
        end = self._starts[line_index + 1] - 1
        return end - 1 if self.text[end] == "\n" and end > 0 and self.text[end - 1] == "\r" else end

    def _client_unit_count(self, character: str) -> int:
        if self.encoding == PositionEncodingKind.Utf8:
            return len(character.encode("utf-8", "surrogatepass"))
        return 2 if ord(character) > 0xFFFF else 1


def _byte_starts(text: str, offsets: Iterable[int], current_byte: int) -> list[int]:
    """The byte offsets of code points, in order, the first of which is at byte `current_byte`."""
    byte_starts: list[int] = []
    previous_start = 0
    for start in offsets:
        text_part = text[previous_start:start] if byte_starts else ""
        current_byte += len(text_part) if text_part.isascii() else len(text_part.encode("utf-8", "surrogatepass"))
        byte_starts.append(current_byte)
        previous_start = start
    return byte_starts
