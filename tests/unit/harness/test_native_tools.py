"""The tools of a machine, played by small scripts."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchwright_harness.errors import ToolMissingError
from benchwright_harness.plan.selection import ToolSelection
from benchwright_harness.sandbox.registry import toolchain_for
from benchwright_harness.toolchain.native_tools import NativeTools


def path_variable_with_programs(folder: Path, **programs: str) -> dict[str, str]:
    """A PATH with programs that print these words, whatever they are asked."""
    folder.mkdir()
    for name, printed_text in programs.items():
        program = folder / name
        program.write_text(f"#!/bin/sh\nprintf '{printed_text}'\n")
        program.chmod(0o755)
    return {"PATH": str(folder)}


PYTHON = r"cocotb 2.0.1\npytest 8.3.2\n"


def test_versions_come_from_the_programs_and_name_the_digest(tmp_path: Path) -> None:
    environ = path_variable_with_programs(
        tmp_path / "a", iverilog="Icarus Verilog version 12.0 (stable)", python3=PYTHON
    )
    native_tools = NativeTools(tmp_path, environ)
    versions = native_tools.versions(ToolSelection())
    assert (versions["icarus"], versions["cocotb"], versions["pytest"]) == ("12.0", "2.0.1", "8.3.2")
    assert "icarus 12.0" in native_tools.verdict_remarks[0]
    other_tools = NativeTools(
        tmp_path, path_variable_with_programs(tmp_path / "b", iverilog="Icarus Verilog version 13.0", python3=PYTHON)
    )
    assert native_tools.digest.startswith("native:")
    assert native_tools.digest != other_tools.digest


def test_a_tool_that_is_not_on_path_is_named_with_the_next_step(tmp_path: Path) -> None:
    native_tools = NativeTools(tmp_path, path_variable_with_programs(tmp_path / "a", python3=PYTHON))
    with pytest.raises(ToolMissingError, match=r"^tool missing \(iverilog\)$") as missing:
        native_tools.require_tools(["iverilog"], ToolSelection())
    assert "apt-get install iverilog" in missing.value.hint


def test_a_python_without_cocotb_is_told(tmp_path: Path) -> None:
    native_tools = NativeTools(
        tmp_path, path_variable_with_programs(tmp_path / "a", python3="Python 3.14.0", iverilog="12.0")
    )
    with pytest.raises(ToolMissingError, match=r"^tool missing \(cocotb\)$") as missing:
        native_tools.require_tools(["iverilog"], ToolSelection())
    assert "pip install cocotb" in missing.value.hint


def test_only_the_native_sandbox_takes_the_tools_of_the_machine(tmp_path: Path) -> None:
    assert isinstance(toolchain_for("native", tmp_path), NativeTools)
    with pytest.raises(ToolMissingError):
        toolchain_for("bwrap", tmp_path)
