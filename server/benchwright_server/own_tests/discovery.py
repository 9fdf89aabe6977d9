"""Finds cocotb tests and testbenches in a folder; nothing of it is imported or run.

A testbench is a module without ports that nothing instantiates, and that instantiates a module of the design or is in a
folder for tests.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from benchwright_harness.own_tests.cocotb_source import cocotb_tests
from benchwright_server.errors import OwnTestError
from benchwright_verilog.semantics.names.occurrence import TargetKind
from benchwright_verilog.semantics.project.index.files_below import BUILD_FOLDERS, files_below
from benchwright_verilog.semantics.project.project import Project
from benchwright_verilog.syntax.surrogates import encode_text

_LEFT_OUT = BUILD_FOLDERS | {"rundir"}
TEST_FOLDERS = frozenset({"bench", "sim", "tb", "test", "testbench", "tests", "verif"})
_MAX_PYTHON = 5_000
_MAX_BYTES = 1 << 20


@dataclass(frozen=True)
class FoundTest:
    """A test function, or a testbench."""

    name: str
    start: int
    """Of its name in the file, in bytes, as `end`."""
    end: int
    cases: tuple[str, ...] = ()
    """The names that its parameters make of it, as far as that is written down."""


@dataclass(frozen=True)
class TestFile:
    """A file with tests."""

    path: str
    """Relative to the folder, with `/`."""
    is_cocotb: bool
    tests: tuple[FoundTest, ...]


def find_test_files(project: Project) -> tuple[TestFile, ...]:
    """The tests of a project's folder, by path. Reads the disk.

    Raises:
        OwnTestError: The project has no folder.
    """
    folder = require_project_folder(project)
    test_files = [*_cocotb_files(project, folder), *_testbench_files(project, folder)]
    return tuple(sorted(test_files, key=lambda test_file: test_file.path))


def require_project_folder(project: Project) -> Path:
    """The folder whose tests run together.

    Raises:
        OwnTestError: The project is a file by itself.
    """
    if project.folder is None:
        raise OwnTestError("Tests run in a folder. Open the folder that has the design and its tests.")
    return project.folder


def is_in_test_folder(path: PurePosixPath) -> bool:
    """True if a file is in a folder for tests."""
    return any(part.lower() in TEST_FOLDERS for part in path.parent.parts)


def visible_plain_files(folder: Path) -> Iterator[Path]:
    """All plain files below a folder but hidden ones and those of builds, without following links."""
    return (Path(item.path) for item in files_below(folder, _LEFT_OUT))


def _cocotb_files(project: Project, folder: Path) -> Iterator[TestFile]:
    paths = (path for path in visible_plain_files(folder) if path.suffix == ".py")
    for _, path in zip(range(_MAX_PYTHON), paths, strict=False):
        text = project.files.read_text(path) or ""
        test_functions = cocotb_tests(text) if "cocotb" in text and len(text) <= _MAX_BYTES else ()
        if test_functions:
            lines = [0]
            for line in text.encode().splitlines(keepends=True):
                lines.append(lines[-1] + len(line))
            file_tests = tuple(
                FoundTest(
                    cocotb_test.name,
                    lines[cocotb_test.line - 1] + cocotb_test.column,
                    lines[cocotb_test.line - 1] + cocotb_test.end_column,
                    cocotb_test.cases,
                )
                for cocotb_test in test_functions
            )
            yield TestFile(path.relative_to(folder).as_posix(), is_cocotb=True, tests=file_tests)


def _testbench_files(project: Project, folder: Path) -> Iterator[TestFile]:
    # Imported late: slang is slow to load, and nobody waits for it at the start.
    from benchwright_verilog.semantics.names.module_shapes import ModuleShape, module_shapes

    modules_by_path = {
        path: {unit.name for unit in units if unit.target_kind is TargetKind.MODULE}
        for path, units in project.declared_names_by_file()
    }
    modules = set[str]().union(*modules_by_path.values())
    shapes: dict[Path, tuple[ModuleShape, ...]] = {}
    for path, names in modules_by_path.items():
        if names and path.is_relative_to(folder):
            text = project.files.read_text(path)
            # Most files have nothing but modules with ports; slang has to read the others only.
            shapes[path] = module_shapes(text) if text is not None and _may_have_testbench(text) else ()
    instantiated = frozenset().union(
        *(shape.instantiated_modules for file_shapes in shapes.values() for shape in file_shapes)
    )
    for path, file_shapes in shapes.items():
        relative = PurePosixPath(path.relative_to(folder).as_posix())
        tests = tuple(
            FoundTest(shape.name, shape.name_start, shape.name_end)
            for shape in file_shapes
            if not shape.has_ports
            and shape.name not in instantiated
            and (shape.instantiated_modules & modules or is_in_test_folder(relative))
        )
        if tests:
            yield TestFile(str(relative), is_cocotb=False, tests=tests)


def _may_have_testbench(design_text: str) -> bool:
    data = encode_text(design_text)
    return b"initial" in data or b"$finish" in data or b"final" in data or b"program" in data
