"""A recorder is killed in the middle of its work, again and again: nothing acknowledged is lost."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
from itertools import pairwise
from pathlib import Path

import pytest

from benchwright_attempts.attempts import Attempts
from benchwright_attempts.clock.clock import AttemptState
from benchwright_attempts.events.events import Edit, Started, Submitted
from benchwright_attempts.events.file_text import FileText
from benchwright_attempts.summary.replay import verify_attempt
from benchwright_studies.conduct.study_log import StudyLog

from ..support.service.postgres import new_database

pytestmark = pytest.mark.long

RECORDER = """
import sys
from pathlib import Path
from benchwright_attempts.events.events import Edit
from benchwright_attempts.events.file_text import Change
from benchwright_studies.conduct.study_log import StudyLog

log = StudyLog(sys.argv[1] if "://" in sys.argv[1] else Path(sys.argv[1]))

def acknowledge(future):
    sys.stdout.write(f"{future.result().seq} {future.result().hash}\\n")
    sys.stdout.flush()

number = 0
while True:
    number += 1
    edit = Edit(path="rtl/a.sv", version=number, changes=(Change(start=0, end=0, text="é" * (number % 9)),))
    future = log.append_nowait(sys.argv[2], edit)
    future.add_done_callback(acknowledge)
    if number % 40 == 0:
        future.result()
"""


@pytest.fixture(params=["sqlite", "postgresql"])
def where(request: pytest.FixtureRequest, tmp_path: Path) -> str | Path:
    if request.param == "sqlite":
        return tmp_path / "log" / "attempts.sqlite"
    return new_database(request.getfixturevalue("postgres"))


def test_kills_at_random_points_lose_nothing_acknowledged_and_the_attempt_goes_on(
    where: str | Path, tmp_path: Path, nightly: bool
) -> None:
    dice = random.Random(20261121)
    with StudyLog(where) as log:
        attempt = Attempts(log).create("p/q", "d", tmp_path, {"rtl/a.sv": FileText.of_text("")}).id
        log.append_blocking(attempt, Started())
    acknowledged: dict[int, str] = {}
    for _ in range(200 if nightly else 20 if isinstance(where, Path) else 5):
        recorder = subprocess.Popen(
            [sys.executable, "-c", RECORDER, str(where), attempt], stdout=subprocess.PIPE, text=True
        )
        assert recorder.stdout is not None
        first_line = recorder.stdout.readline()
        # Now and then in the very first batch, mostly in the middle of writing.
        time.sleep(dice.choice((0.0, dice.uniform(0, 0.01), dice.uniform(0, 0.2))))
        recorder.send_signal(signal.SIGKILL)
        remainder = recorder.stdout.read()
        assert recorder.wait(timeout=300) == -signal.SIGKILL
        # The last line may have been cut off by the kill.
        acknowledgements = [line.split() for line in (first_line + remainder).split("\n")[:-1]]
        assert acknowledgements
        acknowledged |= {int(seq): digest for seq, digest in acknowledgements}

    with StudyLog(where) as log:
        events = log.events(attempt)
        assert {seq: digest for seq, digest in acknowledged.items() if events[seq - 1].hash != digest} == {}
        versions = [recorded.event.version for recorded in events if isinstance(recorded.event, Edit)]
        # Each recorder counts from 1: what it wrote is the beginning of what it handed over.
        start_indexes = [index for index, version in enumerate(versions) if version == 1]
        for start, end in pairwise([*start_indexes, len(versions)]):
            assert versions[start:end] == list(range(1, end - start + 1))
        attempts = Attempts(log)
        assert attempts.take_over_if_left_running(attempt)
        log.append_blocking(attempt, Submitted())
        assert attempts.summary(attempt).state is AttemptState.SUBMITTED
        result = verify_attempt(*log.stored_attempt(attempt))
        assert result.ok, result.first_fault
