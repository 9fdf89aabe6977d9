from __future__ import annotations

import os
import subprocess
import sys
import time

import pytest

from benchwright_harness.execution.run_clock import ProcessTreeUsage, RunClock, usage_of_process_tree

from ...support.machine.crowd import crowd

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux counts this")

LIMIT_S = 10.0
NS = 1_000_000_000


def _clock_after(seconds: int, *, ran: float, waited: tuple[float, ...], processors: int = 2) -> RunClock:
    """A clock after so many seconds, in each of which the run ran, and its threads waited, for so long."""
    run_clock = RunClock(LIMIT_S, 0.0, processors)
    for second in range(1, seconds + 1):
        waited_ns = {b"%d" % thread: round(second * share * NS) for thread, share in enumerate(waited)}
        run_clock.advance(float(second), ProcessTreeUsage(0, second * ran, waited_ns))
    return run_clock


@pytest.mark.parametrize(
    ("seconds", "ran", "waited", "left_s"),
    [
        (10, 1.0, (0.0,), 0.0),  # A loop without end.
        (10, 0.0, (0.0, 0.0), 0.0),  # It sleeps.
        (50, 0.1, (0.9,), 5.0),  # Others have the processor.
        (99, 0.1, (0.9, 0.0), 0.1),  # A loop on a busy machine has its time in the end.
        (10, 2.0, (0.5, 0.5, 0.5, 0.5), 0.0),  # Its own threads keep each other from the processor.
        (3, 1.0, (), 7.0),  # The system does not say who waits.
    ],
)
def test_time_counts_while_a_run_has_the_processor_or_does_not_want_it(
    seconds: int, ran: float, waited: tuple[float, ...], left_s: float
) -> None:
    run_clock = _clock_after(seconds, ran=ran, waited=waited)
    assert run_clock.left_s == pytest.approx(left_s)
    assert not run_clock.is_given_up


def test_a_run_that_never_gets_the_processor_is_given_up() -> None:
    run_clock = _clock_after(200, ran=0.01, waited=(0.99,))
    assert run_clock.left_s > 0
    assert run_clock.is_given_up


def test_no_thread_waits_longer_than_the_time_between_two_looks() -> None:
    run_clock = RunClock(LIMIT_S, 0.0, 2)
    run_clock.advance(1.0, ProcessTreeUsage(0, 0.0, {b"a": 5 * NS}))
    assert run_clock.waited_s == 1.0


@pytest.mark.parametrize(
    ("is_ready", "ran_s", "pressure_s", "left_s"),
    [
        (True, 1.0, 3.0, 9.0),  # What waited has ended, and nothing tells of its own wait.
        (True, 1.0, 0.5, 7.5),  # Nothing else wanted the processor for the rest.
        (False, 1.0, 3.0, 7.0),  # It sleeps, on a busy machine too.
        (True, 6.0, 3.0, 7.0),  # Its own processes had both processors.
    ],
)
def test_the_waits_of_processes_that_have_ended_are_those_of_the_machine(
    is_ready: bool, ran_s: float, pressure_s: float, left_s: float
) -> None:
    run_clock = RunClock(LIMIT_S, 0.0, 2)
    run_clock.advance(0.0, ProcessTreeUsage(0, 0.0, pressure_s=100.0))
    run_clock.advance(3.0, ProcessTreeUsage(0, ran_s, is_ready=is_ready, pressure_s=100.0 + pressure_s))
    assert run_clock.left_s == pytest.approx(left_s)


def test_a_process_that_is_gone_uses_nothing() -> None:
    ended_process = subprocess.Popen(["/bin/true"])
    ended_process.wait()
    usage = usage_of_process_tree(ended_process.pid)
    assert (usage.resident_bytes, usage.ran_s, usage.waited_ns, usage.is_ready) == (0, 0.0, {}, False)


def test_memory_and_time_of_descendants_count_also_once_they_have_ended() -> None:
    size = 40 << 20
    spend = "sum(range(10**6))"
    holds = f"import sys; held = b'x' * {size}; print('ready', flush=True); sys.stdin.read()"
    nested = f"import subprocess, sys; run = subprocess.run; run([sys.executable, '-ISc', {spend!r}]); "
    nested += f"run([sys.executable, '-ISc', {holds!r}])"
    with subprocess.Popen([sys.executable, "-ISc", nested], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as program:
        assert program.stdout is not None
        assert program.stdout.readline() == b"ready\n"
        usage = usage_of_process_tree(program.pid)
        program.kill()
        program.communicate()
    assert usage.resident_bytes > size
    assert usage.ran_s > 0.01


def test_a_process_that_waits_for_the_processor_is_seen_waiting() -> None:
    with crowd(3, [min(os.sched_getaffinity(0))]) as (pid, *_):
        run_clock, deadline = RunClock(60.0), time.monotonic() + 20
        while run_clock.waited_s < 0.05:
            assert time.monotonic() < deadline, run_clock
            time.sleep(0.05)
            run_clock.advance(time.monotonic(), usage_of_process_tree(pid))
