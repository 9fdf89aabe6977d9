"""The lint tools that run when a file is saved, all at once."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from benchwright_harness.errors import HarnessError
from benchwright_server.linters.lint_tool import LintTool, SavedFile
from benchwright_server.linters.surviving_mutants import SURVIVORS
from benchwright_server.linters.verible import VERIBLE
from benchwright_server.linters.verilator import VERILATOR

if TYPE_CHECKING:
    from benchwright_verilog.findings.finding import Finding
    from benchwright_verilog.findings.source import FindingTool


LINT_TOOLS: tuple[LintTool, ...] = (VERILATOR, VERIBLE, SURVIVORS)


async def lint_file(
    saved_file: SavedFile, report_error: Callable[[HarnessError], None]
) -> Mapping[FindingTool, tuple[Finding, ...]]:
    """Run the enabled tools in parallel.

    Args:
        saved_file: The file.
        report_error: Called with the error if a tool can't run as configured.
    """
    enabled_tools = [
        tool
        for tool in LINT_TOOLS
        if tool.is_on(saved_file.settings) and (saved_file.folder is not None or not tool.needs_folder)
    ]
    async with asyncio.TaskGroup() as group:
        lint_tasks = {
            tool.source: group.create_task(_findings_or_report(tool, saved_file, report_error))
            for tool in enabled_tools
        }
    return {source: run.result() for source, run in lint_tasks.items()}


async def _findings_or_report(
    tool: LintTool, saved_file: SavedFile, report_error: Callable[[HarnessError], None]
) -> tuple[Finding, ...]:
    try:
        return tuple(await tool.lint(saved_file))
    except HarnessError as error:
        report_error(error)
        return ()
