"""Users of runs."""

from __future__ import annotations

import subprocess
import sys

from benchwright_harness.sandbox.users import next_run_user_id


def test_runs_of_one_process_have_different_users() -> None:
    assert len({next_run_user_id() for _ in range(100)}) == 100


def test_two_processes_never_have_the_same_user() -> None:
    takes_all = (
        "from benchwright_harness.sandbox.users import next_run_user_id\n"
        "print(*{next_run_user_id() for _ in range(1000)}, flush=True); input()"
    )
    argv = [sys.executable, "-c", takes_all]
    with (
        subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as first_process,
        subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as second_process,
    ):
        assert first_process.stdout is not None
        assert second_process.stdout is not None
        assert not set(first_process.stdout.readline().split()) & set(second_process.stdout.readline().split())
        for process in (first_process, second_process):
            process.communicate("\n")
