from __future__ import annotations

import pytest

from benchwright_harness.check import TwoSided
from benchwright_problems.verdict import Outcome, Reason, Verdict
from benchwright_problems.verdict import TestResult as Result

PASSED = Verdict(reason=Reason.PASSED)
FAILED = Verdict(reason=Reason.TESTS_FAILED, detail="one failed")
TIMEOUT = Verdict(reason=Reason.TIMEOUT, detail="too long")


@pytest.mark.parametrize("reason", Reason)
def test_only_the_solver_can_fail(reason: Reason) -> None:
    solvers = {Reason.TESTS_FAILED, Reason.BUILD_FAILED, Reason.REFUSED, Reason.TAMPERED, Reason.WRONG_ANSWER}
    wanted = Outcome.PASSED if reason is Reason.PASSED else Outcome.FAILED if reason in solvers else Outcome.ERROR
    assert reason.outcome is wanted


def test_a_verdict_counts_its_tests() -> None:
    verdict = Verdict(reason=Reason.TESTS_FAILED, tests=(Result(name="a", passed=True), Result(name="b", passed=False)))
    assert verdict.passed_tests == 1


def test_a_verdict_survives_being_written() -> None:
    assert Verdict.model_validate_json(FAILED.model_dump_json()) == FAILED


@pytest.mark.parametrize(
    ("reference", "starting", "reason"),
    [
        (PASSED, FAILED, ""),
        (PASSED, PASSED, "the starting files pass: the tests prove nothing"),
        (FAILED, FAILED, "the reference fails: one failed"),
        (TIMEOUT, FAILED, "error: too long"),
        (PASSED, TIMEOUT, "error: too long"),
    ],
)
def test_a_problem_is_proved_from_both_sides(reference: Verdict, starting: Verdict, reason: str) -> None:
    two_sided = TwoSided(reference=reference, starting=starting)
    assert (two_sided.ok, two_sided.reason) == (reason == "", reason)
