"""A reveal policy: one function and one line in the table."""

from __future__ import annotations

import pytest

from benchwright_attempts.grading import reveal as module
from benchwright_attempts.grading.reveal import Policy, ReadLog, Revealed, RevealedTest, reveal
from benchwright_problems import verdict as verdicts
from benchwright_problems.problem import Reveal
from benchwright_problems.verdict import Reason, Verdict

VERDICT = Verdict(
    reason=Reason.TESTS_FAILED,
    detail="2 of 3 tests failed.",
    tests=(
        verdicts.TestResult(name="reset", passed=True),
        verdicts.TestResult(name="full", passed=False, message="count is 3"),
        verdicts.TestResult(name="empty", passed=False, message="count is 1"),
    ),
)


def first_failure(verdict: Verdict, read_log: ReadLog) -> Revealed:
    failed_test = next(test for test in verdict.tests if not test.passed)
    return Revealed(
        outcome=verdict.outcome.value,
        reason=verdict.reason.value,
        message=verdict.detail,
        tests=(RevealedTest(failed_test.name, failed_test.passed, None),),
    )


def test_a_policy_of_the_table_decides_what_people_and_models_see(monkeypatch: pytest.MonkeyPatch) -> None:
    policy = Policy("This problem shows the first failure.", first_failure)
    monkeypatch.setattr(module, "POLICIES", {**module.POLICIES, Reveal.NAMES: policy})
    revealed = reveal(VERDICT, Reveal.NAMES, read_log=lambda: "secret")
    assert [test.name for test in revealed.tests] == ["full"]
    assert (revealed.policy, revealed.policy_sentence) == ("names", policy.sentence)
    assert revealed.as_prompt_text().splitlines() == ["failed. 2 of 3 tests failed.", "failed full"]


def test_every_policy_of_a_problem_is_in_the_table_and_shows_no_less_than_the_one_before() -> None:
    assert list(module.POLICIES) == list(Reveal)
    revealed_runs = [reveal(VERDICT, policy, read_log=lambda: "the log") for policy in Reveal]
    assert [revealed.policy for revealed in revealed_runs] == [policy.value for policy in Reveal]
    assert [bool(revealed.tests) for revealed in revealed_runs] == [False, True, True, True]
    assert [any(test.message for test in revealed.tests) for revealed in revealed_runs] == [False, False, True, True]
    assert [revealed.log for revealed in revealed_runs] == [None, None, None, "the log"]


def test_nothing_is_shown_where_a_study_shows_nothing_and_the_log_is_not_read() -> None:
    revealed = reveal(VERDICT, None, read_log=lambda: pytest.fail("read"))
    assert (revealed.outcome, revealed.tests, revealed.total, revealed.log) == ("recorded", (), None, None)
