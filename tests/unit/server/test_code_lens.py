from __future__ import annotations

import pytest

from benchwright_attempts.clock.clock import AttemptState
from benchwright_server.features.language.code_lens import lens_title_and_operation
from benchwright_server.protocol import messages as protocol
from benchwright_server.protocol.messages import AttemptStatus, VerdictView

FAILED = VerdictView(
    outcome="failed",
    reason="tests_failed",
    short="3/5 passed",
    headline="Hidden tests failed: 3 of 5 passed",
    message="Some hidden tests failed.",
    tests=protocol.TestCount(passed=3, total=5),
    reveal="verdict",
    policy_sentence="",
    wall_s=0.84,
    number=4,
    finished_at="2026-03-01T09:00:00+00:00",
)


@pytest.mark.parametrize(
    ("state", "is_running", "title", "command"),
    [
        (AttemptState.OPEN, False, "▶ Start the clock to run the hidden tests", "start"),
        (AttemptState.RUNNING, False, "▶ Run hidden tests · 3/5 passed · 0.8 s · try 4", "run"),
        (AttemptState.RUNNING, True, "■ Stop the hidden tests", "cancelRun"),
        (
            AttemptState.PAUSED,
            False,
            "▶ Resume the clock to run the hidden tests · 3/5 passed · 0.8 s · try 4",
            "resume",
        ),
        (AttemptState.SUBMITTED, False, "Submitted · 3/5 passed · 0.8 s · try 4", "status"),
        (AttemptState.ABANDONED, False, "Abandoned · 3/5 passed · 0.8 s · try 4", "status"),
    ],
)
def test_the_lens_offers_the_next_step(state: AttemptState, is_running: bool, title: str, command: str) -> None:
    status = AttemptStatus(
        attempt="a",
        problem="p/q",
        title="Q",
        kind="design",
        workspace="file:///w",
        state=state,
        elapsed_s=0,
        active_s=0,
        runs=4,
        running=is_running,
        verdict=FAILED,
    )
    assert lens_title_and_operation(status) == (title, command)
