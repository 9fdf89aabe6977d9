from __future__ import annotations

import pytest

from benchwright_attempts.clock.clock import AttemptState
from benchwright_attempts.standing import PendingRun, ShownVerdict, attempt_view
from benchwright_server.attempts.session import standing_view
from benchwright_server.features.language.code_lens import lens_title_and_operation
from benchwright_server.protocol import messages as protocol
from benchwright_server.protocol.messages import AttemptStatus, VerdictView

FAILED = VerdictView(
    outcome="failed",
    reason="tests_failed",
    message="2 of 5 hidden tests failed.",
    tests=protocol.TestCount(passed=3, total=5),
    reveal="verdict",
    policy_sentence="",
    wall_s=0.84,
    number=4,
    finished_at="2026-03-01T09:00:00+00:00",
)


@pytest.mark.parametrize(
    ("state", "pending_run", "title", "command"),
    [
        (AttemptState.OPEN, None, "▶ Start the clock to run the hidden tests", "start"),
        (AttemptState.RUNNING, None, "▶ Run hidden tests · ✗ 3/5 passed · 0.8 s · run 4", "run"),
        (AttemptState.RUNNING, PendingRun(5), "■ Stop the hidden tests · run 5 running", "cancelRun"),
        (AttemptState.RUNNING, PendingRun(5, True), "■ Stop the hidden tests · run 5 queued", "cancelRun"),
        (
            AttemptState.PAUSED,
            None,
            "▶ Resume the clock to run the hidden tests · ✗ 3/5 passed · 0.8 s · run 4",
            "resume",
        ),
        (AttemptState.SUBMITTED, None, "Submitted · ✗ 3/5 passed · 0.8 s · run 4", "status"),
        (AttemptState.ABANDONED, None, "– Given up", "status"),
    ],
)
def test_the_lens_offers_the_next_step_and_names_the_run(
    state: AttemptState, pending_run: PendingRun | None, title: str, command: str
) -> None:
    view = attempt_view(state, newest_verdict=ShownVerdict(4, "failed", "tests_failed", 3, 5), pending_run=pending_run)
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
        running=pending_run is not None,
        view=standing_view(view),
        verdict=FAILED,
    )
    assert lens_title_and_operation(status) == (title, command)
