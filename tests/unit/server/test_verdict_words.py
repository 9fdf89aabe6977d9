from __future__ import annotations

import pytest

from benchwright_attempts.grading.reveal import reveal
from benchwright_problems import verdict
from benchwright_problems.problem import ProblemKind, Reveal
from benchwright_problems.verdict import Reason, Verdict
from benchwright_server.attempts.verdict_words import verdict_words_for


def _words(reason: Reason, tests: str = "", kind: ProblemKind = ProblemKind.DESIGN) -> tuple[str, str]:
    test_results = tuple(verdict.TestResult(name=str(number), passed=mark == "p") for number, mark in enumerate(tests))
    revealed = reveal(Verdict(reason=reason, tests=test_results), Reveal.VERDICT, lambda: "")
    verdict_words = verdict_words_for(revealed, kind)
    return verdict_words.short, verdict_words.headline


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
    revealed = reveal(Verdict(reason=Reason.PASSED), None, lambda: "")
    assert verdict_words_for(revealed, ProblemKind.DESIGN).short == "recorded"
