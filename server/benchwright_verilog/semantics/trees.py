"""Parsed files, kept until they change."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from benchwright_verilog.semantics.file_locations import FileLocations

if TYPE_CHECKING:
    from pyslang import SourceManager
    from pyslang.parsing import ParserOptions
    from pyslang.syntax import SyntaxTree

_SURROGATE = re.compile("[\ud800-\udfff]")
_ROOM = 16 * 1024**2
"""How many bytes of text a source manager may take before it is given up: it never frees what it read."""
_ROOM_PER_LIVE_BYTE = 8
_MAX_NESTING = 5_000
"""How deep constructs may be nested. slang takes about 1 kB of stack for each level, and 1,024 levels by default; at
the limit it reports nothing else about the file."""


@dataclass(frozen=True)
class Preprocessing:
    """What files are read with."""

    include_dirs: tuple[Path, ...] = ()
    defines: tuple[str, ...] = ()
    """`NAME` or `NAME=text`."""


@dataclass(frozen=True)
class Tree:
    """One parsed file."""

    path: Path
    text: str
    syntax: SyntaxTree
    sources: SourceManager
    locations: FileLocations
    included: frozenset[Path]


class Trees:
    """Parses files, each text once, all with one source manager until that has taken in too much."""

    def __init__(self) -> None:
        self._begin({})

    def _begin(self, headers: Mapping[Path, str]) -> None:
        import pyslang  # Imported late: it is not needed to answer `initialize`.

        self._sources = pyslang.SourceManager()
        # Else file names come back relative to the working directory.
        self._sources.setDisableProximatePaths(True)
        self._names: dict[str, Path] = {}
        self._locations = FileLocations(self._sources, self._names)
        self._known: dict[Path, tuple[Preprocessing, Tree]] = {}
        self._taken = 0
        self._headers = dict(headers)
        self._stamps: dict[Path, tuple[int, int] | None] = {}
        self._read: set[Path] = set()
        for path, text in headers.items():
            self._sources.assignText(str(path), encodable(text))
            self._taken += len(text)

    def prepare(self, headers: Mapping[Path, str], stamps: Mapping[Path, tuple[int, int] | None]) -> None:
        """Start again if something that was read has changed, or too much was read.

        Args:
            headers: The open files that others may include.
            stamps: The version on disk of each file that was included.
        """
        has_changed = any(
            self._headers.get(path) != headers.get(path) and (path in self._headers or path in self._read)
            for path in {*self._headers, *headers}
        ) or any(stamp != stamps.get(path, stamp) for path, stamp in self._stamps.items() if path not in headers)
        live = sum(len(tree.text) for _, tree in self._known.values())
        if has_changed or self._taken > max(_ROOM, _ROOM_PER_LIVE_BYTE * live):
            self._begin(headers)
        else:
            for path, text in headers.items():
                if path not in self._headers:
                    self._sources.assignText(str(path), encodable(text))
                    self._headers[path] = text
                    self._taken += len(text)
        self._stamps.update(stamps)

    @property
    def included(self) -> frozenset[Path]:
        """All files that were included by what is known now."""
        return frozenset().union(*(tree.included for _, tree in self._known.values()))

    def tree(self, path: Path, text: str, preprocessing: Preprocessing) -> Tree:
        """A file's tree; the same one as before if nothing is new."""
        known = self._known.get(path)
        if known is not None and known[0] == preprocessing and known[1].text == text:
            return known[1]
        tree = self._parse(path, text, preprocessing)
        self._known[path] = preprocessing, tree
        return tree

    def keep(self, paths: Collection[Path]) -> None:
        """Forget all files but these."""
        for path in self._known.keys() - set(paths):
            del self._known[path]

    def _parse(self, path: Path, text: str, preprocessing: Preprocessing) -> Tree:
        import pyslang
        from pyslang.parsing import PreprocessorOptions
        from pyslang.syntax import SyntaxTree

        options = PreprocessorOptions()
        options.additionalIncludePaths = [str(folder) for folder in preprocessing.include_dirs]
        options.predefines = list(preprocessing.defines)
        # A source manager takes a path once, and includes are looked for beside it: so each version has a name of
        # its own in the same folder.
        name = f"{path}#{len(self._names)}"
        self._names[name] = path
        # `fromText` would take a lone expression or statement for what is compiled, and report nothing.
        syntax = SyntaxTree.fromFileInMemory(
            encodable(text), self._sources, name, name, pyslang.Bag([options, parser_options()])
        )
        self._taken += len(text)
        included = frozenset(
            found for buffer in syntax.getIncludeDirectives() if (found := self._locations.path(buffer.buffer.id))
        )
        self._read |= included
        return Tree(path, text, syntax, self._sources, self._locations, included)


def parser_options() -> ParserOptions:
    """The options that slang parses with."""
    from pyslang.parsing import ParserOptions

    options = ParserOptions()
    options.maxRecursionDepth = _MAX_NESTING
    return options


def encodable(text: str) -> str:
    """Source code that is valid UTF-8: a lone surrogate becomes a character of as many bytes as are counted for it."""
    return text if text.isascii() else _SURROGATE.sub("\ufffd", text)
