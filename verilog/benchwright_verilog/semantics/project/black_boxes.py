"""Models of cells that a design instantiates and does not declare: only their ports matter, nothing in them is checked.

A model is used only where the project declares no module of its name. Of a model's file slang gets nothing but the
modules that are needed, where they are in the file: what is left out would be elaborated as a design of its own.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path

from benchwright_verilog.semantics.project.index.entry import Stamp
from benchwright_verilog.semantics.project.index.outline import Outline
from benchwright_verilog.semantics.project.plain_files import ReadableFiles
from benchwright_verilog.syntax.suffixes import SOURCES

_MOST_FILES = 5_000
_MODULE = re.compile(r"^[ \t]*(?:\(\*[^\n]*?\*\)[ \t]*)?module[ \t]+(\w+)", re.MULTILINE)
_ENDMODULE = re.compile(r"\bendmodule\b")
_DIRECTIVE = re.compile(r"^[ \t]*`[^\n]*$", re.MULTILINE)
_OUTSIDE = re.compile(r"[^\n]")
_CELL_NAME = re.compile(r"[A-Z][A-Z0-9_]+")
_CELL_INSTANCE = re.compile(rb"\b[A-Z][A-Z0-9_]+(?:\s*[#\\]|\s+[A-Za-z_])")


class BlackBoxes:
    """The modules that models declare.

    Args:
        model_paths: Files of models, and folders of them. Earlier ones go before later ones.
        find_cell_paths: Gives files of cells that come with a tool, once a file may name one. Of these only names in
            capitals count, as vendors' cells have: a misspelt module of the design is no cell.
        files: The files that may be read.
    """

    def __init__(
        self, model_paths: Sequence[Path], find_cell_paths: Callable[[], Sequence[Path]], files: ReadableFiles
    ) -> None:
        self._model_paths = model_paths
        self._find_cell_paths = find_cell_paths
        self._files = files
        self._file_by_module: dict[str, Path] | None = None
        self.looks = 0
        """Number of times that the files were to be looked for again."""

    @property
    def file_by_module(self) -> Mapping[str, Path]:
        """Module → file that declares it."""
        file_by_module = self._file_by_module
        if file_by_module is None:
            file_by_module = {}
            for paths, is_cell_file in ((self._model_paths, False), (self._find_cell_paths(), True)):
                for path in self._source_files(paths):
                    for name in _module_names(self._files, path, self._files.stamp_of(path)):
                        if not is_cell_file or _CELL_NAME.fullmatch(name):
                            file_by_module.setdefault(name, path)
            # At once: another thread may note a change of the disk meanwhile.
            self._file_by_module = file_by_module
        return file_by_module

    def may_be_named_in(self, outline: Outline) -> bool:
        """True unless a file surely instantiates no model: those of a tool are many, and take long to read."""
        writes_macros = any(not macro.is_condition for macro in outline.macros)
        return bool(self._model_paths) or writes_macros or _CELL_INSTANCE.search(outline.code) is not None

    def note_disk_change(self) -> None:
        """Looks for the files again when they are needed."""
        self._file_by_module = None
        self.looks += 1

    def text_with_only_modules(self, path: Path, modules: Collection[str]) -> str:
        """A file's text in which everything is blank but some modules, and directives."""
        text = self._files.read_text(path) or ""
        kept_parts: list[str] = []
        end = 0
        for match in _MODULE.finditer(text):
            if match.start() < end or match[1] not in modules:
                continue
            kept_parts.append(_blank_but_directives(text[end : match.start()]))
            end_match = _ENDMODULE.search(text, match.end())
            end = end_match.end() if end_match is not None else len(text)
            kept_parts.append(text[match.start() : end])
        return "".join([*kept_parts, _blank_but_directives(text[end:])])

    def _source_files(self, paths: Sequence[Path]) -> Iterator[Path]:
        count = 0
        pending = list(reversed(paths))
        while pending and count < _MOST_FILES:
            path = pending.pop()
            if self._files.is_folder(path):
                pending += [entry for entry, _ in reversed(list(self._files.readable_entries(path)))]
            elif path.suffix in SOURCES:
                count += 1
                yield path


def _blank_but_directives(text: str) -> str:
    parts: list[str] = []
    end = 0
    for match in _DIRECTIVE.finditer(text):
        parts += [_OUTSIDE.sub(" ", text[end : match.start()]), match[0]]
        end = match.end()
    return "".join([*parts, _OUTSIDE.sub(" ", text[end:])])


_known_names: dict[tuple[Path, Stamp | None], tuple[str, ...]] = {}
"""By file and version: all projects of a process share the same large libraries."""


def _module_names(files: ReadableFiles, path: Path, stamp: Stamp | None) -> tuple[str, ...]:
    if (path, stamp) not in _known_names:
        _known_names[path, stamp] = tuple(match[1] for match in _MODULE.finditer(files.read_text(path) or ""))
    return _known_names[path, stamp]
