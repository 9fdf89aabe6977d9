"""Kinds of the words of a design, for semantic tokens: from its letters, and from what slang knows of names."""

from __future__ import annotations

import time
from bisect import bisect_left
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from benchwright_verilog.semantics.compilation.analysis import Analysis
from benchwright_verilog.semantics.compilation.inactive import inactive_parts
from benchwright_verilog.semantics.names.occurrence import Occurrence, Role, TargetKind
from benchwright_verilog.semantics.names.token_legend import MODIFIERS, TYPES
from benchwright_verilog.syntax.lines import Lines
from benchwright_verilog.syntax.outline import OutlineSymbol, outline_of
from benchwright_verilog.syntax.tokens import TokenKind, tokens_of
from benchwright_verilog.syntax.units import Shape, Unit

_KNOWN_S = 20.0
"""After this time, names are resolved again in any case: files that are not open may have changed."""


@dataclass(frozen=True, slots=True)
class Word:
    """A range of UTF-8 bytes, with the numbers of its type and of its modifiers."""

    start: int
    end: int
    type: int
    modifiers: int = 0


def _bits(*names: str) -> int:
    return sum(1 << MODIFIERS.index(name) for name in names)


_BY_LETTERS = {
    TokenKind.COMMENT: (TYPES.index("comment"), 0),
    TokenKind.STRING: (TYPES.index("string"), 0),
    TokenKind.NUMBER: (TYPES.index("number"), 0),
    TokenKind.KEYWORD: (TYPES.index("keyword"), 0),
    TokenKind.DIRECTIVE: (TYPES.index("macro"), 0),
    TokenKind.SYSTEM: (TYPES.index("function"), _bits("defaultLibrary")),
}
_BY_TARGET = {
    TargetKind.MODULE: "class",
    TargetKind.INTERFACE: "interface",
    TargetKind.PROGRAM: "class",
    TargetKind.PRIMITIVE: "class",
    TargetKind.CHECKER: "class",
    TargetKind.PACKAGE: "namespace",
    TargetKind.CLASS: "class",
    TargetKind.PORT: "parameter",
    TargetKind.INTERFACE_PORT: "parameter",
    TargetKind.PARAMETER: "variable",
    TargetKind.LOCALPARAM: "variable",
    TargetKind.TYPE_PARAMETER: "typeParameter",
    TargetKind.NET: "variable",
    TargetKind.VARIABLE: "variable",
    TargetKind.ARGUMENT: "parameter",
    TargetKind.FIELD: "property",
    TargetKind.PROPERTY: "property",
    TargetKind.TYPE: "type",
    TargetKind.ENUM_VALUE: "enumMember",
    TargetKind.FUNCTION: "function",
    TargetKind.TASK: "function",
    TargetKind.GENVAR: "variable",
    TargetKind.BLOCK: "namespace",
    TargetKind.INSTANCE: "namespace",
    TargetKind.MODPORT: "interface",
    TargetKind.CLOCKING: "event",
    TargetKind.ASSERTION: "function",
    TargetKind.COVERAGE: "class",
    TargetKind.CONSTRAINT: "function",
    TargetKind.MACRO: "macro",
}
_CONSTANT = frozenset({TargetKind.PARAMETER, TargetKind.LOCALPARAM, TargetKind.GENVAR, TargetKind.ENUM_VALUE})
_COMMENT, _INACTIVE = TYPES.index("comment"), _bits("inactive")


def lexical_of(shape: Shape) -> tuple[int, ...]:
    """The tokens of a unit by its letters alone: start, end, type and modifiers of each, one after the other.

    Made once through `Shape.once`; numbers alone, because there are many.
    """
    numbers: list[int] = []
    for token in tokens_of(shape):
        if (kind := _BY_LETTERS.get(token.kind)) is not None:
            numbers += (token.start, token.end, *kind)
    return tuple(numbers)


class _Names:
    """Meanings of the names of a unit, as numbers like those of `lexical_of`."""

    def __init__(self, shape: Shape) -> None:
        self.numbers: tuple[int, ...] = ()
        self.context: Hashable = None
        self.valid_until = 0.0


