"""Inputs of a test's simulation: the module at the top, and the files to compile, in their order."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from benchwright_harness.own_tests.cocotb_source import named_top
from benchwright_server.errors import OwnTestError
from benchwright_server.own_tests.finding import TestFile, folder_of
from benchwright_verilog.semantics.names.occurrence import TargetKind
from benchwright_verilog.semantics.project.index.inventory import nearest
from benchwright_verilog.semantics.project.project import Project
from benchwright_verilog.settings import Project as ProjectSettings
from benchwright_verilog.syntax.suffixes import HEADERS

_MAKEFILES = ("Makefile", "makefile", "GNUmakefile")
_TOPLEVEL = re.compile(r"^\s*(?:export\s+)?(?:COCOTB_)?TOPLEVEL\s*[:?]?=\s*(\w+)\s*$", re.MULTILINE)
_CALLED = re.compile(r"(?:test|tb)_(?P<after>\w+)|(?P<before>\w+?)_(?:test|tests|tb)")
_UNITS = frozenset({TargetKind.MODULE, TargetKind.INTERFACE, TargetKind.PACKAGE, TargetKind.PROGRAM, TargetKind.CLASS})
_EARLIER = frozenset({TargetKind.PACKAGE, TargetKind.CLASS, TargetKind.INTERFACE})
"""Kinds of declarations that have to be compiled before their users."""


@dataclass(frozen=True)
class DesignFiles:
    """The files that are compiled."""

    top: str
    sources: tuple[Path, ...]
    include_dirs: tuple[Path, ...]
    defines: tuple[str, ...]


def design_files(project: Project, settings: ProjectSettings, file: TestFile, top: str) -> DesignFiles:
    """The files that a test needs: of a project with file lists all of these, else those below the top.

    Args:
        project: The folder's.
        settings: Include folders and macros.
        file: The file with the test.
        top: The module to simulate.

    Raises:
        OwnTestError: No file declares the top.
    """
    folder = folder_of(project)
    declaring = _declaring(project)
    test_path = folder / file.path
    places = declaring.get(top, ())
    root = test_path if not file.is_cocotb else nearest(places, test_path)
    if root is None:
        raise OwnTestError(f"No file of {folder.name} declares the module {top}, which {file.path} tests.")
    listed = dict.fromkeys(path for file_list in project.lists for path in file_list.sources)
    sources = _files_below(project, declaring, root)
    sources = [*listed, *(path for path in sources if path not in listed)] if listed else _ordered(project, sources)
    dirs = [folder / name for name in settings.include_dirs]
    dirs += [path for file_list in project.lists for path in file_list.include_dirs]
    dirs += _folders_of_headers(project, sources)
    defines = (*settings.defines, *(define for file_list in project.lists for define in file_list.defines))
    return DesignFiles(top, tuple(sources), tuple(dict.fromkeys(dirs)), tuple(dict.fromkeys(defines)))


def top_of(project: Project, file: TestFile, test: str, setting: str, testbenches: frozenset[str]) -> str:
    """The module that a test simulates.

    Of a testbench it is itself. Of cocotb tests the first that is known of: `hdl_toplevel` in their file, `TOPLEVEL` of
    a Makefile beside it, the module that the file is named after, `hdl_toplevel` in another file beside it, the
    setting, the chosen top, the only module that no other instantiates.

    Raises:
        OwnTestError: The module is not known; the message says the next step.
    """
    if not file.is_cocotb:
        return test
    folder = folder_of(project)
    path = folder / file.path
    modules = {name for name, _ in _modules(project)}
    tested_top = named_top(_text(path)) or _made_top(path.parent)
    if tested_top is None and (stem_match := _CALLED.fullmatch(PurePosixPath(file.path).stem)):
        called_module = stem_match["after"] or stem_match["before"]
        tested_top = called_module if called_module in modules else None
    if tested_top is None:
        tops_beside = {
            top
            for python_file in sorted(path.parent.glob("*.py"))
            if (top := named_top(_text(python_file))) is not None
        }
        tested_top = next(iter(tops_beside)) if len(tops_beside) == 1 else None
    tested_top = tested_top or setting or project.view.top
    if tested_top is not None:
        return tested_top
    listed = [listed_top for file_list in project.lists for listed_top in file_list.tops]
    tops = listed or [instance.module for instance in project.design(path).tops() if instance.module not in testbenches]
    if len(tops) == 1:
        return tops[0]
    candidates = f"It may be {', '.join(sorted(tops)[:5])}. " if tops else "No module was found. "
    raise OwnTestError(
        f"Which module {file.path} tests is not known. {candidates}"
        "Name the file test_MODULE.py, or set benchwright.ownTests.top."
    )


def _modules(project: Project) -> list[tuple[str, Path]]:
    return [(unit.name, path) for path, units in project.symbols() for unit in units if unit.kind is TargetKind.MODULE]


def _declaring(project: Project) -> Mapping[str, Sequence[Path]]:
    declaring: dict[str, list[Path]] = {}
    for path, units in project.symbols():
        if path.suffix not in HEADERS:
            for name in {unit.name for unit in units if unit.kind in _UNITS}:
                declaring.setdefault(name, []).append(path)
    return declaring


def _files_below(project: Project, declaring: Mapping[str, Sequence[Path]], root: Path) -> list[Path]:
    """A file, the files that declare what it names, and so on."""
    words = dict(project.words())
    files = {root: None}
    waiting = deque([root])
    seen_headers: set[Path] = set()
    while waiting:
        path = waiting.popleft()
        known_file = words.get(path)
        if known_file is None:
            continue
        own_names = {name for name, paths in declaring.items() if path in paths}
        for name, paths in declaring.items():
            if (
                name in own_names
                or name not in known_file.words
                or any(declaring_path in files for declaring_path in paths)
            ):
                continue
            # A testbench names its design, and its design does not name it back.
            chosen = nearest(paths, root)
            if chosen is not None:
                files[chosen] = None
                waiting.append(chosen)
        outline = project.outline(path)
        for include in outline.includes if outline is not None else ():
            header = project.find_include(path, include.name)
            if header is not None and header not in seen_headers:
                seen_headers.add(header)
                waiting.append(header)
    return list(files)


def _ordered(project: Project, sources: Sequence[Path]) -> list[Path]:
    """Packages and the like before the files that name them."""
    words = dict(project.words())
    earlier = {
        unit.name: path
        for path, units in project.symbols()
        if path in sources
        for unit in units
        if unit.kind in _EARLIER
    }
    ordered: dict[Path, None] = {}
    entered: set[Path] = set()

    def visit(path: Path) -> None:
        if path in entered:
            return
        entered.add(path)
        for name, earlier_path in earlier.items():
            if earlier_path != path and path in words and name in words[path].words:
                visit(earlier_path)
        ordered[path] = None

    for path in reversed(sources):
        visit(path)
    return list(ordered)


def _folders_of_headers(project: Project, sources: Sequence[Path]) -> list[Path]:
    """The folders from which the names of included files lead to them."""
    folders: dict[Path, None] = {}
    waiting = list(sources)
    seen_paths = set(waiting)
    while waiting:
        path = waiting.pop()
        outline = project.outline(path)
        for include in outline.includes if outline is not None else ():
            header = project.find_include(path, include.name)
            if header is None or header in seen_paths:
                continue
            seen_paths.add(header)
            waiting.append(header)
            parts = len(PurePosixPath(include.name).parts)
            if ".." not in include.name and parts <= len(header.parents):
                folders[header.parents[parts - 1]] = None
    return list(folders)


def _made_top(folder: Path) -> str | None:
    for name in _MAKEFILES:
        if top_match := _TOPLEVEL.search(_text(folder / name)):
            return top_match[1]
    return None


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
