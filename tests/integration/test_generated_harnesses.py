"""A datapoint of our own in each category of CVDP, in the style of 1.0 and of 1.1, proved from both sides."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from benchwright_foundation.home import Home
from benchwright_harness.cluster.local import LocalExecutor
from benchwright_harness.grading.check import ProblemChecker
from benchwright_harness.grading.verdict_store import VerdictStore
from benchwright_harness.plan.plan import ON_VERILATOR
from benchwright_harness.sandbox.bwrap import BwrapSandbox
from benchwright_harness.toolchain import Toolchain
from benchwright_judges.score import score_by_rules
from benchwright_problems.category import Category
from benchwright_problems.datasets.cvdp import import_cvdp
from benchwright_problems.problem import Problem

XCELIUM = Path(__file__).parent / "packs" / "xcelium"
PORTS = "input logic clk, rst_n, en, up, output logic [2:0] count"
DUE = "up ? count + 3'd1 : count - 3'd1"
TEXTS = [category for category in Category if category.is_comprehension]
ON_XCELIUM = {Category.STIMULUS: "stimulus", Category.CHECKER: "checker", Category.ASSERTION: "assertions"}
SIMULATED = [category for category in Category if category not in TEXTS and category not in ON_XCELIUM]
STYLES = ["1.0.2", "1.1.0"]


def counter(next_value: str) -> str:
    body = (
        f"always_ff @(posedge clk or negedge rst_n)\n  if (!rst_n) count <= '0; else if (en) count <= {next_value};\n"
    )
    return f"module counter ({PORTS});\n{body}endmodule\n"


ADDER = "module adder (input logic [2:0] a, b, output logic [2:0] y);\n  assign y = a + b;\nendmodule\n"
REUSED = counter("next").replace(
    "always_ff", "logic [2:0] next;\n  adder add (.a(count), .b(up ? 3'd1 : 3'd7), .y(next));\n  always_ff"
)
WASTEFUL = counter("up ? (count + 3'd1) : (count * 3'd5 + ~count * 3'd5 + count * 3'd2 + 3'd7 * count + 3'd7)")
SIDES: dict[Category, tuple[dict[str, str], str]] = {
    Category.COMPLETION: ({"rtl/counter.sv": counter("/* TODO */ count")}, counter(DUE)),
    Category.SPEC_TO_RTL: ({}, counter(DUE)),
    Category.MODIFICATION: ({"rtl/counter.sv": counter("count + 3'd1")}, counter(DUE)),
    Category.MODULE_REUSE: ({"rtl/adder.sv": ADDER}, REUSED),
    Category.IMPROVEMENT: ({"rtl/counter.sv": WASTEFUL}, counter(DUE)),
    Category.BUG_FIX: ({"rtl/counter.sv": counter("up ? count - 3'd1 : count + 3'd1")}, counter(DUE)),
}
RUNNER = """import os
import subprocess
from {runner} import get_runner


def test_runner():
    runner = get_runner(os.getenv("SIM", "icarus"))
    runner.build(
        sources=os.getenv("VERILOG_SOURCES").split(), hdl_toplevel=os.getenv("TOPLEVEL"), always=True, clean=True,
        waves=True, verbose=True, timescale=("1ns", "1ns"), log_file="build.log",
    )
    runner.test(hdl_toplevel=os.getenv("TOPLEVEL"), test_module=os.getenv("MODULE"), waves=True)
"""
SYNTHESIS = """

def test_synthesis():
    command = "read_verilog -sv /code/rtl/counter.sv; synth -top counter; stat"
    printed = subprocess.run(["yosys", "-p", command], capture_output=True, text=True, check=True).stdout
    cells = int(printed.rpartition("Number of cells:")[2].split()[0])
    assert cells < 25, f"{cells} cells are too many"
"""
COMPOSE = """services:
  {service}:
    image: {image}
    volumes: [./src/:/src/:ro]
    env_file: ./src/.env
    working_dir: /code/rundir
    command: pytest -s -o cache_dir=/rundir/harness/.cache /src/{runner} -v
