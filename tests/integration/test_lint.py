"""Verilator's lint, as a save triggers it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from benchwright_harness.inside.guard import landlock
from benchwright_harness.toolchain import Toolchain
from benchwright_server.linters.lint_tool import LintSeverity
from benchwright_server.linters.verilator import verilator_lint

TRUNCATES = "module top(input [7:0] x, output [3:0] y);\n  assign y = x;\nendmodule\n"


async def test_a_warning_has_its_rule_and_place(tmp_path: Path, toolchain: Toolchain) -> None:
    (tmp_path / "rtl").mkdir()
    (tmp_path / "rtl" / "top.sv").write_text(TRUNCATES)
    findings = await verilator_lint(tmp_path, "rtl/top.sv", toolchain)
    truncation = next(finding for finding in findings if finding.rule == "WIDTHTRUNC")
    assert (truncation.path, truncation.line, truncation.severity) == ("rtl/top.sv", 2, LintSeverity.WARNING)


async def test_modules_in_other_files_are_found(tmp_path: Path, toolchain: Toolchain) -> None:
    for folder, name, text in (
        ("rtl", "top", "module top(input a, output y); inner i(.a(a), .y(y)); endmodule\n"),
        ("rtl/deep", "inner", "module inner(input a, output y); assign y = a; endmodule\n"),
    ):
        (tmp_path / folder).mkdir(exist_ok=True)
        (tmp_path / folder / f"{name}.sv").write_text(text)
    assert await verilator_lint(tmp_path, "rtl/top.sv", toolchain) == []


async def test_a_syntax_error_is_an_error(tmp_path: Path, toolchain: Toolchain) -> None:
    (tmp_path / "top.sv").write_text("module top(\n  assign;\n")
    findings = await verilator_lint(tmp_path, "top.sv", toolchain)
    assert LintSeverity.ERROR in {finding.severity for finding in findings}


async def test_lint_leaves_nothing_in_the_workspace(tmp_path: Path, toolchain: Toolchain) -> None:
    (tmp_path / "top.sv").write_text(TRUNCATES)
    await verilator_lint(tmp_path, "top.sv", toolchain)
    assert [path.name for path in tmp_path.rglob("*")] == ["top.sv"]


WAYS = ("{hidden}/x.sv", "../hidden/x.sv", "/proc/self/root{hidden}/x.sv", "link.sv", "rtl/link.sv", "linked/x.sv")


@pytest.mark.skipif(sys.platform != "linux" or not landlock.landlock_version(), reason="the kernel has no Landlock")
@pytest.mark.parametrize("way", WAYS)
async def test_a_file_elsewhere_is_as_if_it_were_missing(tmp_path: Path, toolchain: Toolchain, way: str) -> None:
    hidden, work = tmp_path / "hidden", tmp_path / "work"
    (work / "rtl").mkdir(parents=True)
    (work / "rtl" / "link.sv").symlink_to(hidden / "x.sv")
    (work / "linked").symlink_to(hidden)
    include = way.format(hidden=hidden)
    (work / "rtl" / "top.sv").write_text(
        f'`include "{include}"\nmodule top(input a); x u(.a(a)); wire w = `M; endmodule\n'
    )
    missing_findings = await verilator_lint(work, "rtl/top.sv", toolchain)
    hidden.mkdir()
    (hidden / "x.sv").write_text("`define M zqcanary\nmodule x(input a, b); endmodule\n")
    assert await verilator_lint(work, "rtl/top.sv", toolchain) == missing_findings
    assert missing_findings
