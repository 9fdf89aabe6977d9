"""`benchwright problems compare` on the built-in pack."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from benchwright_harness.grade import solved_files
from benchwright_harness.toolchain import Toolchain
from benchwright_problems.home import Home
from benchwright_problems.store import Store
from benchwright_server.cli.app import command_line
from benchwright_server.workspaces.workspace import MARKER, Marker

PROBLEM = "starter/saturating-counter"


@pytest.fixture
def reference(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, toolchain: Toolchain) -> str:
    monkeypatch.setenv("BENCHWRIGHT_HOME", str(tmp_path / "home"))
    return solved_files(Store(Home.find()).unseal(PROBLEM))["rtl/sat_counter.sv"].decode()


def compared(file: Path, *options: str) -> tuple[int, str]:
    ran = CliRunner().invoke(command_line(), ["problems", "compare", PROBLEM, str(file), *options])
    return ran.exit_code, ran.output


def test_the_reference_is_equivalent_to_itself(reference: str, tmp_path: Path) -> None:
    file = tmp_path / "sat_counter.sv"
    file.write_text(reference)
    assert compared(file) == (0, "equivalent\n")


def test_a_difference_comes_with_the_inputs_that_show_it(reference: str, tmp_path: Path) -> None:
    file = tmp_path / "sat_counter.sv"
    file.write_text(reference.replace("up && !down && !at_max", "up && !down"))
    code, printed = compared(file)
    assert code == 1
    assert printed.startswith("differs at cycle ")
    assert "load_value" in printed
    code, printed = compared(file, "--json")
    found = json.loads(printed)
    assert (code, found["result"], found["cycle"]) == (1, "differs", len(found["stimulus"]) - 1)


def test_what_is_not_modelled_is_said(reference: str, tmp_path: Path) -> None:
    file = tmp_path / "sat_counter.sv"
    file.write_text(reference.replace("posedge clk", "negedge clk"))
    assert compared(file) == (2, "unknown: the two use different clocks or edges.\n")


def test_files_of_an_attempt_are_refused(reference: str, tmp_path: Path) -> None:
    file = tmp_path / "sat_counter.sv"
    file.write_text(reference)
    marker = Marker(problem=PROBLEM, attempt="a1", statement="statement.md")
    (tmp_path / MARKER).write_text(marker.model_dump_json())
    code, printed = compared(file)
    assert code == 2
    assert "in the workspace of an attempt" in printed


def test_a_file_of_another_name_is_refused_with_the_names(reference: str, tmp_path: Path) -> None:
    file = tmp_path / "counter.sv"
    file.write_text(reference)
    code, printed = compared(file)
    assert code == 2
    assert "It expects sat_counter.sv" in printed
