"""Users of runs."""

from __future__ import annotations

import subprocess
import sys

from benchwright_harness.sandbox.users import next_run_user


def test_runs_of_one_process_have_different_users() -> None:
    assert len({next_run_user() for _ in range(100)}) == 100


def test_two_processes_never_have_the_same_user() -> None:
    takes_all = (
        "from benchwright_harness.sandbox.users import next_run_user\n"
        "print(*{next_run_user() for _ in range(1000)}, flush=True); input()"
    )
    argv = [sys.executable, "-c", takes_all]
    with (
        subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as one,
        subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other,
    ):
        assert one.stdout is not None
        assert other.stdout is not None
        assert not set(one.stdout.readline().split()) & set(other.stdout.readline().split())
        for process in (one, other):
            process.communicate("\n")
