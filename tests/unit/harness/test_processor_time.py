from __future__ import annotations

import os
import subprocess
import sys
import time

import pytest

from benchwright_harness.execution.processor_time import ProcessorTime, processor_time

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux counts this")


@pytest.mark.parametrize(
    ("ran_s", "waited_s", "is_starved"),
    [
        (0.5, 9.0, True),
        (9.8, 0.1, False),  # A loop without end.
        (0.1, 0.1, False),  # It sleeps.
        (19.0, 60.0, False),  # Its own processes keep each other from the processor.
    ],
)
def test_only_who_was_kept_from_the_processor_is_starved(ran_s: float, waited_s: float, is_starved: bool) -> None:
    assert ProcessorTime(ran_s, waited_s).is_starved(10.0) is is_starved


def test_the_time_of_children_counts_also_once_they_have_ended() -> None:
    shell_loop = "while [ $i -lt 200000 ]; do i=$((i+1)); done"
    command = f"i=0; ( {shell_loop} ); ( {shell_loop} ) & wait; echo done; read x"
    with subprocess.Popen(["/bin/sh", "-c", command], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as program:
        assert program.stdout is not None
        program.stdout.readline()
        used_time = processor_time(program.pid)
        program.communicate(b"\n")
    assert used_time.ran_s > 0.01


def test_a_process_that_waits_for_the_processor_is_seen_waiting() -> None:
    processors = sorted(os.sched_getaffinity(0))[:1]
    busy = [subprocess.Popen(["/bin/sh", "-c", "while :; do :; done"]) for _ in range(3)]
    try:
        for process in busy:
            os.sched_setaffinity(process.pid, processors)
        deadline = time.monotonic() + 20
        while (usage := processor_time(busy[0].pid)).waited_s < 0.05:
            assert time.monotonic() < deadline, usage
            time.sleep(0.05)
    finally:
        for process in busy:
            process.kill()
            process.wait()
