#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles the core with Icarus Verilog and runs its tests; run it at the root of the repository."""

from pathlib import Path

from cocotb_tools.runner import get_runner

root = Path(__file__).resolve().parents[1]
runner = get_runner("icarus")
sources = [root / line for line in (root / "rtl/sources.f").read_text().split()]
runner.build(sources=sources, hdl_toplevel="wren_soc", build_dir=root / "build", always=True, timescale=("1ns", "1ps"))
runner.test(test_module="test_wren", hdl_toplevel="wren_soc", test_dir=root / "tests", build_dir=root / "build")
