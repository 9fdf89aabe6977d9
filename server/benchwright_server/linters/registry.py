"""The lint tools that run when a file is saved, all at once."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from benchwright_harness.errors import HarnessError
from benchwright_server.linters.lint_tool import LintTool, SavedFile
from benchwright_server.linters.survivors import SURVIVORS
from benchwright_server.linters.verible import VERIBLE
from benchwright_server.linters.verilator import VERILATOR

if TYPE_CHECKING:
    from benchwright_verilog.findings.finding import Finding
    from benchwright_verilog.findings.source import Source


LINT_TOOLS: tuple[LintTool, ...] = (VERILATOR, VERIBLE, SURVIVORS)


async def linted(file: SavedFile, report: Callable[[HarnessError], None]) -> Mapping[Source, tuple[Finding, ...]]:
    """Run the enabled tools in parallel.

    Args:
        file: The file.
        report: Called with the error if a tool can't run as configured.
    """
    tools = [
        tool for tool in LINT_TOOLS if tool.is_on(file.settings) and (file.folder is not None or not tool.needs_folder)
    ]
    async with asyncio.TaskGroup() as group:
        runs = {tool.source: group.create_task(_findings(tool, file, report)) for tool in tools}
    return {source: run.result() for source, run in runs.items()}


async def _findings(tool: LintTool, file: SavedFile, report: Callable[[HarnessError], None]) -> tuple[Finding, ...]:
    try:
        return tuple(await tool.lint(file))
    except HarnessError as error:
        report(error)
        return ()
