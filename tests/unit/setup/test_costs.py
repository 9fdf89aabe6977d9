"""The cost of a file of tests: all that they start is in it, also what nobody waits for."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from folders import ROOT

from ...support.machine.costs import FOLDER, ControlGroup

WORKED_S = 0.4
TESTS = f"""\
import os, signal, subprocess, sys

WORK = '''import os, time
while time.process_time() < {WORKED_S}: pass
print(os.getpid(), flush=True)
time.sleep(60)'''

def test_a_process_outlives_its_parent():
    start = "import subprocess, sys; subprocess.Popen([sys.executable, '-c', sys.argv[1]])"
    parent = subprocess.Popen([sys.executable, "-c", start, WORK], stdout=subprocess.PIPE)
    assert parent.wait() == 0
    os.kill(int(parent.stdout.readline()), signal.SIGKILL)
"""


def test_a_process_that_nobody_waits_for_is_counted(tmp_path: Path) -> None:
    (tmp_path / "test_a.py").write_text(TESTS)
    costs_folder = tmp_path / "costs"
    costs_folder.mkdir()
    options = (
        "-q",
        "-p",
        "xdist",
        "-p",
        "tests.conftest",
        "-p",
        "no:cacheprovider",
        "--rootdir",
        str(tmp_path),
        "-c",
        os.devnull,
    )
    # Plugins of the libraries take seconds to load in each process.
    environment = os.environ | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTEST_ADDOPTS": "", FOLDER: str(costs_folder)}
    subprocess.run((sys.executable, "-m", "pytest", *options, str(tmp_path)), cwd=ROOT, env=environment, check=True)
    (cost,) = json.loads(next(costs_folder.iterdir()).read_text()).values()
    assert cost["passed"] == 1
    control_group = ControlGroup.make()
    if control_group is None:
        pytest.skip("this machine lets nobody make a control group, so that only what is waited for is counted")
    control_group.remove()
    assert cost["processor_s"] > WORKED_S
