"""Programs under limits: their output, memory and ends."""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
import time
from io import BytesIO
from pathlib import Path

import psutil
import pytest

from benchwright_harness.execution.process import (
    MAX_OUTPUT_BYTES,
    ProcessEnd,
    Program,
    StepEnd,
    run_within_limits,
)
from benchwright_problems.problem import RunLimits

from ...support.machine.crowd import crowd

_MEGABYTE = 1 << 20


def _run_shell_program(program: str, folder: Path, log: BytesIO, *, wall_s: float = 300) -> StepEnd:
    argv = [sys.executable, "-ISuc", program]
    limits = RunLimits(wall_s=wall_s)
    return asyncio.run(run_within_limits(argv, env={}, cwd=folder, limits=limits, limited_folder=folder, log=log))


def test_lines_printed_one_by_one_arrive_whole_and_in_order(tmp_path: Path) -> None:
    log = BytesIO()
    program = "import time\nfor i in range(60): print(i); time.sleep(0.01)"
    step_end = _run_shell_program(program, tmp_path, log)
    assert (step_end.end, step_end.exit_code) == (ProcessEnd.EXITED, 0)
    assert log.getvalue().split() == [b"%d" % number for number in range(60)]


def test_a_burst_after_a_first_line_arrives_whole(tmp_path: Path) -> None:
    log = BytesIO()
    _run_shell_program(f"print('first'); print('x' * {5 * _MEGABYTE}); print('last')", tmp_path, log)
    first_line, burst, last_line = log.getvalue().split()
    assert (first_line, len(burst), last_line) == (b"first", 5 * _MEGABYTE, b"last")


def test_more_output_than_allowed_is_cut_to_the_byte(tmp_path: Path) -> None:
    log = BytesIO()
    step_end = _run_shell_program("while True: print('y' * 100000)", tmp_path, log)
    assert step_end.end is ProcessEnd.OUTPUT_QUOTA
    assert len(log.getvalue()) == MAX_OUTPUT_BYTES


def test_a_log_that_can_not_be_written_ends_the_program_with_its_error(tmp_path: Path) -> None:
    class Full(BytesIO):
        def write(self, content: bytes, /) -> int:  # type: ignore[override]
            raise OSError("no space left")

    with pytest.raises(OSError, match="no space left"):
        _run_shell_program("import time; print('a'); time.sleep(60)", tmp_path, Full())


@pytest.mark.parametrize(
    ("then", "end"),
    [
        ("while time.process_time() < 0.8: pass", ProcessEnd.EXITED),
        ("while True: pass", ProcessEnd.TIMEOUT),
        ("time.sleep(60)", ProcessEnd.TIMEOUT),
    ],
)
def test_a_busy_machine_takes_no_time_from_who_wants_the_processor(then: str, end: ProcessEnd, tmp_path: Path) -> None:
    processor = min(os.sched_getaffinity(0))
    program = f"import os, time; os.sched_setaffinity(0, [{processor}])\n{then}"
    with crowd(3, [processor]):
        step_end = _run_shell_program(program, tmp_path, BytesIO(), wall_s=1.5)
    assert step_end.end is end, step_end


def test_what_the_first_process_leaves_in_its_group_dies_with_it(tmp_path: Path) -> None:
    log = BytesIO()
    program = "import subprocess; print(subprocess.Popen(['sleep', '60']).pid)"
    assert _run_shell_program(program, tmp_path, log).end is ProcessEnd.EXITED
    pid = int(log.getvalue())
    deadline = time.monotonic() + 30
    while _process_status(pid) not in (psutil.STATUS_DEAD, psutil.STATUS_ZOMBIE):
        assert time.monotonic() < deadline


def _process_status(pid: int) -> str:
    with contextlib.suppress(psutil.NoSuchProcess):
        return psutil.Process(pid).status()
    return psutil.STATUS_DEAD


def test_a_program_that_can_not_be_started_leaves_no_file_open(tmp_path: Path) -> None:
    async def start() -> None:
        with pytest.raises(FileNotFoundError):
            Program(["/nowhere/program"], env={}, cwd=tmp_path, reports_on_stderr=True)

    file_count = len(os.listdir("/proc/self/fd"))  # noqa: PTH208
    asyncio.run(start())
    assert len(os.listdir("/proc/self/fd")) <= file_count  # noqa: PTH208


def test_a_request_that_nobody_reads_is_dropped_with_the_program(tmp_path: Path) -> None:
    async def run() -> StepEnd:
        program = Program([sys.executable, "-ISuc", "print('deaf')"], env={}, cwd=tmp_path, reports_on_stderr=True)
        request_bytes = b"x" * 5 * _MEGABYTE
        step_end = await program.run_to_end(
            limits=RunLimits(), limited_folder=tmp_path, log=BytesIO(), stdin_bytes=request_bytes
        )
        await asyncio.sleep(0)
        return step_end

    file_count = len(os.listdir("/proc/self/fd"))  # noqa: PTH208
    assert asyncio.run(run()).end is ProcessEnd.EXITED
    assert len(os.listdir("/proc/self/fd")) <= file_count  # noqa: PTH208


def test_what_was_written_before_the_end_is_all_read_although_it_takes_a_while(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("benchwright_harness.execution.process._SILENCE_S", 0.1)
    monkeypatch.setattr("benchwright_harness.execution.process._TURN_BYTES", _MEGABYTE // 16)
    byte_count = _MEGABYTE

    class Slow(BytesIO):
        def write(self, written_bytes: object, /) -> int:
            time.sleep(0.05)
            return super().write(written_bytes)  # type: ignore[arg-type]

    log = Slow()
    program = f"import os, sys; os.write(1, b'x' * {_MEGABYTE // 2}); sys.stdout.write('x' * {byte_count})"
    assert _run_shell_program(program, tmp_path, log).end is ProcessEnd.EXITED
    assert len(log.getvalue()) == byte_count + _MEGABYTE // 2


def test_a_process_that_left_the_group_and_goes_on_writing_is_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("benchwright_harness.execution.process._SILENCE_S", 0.2)
    log = BytesIO()
    writes = "while echo $$; do sleep 0.05; done"
    program = f"import subprocess; subprocess.Popen(['sh', '-c', {writes!r}], start_new_session=True)"
    step_end = _run_shell_program(program, tmp_path, log)
    # Nobody reads any more, so its next line ends it.
    assert step_end.end is ProcessEnd.EXITED
    assert step_end.wall_s < 60
