"""Slang's expansions of the uses of macros in a file."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyslang.parsing import Token, Trivia

    from benchwright_verilog.semantics.compilation.analysis import FileAnalysis

_LONGEST = 1_000_000
"""Number of characters that the expansions of one answer may have together."""
_WORD = re.compile(r"[\w$]")
_JOINING = frozenset("+-*/&|^~<>=!:#@%'")


@dataclass
class Expansion:
    """One use of a macro in the text of a file. Offsets are bytes."""

    start: int
    """Place of its backtick."""
    end: int
    """Behind its arguments."""
    text_parts: list[str] = field(default_factory=list)
    is_complete: bool = True
    """False if it was too long; then it has the beginning."""

    @property
    def text(self) -> str:
        """Everything in it expanded, in the lines of the macros' bodies."""
        return "".join(self.text_parts)

    def append_token(self, token: str, text_before: str) -> None:
        """Take in a token, and what is written before it."""
        if not self.text_parts:
            self.text_parts.append(token)
            return
        last_character = self.text_parts[-1][-1:]
        if not text_before and (
            (_WORD.match(last_character) and _WORD.match(token)) or {last_character, token[0]} <= _JOINING
        ):
            text_before = " "
        self.text_parts += (text_before, token)


def expansions_of(analysis: FileAnalysis, only_use_at_byte: int | None = None) -> list[Expansion]:
    """The uses of macros in a file, in their order, without those that a condition leaves out.

    Args:
        analysis: Analysis of the file.
        only_use_at_byte: The byte of a backtick: then that use alone, if it is one.
    """
    macro_reader = _ExpansionReader(analysis, only_use_at_byte)
    analysis.tree.root.visit(macro_reader.visit)
    return sorted(macro_reader.expansions.values(), key=lambda expansion: expansion.start)


class _ExpansionReader:
    """Goes over the tokens of a file, which know the macro that they come from."""

    def __init__(self, analysis: FileAnalysis, only_use_at_byte: int | None) -> None:
        from pyslang.ast import VisitAction

        self.expansions: dict[int, Expansion] = {}
        self._stop = VisitAction.Interrupt
        self._path = analysis.path
        self._locations = analysis.locations
        self._sources = analysis.sources
        self._only = only_use_at_byte
        self._buffer: int | None = None
        self._room = _LONGEST
        # slang names versions of a file by numbers, see `Trees`; `__FILE__` is to be the file.
        names = "|".join(re.escape(str(path)) for path in {analysis.path, analysis.tree_path})
        self._versioned = re.compile(rf'^("(?:{names}))#\d+"$')

    def visit(self, token_or_node: object) -> object:
        """Take in a token; nodes are passed through."""
        from pyslang.parsing import Token

        if isinstance(token_or_node, Token):
            self._append_to_expansion(token_or_node)
            if self._room < 0:
                return self._stop
        return None

    def _append_to_expansion(self, token: Token) -> None:
        from pyslang.parsing import TriviaKind

        trivia = token.trivia
        separators: list[str] = []
        for trivium in trivia:
            if trivium.kind == TriviaKind.Directive:
                self._begin_expansion(trivium)
            elif trivium.kind == TriviaKind.SkippedTokens:
                for skipped in trivium.getSkippedTokens():
                    self._append_to_expansion(skipped)
            elif trivium.kind == TriviaKind.EndOfLine:
                separators = [*(part for part in separators if part == "\n"), "\n"][-1:]
            elif trivium.kind == TriviaKind.Whitespace:
                separators.append(trivium.getRawText())
        location = token.location
        if token.isMissing or not token.rawText or not self._sources.isMacroLoc(location):
            return
        use_location = self._sources.getFullyExpandedLoc(location)
        expansion = self.expansions.get(use_location.offset)
        if expansion is not None and expansion.is_complete and use_location.buffer.id == self._buffer:
            text = self._versioned.sub(r'\1"', token.rawText)
            self._room -= len(text) + sum(map(len, separators))
            expansion.is_complete = self._room >= 0
            if expansion.is_complete:
                expansion.append_token(text, "".join(separators))

    def _begin_expansion(self, directive: Trivia) -> None:
        from pyslang.syntax import SyntaxKind

        node = directive.syntax()
        if node is None or node.kind != SyntaxKind.MacroUsage:
            return
        source_range = node.sourceRange
        if (
            self._sources.isMacroLoc(source_range.start)
            or self._locations.path_of_buffer(source_range.start.buffer) != self._path
        ):
            return
        # A header that is included again is another buffer: the first one counts.
        self._buffer = source_range.start.buffer.id if self._buffer is None else self._buffer
        if source_range.start.buffer.id == self._buffer and self._only in (None, source_range.start.offset):
            self.expansions.setdefault(
                source_range.start.offset, Expansion(source_range.start.offset, source_range.end.offset)
            )


def expand_uses(data: bytes, expansions: list[Expansion]) -> Iterator[bytes]:
    """Source code with its uses of macros expanded, in parts."""
    last_end = 0
    for macro_use in expansions:
        if last_end <= macro_use.start:
            yield data[last_end : macro_use.start]
            yield macro_use.text.encode(errors="replace")
            last_end = macro_use.end
    yield data[last_end:]
