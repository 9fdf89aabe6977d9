"""Index entry that is kept of a file that is not open."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from benchwright_verilog.semantics.names.occurrence import TargetKind
from benchwright_verilog.semantics.project.index.outline import NO_UNITS, DeclaredName

Stamp = tuple[int, int]
"""Identifies a version of a file: modification time in nanoseconds, and size in bytes."""


class WordSet:
    """Words without white space, in a tenth of the memory that a set takes; whether one is there is a search."""

    __slots__ = ("_joined",)

    def __init__(self, words: Iterable[str] = ()) -> None:
        self._joined = b" ".join((b"", *sorted(word.encode() for word in words), b""))

    @classmethod
    def from_joined_words(cls, joined: str) -> WordSet:
        """The set that `str` gave this text of."""
        word_set = cls()
        word_set._joined = joined.encode()
        return word_set

    def __contains__(self, word: str) -> bool:
        return b" %b " % word.encode() in self._joined

    def __str__(self) -> str:
        return self._joined.decode()


@dataclass(frozen=True)
class IndexEntry:
    """One version of a file."""

    stamp: Stamp
    symbols: tuple[DeclaredName, ...]
    includes: tuple[str, ...]
    code_words: WordSet
    """All words of the code."""
    qualified_words: WordSet
    """As `Outline.qualified_words`."""
    connection_words: WordSet
    """As `Outline.connection_words`."""

    @property
    def units(self) -> Iterator[DeclaredName]:
        """The modules, packages and the like among the symbols."""
        return (symbol for symbol in self.symbols if symbol.target_kind not in NO_UNITS)


def entry_as_json_values(file_entry: IndexEntry) -> list[Any]:
    """An entry as JSON can hold it."""
    symbols = [[unit.name, unit.target_kind.value, unit.start, unit.end] for unit in file_entry.symbols]
    return [
        file_entry.stamp,
        symbols,
        file_entry.includes,
        str(file_entry.code_words),
        str(file_entry.qualified_words),
        str(file_entry.connection_words),
    ]


def entry_from_json_values(values: list[Any]) -> IndexEntry:
    """The entry that `entry_as_json_values` gave these of.

    Raises:
        ValueError, TypeError: They are not of one.
    """
    stamp, symbols, includes, words, members, connected = values
    units = tuple(DeclaredName(name, _KINDS[kind], start, end) for name, kind, start, end in symbols)
    sets = (WordSet.from_joined_words(joined) for joined in (words, members, connected))
    return IndexEntry((stamp[0], stamp[1]), units, tuple(includes), *sets)


_KINDS = {kind.value: kind for kind in TargetKind}
