"""A judgement that comes after the answer, or after the attempt's end: told, chained, and counted for its answer."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from benchwright_attempts.attempts import Attempts
from benchwright_attempts.clock.clock import AttemptState
from benchwright_attempts.errors import IllegalTransitionError
from benchwright_attempts.events.events import (
    Answered,
    Judged,
    JudgedBy,
    Paused,
    Regraded,
    RunFinished,
    RunStarted,
    Started,
    Submitted,
)
from benchwright_attempts.events.file_text import sha256
from benchwright_attempts.summary.replay import verify_attempt
from benchwright_problems.verdict import Outcome
from benchwright_studies.conduct.study_log import StudyLog

BY = JudgedBy(method="person", status="scored", score=1.0, label="correct", rubric="free-response@0123")


@pytest.fixture
def log(tmp_path: Path) -> Iterator[StudyLog]:
    with StudyLog(tmp_path / "log.sqlite") as opened:
        yield opened


@pytest.fixture
def attempt(log: StudyLog, tmp_path: Path) -> str:
    return Attempts(log).create("p/q", "digest", tmp_path, {}).id


def answer_event(number: int, outcome: Outcome = Outcome.ERROR) -> Answered:
    snapshot = {"answer.md": sha256(str(number).encode())}
    return Answered(number=number, outcome=outcome, reason="judge_unavailable", snapshot=snapshot)


def judged_event(number: int, outcome: Outcome = Outcome.PASSED) -> Judged:
    digest = sha256(str(number).encode())
    return Judged(number=number, sha256=digest, outcome=outcome, reason="passed", message="Right.", judged_by=BY)


def test_a_judgement_may_follow_the_end_and_nothing_else_may(log: StudyLog, attempt: str) -> None:
    for event in (Started(), answer_event(1), Submitted(), judged_event(1)):
        log.append_blocking(attempt, event)
    summary = Attempts(log).summary(attempt)
    assert (summary.state, summary.has_passed, summary.verdict_count) == (AttemptState.SUBMITTED, True, 1)
    assert verify_attempt(*log.stored_attempt(attempt)).ok
    with pytest.raises(IllegalTransitionError):
        log.append_blocking(attempt, Paused())


def test_no_answer_can_be_judged_before_the_start(log: StudyLog, attempt: str) -> None:
    with pytest.raises(IllegalTransitionError):
        log.append_blocking(attempt, judged_event(1))


def test_an_older_answer_judged_later_is_the_first_pass_and_not_the_newest_verdict(log: StudyLog, attempt: str) -> None:
    for event in (Started(), answer_event(1), answer_event(2, Outcome.PASSED), judged_event(1)):
        log.append_blocking(attempt, event)
    summary = Attempts(log).summary(attempt)
    assert summary.verdict is not None and summary.verdict.number == 2
    assert summary.first_pass is not None
    assert (summary.first_pass.number, summary.first_pass.seq) == (1, 3), "it counts when it was given"


def test_a_judgement_that_decides_nothing_leaves_the_answer_open_for_another(log: StudyLog, attempt: str) -> None:
    for event in (
        Started(),
        answer_event(1),
        judged_event(1, Outcome.ERROR),
        judged_event(1, Outcome.FAILED),
        judged_event(1),
    ):
        log.append_blocking(attempt, event)
    summary = Attempts(log).summary(attempt)
    assert summary.verdict is not None and summary.verdict.outcome is Outcome.FAILED
    assert summary.first_pass is None, "what was decided once is not decided again"


def test_a_run_that_decided_nothing_can_be_made_again_after_the_end(log: StudyLog, attempt: str) -> None:
    files = {"a.sv": sha256(b"module a; endmodule")}
    undecided = RunFinished(run="r", number=1, outcome=Outcome.ERROR, reason="tool_missing", wall_s=0.1)
    regraded = Regraded(number=1, outcome=Outcome.PASSED, reason="passed", passed=2, total=2, wall_s=1.5)
    for event in (Started(), RunStarted(run="r", number=1, snapshot=files), undecided, Submitted(), regraded):
        log.append_blocking(attempt, event)
    summary = Attempts(log).summary(attempt)
    assert summary.verdict is not None and summary.verdict == summary.first_pass
    assert (summary.verdict.passed, summary.verdict.total, summary.verdict.wall_s) == (2, 2, 1.5)
    assert (summary.verdict.snapshot, summary.verdict.seq, summary.verdict_count) == (files, 4, 1), (
        "it counts for its try"
    )
    assert not summary.verdicts.undecided
