# CANARY-e1d7
"""As trusting as published harnesses are. Simulates twice what it built once, as those with parameters do."""

import os

import pytest
from cocotb_tools.runner import get_runner

runner = get_runner(os.environ["SIM"])


@pytest.fixture(scope="session")
def built():
    runner.build(sources=["/code/rtl/inv.sv"], hdl_toplevel="inv", always=True, timescale=("1ns", "1ps"))


@pytest.mark.parametrize("turn", [1, 2])
def test_runner(built, turn):
    runner.test(hdl_toplevel="inv", test_module=os.environ["MODULE"], results_xml="/code/rundir/sim_build/results.xml")
