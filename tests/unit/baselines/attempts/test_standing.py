from __future__ import annotations

from datetime import UTC, datetime

import pytest

from benchwright_attempts.attempts import Attempts
from benchwright_attempts.events.events import (
    Abandoned,
    Event,
    Interrupted,
    Paused,
    RunCancelled,
    RunFinished,
    RunStarted,
    Save,
    Started,
    Submitted,
)
from benchwright_attempts.events.evidence import TimedOut
from benchwright_attempts.standing import (
    AttemptView,
    PendingRun,
    ShownVerdict,
    Standing,
    attempt_view,
    cancelled_run_standing,
    problem_view,
    summary_view,
    verdict_words,
)
from benchwright_attempts.state import CONSENT_WITHDRAWN, AttemptState
from benchwright_problems import verdict
from benchwright_problems.problem import ProblemKind
from benchwright_problems.reveal import Reveal, reveal
from benchwright_problems.verdict import Outcome, Reason, Verdict
from benchwright_studies.conduct.study_log import StudyLog

AT = datetime(2026, 3, 2, 10, tzinfo=UTC)
FILE = "rtl/counter.sv"
FAILED = ShownVerdict(3, "failed", "tests_failed", 3, 5, AT)
PASSED = ShownVerdict(3, "passed", "passed", 5, 5, AT)


def _words(reason: Reason, marks: str = "", kind: ProblemKind = ProblemKind.DESIGN) -> tuple[str, str]:
    test_results = tuple(verdict.TestResult(name=str(number), passed=mark == "p") for number, mark in enumerate(marks))
    revealed = reveal(Verdict(reason=reason, tests=test_results), Reveal.VERDICT, lambda: "")
    verdict_phrases = verdict_words(ShownVerdict.from_revealed(1, revealed, None), kind)
    return verdict_phrases.short, verdict_phrases.headline


def test_a_verdict_with_test_counts_shows_them() -> None:
    assert _words(Reason.PASSED, "ppppp") == ("5/5 passed", "Hidden tests passed: 5 of 5")
    assert _words(Reason.TESTS_FAILED, "pppff") == ("3/5 passed", "Hidden tests failed: 3 of 5 passed")
    assert _words(Reason.TESTS_FAILED, "pp")[0] == "2/2 passed, but failed"
    assert _words(Reason.TESTS_FAILED) == ("failed", "Hidden tests failed")


@pytest.mark.parametrize(
    ("reason", "short"),
    [
        (Reason.BUILD_FAILED, "build failed"),
        (Reason.REFUSED, "refused"),
        (Reason.TIMEOUT, "time limit"),
        (Reason.MACHINE_BUSY, "machine overloaded"),
        (Reason.TOOL_MISSING, "tool missing"),
        (Reason.JUDGE_UNAVAILABLE, "waiting for a judge"),
    ],
)
def test_what_is_not_about_single_tests_names_its_reason_instead_of_a_count(reason: Reason, short: str) -> None:
    assert _words(reason, "pf")[0] == short


def test_what_is_undecided_is_never_called_a_failure() -> None:
    for reason in (candidate for candidate in Reason if candidate.outcome == "error"):
        assert "fail" not in _words(reason)[1].lower() or reason is Reason.TOOL_FAILED, reason


def test_a_question_speaks_of_the_answer_and_not_of_tests() -> None:
    assert (
        _words(Reason.PASSED, kind=ProblemKind.QUESTION)[0]
        == _words(Reason.PASSED, kind=ProblemKind.TEXT)[0]
        == "correct"
    )
    assert _words(Reason.WRONG_ANSWER, kind=ProblemKind.QUESTION) == ("incorrect", "The answer is incorrect")
    assert _words(Reason.UNREADABLE, kind=ProblemKind.QUESTION)[0] == "unreadable"


