"""Time to list attempts and packs on a log of a million events.

    .venv/bin/python tests/benchmarks/attempt_lists.py [--attempts N] [--events N] [--keep DIR]

Generates a log as `report.py` does, with N attempts (1,000) and N events in all (1,000,000), then lists the attempts
and makes every pack's record, within this process and by the commands `attempts list` and `problems list`, which also
load their libraries. Prints processor seconds as one JSON value, of each command the median of nine. Exit status: 1 if
anything takes half a second.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from benchwright_attempts.attempts import Attempts
from benchwright_studies.conduct.study_log import StudyLog

sys.path.insert(0, str(Path(__file__).parents[2]))

LIMIT_S = 0.5


def main() -> int:
    """Measure, print, and tell whether the limit was kept."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--attempts", type=int, default=1000)
    parser.add_argument("--events", type=int, default=1_000_000)
    parser.add_argument("--keep", type=Path, help="Where the log stays, or is.")
    options = parser.parse_args()
    from tests.benchmarks.report import generate

    with tempfile.TemporaryDirectory() as scratch:
        path = (options.keep or Path(scratch)) / "data" / "attempts" / "log.sqlite"
        if not path.exists():
            generate(path, options.attempts, options.events)
        with StudyLog(path) as log:
            attempts = Attempts(log)
            # What an older version kept is worked out again, once.
            attempts.summaries()
            result = {
                "list_s": seconds(attempts.summaries),
                "packs_s": seconds(attempts.person_records_outside_studies),
            }
        home = path.parents[2]
        result["list_command_s"] = command_seconds(home, "attempts", "list")
        result["problems_command_s"] = command_seconds(home, "problems", "list")
    print(json.dumps(result | {"attempts": options.attempts, "events": options.events}))
    return 0 if max(result.values()) < LIMIT_S else 1


def seconds(timed_call: Callable[[], object]) -> float:
    """Processor seconds of a call."""
    start_s = time.process_time()
    timed_call()
    return round(time.process_time() - start_s, 3)


def command_seconds(home: Path, *arguments: str) -> float:
    """Processor seconds of a command, the median of nine."""
    command = [str(Path(sys.executable).with_name("benchwright")), *arguments]
    environment = os.environ | {"BENCHWRIGHT_HOME": str(home)}
    durations = []
    for _ in range(9):
        process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        if status:
            raise SystemExit(f"{' '.join(arguments)} ended with {os.waitstatus_to_exitcode(status)}")
        durations.append(usage.ru_utime + usage.ru_stime)
    return round(statistics.median(durations), 3)


if __name__ == "__main__":
    sys.exit(main())
