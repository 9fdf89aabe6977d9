from __future__ import annotations

import re
from pathlib import Path

import pytest

from benchwright_harness.grading.two_sided import ProofState, TwoSidedProof
from benchwright_problems.verdict import Outcome, Reason, Verdict, present_outcome_of_recorded
from benchwright_problems.verdict import TestResult as Result

PASSED = Verdict(reason=Reason.PASSED)
FAILED = Verdict(reason=Reason.TESTS_FAILED, detail="one failed")
HANG = Verdict(reason=Reason.TIMEOUT, detail="too long")
MISSING = Verdict(reason=Reason.TOOL_MISSING, detail="no xrun")


PAGE = Path(__file__).parents[3] / "docs/reference/outcomes.md"


def test_the_page_has_every_reason_with_its_outcome() -> None:
    reason_rows = re.findall(r"^\| `(\w+)` \| (\w+) \|", PAGE.read_text(), re.MULTILINE)
    words = {Outcome.PASSED: "passed", Outcome.FAILED: "failed", Outcome.ERROR: "undecided"}
    assert reason_rows == [(reason.value, words[reason.outcome]) for reason in Reason]


@pytest.mark.parametrize(
    ("reason", "recorded", "outcome"),
    [
        ("timeout", "error", Outcome.FAILED),
        ("no_answer", "error", Outcome.FAILED),
        ("tool_missing", "error", Outcome.ERROR),
        ("timeout", "passed", Outcome.PASSED),
        ("a_reason_of_a_newer_version", "failed", Outcome.FAILED),
    ],
)
def test_an_old_record_is_read_by_the_present_rule(reason: str, recorded: str, outcome: Outcome) -> None:
    assert present_outcome_of_recorded(reason, recorded) is outcome


def test_only_a_run_is_made_again() -> None:
    waiting_reasons = {reason for reason in Reason if reason.outcome is Outcome.ERROR and not reason.is_worth_a_retry}
    assert waiting_reasons == {
        Reason.JUDGE_UNAVAILABLE,
        Reason.JUDGE_ERROR,
        Reason.TOOLS_DISAGREE,
        Reason.NOT_PROVED,
    }
    assert not any(reason.is_worth_a_retry for reason in Reason if reason.outcome is not Outcome.ERROR)


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
        (HANG, FAILED, "the reference fails: too long"),
        (PASSED, HANG, ""),
        (MISSING, FAILED, "error: no xrun"),
        (PASSED, MISSING, "error: no xrun"),
    ],
)
def test_a_problem_is_proved_from_both_sides(reference: Verdict, starting: Verdict, reason: str) -> None:
    two_sided = TwoSidedProof(reference=reference, starting=starting)
    assert (two_sided.is_proved, two_sided.reason) == (reason == "", reason)


def test_every_reason_is_named_what_to_fix_first_comes_first() -> None:
    two_sided = TwoSidedProof(reference=FAILED, starting=PASSED, wrong={"late": PASSED, "early": FAILED})
    assert two_sided.reasons == (
        "the starting files pass: the tests prove nothing",
        "the reference fails: one failed",
        "the solution in hidden/wrong/late passes: the tests don't find what is wrong with it",
    )
    assert TwoSidedProof(reference=PASSED, starting=FAILED).reasons == ()


@pytest.mark.parametrize(
    ("right_verdict", "state", "reason"),
    [
        (PASSED, ProofState.PROVED, ""),
        (FAILED, ProofState.WRONG, "the solution in hidden/right/shifted fails: one failed"),
        (MISSING, ProofState.UNDECIDED, "error: no xrun"),
    ],
)
def test_another_right_solution_has_to_pass_too(right_verdict: Verdict, state: ProofState, reason: str) -> None:
    two_sided = TwoSidedProof(reference=PASSED, starting=FAILED, right={"shifted": right_verdict})
    assert (two_sided.proof_state, two_sided.reason) == (state, reason)