"""


def style(text: str, version: str) -> str:
    if version.startswith("1.1"):
        return text
    return text.replace("cocotb_tools.runner", "cocotb.runner").replace("unit=", "units=")


def record(category: Category, version: str) -> dict[str, Any]:
    """A datapoint, as its authors would publish it."""
    context_files, solution_text, path, files = (_on_xcelium if category in ON_XCELIUM else _simulated)(
        category, version
    )
    return {
        "id": f"counter_{category.value}_{version}",
        "categories": [category.value, "easy"],
        "input": {"prompt": "Write what counts.", "context": context_files},
        "output": {"response": "", "context": {path: solution_text}},
        "harness": {"files": files},
    }


def _simulated(category: Category, version: str) -> tuple[dict[str, str], str, str, dict[str, str]]:
    context_files, solution_text = SIDES[category]
    source_paths = " ".join(f"/code/{path}" for path in dict.fromkeys([*context_files, "rtl/counter.sv"]))
    runner = RUNNER.format(runner="cocotb_tools.runner") + (SYNTHESIS if category is Category.IMPROVEMENT else "")
    env = f"SIM=icarus\nTOPLEVEL_LANG=verilog\nVERILOG_SOURCES={source_paths}\nTOPLEVEL=counter\nMODULE=test_counter\n"
    return (
        context_files,
        solution_text,
        "rtl/counter.sv",
        {
            "docker-compose.yml": COMPOSE.format(service="direct", image="__OSS_SIM_IMAGE__", runner="test_runner.py"),
            "src/.env": env + "PYTHONPATH=/src\n",
            "src/test_runner.py": style(runner, version),
            "src/test_counter.py": style((XCELIUM / "test_counter.py").read_text(), version),
        },
    )


def _on_xcelium(category: Category, version: str) -> tuple[dict[str, str], str, str, dict[str, str]]:
    kind, counter_text = ON_XCELIUM[category], (XCELIUM / "counter.sv").read_text()
    runner = "test_runner.py" if kind == "assertions" else f"{kind}.py"
    text = style((XCELIUM / runner).read_text(), version)
    files = {
        "docker-compose.yml": COMPOSE.format(service="xrun", image="__VERIF_EDA_IMAGE__", runner=runner),
        "src/.env": "TARGET=95\nNUM_BUGS=2\n",
    }
    if kind != "assertions":
        files |= {
            f"src/{runner}": text,
            "src/counter.sv": counter_text,
            "src/coverage.cmd": (XCELIUM / "coverage.cmd").read_text(),
        }
        return (
            {},
            (XCELIUM / ("stimulus_good.sv" if kind == "stimulus" else "checker_good.sv")).read_text(),
            "verif/tb.sv",
            files,
        )
    # Published harnesses of 1.0 ask for waves while they build.
    files[f"src/{runner}"] = text.replace("verbose=True,", "verbose=True, waves=True,") if version < "1.1" else text
    files["src/.env"] = (
        "SIM=xcelium\nVERILOG_SOURCES=/code/rtl/counter.sv\nTOPLEVEL=counter\nMODULE=test_counter\nPYTHONPATH=/src\n"
    )
    files["src/test_counter.py"] = style((XCELIUM / "test_counter.py").read_text(), version)
    asserted = counter_text.replace("endmodule", f"{(XCELIUM / 'assertions_good.sv').read_text()}endmodule")
    return {"rtl/counter.sv": counter_text}, asserted, "rtl/counter.sv", files


def imported(datapoint: dict[str, Any], version: str, folder: Path) -> Problem:
    file = folder / f"generated_v{version}.jsonl"
    file.write_text(json.dumps(datapoint) + "\n")
    (problem,) = import_cvdp([file], "generated").problems
    return problem


@pytest.mark.sampled
@pytest.mark.parametrize("version", STYLES)
@pytest.mark.parametrize(
    "category",
    [*SIMULATED, *(pytest.param(category, marks=pytest.mark.nightly) for category in ON_XCELIUM)],
)
async def test_a_harness_is_two_sided(category: Category, version: str, toolchain: Toolchain, tmp_path: Path) -> None:
    problem = imported(record(category, version), version, tmp_path)
    executor = LocalExecutor(Home.from_environment().cache, 2)
    checker = ProblemChecker(executor, BwrapSandbox(), toolchain, VerdictStore(tmp_path / "verdicts"))
    (two_sided,) = await checker.check_problems([problem])
    assert two_sided.is_proved, two_sided.reason
    assert two_sided.reference.tests


@pytest.mark.nightly
async def test_concurrent_assertions_go_to_verilator(toolchain: Toolchain, tmp_path: Path) -> None:
    datapoint = record(Category.MODIFICATION, "1.1.0")
    assertion = "  holds: assert property (@(posedge clk) disable iff (!rst_n) !en |=> $stable(count));\n"
    datapoint["output"]["context"] = {"rtl/counter.sv": counter(DUE).replace("endmodule", f"{assertion}endmodule")}
    executor = LocalExecutor(Home.from_environment().cache, 2)
    checker = ProblemChecker(executor, BwrapSandbox(), toolchain, VerdictStore(tmp_path / "verdicts"))
    (two_sided,) = await checker.check_problems([imported(datapoint, "1.1.0", tmp_path)])
    assert two_sided.is_proved, two_sided.reason
    assert ON_VERILATOR in two_sided.reference.remarks


@pytest.mark.parametrize("version", STYLES)
@pytest.mark.parametrize("category", TEXTS[:2])
def test_an_answer_is_scored_from_both_sides(category: Category, version: str, tmp_path: Path) -> None:
    answer = "The register counts up while up is high, and down while it is low."
    datapoint = {
        "id": f"counter_{category.value}",
        "categories": [category.value, "easy"],
        "input": {"prompt": "What does the register do?", "context": {"rtl/counter.sv": counter(DUE)}},
        "output": {"response": answer, "context": {}},
        "harness": {},
    }
    problem = imported(datapoint, version, tmp_path)
    assert score_by_rules(problem, answer).passed
    assert not score_by_rules(problem, "Nothing at all, as far as anybody can see.").passed
