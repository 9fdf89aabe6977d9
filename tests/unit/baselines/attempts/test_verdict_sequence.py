from __future__ import annotations

from dataclasses import dataclass, replace

import pytest

from benchwright_attempts.grading.verdict_sequence import VerdictSequence
from benchwright_attempts.state import AttemptState
from benchwright_problems.verdict import Outcome

P, F, E = Outcome.PASSED, Outcome.FAILED, Outcome.ERROR


@dataclass(frozen=True)
class Given:
    number: int
    outcome: Outcome


def sequence(*outcomes: Outcome) -> VerdictSequence[Given]:
    found: VerdictSequence[Given] = VerdictSequence()
    for number, outcome in enumerate(outcomes, start=1):
        found = found.added(Given(number, outcome))
    return found


def decided(found: VerdictSequence[Given], number: int, outcome: Outcome) -> VerdictSequence[Given]:
    return found.decided_late(number, lambda one: replace(one, outcome=outcome))


@pytest.mark.parametrize(
    ("outcomes", "tries"),
    [((), None), ((P,), 1), ((F, P, F), 2), ((F, F), None), ((E, F, E, P), 2), ((P, P), 1)],
)
def test_only_decided_verdicts_are_tries(outcomes: tuple[Outcome, ...], tries: int | None) -> None:
    assert sequence(*outcomes).tries_to_pass == tries


def test_wrong_after_right_was_solved_once_and_is_not_solved_as_handed_in() -> None:
    found = sequence(F, P, F)
    assert found.first_pass == Given(2, P)
    assert found.final(AttemptState.SUBMITTED) is F


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
    assert sequence(F, P).final(state) is final


def test_a_late_verdict_counts_for_its_try_and_only_once() -> None:
    found = decided(sequence(E, F), 1, P)
    assert (found.first_pass, found.newest, found.tries_to_pass) == (Given(1, P), Given(2, F), 1)
    assert decided(found, 1, F) == found
    assert decided(found, 2, P) == found, "what was decided is not decided again"


def test_a_late_verdict_that_decides_nothing_leaves_the_try_open() -> None:
    found = decided(sequence(E), 1, E)
    assert set(found.undecided) == {1}
    assert decided(found, 1, F).final(AttemptState.SUBMITTED) is F


@pytest.mark.parametrize(("now", "first"), [(P, 2), (F, None), (E, None)])
def test_a_verdict_that_replaces_the_newest_one_counts_in_its_place(now: Outcome, first: int | None) -> None:
    found = sequence(F, P).decided_late(2, lambda one: replace(one, outcome=now), replaces=True)
    assert found.final(AttemptState.SUBMITTED) is now
    assert (found.first_pass.number if found.first_pass else None) == first
    assert list(found.undecided) == ([2] if now is E else [])
    assert found.count == 2


def test_nothing_replaces_a_decided_verdict_that_is_not_the_newest() -> None:
    found = sequence(F, P)
    assert found.decided_late(1, lambda one: replace(one, outcome=P), replaces=True) == found
