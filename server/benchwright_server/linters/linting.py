"""Verilator's and verible's view of a saved file."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from benchwright_harness.errors import HarnessError
from benchwright_harness.toolchain import Toolchain
from benchwright_server.linters.verible import RulesError, verible_lint
from benchwright_server.linters.verilator import Finding as LintFinding
from benchwright_server.linters.verilator import Severity, verilator_lint
from benchwright_verilog.findings.finding import Finding, Level, Related, Source
from benchwright_verilog.settings import Lint

if TYPE_CHECKING:
    from benchwright_verilog.syntax.lines import Lines

_STYLE = Level.INFORMATION
"""verible's rules are about style: what they find is no defect."""


async def linted(
    file: Path, folder: Path | None, lines: Lines, cache: Path, lint: Lint, tell: Callable[[HarnessError], None]
) -> Mapping[Source, tuple[Finding, ...]]:
    """Run the linters that are wanted, side by side.

    Args:
        file: The file, saved.
        folder: What belongs together with it; Verilator, which needs the other files, is not run without one.
        lines: What was saved.
        cache: Where toolchains are.
        lint: What the user wants.
        tell: Called with what keeps a linter from running as the user wants.
    """
    runs: dict[Source, asyncio.Task[list[LintFinding]]] = {}
    async with asyncio.TaskGroup() as group:
        if lint.verilator and folder is not None:
            runs[Source.VERILATOR] = group.create_task(_verilator(folder, file, cache))
        if lint.verible:
            runs[Source.VERIBLE] = group.create_task(_verible(file, lines.text, lint, tell))
    return {source: tuple(_placed(source, run.result(), file, folder, lines)) for source, run in runs.items()}


async def _verilator(folder: Path, file: Path, cache: Path) -> list[LintFinding]:
    try:
        toolchain = await asyncio.to_thread(Toolchain.find, cache)
        return await verilator_lint(folder, file.relative_to(folder).as_posix(), toolchain)
    except (HarnessError, OSError):
        return []


async def _verible(file: Path, text: str, lint: Lint, tell: Callable[[HarnessError], None]) -> list[LintFinding]:
    try:
        return await verible_lint(file.name, text, lint.verible_rules)
    except RulesError as error:
        tell(error)
        return []
    except OSError:
        return []


def _placed(
    source: Source, found: list[LintFinding], file: Path, folder: Path | None, lines: Lines
) -> Iterator[Finding]:
    here = file.relative_to(folder).as_posix() if folder is not None and source is Source.VERILATOR else file.name
    root = folder or file.parent
    for finding in found:
        if finding.path != here:
            continue
        start, end = _place(source, finding, lines)
        level = Level.ERROR if finding.severity is Severity.ERROR else Level.WARNING
        if source is Source.VERIBLE:
            level = _STYLE
        related = tuple(
            Related(root / other.path, other.line, other.column, other.message) for other in finding.related
        )
        yield Finding(source, start, end, level, finding.rule, finding.message, related)


def _place(source: Source, finding: LintFinding, lines: Lines) -> tuple[int, int]:
    line_start, line_end = lines.line(finding.line)
    line = lines.text[line_start:line_end]
    start, end = line_start + finding.column - 1, line_start + finding.end_column - 1
    if source is Source.VERIBLE:
        return min(start, line_end), max(min(end, line_end), min(start, line_end))
    # Verilator counts columns once comments are out and macros are in, and bytes.
    if end > line_end or not line.isascii() or "/*" in line or "`" in line:
        start, end = line_end - len(line.lstrip()), line_start + len(line.rstrip())
    return start, max(start, end)
