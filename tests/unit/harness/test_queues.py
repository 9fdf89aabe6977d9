"""Queueing systems without a queue: what loading dask-jobqueue must not change."""

from __future__ import annotations

import subprocess
import sys

_PROGRAM = """
import signal
from benchwright_harness.cluster.queues import SLURM
before = signal.getsignal(signal.SIGINT)
SLURM._cluster_class()
assert signal.getsignal(signal.SIGINT) is before
"""


def test_loading_a_queueing_system_leaves_ctrl_c_as_it_was() -> None:
    subprocess.run([sys.executable, "-c", _PROGRAM], check=True, timeout=60)
