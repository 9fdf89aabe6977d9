"""Number of events a second that are appended durably to the event log.

    .venv/bin/python tests/benchmarks/events.py [COUNT] [--postgresql]

Hands COUNT edits (200,000) over as fast as the log takes them, spread over ten attempts, and waits until every one
is acknowledged: committed with `synchronous = FULL`, so on disk. Then verifies every chain. Prints one JSON value.
Exit status: 1 if the limit is missed.
"""

from __future__ import annotations

import argparse
import gc
import json
import sys
import tempfile
import time
from collections import deque
from concurrent.futures import Future
from pathlib import Path

from benchwright_attempts.attempts import Attempts
from benchwright_attempts.events.events import Edit, Started
from benchwright_attempts.events.file_text import Change, FileText
from benchwright_attempts.log.record import RecordedEvent
from benchwright_attempts.summary.replay import verify_attempt
from benchwright_studies.conduct.study_log import StudyLog

sys.path.insert(0, str(Path(__file__).parents[2]))

LIMIT = 20_000
"""Events a second that have to be reached on two cores."""

WAITING = 20_000
"""Events that wait at most, as a server that falls behind would hold them."""


def main() -> int:
    """Measure, print, and tell whether the limit was reached."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("count", nargs="?", type=int, default=200_000)
    parser.add_argument("--postgresql", action="store_true")
    options = parser.parse_args()
    if options.postgresql:
        from tests.support.service.postgres import cluster, new_database

        with cluster() as folder:
            result = measure(new_database(folder), options.count)
    else:
        with tempfile.TemporaryDirectory() as folder:
            result = measure(Path(folder) / "log.sqlite", options.count)
    print(json.dumps(result))
    return 0 if result["events_per_second"] >= LIMIT else 1


def measure(location: Path | str, count: int) -> dict[str, float]:
    """Append events, wait for all, verify all."""
    with StudyLog(location) as log:
        attempts = [
            Attempts(log).create("p/q", "d", Path("/w"), {"rtl/a.sv": FileText.of_text("")}).id for _ in range(10)
        ]
        for attempt in attempts:
            log.append_blocking(attempt, Started())
        edits = [
            Edit(path="rtl/a.sv", version=number, changes=(Change(start=0, end=0, text="x"),))
            for number in range(count)
        ]
        # What stands ready here is not the log's, and the collector would look through it again and again.
        gc.collect()
        gc.freeze()
        pending_appends: deque[Future[RecordedEvent]] = deque()
        start_s, worked = time.perf_counter(), time.process_time()
        for number, edit in enumerate(edits):
            pending_appends.append(log.append_nowait(attempts[number % 10], edit))
            if len(pending_appends) > WAITING:
                pending_appends.popleft().result()
        while pending_appends:
            pending_appends.popleft().result()
        elapsed, worked = time.perf_counter() - start_s, time.process_time() - worked
        start_s = time.perf_counter()
        checks = [verify_attempt(*log.stored_attempt(attempt)) for attempt in attempts]
        verified = time.perf_counter() - start_s
    assert all(check.chain.ok and check.chain.events == count / 10 + 2 for check in checks)
    return {
        "events": count,
        "seconds": round(elapsed, 3),
        "cpu_seconds": round(worked, 3),
        "events_per_second": round(count / elapsed),
        "verified_per_second": round(count / verified),
        "limit": LIMIT,
    }


if __name__ == "__main__":
    sys.exit(main())
