"""The process that compares solutions: `python -m benchwright_service.grades.comparing_process`.

What to compare is JSON on stdin; the pairs with the most in common are JSON on stdout.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from benchwright_service.content_free_log import log_without_contents
from benchwright_service.courses.snapshots import Snapshots
from benchwright_service.grades.solution_comparisons import LEAST_ALIKE, MOST_PAIRS, pairs_json
from benchwright_service.runs.niceness import lower_own_priority
from benchwright_teaching.similarity import pairs_with_common_text


def _compare_from_stdin_to_stdout() -> None:
    request = json.load(sys.stdin)
    snapshots = Snapshots(Path(request["snapshots"]))
    solutions = {
        account: {path: snapshots.content(sha256).decode(errors="replace") for path, sha256 in files.items()}
        for account, files in request["solutions"].items()
    }
    pairs = [pair for pair in pairs_with_common_text(solutions, request["start"]) if pair.share >= LEAST_ALIKE]
    sys.stdout.buffer.write(pairs_json(pairs[:MOST_PAIRS]))


if __name__ == "__main__":
    log_without_contents()
    # Students come first.
    lower_own_priority()
    _compare_from_stdin_to_stdout()
