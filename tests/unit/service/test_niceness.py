"""Processes that a worker starts let the service go first."""

from __future__ import annotations

import platform
import struct
import subprocess
import sys

import pytest

_SCHED_GETATTR = {"x86_64": 315, "aarch64": 275}
_CHILD = """
import ctypes, os
attributes = ctypes.create_string_buffer(48)
assert ctypes.CDLL(None).syscall({number}, 0, attributes, 48, 0) == 0
print(os.nice(0), attributes.raw.hex())
"""
_WORKER = """
import subprocess, sys
from benchwright_service.runs.niceness import lower_own_priority
lower_own_priority()
print(subprocess.check_output([sys.executable, "-c", sys.argv[1]], text=True))
"""


def _kernel() -> tuple[int, int]:
    major, minor = platform.release().split(".")[:2]
    return int(major), int(minor)


@pytest.mark.skipif(
    sys.platform != "linux" or platform.machine() not in _SCHED_GETATTR or _kernel() < (6, 12),
    reason="this system lets no process choose how long its turns are",
)
def test_simulations_of_a_worker_take_little_and_are_interrupted_by_whatever_wakes_up() -> None:
    child = _CHILD.format(number=_SCHED_GETATTR[platform.machine()])
    command = [sys.executable, "-c", _WORKER, child]
    nice, attributes = subprocess.check_output(command, text=True).split()
    assert int(nice) >= 10
    slice_ns = struct.unpack_from("=Q", bytes.fromhex(attributes), 24)[0]
    assert slice_ns == 100_000_000
