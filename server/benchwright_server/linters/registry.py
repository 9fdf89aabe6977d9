"""The lint tools that run when a file is saved, all at once."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from pkgutil import resolve_name
from typing import TYPE_CHECKING

from benchwright_harness.errors import HarnessError
from benchwright_server import lint_registry
from benchwright_server.linters.lint_tool import LintTool, SavedFile

if TYPE_CHECKING:
    from benchwright_verilog.findings.finding import Finding
    from benchwright_verilog.findings.source import FindingTool


def lint_tools() -> dict[str, LintTool]:
    """The declaration of each registered tool, by name."""
    return {tool.name: resolve_name(tool.declaration_path) for tool in lint_registry.LINT_TOOLS}


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
        for name, tool in lint_tools().items()
        if getattr(saved_file.settings, name, True) and (saved_file.folder is not None or not tool.needs_folder)
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
