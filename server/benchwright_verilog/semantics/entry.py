"""What is kept of a file that is not open."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from benchwright_verilog.semantics.outline import NO_UNITS, DeclaredUnit

Stamp = tuple[int, int]
"""Identifies a version of a file: modification time in nanoseconds, and size in bytes."""


class WordSet:
    """Words without white space, in a tenth of the memory that a set takes; whether one is there is a search."""

    __slots__ = ("_joined",)

    def __init__(self, words: Iterable[str] = ()) -> None:
        self._joined = b" ".join((b"", *sorted(word.encode() for word in words), b""))

    def __contains__(self, word: str) -> bool:
        return b" %b " % word.encode() in self._joined

    def __str__(self) -> str:
        return self._joined.decode()


@dataclass(frozen=True)
class Entry:
    """One version of a file."""

    stamp: Stamp
    symbols: tuple[DeclaredUnit, ...]
    includes: tuple[str, ...]
    words: WordSet
    """All words of the code."""
    members: WordSet
    """As `Outline.members`."""
    connected: WordSet
    """As `Outline.connected`."""

    @property
    def units(self) -> Iterator[DeclaredUnit]:
        """The modules, packages and the like among the symbols."""
        return (symbol for symbol in self.symbols if symbol.kind not in NO_UNITS)
