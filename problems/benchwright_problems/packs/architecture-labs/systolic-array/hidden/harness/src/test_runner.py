# SPDX-License-Identifier: Apache-2.0
"""Builds the design and runs the hidden tests, once per parameter set, each in a folder of its own."""

import os
from pathlib import Path

import pytest
from cocotb_tools.check_results import get_results
from cocotb_tools.runner import get_runner

PARAMETER_SETS = [{}]


@pytest.mark.parametrize("parameters", PARAMETER_SETS, ids=str)
def test_systolic4(parameters):
    top = os.environ["TOPLEVEL"]
    folder = Path.cwd() / "_".join([top, *(f"{name}{value}" for name, value in parameters.items())])
    runner = get_runner(os.environ["SIM"])
    runner.build(
        sources=os.environ["VERILOG_SOURCES"].split(),
        hdl_toplevel=top,
        parameters=parameters,
        build_dir=folder,
        always=True,
        timescale=("1ns", "1ps"),
    )
    results = runner.test(
        test_module=os.environ["MODULE"],
        hdl_toplevel=top,
        build_dir=folder,
        test_dir=folder,
        # Under pytest the runner would otherwise name the file after the pytest test.
        results_xml=str(folder / "results.xml"),
        # The tests say in their own words what went wrong, so pytest need not rewrite their asserts.
        extra_env={
            "COCOTB_REWRITE_ASSERTION_FILES": "",
            **{name: str(value) for name, value in parameters.items()},
        },
        seed=1,
    )
    tests, failed = get_results(results)
    assert tests > 0 and failed == 0, f"{failed} of {tests} tests failed"
