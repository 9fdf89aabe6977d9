"""Verilator's lint of saved files, as structured findings."""

from __future__ import annotations

import asyncio
import io
import re
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path

from benchwright_harness.errors import HarnessError
from benchwright_harness.execution.process import FileAccess, run_within_limits
from benchwright_harness.toolchain import Toolchain
from benchwright_problems.problem import RunLimits
from benchwright_server.linters.lint_tool import LintFinding, LintSeverity, LintTool, RelatedLocation, SavedFile
from benchwright_verilog.findings.finding import Finding as EditorFinding
from benchwright_verilog.findings.finding import Level
from benchwright_verilog.findings.source import FindingTool
from benchwright_verilog.semantics.project.index.files_below import files_below
from benchwright_verilog.semantics.project.plain_files import ReadableFiles
from benchwright_verilog.syntax.suffixes import SOURCES

_FINDING = re.compile(
    r"%(?P<severity>Error|Warning)(?:-(?P<rule>[A-Z0-9_]+))?: "
    r"(?P<path>[^:]+):(?P<line>\d+):(?P<column>\d+): (?P<message>.*)"
)
_RELATED = re.compile(r"\s+(?P<path>[^\s:]+):(?P<line>\d+):(?P<column>\d+): \.\.\. (?P<message>.*)")
_CARET = re.compile(r"^\s*\|\s*(\^~*)")
_MAX_BYTES = 64 << 20
_LIMITS = RunLimits(wall_s=30, memory_mb=2048)


async def verilator_lint(folder: Path, relative_path: str, toolchain: Toolchain) -> list[LintFinding]:
    """Lint one file of a workspace; other files are found by module name in its folders.

    Args:
        folder: The workspace.
        relative_path: The file, relative to it.
        toolchain: Provides Verilator.

    Returns:
        Findings about files inside the workspace, of which alone Verilator knows; none if it fails.
    """
    findings = await _run_verilator_lint(folder, relative_path, toolchain)
    if not relative_path.endswith(".v") or not _error_count(findings):
        return findings
    # There `bit` and `do` may be names.
    findings_as_verilog = await _run_verilator_lint(folder, relative_path, toolchain, ("+1364-2005ext+v",))
    return findings_as_verilog if _error_count(findings_as_verilog) < _error_count(findings) else findings


def _error_count(findings: Sequence[LintFinding]) -> int:
    return sum(finding.severity is LintSeverity.ERROR for finding in findings)


async def _run_verilator_lint(
    folder: Path, relative_path: str, toolchain: Toolchain, standard_options: Sequence[str] = ()
) -> list[LintFinding]:
    with tempfile.TemporaryDirectory(prefix="benchwright-lint-") as temporary:
        copy = Path(temporary) / "copy"
        copied_paths = await asyncio.to_thread(_copy_without_links, folder, copy)
        folders = sorted({str(copied.parent) for copied in copied_paths if copied.suffix in SOURCES})
        program, variables = toolchain.host_verilator_and_variables
        argv = [
            str(program),
            *("--lint-only", "-Wall", "-Wno-MULTITOP", "--timing", "--error-limit", "200", "--Mdir", temporary),
            *(option for name in folders for option in ("-y", name, f"-I{name}")),
            *("+libext+.sv+.v", *standard_options, relative_path),
        ]
        output_buffer = io.BytesIO()
        environment = variables | {"HOME": temporary, "LANG": "C.UTF-8"}
        await run_within_limits(
            argv,
            env=environment,
            cwd=copy,
            limits=_LIMITS,
            limited_folder=Path(temporary),
            log=output_buffer,
            # Sources name files to include, wherever they are.
            file_access=FileAccess((program.parent.parent,), (Path(temporary),)),
        )
        return verilator_findings(output_buffer.getvalue().decode(errors="replace"))


def _copy_without_links(folder: Path, target: Path) -> list[Path]:
    """Copy a folder without its links, through which Verilator would show what is elsewhere.

    Returns:
        The files, relative to the folder.
    """
    files, copied_paths, room = ReadableFiles.below(folder), list[Path](), _MAX_BYTES
    target.mkdir()
    for dir_entry in files_below(folder):
        content = files.read_bytes(Path(dir_entry.path), room)
        if content is None:
            continue
        room -= len(content)
        path = Path(dir_entry.path).relative_to(folder)
        (target / path).parent.mkdir(parents=True, exist_ok=True)
        (target / path).write_bytes(content)
        copied_paths.append(path)
    return copied_paths


def verilator_findings(lint_output: str) -> list[LintFinding]:
    """Findings in Verilator's output.

    Verilator 5.48 can write SARIF, but its output is not valid JSON (a comma is missing between
    `tool` and `invocations`).
    """
    unique_findings: dict[LintFinding, None] = {}
    lines = lint_output.splitlines()
    for number, line in enumerate(lines):
        match = _FINDING.match(line)
        if not match:
            continue
        caret_match = next((caret for text in lines[number + 1 : number + 4] if (caret := _CARET.match(text))), None)
        column = int(match["column"])
        finding = LintFinding(
            path=match["path"],
            line=int(match["line"]),
            column=column,
            end_column=column + (len(caret_match[1]) if caret_match else 1),
            severity=LintSeverity.ERROR if match["severity"] == "Error" else LintSeverity.WARNING,
            rule=match["rule"] or "",
            message=match["message"].strip(),
            related=tuple(_related_locations(islice(lines, number + 1, None))),
        )
        unique_findings[finding] = None
    return list(unique_findings)


def _related_locations(output_lines: Iterable[str]) -> Iterator[RelatedLocation]:
    """The other locations of a finding, printed between it and the next finding."""
    for line in output_lines:
        if line.startswith("%"):
            return
        if match := _RELATED.match(line):
            message = match["message"].strip().rstrip(":")
            yield RelatedLocation(
                path=match["path"], line=int(match["line"]), column=int(match["column"]), message=message
            )


_SOURCE = FindingTool("verilator", 1, "https://verilator.org/warn/{}")


async def _lint(saved_file: SavedFile) -> list[EditorFinding]:
    if saved_file.folder is None:
        return []
    relative_path = saved_file.path.relative_to(saved_file.folder).as_posix()
    try:
        toolchain = await asyncio.to_thread(Toolchain.find, saved_file.cache)
        findings = await verilator_lint(saved_file.folder, relative_path, toolchain)
    except (HarnessError, OSError):
        # Without a toolchain there is no Verilator; `benchwright doctor` reports that.
        return []
    return [
        _editor_finding(finding, saved_file, saved_file.folder) for finding in findings if finding.path == relative_path
    ]


def _editor_finding(finding: LintFinding, saved_file: SavedFile, folder: Path) -> EditorFinding:
    line_start, line_end = saved_file.lines.line_bounds(finding.line)
    line = saved_file.lines.text[line_start:line_end]
    start, end = line_start + finding.column - 1, line_start + finding.end_column - 1
    # Verilator counts columns after it has removed comments and expanded macros, and counts bytes.
    if end > line_end or not line.isascii() or "/*" in line or "`" in line:
        start, end = line_end - len(line.lstrip()), line_start + len(line.rstrip())
    level = Level.ERROR if finding.severity is LintSeverity.ERROR else Level.WARNING
    return finding.editor_finding(_SOURCE, (start, max(start, end)), level, folder)


VERILATOR = LintTool(_SOURCE, "`--lint-only -Wall`", _lint, needs_folder=True)