def test_a_study_that_shows_nothing_says_only_that_there_was_a_run() -> None:
    recorded = ShownVerdict.from_revealed(2, reveal(Verdict(reason=Reason.PASSED), None, lambda: ""), AT)
    view = attempt_view(AttemptState.RUNNING, newest_verdict=recorded, first_passed_run=2)
    assert (view.standing, view.sign, view.short, view.run) == (Standing.RECORDED, "•", "recorded", 2)
    assert (view.passed_run, view.is_passed) == (None, None), "nor that it passed"


@pytest.mark.parametrize(
    ("view", "sign", "short", "headline", "run"),
    [
        (attempt_view(None), "", "not begun", "Nobody has opened it", None),
        (attempt_view(AttemptState.OPEN), "…", "open", "The clock has not started", None),
        (attempt_view(AttemptState.RUNNING), "…", "open", "The hidden tests have not run yet", None),
        (
            attempt_view(AttemptState.RUNNING, newest_verdict=FAILED, pending_run=PendingRun(4)),
            "…",
            "run 4 running",
            "Run 4 is running; run 3: 3/5 passed",
            4,
        ),
        (
            attempt_view(AttemptState.RUNNING, newest_verdict=PASSED, pending_run=PendingRun(4, is_queued=True)),
            "…",
            "run 4 queued",
            "Run 4 is queued; run 3: 5/5 passed",
            4,
        ),
        (
            attempt_view(AttemptState.RUNNING, newest_verdict=FAILED),
            "✗",
            "3/5 passed",
            "Hidden tests failed: 3 of 5 passed (run 3)",
            3,
        ),
        (
            attempt_view(AttemptState.SUBMITTED, newest_verdict=PASSED, first_passed_run=3, has_changed_files=True),
            "✓",
            "5/5 passed",
            "Hidden tests passed: 5 of 5 (run 3)",
            3,
        ),
        (
            attempt_view(AttemptState.RUNNING, newest_verdict=PASSED, first_passed_run=3, has_changed_files=True),
            "…",
            "5/5 passed, changed since",
            "Hidden tests passed: 5 of 5 (run 3); the files have changed since",
            3,
        ),
        (
            attempt_view(
                AttemptState.SUBMITTED,
                newest_verdict=ShownVerdict(1, "error", "judge_unavailable"),
                problem_kind=ProblemKind.QUESTION,
            ),
            "…",
            "waiting for a judge",
            "The answer is waiting for a judge (try 1)",
            1,
        ),
        (
            attempt_view(AttemptState.SUBMITTED, newest_verdict=ShownVerdict(2, "error", "machine_busy")),
            "?",
            "machine overloaded",
            "Undecided: machine overloaded (run 2)",
            2,
        ),
        (
            attempt_view(AttemptState.SUBMITTED),
            "?",
            "no verdict",
            "It was submitted, and there is no verdict",
            None,
        ),
        (
            attempt_view(AttemptState.ABANDONED, newest_verdict=FAILED, first_passed_run=2),
            "–",
            "given up",
            "Given up; run 2 had passed",
            3,
        ),
        (
            attempt_view(AttemptState.TIMED_OUT, newest_verdict=FAILED),
            "✗",
            "out of time, 3/5 passed",
            "Out of time. Hidden tests failed: 3 of 5 passed (run 3)",
            3,
        ),
        (
            attempt_view(AttemptState.TIMED_OUT, newest_verdict=PASSED, first_passed_run=3),
            "✓",
            "5/5 passed",
            "Out of time. Hidden tests passed: 5 of 5 (run 3)",
            3,
        ),
        (
            attempt_view(AttemptState.ABANDONED, newest_verdict=FAILED, is_withdrawn=True),
            "–",
            "withdrawn",
            "Consent was taken back",
            3,
        ),
    ],
)
def test_each_state_has_its_sign_and_words_and_names_its_run(
    view: AttemptView, sign: str, short: str, headline: str, run: int | None
) -> None:
    assert (view.sign, view.short, view.headline, view.run, view.newer_run) == (sign, short, headline, run, None)


