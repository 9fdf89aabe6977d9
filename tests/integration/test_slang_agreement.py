"""Reports of slang in the language server are what slang itself reports: nothing invented, nothing lost."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import pyslang
import pytest
from pyslang.analysis import AnalysisManager
from pyslang.ast import Compilation
from pyslang.syntax import SyntaxTree

from benchwright_verilog.semantics.compilation.analysis import FileAnalysis
from benchwright_verilog.semantics.compilation.diagnostics import DEFAULT_WARNINGS, DiagnosticSeverity
from benchwright_verilog.semantics.compilation.trees import Preprocessing, parse_options_bag
from benchwright_verilog.semantics.project.project import Project
from benchwright_verilog.settings import ProjectSettings as ProjectSettings
from benchwright_verilog.syntax.documents import Documents
from benchwright_verilog.syntax.lines import Lines

from ..support.designs.corpus import Design, designs
from ..support.designs.lone_file import lone_analysis

Told = tuple[str, int, int, str, str]
"""File, line, column in bytes, severity, message with slang's option in brackets."""

_REPORTED = re.compile(r"^(/[^\n]*?):(\d+):(\d+): (fatal error|error|warning): ([^\n]*)$", re.MULTILINE)
_HEADERS = frozenset({".vh", ".svh"})
_ABOUT_OTHERS = "design element does not have a time scale defined but others in the design do"
"""Said or not depending on which other files are compiled along; the server takes those along that a file needs."""
_ALL = ("everything", "no-unused")
"""Options that turn on all warnings but those of unused names, which depend on the files compiled along, too."""
_UNKNOWN = "unknown module "
"""Not said of a file that belongs to no folder: nobody can know what other files there are."""


def reported_by_slang(folder: Path, files: Mapping[str, str], warnings: Sequence[str] = ()) -> set[Told]:
    """slang's report on files that are compiled together, as its own text client prints it.

    Args:
        folder: Folder of the files.
        files: The files.
        warnings: Changes to slang's default warnings, as behind its `-W`.
    """
    sources = pyslang.SourceManager()
    sources.setDisableProximatePaths(True)
    sources.addUserDirectories(str(folder))
    compilation = Compilation()
    for name in files:
        if Path(name).suffix not in _HEADERS:
            trees = [SyntaxTree.fromFile(str(folder / name), sources, slang_bag) for slang_bag in _years(name)]
            compilation.addSyntaxTree(min(trees, key=lambda tree: sum(d.isError() for d in tree.diagnostics)))
    engine, diagnostic_client = pyslang.DiagnosticEngine(sources), pyslang.TextDiagnosticClient()
    engine.addClient(diagnostic_client)
    engine.setWarningOptions([*DEFAULT_WARNINGS, *warnings])
    engine.setMappingsFromPragmas()
    diagnostics = list(compilation.getAllDiagnostics())
    compilation.freeze()
    analysis = AnalysisManager()
    analysis.analyze(compilation)
    for diagnostic in (*diagnostics, *analysis.getDiagnostics()):
        engine.issue(diagnostic)
    return {
        (
            str(Path(file).relative_to(folder)),
            int(line),
            int(column),
            severity.removeprefix("fatal "),
            _without_option_of_error(severity, message),
        )
        for file, line, column, severity, message in _REPORTED.findall(diagnostic_client.getString())
        if message != _ABOUT_OTHERS
    }


def _years(name: str) -> list[pyslang.Bag]:
    """SystemVerilog, and Verilog too for a file that may be either."""
    of_systemverilog, of_verilog = (
        parse_options_bag(Preprocessing(is_plain_verilog=old), 100) for old in (False, True)
    )
    return [of_systemverilog, of_verilog] if name.endswith(".v") else [of_systemverilog]


def _without_option_of_error(severity: str, message: str) -> str:
    return re.sub(r" \[-W[\w-]+\]$", "", message) if severity.endswith("error") else message


def published(folder: Path, names: Iterable[str], warnings: Sequence[str] = ()) -> set[Told]:
    """Diagnostics that the server has to publish of the same files."""
    project = Project(folder, Documents(), ProjectSettings(warnings=tuple(warnings)))
    reports: set[Told] = set()
    for name in names:
        analysis = project.analysis_of(folder / name)
        assert analysis is not None
        reports |= analysis_reports(name, analysis)
    return reports


def analysis_reports(name: str, analysis: FileAnalysis) -> set[Told]:
    lines = Lines(analysis.data.decode())
    reports: set[Told] = set()
    for diagnostic in analysis.diagnostics:
        line = lines.line_index_of_byte(diagnostic.start)
        column = diagnostic.start - lines.to_byte(lines.line_bounds(line + 1)[0]) + 1
        is_error = diagnostic.severity is DiagnosticSeverity.ERROR
        message = diagnostic.message if is_error else f"{diagnostic.message} [-W{diagnostic.rule}]"
        if diagnostic.severity is not DiagnosticSeverity.NOTE and message != _ABOUT_OTHERS:
            reports.add((name, line + 1, column, diagnostic.severity.name.lower(), message))
    return reports


def write(folder: Path, files: Mapping[str, str]) -> None:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode("utf-8", "surrogatepass"))


@pytest.mark.parametrize("warnings", [(), _ALL], ids=["default", "all"])
@pytest.mark.parametrize("design", designs(), ids=lambda design: design.name)
def test_the_diagnostics_of_a_design_are_slangs_own(design: Design, warnings: Sequence[str], tmp_path: Path) -> None:
    write(tmp_path, design.files)
    assert published(tmp_path, design.files, warnings) == reported_by_slang(tmp_path, design.files, warnings)


@pytest.mark.parametrize("design", designs(), ids=lambda design: design.name)
def test_the_diagnostics_of_a_lone_file_are_slangs_own(design: Design, tmp_path: Path) -> None:
    write(tmp_path, {Path(name).name: "" for name in design.files})
    for name, text in design.files.items():
        file = Path(name).name
        if "`include" in text or Path(name).suffix in _HEADERS:
            continue
        write(tmp_path, {file: text})
        lone_reports = analysis_reports(
            file, lone_analysis((tmp_path / file).read_bytes().decode().removeprefix("\ufeff"), file)
        )
        assert lone_reports == {
            slang_report
            for slang_report in reported_by_slang(tmp_path, {file: text})
            if not slang_report[4].startswith(_UNKNOWN)
        }


def test_what_slang_says_of_a_broken_file_is_shown(tmp_path: Path) -> None:
    write(tmp_path, {"a.sv": "module a;\n  initial if (1);\n  assign = 1;\nendmodule\n"})
    reports = published(tmp_path, ["a.sv"])
    assert {(line, severity) for _, line, _, severity, _ in reports} == {(2, "warning"), (3, "error")}
