# CANARY-e1d7
"""Category 12: does the testbench reach enough of the hidden design?"""

import os
import re
import subprocess


def test_simulate():
    command = "xrun -coverage all /src/*.sv /code/verif/*.sv -covtest test -seed random -covoverwrite"
    assert subprocess.run(command, shell=True), "Simulation didn't run correctly."


def test_coverage():
    command = "imc -load /code/rundir/cov_work/scope/test -exec /src/coverage.cmd"
    assert subprocess.run(command, shell=True), "Coverage merge didn't run correctly."


def test_report():
    metrics = {}
    with open("/code/rundir/coverage.log") as f:
        lines = f.readlines()
    for line in lines[2:]:
        info = line.split()
        metrics[re.sub(r"[\W]", "", info[0])] = {"Average": float(info[1][:-1]), "Covered": float(info[2][:-1])}
    assert os.path.isdir("/code/rundir/coverage_html")
    assert metrics["dut"]["Average"] >= float(os.getenv("TARGET")), "Didn't achieve the required coverage result."
