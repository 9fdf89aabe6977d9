"""Fixtures and helpers of the tests of import pages."""

from __future__ import annotations

from typing import Any

HARNESS = {
    "docker-compose.yml": "services:\n  direct:\n    image: __OSS_SIM_IMAGE__\n    volumes: [./src/:/src/:ro]\n"
    "    working_dir: /code/rundir\n    env_file: ./src/.env\n    command: pytest /src/test_runner.py -v\n",
    "src/.env": "SIM=icarus\nTOPLEVEL=inverter\nTOPLEVEL_LANG=verilog\nMODULE=test_inverter\n"
    "VERILOG_SOURCES=/code/rtl/inverter.sv\nPYTHONPATH=/src\n",
    "src/test_runner.py": "import os\nfrom cocotb_tools.runner import get_runner\n\n\ndef test_runner():\n"
    "    runner = get_runner(os.environ['SIM'])\n"
    "    runner.build(sources=[os.environ['VERILOG_SOURCES']], hdl_toplevel=os.environ['TOPLEVEL'], always=True)\n"
    "    runner.test(hdl_toplevel=os.environ['TOPLEVEL'], test_module=os.environ['MODULE'])\n",
    "src/test_inverter.py": "import cocotb\nfrom cocotb.triggers import Timer\n\n\n@cocotb.test()\n"
    "async def inverts(dut):\n    for value in (0, 1):\n        dut.a.value = value\n        await Timer(1, 'ns')\n"
    "        assert dut.y.value == 1 - value\n",
}


INVERTER = "`timescale 1ns / 1ps\nmodule inverter(input a, output y);\n  assign y = ~a;\nendmodule\n"


CVDP: dict[str, Any] = {
    "id": "cvdp_copilot_inverter_0001",
    "categories": ["cid003", "easy"],
    "input": {"prompt": "Write a module `inverter` with input `a` and output `y`.", "context": {}},
    "output": {"response": "", "context": {"rtl/inverter.sv": INVERTER}},
    "harness": {"files": HARNESS},
}


FREE = {"question_id": "exam/Problem_1/a", "question": "Why?", "context": "", "solution": "Since it is late."}