def test_a_run_that_a_newer_save_ended_is_superseded_and_one_that_was_stopped_is_not() -> None:
    assert [cancelled_run_standing(reason) for reason in ("newer_save", "superseded", "solver")] == [
        Standing.SUPERSEDED,
        Standing.SUPERSEDED,
        Standing.CANCELLED,
    ]


def test_a_problem_stays_passed_and_says_which_run_did_and_that_one_is_newer() -> None:
    failed_since = attempt_view(AttemptState.SUBMITTED, newest_verdict=FAILED, first_passed_run=2)
    view = problem_view([failed_since])
    assert (view.standing, view.run, view.newer_run) == (Standing.PASSED, 2, 3)
    assert view.headline == "Run 2 passed; 3/5 passed since"
    passed, opened = (
        attempt_view(AttemptState.SUBMITTED, newest_verdict=PASSED, first_passed_run=3),
        attempt_view(AttemptState.OPEN),
    )
    assert problem_view([opened, passed]) == passed
    assert problem_view([opened, attempt_view(AttemptState.SUBMITTED, newest_verdict=FAILED)]) == opened
    assert problem_view([]).standing is Standing.NOT_BEGUN


RAN: list[Event] = [
    RunStarted(run="r1", number=1, snapshot={FILE: "1" * 64}),
    RunFinished(
        run="r1", number=1, outcome=Outcome.FAILED, reason="tests_failed", message="", passed=0, total=5, wall_s=1
    ),
]
SAVED = Save(path=FILE, size=1, sha256="1" * 64)
SAVED_AGAIN = Save(path=FILE, size=1, sha256="2" * 64)
SECOND_RUN = RunStarted(run="r2", number=2, snapshot={FILE: "2" * 64})


@pytest.mark.parametrize(
    ("events", "standing", "run"),
    [
        ([], Standing.OPEN, None),
        ([Started()], Standing.OPEN, None),
        ([Started(), RAN[0]], Standing.RUNNING, 1),
        ([Started(), SAVED, *RAN], Standing.FAILED, 1),
        ([Started(), SAVED, *RAN, SAVED_AGAIN], Standing.STALE, 1),
        ([Started(), SAVED, *RAN, SAVED_AGAIN, SECOND_RUN], Standing.RUNNING, 2),
        (
            [Started(), SAVED, *RAN, SECOND_RUN, RunCancelled(run="r2", number=2, reason="solver")],
            Standing.STALE,
            1,
        ),
        ([Started(), SAVED, *RAN, SECOND_RUN, Interrupted()], Standing.STALE, 1),
        ([Started(), SAVED, *RAN, SAVED_AGAIN, Paused()], Standing.STALE, 1),
        ([Started(), SAVED, *RAN, Submitted()], Standing.FAILED, 1),
        ([Started(), SAVED, *RAN, TimedOut(reason="time_limit")], Standing.TIMED_OUT, 1),
        ([Started(), Abandoned()], Standing.GIVEN_UP, None),
        ([Started(), Abandoned(reason=CONSENT_WITHDRAWN)], Standing.WITHDRAWN, None),
    ],
)
def test_the_log_alone_says_where_an_attempt_stands(
    log: StudyLog, attempts: Attempts, attempt: str, events: list[Event], standing: Standing, run: int | None
) -> None:
    for event in events:
        log.append_blocking(attempt, event)
    view = summary_view(attempts.summary(attempt))
    assert (view.standing, view.run) == (standing, run)


def test_a_file_that_was_not_there_when_the_tests_ran_counts_as_a_change(
    log: StudyLog, attempts: Attempts, attempt: str
) -> None:
    events: list[Event] = [Started(), SAVED, *RAN, Save(path="rtl/new.sv", size=1, sha256="3" * 64)]
    for event in events:
        log.append_blocking(attempt, event)
    summary = attempts.summary(attempt)
    assert summary_view(summary).standing is Standing.FAILED
    assert summary_view(summary, judged_paths=[FILE, "rtl/new.sv"]).standing is Standing.STALE