def coloured(units: Sequence[Unit], analysis: Analysis, start: int, end: int, context: Hashable = None) -> list[Word]:
    """The words between two bytes, in order; none overlaps the next.

    Args:
        units: All of the text.
        analysis: Slang's knowledge of the text.
        start: The first byte.
        end: The byte after the last one.
        context: Value that stays while nothing beside this text changes; where it is given, names of units that
            did not change are resolved again only if what the others declare changed, or some time has passed.
    """
    visible_units = [unit for unit in units if unit.start < end and unit.end > start]
    if context is not None:
        context = (context, tuple(unit.shape.once(_declared_in) for unit in units))
    _look_up(visible_units, analysis, context)
    placed_words = [word for unit in visible_units for word in _placed(unit, unit.shape.once(lexical_of))]
    placed_words += [word for unit in visible_units for word in _placed(unit, unit.shape.once(_Names).numbers)]
    words = [word for word in placed_words if word.start < end and word.end > start]
    hidden = [part for part in inactive_parts(analysis) if part[0] < end and part[1] > start]
    words = [word for word in words if not any(first <= word.start < last for first, last in hidden)]
    words += [Word(first, last, _COMMENT, _INACTIVE) for first, last in hidden]
    words.sort(key=lambda word: word.start)
    return list(_apart(words))


def _look_up(units: Sequence[Unit], analysis: Analysis, context: Hashable) -> None:
    """Resolve the names of units with slang, unless that is done."""
    now = time.monotonic()
    unknown = [
        unit
        for unit in units
        if context is None or (names := unit.shape.once(_Names)).context != context or names.valid_until < now
    ]
    if not unknown:
        return
    words = list(_names(analysis.occurrences(unknown[0].start, unknown[-1].end)))
    starts = [word.start for word in words]
    for unit in unknown:
        names = unit.shape.once(_Names)
        inside = words[bisect_left(starts, unit.start) : bisect_left(starts, unit.end)]
        names.numbers = tuple(
            number
            for word in inside
            for number in (word.start - unit.start, word.end - unit.start, word.type, word.modifiers)
        )
        names.context, names.valid_until = context, now + _KNOWN_S


def _declared_in(shape: Shape) -> int:
    """A number that is another one as soon as a unit declares other things that other units can name."""
    return hash(tuple(_declared_types(outline_of(shape))))


def _declared_types(declared: Iterable[OutlineSymbol]) -> Iterator[tuple[str, int]]:
    for declaration in declared:
        yield declaration.name, declaration.kind.value
        yield from _declared_types(declaration.inner)


def _placed(unit: Unit, numbers: Sequence[int]) -> Iterator[Word]:
    for index in range(0, len(numbers), 4):
        yield Word(numbers[index] + unit.start, numbers[index + 1] + unit.start, numbers[index + 2], numbers[index + 3])


def _names(occurrences: Iterable[Occurrence]) -> Iterator[Word]:
    for occurrence in occurrences:
        kind = _BY_TARGET.get(occurrence.target.kind)
        if kind is None or occurrence.generated:
            continue
        modifiers = _bits("declaration") if occurrence.role is Role.DECLARATION else 0
        modifiers |= _bits("modification") if occurrence.role is Role.WRITE else 0
        modifiers |= _bits("readonly") if occurrence.target.kind in _CONSTANT else 0
        yield Word(occurrence.start, occurrence.end, TYPES.index(kind), modifiers)


def _apart(words: Iterable[Word]) -> Iterator[Word]:
    last_end = 0
    for word in words:
        if word.start >= last_end and word.end > word.start:
            yield word
            last_end = word.end


def encoded(words: Iterable[Word], lines: Lines) -> list[int]:
    """Words as LSP has them: five numbers each, places relative to the word before, none longer than its line."""
    data: list[int] = []
    line = character = 0
    for word in words:
        for start, end in _per_line(word, lines):
            position = lines.position(start)
            column = position.character - (character if position.line == line else 0)
            data += (position.line - line, column, lines.width(start, end), word.type, word.modifiers)
            line, character = position.line, position.character
    return data


def _per_line(word: Word, lines: Lines) -> Iterator[tuple[int, int]]:
    start, end = lines.from_byte(word.start), lines.from_byte(word.end)
    first, last = lines.line_of(start), lines.line_of(end)
    for line in range(first, last + 1):
        line_start, line_end = lines.line(line + 1)
        begin, stop = max(start, line_start), min(end, line_end)
        text = lines.text[begin:stop]
        if first != last:
            begin += len(text) - len(text.lstrip())
        if text.strip():
            yield begin, begin + len(lines.text[begin:stop].rstrip())


def difference(old: Sequence[int], new: Sequence[int]) -> tuple[int, int, list[int]]:
    """The place where two lists begin to differ, how many numbers of the old one go, and which come instead."""
    limit = min(len(old), len(new))
    start = next((index for index in range(limit) if old[index] != new[index]), limit)
    remaining = limit - start
    kept_count = next((index for index in range(remaining) if old[-1 - index] != new[-1 - index]), remaining)
    return start, len(old) - start - kept_count, list(new[start : len(new) - kept_count])
