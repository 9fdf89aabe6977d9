"""Inputs of a test's simulation: the module at the top, and the files to compile, in their order."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from benchwright_harness.own_tests.cocotb_source import toplevel_literal
from benchwright_server.errors import OwnTestError
from benchwright_server.own_tests.discovery import TestFile, require_project_folder
from benchwright_verilog.semantics.names.occurrence import TargetKind
from benchwright_verilog.semantics.project.index.inventory import nearest_path
from benchwright_verilog.semantics.project.project import Project
from benchwright_verilog.settings import ProjectSettings as ProjectSettings
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

    top_module: str
    sources: tuple[Path, ...]
    include_dirs: tuple[Path, ...]
    defines: tuple[str, ...]


def design_files(project: Project, settings: ProjectSettings, test_file: TestFile, top_module: str) -> DesignFiles:
    """The files that a test needs: of a project with file lists all of these, else those below the top.

    Args:
        project: The folder's.
        settings: Include folders and macros.
        test_file: The file with the test.
        top_module: The module to simulate.

    Raises:
        OwnTestError: No file declares the top.
    """
    folder = require_project_folder(project)
    declaring = _paths_by_declared_unit(project)
    test_path = folder / test_file.path
    declaring_paths = declaring.get(top_module, ())
    root = test_path if not test_file.is_cocotb else nearest_path(declaring_paths, test_path)
    if root is None:
        raise OwnTestError(f"No file of {folder.name} declares the module {top_module}, which {test_file.path} tests.")
    listed_sources = dict.fromkeys(path for file_list in project.lists for path in file_list.sources)
    sources = _root_and_needed_files(project, declaring, root)
    sources = (
        [*listed_sources, *(path for path in sources if path not in listed_sources)]
        if listed_sources
        else _packages_first(project, sources)
    )
    dirs = [path for name in settings.include_dirs if project.files.is_folder(path := folder / name)]
    dirs += [path for file_list in project.lists for path in file_list.include_dirs]
    dirs += _include_folders(project, sources)
    defines = (*settings.defines, *(define for file_list in project.lists for define in file_list.defines))
    return DesignFiles(top_module, tuple(sources), tuple(dict.fromkeys(dirs)), tuple(dict.fromkeys(defines)))


def simulated_module(
    project: Project, test_file: TestFile, test_name: str, top_setting: str, testbench_names: frozenset[str]
) -> str:
    """The module that a test simulates.

    Of a testbench it is itself. Of cocotb tests the first that is known of: `hdl_toplevel` in their file, `TOPLEVEL` of
    a Makefile beside it, the module that the file is named after, `hdl_toplevel` in another file beside it, the
    setting, the chosen top, the only module that no other instantiates.

    Raises:
        OwnTestError: The module is not known; the message says the next step.
    """
    if not test_file.is_cocotb:
        return test_name
    folder = require_project_folder(project)
    path = folder / test_file.path
    modules = {name for name, _ in _module_names_and_paths(project)}
    tested_top = toplevel_literal(_text_or_empty(project, path)) or _makefile_top(project, path.parent)
    if tested_top is None and (stem_match := _CALLED.fullmatch(PurePosixPath(test_file.path).stem)):
        called_module = stem_match["after"] or stem_match["before"]
        tested_top = called_module if called_module in modules else None
    if tested_top is None:
        tops_beside = {
            top
            for python_file in sorted(path.parent.glob("*.py"))
            if (top := toplevel_literal(_text_or_empty(project, python_file))) is not None
        }
        tested_top = next(iter(tops_beside)) if len(tops_beside) == 1 else None
    tested_top = tested_top or top_setting or project.instance_choice.top_name
    if tested_top is not None:
        return tested_top
    listed_tops = [listed_top for file_list in project.lists for listed_top in file_list.tops]
    tops = listed_tops or [
        instance.module for instance in project.instance_tree_of(path).tops() if instance.module not in testbench_names
    ]
    if len(tops) == 1:
        return tops[0]
    candidates = f"It may be {', '.join(sorted(tops)[:5])}. " if tops else "No module was found. "
    raise OwnTestError(
        f"Which module {test_file.path} tests is not known. {candidates}"
        "Name the file test_MODULE.py, or set benchwright.ownTests.top."
    )


def _module_names_and_paths(project: Project) -> list[tuple[str, Path]]:
    return [
        (unit.name, path)
        for path, units in project.declared_names_by_file()
        for unit in units
        if unit.target_kind is TargetKind.MODULE
    ]


def _paths_by_declared_unit(project: Project) -> Mapping[str, Sequence[Path]]:
    declaring: dict[str, list[Path]] = {}
    for path, units in project.declared_names_by_file():
        if path.suffix not in HEADERS:
            for name in {unit.name for unit in units if unit.target_kind in _UNITS}:
                declaring.setdefault(name, []).append(path)
    return declaring


def _root_and_needed_files(
    project: Project, declaring_files_by_name: Mapping[str, Sequence[Path]], root_file: Path
) -> list[Path]:
    """A file, the files that declare what it names, and so on."""
    entries_by_path = dict(project.words_by_file())
    needed_files = {root_file: None}
    pending_paths = deque([root_file])
    seen_headers: set[Path] = set()
    while pending_paths:
        path = pending_paths.popleft()
        known_file = entries_by_path.get(path)
        if known_file is None:
            continue
        own_names = {name for name, paths in declaring_files_by_name.items() if path in paths}
        for name, paths in declaring_files_by_name.items():
            if (
                name in own_names
                or name not in known_file.code_words
                or any(declaring_path in needed_files for declaring_path in paths)
            ):
                continue
            # A testbench names its design, and its design does not name it back.
            nearest_file = nearest_path(paths, root_file)
            if nearest_file is not None:
                needed_files[nearest_file] = None
                pending_paths.append(nearest_file)
        outline = project.outline(path)
        for include in outline.includes if outline is not None else ():
            header = project.find_include(path, include.name)
            if header is not None and header not in seen_headers:
                seen_headers.add(header)
                pending_paths.append(header)
    return list(needed_files)


def _packages_first(project: Project, sources: Sequence[Path]) -> list[Path]:
    """Packages and the like before the files that name them."""
    entries_by_path = dict(project.words_by_file())
    package_paths = {
        unit.name: path
        for path, units in project.declared_names_by_file()
        if path in sources
        for unit in units
        if unit.target_kind in _EARLIER
    }
    ordered_paths: dict[Path, None] = {}
    entered: set[Path] = set()

    def visit(path: Path) -> None:
        if path in entered:
            return
        entered.add(path)
        for name, earlier_path in package_paths.items():
            if earlier_path != path and path in entries_by_path and name in entries_by_path[path].code_words:
                visit(earlier_path)
        ordered_paths[path] = None

    for path in reversed(sources):
        visit(path)
    return list(ordered_paths)


def _include_folders(project: Project, sources: Sequence[Path]) -> list[Path]:
    """The folders from which the names of included files lead to them."""
    folders: dict[Path, None] = {}
    pending_paths = list(sources)
    seen_paths = set(pending_paths)
    while pending_paths:
        path = pending_paths.pop()
        outline = project.outline(path)
        for include in outline.includes if outline is not None else ():
            header = project.find_include(path, include.name)
            if header is None or header in seen_paths:
                continue
            seen_paths.add(header)
            pending_paths.append(header)
            part_count = len(PurePosixPath(include.name).parts)
            if ".." not in include.name and part_count <= len(header.parents):
                folders[header.parents[part_count - 1]] = None
    return list(folders)


def _makefile_top(project: Project, folder: Path) -> str | None:
    for name in _MAKEFILES:
        if top_match := _TOPLEVEL.search(_text_or_empty(project, folder / name)):
            return top_match[1]
    return None


def _text_or_empty(project: Project, path: Path) -> str:
    return project.files.read_text(path) or ""
