# CANARY-e1d7
"""Category 13: does the testbench pass the right design and find every bug?"""

import os
import subprocess


def xrun(extra, log):
    command = f"xrun /src/*.sv /code/verif/*.sv -seed random {extra} -l {log}"
    return subprocess.run(command, shell=True).returncode


def test_sanity():
    assert xrun("", "sanity.log") == 0, "Sanity failed"


def test_errors():
    for i in range(int(os.getenv("NUM_BUGS"))):
        assert xrun(f"-define BUG_{i}=1", f"bug_{i}.log") != 0, "Bug was not found"
