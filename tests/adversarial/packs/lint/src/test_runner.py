# CANARY-e1d7
"""As trusting as published harnesses are: simulates the design with Icarus, and has Verilator look at it."""

import subprocess

DESIGN = "/code/rtl/sum.sv"


def run(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def test_function():
    assert run("iverilog", "-g2012", "-s", "tb", "-o", "sim.vvp", DESIGN, "/src/tb.v").returncode == 0
    assert "wrong: 0" in run("vvp", "-n", "sim.vvp").stdout


def test_lint():
    lint = run("verilator", "--lint-only", "-Wall", "--top-module", "sum", DESIGN)
    print(lint.stdout)
    assert lint.returncode == 0
    assert "%Warning" not in lint.stdout
