# SPDX-License-Identifier: Apache-2.0
"""Builds all design files of the repository, packages first, and runs the hidden tests."""

import os
from pathlib import Path

from cocotb_tools.check_results import get_results
from cocotb_tools.runner import get_runner


def test_wren():
    top, folder = os.environ["TOPLEVEL"], Path.cwd() / "wren"
    files = sorted(Path("/code/rtl").rglob("*.sv"), key=lambda file: ("package " not in file.read_text(), file))
    runner = get_runner(os.environ["SIM"])
    runner.build(sources=files, hdl_toplevel=top, build_dir=folder, always=True, timescale=("1ns", "1ps"))
    results = runner.test(
        test_module=os.environ["MODULE"],
        hdl_toplevel=top,
        build_dir=folder,
        test_dir=folder,
        # Under pytest the runner would otherwise name the file after the pytest test.
        results_xml=str(folder / "results.xml"),
        extra_env={"COCOTB_REWRITE_ASSERTION_FILES": ""},
        seed=1,
    )
    tests, failed = get_results(results)
    assert tests > 0 and failed == 0, f"{failed} of {tests} tests failed"
