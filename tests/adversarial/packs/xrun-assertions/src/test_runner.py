# CANARY-e1d7
"""Category 14: do the assertions hold, and were they tried?"""

import os
import re
import subprocess

from cocotb_tools.runner import get_runner

toplevel = os.getenv("TOPLEVEL")


def test_assertions():
    runner = get_runner(os.getenv("SIM"))
    runner.build(
        sources=os.getenv("VERILOG_SOURCES").split(),
        hdl_toplevel=toplevel,
        build_args=("-coverage all", " -covoverwrite", "-sv", "-covtest test", "-svseed random"),
        always=True,
        clean=True,
        verbose=True,
        timescale=("1ns", "1ns"),
        log_file="build.log",
    )
    try:
        runner.test(hdl_toplevel=toplevel, test_module=os.getenv("MODULE"), waves="1", plusargs=["+speed=1"])
    except SystemExit:
        raise SystemError("simulation failed due to assertion failed in your test")
    command = (
        'imc -load /code/rundir/sim_build/cov_work/scope/test -execcmd "report -metrics assertion -all -aspect sim'
        ' -assertionStatus -overwrite -text -out coverage.log"'
    )
    assert subprocess.run(command, shell=True)
    with open("/code/rundir/coverage.log") as f:
        lines = f.readlines()
    column = re.split(r"\s{2,}", lines[0].strip())
    metrics = {}
    for line in lines[2:]:
        info = re.split(r"\s{2,}", line.strip())
        metrics[info[0].lstrip("|-")] = {column[i]: info[i].split("%")[0] for i in range(1, len(column))}
    assert float(metrics[toplevel]["Assertion"]) >= 100.00, "Didn't achieve the required coverage result."
