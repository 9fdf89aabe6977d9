"""A recorder is killed in the middle of its work, again and again: nothing acknowledged is lost."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from benchwright_baselines.attempts import Attempts
from benchwright_baselines.clock import AttemptState
from benchwright_baselines.events import Edit, Started, Submitted
from benchwright_baselines.file_text import FileText
from benchwright_baselines.log import EventLog
from benchwright_baselines.replay import verify

RECORDER = """
import sys
from pathlib import Path
from benchwright_baselines import open_log
from benchwright_baselines.events import Edit
from benchwright_baselines.file_text import Change

log = open_log(Path(sys.argv[1]))

def acknowledge(future):
    sys.stdout.write(f"{future.result().seq} {future.result().hash}\\n")
    sys.stdout.flush()

number = 0
while True:
    number += 1
    edit = Edit(path="rtl/a.sv", version=number, changes=(Change(start=0, end=0, text="é" * (number % 50)),))
    future = log.append_nowait(sys.argv[2], edit)
    future.add_done_callback(acknowledge)
    if number % 40 == 0:
        future.result()
"""


@pytest.mark.parametrize("after_s", [0.0, 0.05, 0.3])
def test_everything_acknowledged_before_a_kill_is_there_and_the_attempt_goes_on(tmp_path: Path, after_s: float) -> None:
    path = tmp_path / "log" / "attempts.sqlite"
    with EventLog(path) as log:
        attempts = Attempts(log)
        attempt = attempts.create("p/q", "d", tmp_path, {"rtl/a.sv": FileText.of_text("")}).id
        log.append_blocking(attempt, Started())

    recorder = subprocess.Popen([sys.executable, "-c", RECORDER, path, attempt], stdout=subprocess.PIPE, text=True)
    assert recorder.stdout is not None
    first = recorder.stdout.readline()
    time.sleep(after_s)
    recorder.send_signal(signal.SIGKILL)
    rest = recorder.stdout.read()
    assert recorder.wait(timeout=30) == -signal.SIGKILL
    # The last line may have been cut off by the kill.
    acknowledged = [line.split() for line in (first + rest).split("\n")[:-1]]
    assert acknowledged

    with EventLog(path) as log:
        attempts = Attempts(log)
        stored = {str(recorded.seq): recorded.hash for recorded in log.events(attempt)}
        assert all(stored[seq] == digest for seq, digest in acknowledged)
        versions = [recorded.event.version for recorded in log.events(attempt) if isinstance(recorded.event, Edit)]
        assert versions == list(range(1, len(versions) + 1))
        assert attempts.take_over(attempt)
        log.append_blocking(attempt, Submitted())
        assert attempts.summary(attempt).state is AttemptState.SUBMITTED
        result = verify(*log.stored(attempt))
        assert result.ok, result.problem
