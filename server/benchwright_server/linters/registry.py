"""The lint tools that run when a file is saved."""

from __future__ import annotations

from benchwright_server.linters.lint_tool import LintTool
from benchwright_server.linters.survivors import SURVIVORS
from benchwright_server.linters.verible import VERIBLE
from benchwright_server.linters.verilator import VERILATOR

LINT_TOOLS: tuple[LintTool, ...] = (VERILATOR, VERIBLE, SURVIVORS)
