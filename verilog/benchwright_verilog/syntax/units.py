"""A document cut into its top-level items, each parsed separately and only when it changed.

A design of ten thousand lines is a few hundred modules, and typing changes one of them. Cutting also keeps what is
broken in one module from confusing the next: a parser that misses an `endmodule` or a bracket goes astray to the end
of the text. Where the cuts are depends on the text alone.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, TypeVar, cast

from lsprotocol.types import PositionEncodingKind

from benchwright_verilog.syntax.lines import Lines
from benchwright_verilog.syntax.tree import parse

if TYPE_CHECKING:
    from tree_sitter import Tree

T = TypeVar("T")

_BREATH_S = 0.01

_BEGINS = re.compile(rb"(?:macro)?module\b|package\b|program\b|interface\s+(?:static\s+|automatic\s+)?\w+\s*[;#(]")
_ENDS = re.compile(rb"end(?:module|interface|package|program|primitive|config|checker)\b")
_STARTING_LINES = (b"\nend", b"\nmodule", b"\nmacromodule", b"\npackage", b"\nprogram", b"\ninterface")
_LINE = re.compile(rb'//|/\*|"(?:[^"\\]|\\.)*"?')


class ItemText:
    """The text of one top-level item. Everything known of it counts from its beginning.

    Args:
        data: UTF-8.
        encoding: Position encoding that the client counts in.
        origin: The shape before an edit.
    """

    def __init__(self, data: bytes, encoding: PositionEncodingKind, origin: ItemText | None = None) -> None:
        self.data = data
        self.lines = Lines(data.decode(), encoding)
        self._origin = origin
        self._known_results: dict[Callable[[ItemText], object], object] = {}

    @cached_property
    def tree(self) -> Tree:
        """tree-sitter's tree of it."""
        origin, self._origin = self.newest_parsed, None
        return parse(self.data, origin.data, origin.tree) if origin else parse(self.data)

    @property
    def newest_parsed(self) -> ItemText | None:
        """Itself or what it was when it was last parsed."""
        return self if "tree" in self.__dict__ else self._origin

    def kept_result(self, compute: Callable[[ItemText], T]) -> T:
        """Return what a function makes of it, kept as long as the text is there."""
        if compute not in self._known_results:
            self._known_results[compute] = compute(self)
        return cast("T", self._known_results[compute])


@dataclass(frozen=True)
class TopLevelItem:
    """A top-level item at its position in a document."""

    start: int
    """Its first byte."""
    line: int
    """Its first line, counted from 0."""
    item_text: ItemText

    @property
    def end(self) -> int:
        """The byte after it."""
        return self.start + len(self.item_text.data)


async def results_by_unit(
    units: Sequence[TopLevelItem], compute: Callable[[ItemText], T]
) -> list[tuple[TopLevelItem, T]]:
    """The result of a function for each unit; a long document gives way to other requests the first time."""
    made_values: list[tuple[TopLevelItem, T]] = []
    pause = time.monotonic() + _BREATH_S
    for unit in units:
        made_values.append((unit, unit.item_text.kept_result(compute)))
        if time.monotonic() > pause:
            await asyncio.sleep(0)
            pause = time.monotonic() + _BREATH_S
    return made_values


@dataclass
class UnitCache:
    """The units of the newest version of one text, from which those of the next are made."""

    item_text_by_data: dict[bytes, ItemText] = field(default_factory=dict)

    def units_of(self, data: bytes, encoding: PositionEncodingKind) -> tuple[TopLevelItem, ...]:
        """The units of a document; together they are all of it."""
        cuts = [0, *inner_unit_starts(data), len(data)]
        unit_texts = [data[start:end] for start, end in pairwise(cuts)]
        present = set(unit_texts)
        gone_shapes = [shape for part, shape in self.item_text_by_data.items() if part not in present]
        shapes: dict[bytes, ItemText] = {}
        units: list[TopLevelItem] = []
        line = 0
        for start, unit_text in zip(cuts, unit_texts, strict=False):
            shape = shapes.get(unit_text) or self.item_text_by_data.get(unit_text)
            if shape is None:
                shape = ItemText(unit_text, encoding, gone_shapes.pop(0).newest_parsed if gone_shapes else None)
            shapes[unit_text] = shape
            units.append(TopLevelItem(start, line, shape))
            line += len(shape.lines) - 1
        self.item_text_by_data = shapes
        return tuple(units)


def inner_unit_starts(data: bytes) -> list[int]:
    """The bytes at which a new unit begins, the beginning and the end of the text left out.

    A cut is before a line that begins with `module` or the like, and after one that begins with `endmodule` or the
    like: indented ones don't count, because modules can be nested.
    """
    cuts: set[int] = set()
    line_starts = sorted(_boundary_line_starts(data))
    comments = _block_comment_ranges(data) if line_starts and b"/*" in data else iter(())
    comment = next(comments, None)
    for offset in line_starts:
        while comment is not None and comment[1] <= offset:
            comment = next(comments, None)
        if comment is not None and comment[0] < offset:
            continue
        if _ENDS.match(data, offset):
            end = data.find(b"\n", offset) + 1
            # A block comment that begins behind the `end` belongs to the line.
            if end and (comment is None or not offset < comment[0] < end < comment[1]):
                cuts.add(end)
        elif _BEGINS.match(data, offset):
            cuts.add(offset)
    return sorted(cuts - {len(data)})


def _boundary_line_starts(data: bytes) -> Iterator[int]:
    for word in _STARTING_LINES:
        offset = data.find(word)
        while offset >= 0:
            # After a backslash the line belongs to a macro.
            if not data[max(0, offset - 2) : offset].rstrip(b"\r").endswith(b"\\"):
                yield offset + 1
            offset = data.find(word, offset + 1)


def _block_comment_ranges(data: bytes) -> Iterator[tuple[int, int]]:
    """Ranges of block comments, from begin to end."""
    offset = data.find(b"/*")
    done_offset = 0
    while offset >= 0:
        start = max(done_offset, data.rfind(b"\n", 0, offset) + 1)
        line_end = data.find(b"\n", offset)
        line_end = len(data) if line_end < 0 else line_end
        opening = next((match for match in _LINE.finditer(data, start, line_end) if match[0][:1] == b"/"), None)
        if opening is None or opening[0] == b"//":
            done_offset = line_end
        else:
            end = data.find(b"*/", opening.end())
            done_offset = len(data) if end < 0 else end + 2
            yield opening.start(), done_offset
        offset = data.find(b"/*", done_offset)
