"""`benchwright problems compare` on the built-in pack."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from benchwright_foundation.home import Home
from benchwright_harness.execution.run import reference_solution_files
from benchwright_harness.toolchain import Toolchain
from benchwright_problems.storage.store import Store
from benchwright_server.cli.app import app_with_commands
from benchwright_server.workspaces.marker import MARKER
from benchwright_server.workspaces.workspace import Marker

PROBLEM = "starter/saturating-counter"


@pytest.fixture
def reference(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, toolchain: Toolchain) -> str:
    monkeypatch.setenv("BENCHWRIGHT_HOME", str(tmp_path / "home"))
    return reference_solution_files(Store(Home.from_environment()).unseal(PROBLEM))["rtl/sat_counter.sv"].decode()


def compared(file: Path, *options: str) -> tuple[int, str]:
    cli_run = CliRunner().invoke(app_with_commands(), ["problems", "compare", PROBLEM, str(file), *options])
    return cli_run.exit_code, cli_run.output


def test_the_reference_is_equivalent_to_itself(reference: str, tmp_path: Path) -> None:
    file = tmp_path / "sat_counter.sv"
    file.write_text(reference)
    code, output = compared(file)
    assert code == 0
    assert output.startswith("equivalent\n")


SECOND_COPY = """
    logic [WIDTH-1:0] copy;
    always_ff @(posedge clk) copy <= ~count;
    wire unused = ^copy;
endmodule"""


def test_its_size_and_depth_stand_beside_those_of_the_reference(reference: str, tmp_path: Path) -> None:
    file = tmp_path / "sat_counter.sv"
    # What nothing reads is no part of it.
    file.write_text(reference.replace("endmodule", SECOND_COPY))
    quality = json.loads(compared(file, "--json")[1])["quality"]
    assert quality["solution"] == quality["reference"]
    assert quality["reference"]["flip_flops"] == 8
    assert quality["reference"]["latches"] == 0
    assert 0 < quality["reference"]["depth"] < quality["reference"]["gates"]
    larger = SECOND_COPY.replace("wire unused = ^copy", "assign at_max = &count | (&copy & ~|count)")
    file.write_text(re.sub(r"assign at_max = .*", "", reference).replace("endmodule", larger))
    _, output = compared(file)
    rows = {line.split("\t")[0]: line.split("\t")[1:] for line in output.splitlines()}
    assert rows["flip-flops"] == ["16", "8", "2.00"]
    assert int(rows["gates"][0]) > int(rows["gates"][1])


def test_what_lint_finds_in_it_stands_beside_what_it_finds_in_the_reference(reference: str, tmp_path: Path) -> None:
    file = tmp_path / "sat_counter.sv"
    file.write_text(reference.replace("endmodule", "    wire [1:0] narrow = count;\nendmodule"))
    quality = json.loads(compared(file, "--json")[1])["quality"]
    # The width, and that nothing reads it.
    assert quality["solution"]["findings"] == quality["reference"]["findings"] + 2
    for silence in ("/* verilator lint_off WIDTH */", '`line 1 "x.sv" 0'):
        file.write_text(f"{silence}\n{reference}")
        assert json.loads(compared(file, "--json")[1])["quality"]["solution"].get("findings") is None


def test_a_design_that_can_not_be_synthesised_has_no_size(reference: str, tmp_path: Path) -> None:
    file = tmp_path / "sat_counter.sv"
    file.write_text("module sat_counter")
    code, output = compared(file)
    assert code == 2
    assert "The size of the solution is unknown: Yosys refuses it" in output


def test_a_difference_comes_with_the_inputs_that_show_it(reference: str, tmp_path: Path) -> None:
    file = tmp_path / "sat_counter.sv"
    file.write_text(reference.replace("up && !down && !at_max", "up && !down"))
    code, output = compared(file)
    assert code == 1
    assert output.startswith("differs at cycle ")
    assert "load_value" in output
    code, output = compared(file, "--json")
    comparison = json.loads(output)
    assert (code, comparison["result"], comparison["cycle"]) == (1, "differs", len(comparison["stimulus"]) - 1)


def test_a_difference_with_other_parameters_comes_with_them(reference: str, tmp_path: Path) -> None:
    file = tmp_path / "sat_counter.sv"
    file.write_text(reference.replace("count <= '0;", "count <= WIDTH'(WIDTH == 3);"))
    code, output = compared(file)
    assert code == 1
    assert re.match(r"differs at cycle \d+ with WIDTH = 3: \w+ is [01]+, and [01]+ in the reference\n", output)
    assert json.loads(compared(file, "--json")[1])["parameters"] == {"WIDTH": 3}


def test_what_is_not_modelled_is_said(reference: str, tmp_path: Path) -> None:
    file = tmp_path / "sat_counter.sv"
    file.write_text(reference.replace("posedge clk", "negedge clk"))
    code, output = compared(file)
    assert code == 2
    assert output.startswith("unknown: the two use different clocks or edges.\n")


def test_files_of_an_attempt_are_refused(reference: str, tmp_path: Path) -> None:
    file = tmp_path / "sat_counter.sv"
    file.write_text(reference)
    marker = Marker(problem=PROBLEM, attempt="a1", statement="statement.md")
    (tmp_path / MARKER).write_text(marker.model_dump_json())
    code, output = compared(file)
    assert code == 2
    assert "in the workspace of an attempt" in output


def test_a_file_of_another_name_is_refused_with_the_names(reference: str, tmp_path: Path) -> None:
    file = tmp_path / "counter.sv"
    file.write_text(reference)
    code, output = compared(file)
    assert code == 2
    assert "It expects sat_counter.sv" in output
