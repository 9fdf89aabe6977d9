from __future__ import annotations

import json
from importlib.resources import files

import pytest

from benchwright_harness.plan.selection import ToolSelection, selections
from benchwright_problems.datasets import cvdp, rtllm, verilogeval
from benchwright_problems.problem import Difficulty, Hidden, Problem, ProblemKind, Provenance, Public


def problem_from_source(source: str, version: str = "", harness: str = "") -> Problem:
    return Problem(
        id="x",
        kind=ProblemKind.DESIGN,
        title="x",
        difficulty=Difficulty.EASY,
        provenance=Provenance(source=source, license="", version=version),
        public=Public(statement="", expected=("rtl/x.sv",)),
        hidden=Hidden(harness={"src/test.py": harness} if harness else {}),
    )


def chosen_versions(source: str, version: str = "", harness: str = "") -> list[tuple[str, str, str, str | None]]:
    return [
        (selection.icarus, selection.yosys, selection.cocotb, selection.simulator)
        for selection in selections(problem_from_source(source, version, harness))
    ]


@pytest.mark.parametrize("version", ["1.0", "1.0.2", "1.0.4"])
def test_the_first_cvdp_runs_with_its_cocotb_and_its_yosys(version: str) -> None:
    assert chosen_versions(cvdp.SOURCE, version)[0] == ("13", "0.23", "compat", None)


def test_a_later_cvdp_is_strict() -> None:
    for harness in ("Clock(dut.clk, 10, units='ns')", "cocotb==2.1.0", "@cocotb.xfail()"):
        assert chosen_versions(cvdp.SOURCE, "1.1.0", harness)[0] == ("13", "0.40", "2.0.1", None)


@pytest.mark.parametrize(
    ("harness", "cocotb"),
    [
        ("await Timer(1, units='ns')", "compat"),
        ("from cocotb.runner import get_runner", "compat"),
        ("import cocotb.result", "compat"),
        ("if signal._type == 'GPI_NET':", "compat"),
        ("await Timer(1, unit='ns')", "2.0.1"),
        ("from cocotb_tools.runner import get_runner", "2.0.1"),
        ("subunits = 3; my_cocotb.runner", "2.0.1"),
        ("cocotb==2.1.0\n", "2.1.0"),
        ("FROM oss-sim\nRUN pip3 install 'cocotb~=2.1'", "2.1.0"),
        ("command: pip install cocotb==2.1.0 && pytest /src/test_runner.py", "2.1.0"),
        ("cocotb==2.10\n", "2.0.1"),
        ("cocotb>=2.0\n", "2.0.1"),
        ("cocotb-bus==2.1\n", "2.0.1"),
        ("from cocotb.triggers import RisingEdge, gather", "2.1.0"),
        ("from cocotb.triggers import (\n    RisingEdge,\n    TaskManager,\n)", "2.1.0"),
        ("from cocotb.triggers import Timer\nawait dut.wait(1)", "2.0.1"),
        ("@cocotb.xfail()", "2.1.0"),
        ("from cocotb import end_test, test", "2.1.0"),
        ("from cocotb_tools.runner import as_sv_literal, get_runner", "2.1.0"),
    ],
)
def test_what_the_tests_say_decides_where_the_version_is_not_known(harness: str, cocotb: str) -> None:
    assert chosen_versions(cvdp.SOURCE, "unknown", harness)[0][2] == cocotb


# How CVDP's own tool moves a harness to cocotb 2.
MOVED = """try:
    from cocotb_tools.runner import get_runner
except ImportError:
    from cocotb.runner import get_runner
# cocotb.result removed in v2
"""


@pytest.mark.parametrize("version", ["1.1.0", "unknown"])
def test_a_harness_that_falls_back_on_older_names_is_a_new_one(version: str) -> None:
    assert {cocotb for _, _, cocotb, _ in chosen_versions(cvdp.SOURCE, version, MOVED)} == {"2.0.1"}


def test_a_later_harness_that_imports_what_is_no_more_gets_it() -> None:
    chosen_tools = chosen_versions(cvdp.SOURCE, "1.1.0", "from cocotb.runner import get_runner")
    assert {(yosys, cocotb) for _, yosys, cocotb, _ in chosen_tools} == {("0.40", "compat")}


def test_verilogeval_never_runs_with_icarus_13() -> None:
    chosen_tools = chosen_versions(verilogeval.SOURCE)
    assert [(icarus, simulator) for icarus, _, _, simulator in chosen_tools] == [("12", "icarus"), ("12", "verilator")]


def test_rtllm_tries_every_simulator() -> None:
    simulators = {(simulator, icarus) for icarus, _, _, simulator in chosen_versions(rtllm.SOURCE)}
    assert {("icarus", "12"), ("icarus", "13")} <= simulators
    assert "verilator" in {simulator for simulator, _ in simulators}


def test_a_pack_of_ones_own_runs_with_the_newest_and_is_not_tried_twice() -> None:
    assert selections(problem_from_source("a lab", "1.0")) == (ToolSelection(),)


def test_every_choice_has_its_reason() -> None:
    rules = json.loads((files("benchwright_harness.plan") / "selection.json").read_text(encoding="utf-8"))
    assert all(len(choice["reason"]) > 10 for rule in rules for choice in rule["choose"])
