from __future__ import annotations

from dataclasses import dataclass, replace

import pytest

from benchwright_attempts.grading.verdict_sequence import VerdictSequence
from benchwright_attempts.state import AttemptState
from benchwright_problems.verdict import Outcome

P, F, E = Outcome.PASSED, Outcome.FAILED, Outcome.ERROR


@dataclass(frozen=True)
class VerdictCase:
    number: int
    outcome: Outcome


def sequence_of_outcomes(*outcomes: Outcome) -> VerdictSequence[VerdictCase]:
    verdicts: VerdictSequence[VerdictCase] = VerdictSequence()
    for number, outcome in enumerate(outcomes, start=1):
        verdicts = verdicts.with_verdict(VerdictCase(number, outcome))
    return verdicts


def with_late_outcome(
    verdicts: VerdictSequence[VerdictCase], number: int, outcome: Outcome
) -> VerdictSequence[VerdictCase]:
    return verdicts.with_late_verdict(number, lambda verdict: replace(verdict, outcome=outcome))


@pytest.mark.parametrize(
    ("outcomes", "tries"),
    [((), None), ((P,), 1), ((F, P, F), 2), ((F, F), None), ((E, F, E, P), 2), ((P, P), 1)],
)
def test_only_decided_verdicts_are_tries(outcomes: tuple[Outcome, ...], tries: int | None) -> None:
    assert sequence_of_outcomes(*outcomes).tries_to_pass == tries


def test_wrong_after_right_was_solved_once_and_is_not_solved_as_handed_in() -> None:
    verdicts = sequence_of_outcomes(F, P, F)
    assert verdicts.first_pass == VerdictCase(2, P)
    assert verdicts.final_outcome(AttemptState.SUBMITTED) is F


@pytest.mark.parametrize(
    ("state", "final"),
    [
        (AttemptState.SUBMITTED, P),
        (AttemptState.TIMED_OUT, P),
        (AttemptState.ABANDONED, None),
        (AttemptState.RUNNING, None),
        (AttemptState.PAUSED, None),
    ],
)
def test_only_what_is_handed_in_or_there_at_the_limit_counts_at_the_end(
    state: AttemptState, final: Outcome | None
) -> None:
    assert sequence_of_outcomes(F, P).final_outcome(state) is final


def test_a_late_verdict_counts_for_its_try_and_only_once() -> None:
    verdicts = with_late_outcome(sequence_of_outcomes(E, F), 1, P)
    assert (verdicts.first_pass, verdicts.newest_verdict, verdicts.tries_to_pass) == (
        VerdictCase(1, P),
        VerdictCase(2, F),
        1,
    )
    assert with_late_outcome(verdicts, 1, F) == verdicts
    assert with_late_outcome(verdicts, 2, P) == verdicts, "what was decided is not decided again"


def test_a_late_verdict_that_decides_nothing_leaves_the_try_open() -> None:
    verdicts = with_late_outcome(sequence_of_outcomes(E), 1, E)
    assert set(verdicts.undecided) == {1}
    assert with_late_outcome(verdicts, 1, F).final_outcome(AttemptState.SUBMITTED) is F


@pytest.mark.parametrize(("new_outcome", "first_pass_number"), [(P, 2), (F, None), (E, None)])
def test_a_verdict_that_replaces_the_newest_one_counts_in_its_place(
    new_outcome: Outcome, first_pass_number: int | None
) -> None:
    verdicts = sequence_of_outcomes(F, P).with_late_verdict(
        2, lambda verdict: replace(verdict, outcome=new_outcome), replaces_decided=True
    )
    assert verdicts.final_outcome(AttemptState.SUBMITTED) is new_outcome
    assert (verdicts.first_pass.number if verdicts.first_pass else None) == first_pass_number
    assert list(verdicts.undecided) == ([2] if new_outcome is E else [])
    assert verdicts.count == 2


def test_nothing_replaces_a_decided_verdict_that_is_not_the_newest() -> None:
    verdicts = sequence_of_outcomes(F, P)
    assert verdicts.with_late_verdict(1, lambda verdict: replace(verdict, outcome=P), replaces_decided=True) == verdicts
