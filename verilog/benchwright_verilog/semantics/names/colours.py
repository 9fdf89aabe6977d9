"""Kinds of the words of a design, for semantic tokens: from its letters, and from what slang knows of names."""

from __future__ import annotations

import time
from bisect import bisect_left
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from benchwright_verilog.semantics.compilation.analysis import FileAnalysis
from benchwright_verilog.semantics.compilation.inactive import inactive_byte_ranges
from benchwright_verilog.semantics.names.occurrence import NameRole, Occurrence, TargetKind
from benchwright_verilog.semantics.names.token_legend import MODIFIERS, TYPES
from benchwright_verilog.syntax.lines import Lines
from benchwright_verilog.syntax.outline import OutlineSymbol, outline_of
from benchwright_verilog.syntax.tokens import TokenKind, tokens_of
from benchwright_verilog.syntax.units import ItemText, TopLevelItem

_KNOWN_S = 20.0
"""After this time, names are resolved again in any case: files that are not open may have changed."""


@dataclass(frozen=True, slots=True)
class ColouredWord:
    """A range of UTF-8 bytes, with the numbers of its type and of its modifiers."""

    start: int
    end: int
    type_number: int
    modifier_bits: int = 0


def _modifier_bits(*modifier_names: str) -> int:
    return sum(1 << MODIFIERS.index(name) for name in modifier_names)


