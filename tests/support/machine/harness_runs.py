"""Fixtures and helpers of the tests of harness runs."""

from __future__ import annotations

from collections.abc import Mapping

from benchwright_problems.category import Category
from benchwright_problems.problem import Difficulty, Hidden, Problem, ProblemKind, Provenance, Public, RunLimits

CANARY = "CANARY-9c3e"


RIGHT = "module inv(input a, output y); assign y = ~a; endmodule\n"


WRONG = "module inv(input a, output y); assign y = a; endmodule\n"


COMPOSE = """
services:
  direct:
    image: __OSS_SIM_IMAGE__
    volumes: [./src/:/src/:ro]
    env_file: ./src/.env
    command: pytest -s -o cache_dir=/rundir/.cache /src/test_runner.py -v
"""


ENV = """SIM=icarus
TOPLEVEL_LANG=verilog
VERILOG_SOURCES=/code/rtl/inv.sv
TOPLEVEL=inv
MODULE=test_inv
PYTHONPATH=/src
"""


# Trusts the result file, and looks at nothing else.
RUNNER = """import os
from cocotb_tools.check_results import get_results
from cocotb_tools.runner import get_runner

def test_runner():
    runner = get_runner(os.environ["SIM"])
    runner.build(sources=os.environ["VERILOG_SOURCES"].split(), hdl_toplevel="inv", timescale=("1ns", "1ps"))
    runner.test(hdl_toplevel="inv", test_module=os.environ["MODULE"])
"""


BENCH = f"""# {CANARY}
import random
import cocotb
from cocotb.triggers import Timer

@cocotb.test()
async def inverts(dut):
    for value in (0, 1):
        dut.a.value = value
        await Timer(1, "ns")
        assert dut.y.value == 1 - value, "does not invert"

@cocotb.test()
async def likes_random_numbers(dut):
    await Timer(1, "ns")
    print("random", random.random(), hash("x"))
"""


def problem(harness: Mapping[str, str] | None = None, limits: RunLimits | None = None) -> Problem:
    files = {
        "docker-compose.yml": COMPOSE,
        "src/.env": ENV,
        "src/test_runner.py": RUNNER,
        "src/test_inv.py": BENCH,
    }
    return Problem(
        id="inv",
        kind=ProblemKind.DESIGN,
        title="Inverter",
        category=Category.SPEC_TO_RTL,
        difficulty=Difficulty.EASY,
        limits=limits or RunLimits(wall_s=300),
        provenance=Provenance(source="", license="", version=""),
        public=Public(
            statement="Invert.",
            files={"docs/spec.md": "spec", "rtl/given.sv": "// given\n", "rtl/inv.sv": "// to do\n"},
            expected=("rtl/inv.sv",),
        ),
        hidden=Hidden(harness=files | dict(harness or {})),
    )
