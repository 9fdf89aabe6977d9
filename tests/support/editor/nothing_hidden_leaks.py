"""Fixtures and helpers of the tests of nothing hidden leaks."""

from __future__ import annotations

from pathlib import Path

CANARY = b"zqcanary"
"""Part of every text, name and value of the hidden parts below that a solver must not see."""


RIGHT = "module gate (input logic a, output logic y);\n  assign y = ~a;\nendmodule\n"


WRONG = RIGHT.replace("~a", "a")


COMPOSE = """services:
  direct:
    image: __OSS_SIM_IMAGE__
    volumes:
      - ./src/:/src/:ro
    env_file: ./src/.env
    command: pytest -s -o cache_dir=/rundir/harness/.cache /src/test_zqcanary_runner.py -v
"""


ENV = "SIM=icarus\nMODULE=test_zqcanary_gate\nZQCANARY=zqcanary-environment\nPYTHONPATH=/src\n"


RUNNER = """
from cocotb_tools.runner import get_runner
def test_runs():
    print("zqcanary-printed")
    runner = get_runner("icarus")
    runner.build(sources=["/code/rtl/gate.sv"], hdl_toplevel="gate", build_dir="zqcanary_build")
    runner.test(test_module="test_zqcanary_gate", hdl_toplevel="gate", build_dir="zqcanary_build",
                results_xml="/code/rundir/results.xml")
"""


TESTS = """
import cocotb
from cocotb.triggers import Timer
@cocotb.test()
async def inverts(dut):
    dut.a.value = 0
    await Timer(1)
    assert dut.y.value == 1, "zqcanary-message"
@cocotb.test()
async def settles(dut):
    dut._log.info("zqcanary-logged")
    await Timer(1)
"""


def write(folder: Path, files: dict[str, str]) -> None:
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)


def leaks(content: bytes) -> bool:
    return CANARY in content.lower()
