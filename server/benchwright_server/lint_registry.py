"""Names of the lint tools: the settings have a switch for each, and are read before anything is loaded."""

from __future__ import annotations

from benchwright_foundation.registration import Registration

LINT_TOOLS = (
    Registration("verilator", "benchwright_server.linters.verilator:VERILATOR", "Run Verilator's `--lint-only`."),
    Registration("verible", "benchwright_server.linters.verible:VERIBLE", "Run verible's lint rules."),
    Registration("survivors", "benchwright_server.linters.surviving_mutants:SURVIVORS"),
)
"""The remark describes the setting `lint.NAME`; a tool without one always runs."""