_BY_LETTERS = {
    TokenKind.COMMENT: (TYPES.index("comment"), 0),
    TokenKind.STRING: (TYPES.index("string"), 0),
    TokenKind.NUMBER: (TYPES.index("number"), 0),
    TokenKind.KEYWORD: (TYPES.index("keyword"), 0),
    TokenKind.DIRECTIVE: (TYPES.index("macro"), 0),
    TokenKind.SYSTEM: (TYPES.index("function"), _modifier_bits("defaultLibrary")),
}
_BY_TARGET = {
    TargetKind.MODULE: "class",
    TargetKind.INTERFACE: "interface",
    TargetKind.PROGRAM: "class",
    TargetKind.PRIMITIVE: "class",
    TargetKind.CHECKER: "class",
    TargetKind.CONFIG: "class",
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
_COMMENT, _INACTIVE = TYPES.index("comment"), _modifier_bits("inactive")


def lexical_token_numbers(item_text: ItemText) -> tuple[int, ...]:
    """The tokens of a unit by its letters alone: start, end, type and modifiers of each, one after the other.

    Made once through `Shape.kept_result`; numbers alone, because there are many.
    """
    numbers: list[int] = []
    for token in tokens_of(item_text):
        if (kind := _BY_LETTERS.get(token.token_kind)) is not None:
            numbers += (token.start, token.end, *kind)
    return tuple(numbers)


class _NameMeanings:
    """Meanings of the names of a unit, as numbers like those of `lexical_token_numbers`."""

    def __init__(self, item_text: ItemText) -> None:
        self.numbers: tuple[int, ...] = ()
        self.context_key: Hashable = None
        self.valid_until = 0.0


def coloured_words(
    units: Sequence[TopLevelItem], analysis: FileAnalysis, start_byte: int, end_byte: int, context_key: Hashable = None
) -> list[ColouredWord]:
    """The words between two bytes, in order; none overlaps the next.

    Args:
        units: All of the text.
        analysis: Slang's knowledge of the text.
        start_byte: The first byte.
        end_byte: The byte after the last one.
        context_key: Value that stays while nothing beside this text changes; where it is given, names of units that
            did not change are resolved again only if what the others declare changed, or some time has passed.
    """
    visible_units = [unit for unit in units if unit.start < end_byte and unit.end > start_byte]
    if context_key is not None:
        context_key = (context_key, tuple(unit.item_text.kept_result(_declarations_hash) for unit in units))
    _resolve_unit_names_if_stale(visible_units, analysis, context_key)
    placed_words = [
        word
        for unit in visible_units
        for word in _words_of_unit(unit, unit.item_text.kept_result(lexical_token_numbers))
    ]
    placed_words += [
        word
        for unit in visible_units
        for word in _words_of_unit(unit, unit.item_text.kept_result(_NameMeanings).numbers)
    ]
    words = [word for word in placed_words if word.start < end_byte and word.end > start_byte]
    inactive_spans = [part for part in inactive_byte_ranges(analysis) if part[0] < end_byte and part[1] > start_byte]
    words = [word for word in words if not any(first <= word.start < last for first, last in inactive_spans)]
    words += [ColouredWord(first, last, _COMMENT, _INACTIVE) for first, last in inactive_spans]
    words.sort(key=lambda word: word.start)
    return list(_without_overlaps(words))


def _resolve_unit_names_if_stale(units: Sequence[TopLevelItem], analysis: FileAnalysis, context_key: Hashable) -> None:
    """Resolve the names of units with slang, unless that is done."""
    now_s = time.monotonic()
    unknown_units = [
        unit
        for unit in units
        if context_key is None
        or (names := unit.item_text.kept_result(_NameMeanings)).context_key != context_key
        or names.valid_until < now_s
    ]
    if not unknown_units:
        return
    words = list(_words_of_occurrences(analysis.occurrences(unknown_units[0].start, unknown_units[-1].end)))
    word_starts = [word.start for word in words]
    for unit in unknown_units:
        names = unit.item_text.kept_result(_NameMeanings)
        unit_words = words[bisect_left(word_starts, unit.start) : bisect_left(word_starts, unit.end)]
        names.numbers = tuple(
            number
            for word in unit_words
            for number in (word.start - unit.start, word.end - unit.start, word.type_number, word.modifier_bits)
        )
        names.context_key, names.valid_until = context_key, now_s + _KNOWN_S


def _declarations_hash(item_text: ItemText) -> int:
    """A number that is another one as soon as a unit declares other things that other units can name."""
    return hash(tuple(_declared_names_and_kinds(outline_of(item_text))))


def _declared_names_and_kinds(outline_symbols: Iterable[OutlineSymbol]) -> Iterator[tuple[str, int]]:
    for declaration in outline_symbols:
        yield declaration.name, declaration.symbol_kind.value
        yield from _declared_names_and_kinds(declaration.inner_symbols)


def _words_of_unit(unit: TopLevelItem, numbers: Sequence[int]) -> Iterator[ColouredWord]:
    for index in range(0, len(numbers), 4):
        yield ColouredWord(
            numbers[index] + unit.start, numbers[index + 1] + unit.start, numbers[index + 2], numbers[index + 3]
        )


def _words_of_occurrences(occurrences: Iterable[Occurrence]) -> Iterator[ColouredWord]:
    for occurrence in occurrences:
        kind = _BY_TARGET.get(occurrence.target.target_kind)
        if kind is None or occurrence.is_generated:
            continue
        modifiers = _modifier_bits("declaration") if occurrence.role is NameRole.DECLARATION else 0
        modifiers |= _modifier_bits("modification") if occurrence.role is NameRole.WRITE else 0
        modifiers |= _modifier_bits("readonly") if occurrence.target.target_kind in _CONSTANT else 0
        yield ColouredWord(occurrence.start, occurrence.end, TYPES.index(kind), modifiers)


def _without_overlaps(words: Iterable[ColouredWord]) -> Iterator[ColouredWord]:
    last_end = 0
    for word in words:
        if word.start >= last_end and word.end > word.start:
            yield word
            last_end = word.end


def lsp_token_numbers(words: Iterable[ColouredWord], lines: Lines) -> list[int]:
    """Words as LSP has them: five numbers each, places relative to the word before, none longer than its line."""
    token_numbers: list[int] = []
    line = character = 0
    for word in words:
        for start, end in _code_point_ranges_by_line(word, lines):
            position = lines.position(start)
            column = position.character - (character if position.line == line else 0)
            token_numbers += (
                position.line - line,
                column,
                lines.client_width(start, end),
                word.type_number,
                word.modifier_bits,
            )
            line, character = position.line, position.character
    return token_numbers


def _code_point_ranges_by_line(word: ColouredWord, lines: Lines) -> Iterator[tuple[int, int]]:
    start, end = lines.from_byte(word.start), lines.from_byte(word.end)
    first_line, last_line = lines.line_index(start), lines.line_index(end)
    for line in range(first_line, last_line + 1):
        line_start, line_end = lines.line_bounds(line + 1)
        part_start, stop = max(start, line_start), min(end, line_end)
        text = lines.text[part_start:stop]
        if first_line != last_line:
            part_start += len(text) - len(text.lstrip())
        if text.strip():
            yield part_start, part_start + len(lines.text[part_start:stop].rstrip())


def difference_start_removed_count_added(
    old_numbers: Sequence[int], new_numbers: Sequence[int]
) -> tuple[int, int, list[int]]:
    """The place where two lists begin to differ, how many numbers of the old one go, and which come instead."""
    limit = min(len(old_numbers), len(new_numbers))
    start = next((index for index in range(limit) if old_numbers[index] != new_numbers[index]), limit)
    remaining = limit - start
    kept_count = next(
        (index for index in range(remaining) if old_numbers[-1 - index] != new_numbers[-1 - index]), remaining
    )
    return start, len(old_numbers) - start - kept_count, list(new_numbers[start : len(new_numbers) - kept_count])
