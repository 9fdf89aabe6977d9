"""Time to open the replay of a large attempt: `python tests/benchmarks/replay.py 100000`.

Prints processor seconds for reading the log, for everything that the page needs before it has text, for the first chunk
of text, and for all the others.
"""

from __future__ import annotations

import random
import sys
import tempfile
import time
from itertools import pairwise
from pathlib import Path

from benchwright_attempts.attempts import Attempts
from benchwright_attempts.clock.hand_clock import ManualClock
from benchwright_attempts.events.events import Edit, Started
from benchwright_attempts.events.evidence import EditReason
from benchwright_attempts.events.file_text import Change, FileText
from benchwright_attempts.log.log import EventLog
from benchwright_service.courses.playback import read_playback

PATH = "rtl/x.sv"
GIVEN = "module x; // a line\nendmodule\n" * 300


def typed(log: EventLog, clock: ManualClock, events: int) -> str:
    """An attempt with so many events, half of them edits of one character anywhere."""
    attempt = Attempts(log).create("p/q", "d", Path("/w"), {PATH: FileText.of_text(GIVEN)}).id
    log.append_blocking(attempt, Started())
    dice = random.Random(1)
    length = len(GIVEN)
    for version in range(2, events // 2 + 1):
        clock.pass_s(dice.expovariate(5))
        offset, is_new = dice.randrange(length), dice.random() < 0.55
        change = (
            Change(start=offset, end=offset, text=dice.choice("abc\n;"))
            if is_new
            else Change(start=offset, end=offset + 1, text="")
        )
        length += 1 if is_new else -1
        log.append_nowait(attempt, Edit(path=PATH, version=version, changes=(change,)))
        metadata = {"kind": "paste" if version % 97 == 0 else "type"}
        last_append = log.append_nowait(
            attempt, EditReason(path=PATH, version=version, reason="cursor", metadata=metadata)
        )
    last_append.result()
    return attempt


def main(events: int) -> None:
    """Measures."""
    clock = ManualClock()
    with (
        tempfile.TemporaryDirectory() as folder,
        EventLog(Path(folder) / "log.sqlite", wall_clock=clock.now, monotonic_ns=clock.monotonic_ns) as log,
    ):
        attempt = typed(log, clock, events)
        times = [time.process_time()]
        stored_rows = log.stored_events(attempt)
        times.append(time.process_time())
        playback = read_playback(stored_rows)
        times.append(time.process_time())
        first_chunk = playback.find_chunk(0)
        times.append(time.process_time())
        playback.changed_files_at_end()
        times.append(time.process_time())
    read_s, overview, chunk, remaining = (end - start for start, end in pairwise(times))
    print(f"{events} events: {read_s:.2f} s to read, {overview:.2f} s for the overview,")
    print(f"{chunk:.3f} s for the first chunk, {remaining:.2f} s for the others;")
    print(f"{len(playback.bounds)} chunks, the first {len(first_chunk or b'')} bytes")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100_000)
