"""What slang made of the uses of macros in a file."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyslang.parsing import Token, Trivia

    from benchwright_verilog.semantics.compilation.analysis import Analysis

_LONGEST = 1_000_000
"""How many characters the expansions of one answer may have together."""
_WORD = re.compile(r"[\w$]")
_JOINING = frozenset("+-*/&|^~<>=!:#@%'")


@dataclass
class Expansion:
    """One use of a macro in the text of a file. Offsets are bytes."""

    start: int
    """Where its backtick is."""
    end: int
    """Behind its arguments."""
    parts: list[str] = field(default_factory=list)
    is_complete: bool = True
    """False if it was too long; then it has the beginning."""

    @property
    def text(self) -> str:
        """Everything in it expanded, in the lines of the macros' bodies."""
        return "".join(self.parts)

    def add(self, token: str, between: str) -> None:
        """Take in a token, and what is written before it."""
        if not self.parts:
            self.parts.append(token)
            return
        last = self.parts[-1][-1:]
        if not between and ((_WORD.match(last) and _WORD.match(token)) or {last, token[0]} <= _JOINING):
            between = " "
        self.parts += (between, token)


def expansions_of(analysis: Analysis, only: int | None = None) -> list[Expansion]:
    """The uses of macros in a file, in their order, without those that a condition leaves out.

    Args:
        analysis: Of the file.
        only: The byte of a backtick: then that use alone, if it is one.
    """
    reader = _Reader(analysis, only)
    analysis.tree.root.visit(reader.visit)
    return sorted(reader.found.values(), key=lambda one: one.start)


class _Reader:
    """Goes over the tokens of a file, which know the macro that they come from."""

    def __init__(self, analysis: Analysis, only: int | None) -> None:
        from pyslang.ast import VisitAction

        self.found: dict[int, Expansion] = {}
        self._stop = VisitAction.Interrupt
        self._path = analysis.path
        self._locations = analysis.locations
        self._sources = analysis.sources
        self._only = only
        self._buffer: int | None = None
        self._room = _LONGEST
        # slang names versions of a file by numbers, see `Trees`; `__FILE__` is to be the file.
        names = "|".join(re.escape(str(path)) for path in {analysis.path, analysis.tree_path})
        self._versioned = re.compile(rf'^("(?:{names}))#\d+"$')

    def visit(self, token: object) -> object:
        """Take in a token; nodes are passed through."""
        from pyslang.parsing import Token

        if isinstance(token, Token):
            self._take(token)
            if self._room < 0:
                return self._stop
        return None

    def _take(self, token: Token) -> None:
        from pyslang.parsing import TriviaKind

        trivia = token.trivia
        between: list[str] = []
        for one in trivia:
            if one.kind == TriviaKind.Directive:
                self._use(one)
            elif one.kind == TriviaKind.SkippedTokens:
                for skipped in one.getSkippedTokens():
                    self._take(skipped)
            elif one.kind == TriviaKind.EndOfLine:
                between = [*(part for part in between if part == "\n"), "\n"][-1:]
            elif one.kind == TriviaKind.Whitespace:
                between.append(one.getRawText())
        location = token.location
        if token.isMissing or not token.rawText or not self._sources.isMacroLoc(location):
            return
        used = self._sources.getFullyExpandedLoc(location)
        expansion = self.found.get(used.offset)
        if expansion is not None and expansion.is_complete and used.buffer.id == self._buffer:
            text = self._versioned.sub(r'\1"', token.rawText)
            self._room -= len(text) + sum(map(len, between))
            expansion.is_complete = self._room >= 0
            if expansion.is_complete:
                expansion.add(text, "".join(between))

    def _use(self, directive: Trivia) -> None:
        from pyslang.syntax import SyntaxKind

        node = directive.syntax()
        if node is None or node.kind != SyntaxKind.MacroUsage:
            return
        place = node.sourceRange
        if self._sources.isMacroLoc(place.start) or self._locations.path(place.start.buffer) != self._path:
            return
        # A header that is included again is another buffer: the first one counts.
        self._buffer = place.start.buffer.id if self._buffer is None else self._buffer
        if place.start.buffer.id == self._buffer and self._only in (None, place.start.offset):
            self.found.setdefault(place.start.offset, Expansion(place.start.offset, place.end.offset))


def replaced(data: bytes, uses: list[Expansion]) -> Iterator[bytes]:
    """Source code with its uses of macros expanded, in parts."""
    last = 0
    for one in uses:
        if last <= one.start:
            yield data[last : one.start]
            yield one.text.encode(errors="replace")
            last = one.end
    yield data[last:]
