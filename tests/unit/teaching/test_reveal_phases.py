from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from benchwright_problems.reveal import Reveal
from benchwright_teaching.points import AssignmentTimes, student_times
from benchwright_teaching.reveal_phases import RevealPhases

DUE = datetime(2026, 3, 2, tzinfo=UTC)
CLOSES = DUE + timedelta(days=2)
SECOND = timedelta(seconds=1)
PHASES = RevealPhases(Reveal.VERDICT, Reveal.NAMES, Reveal.MESSAGES)


@pytest.mark.parametrize(
    ("moment", "expected_reveal"),
    [
        (DUE, Reveal.VERDICT),
        (DUE + SECOND, Reveal.NAMES),
        (CLOSES, Reveal.NAMES),
        (CLOSES + SECOND, Reveal.MESSAGES),
    ],
)
def test_a_phase_begins_when_the_one_before_has_ended(moment: datetime, expected_reveal: Reveal) -> None:
    assert PHASES.policy_at(moment, AssignmentTimes(DUE, CLOSES)) is expected_reveal


def test_a_phase_that_says_nothing_shows_what_the_one_before_did() -> None:
    time_late = CLOSES + SECOND
    assert RevealPhases(Reveal.VERDICT).policy_at(time_late, AssignmentTimes(DUE, CLOSES)) is Reveal.VERDICT
    assert RevealPhases(Reveal.VERDICT, Reveal.NAMES).policy_at(time_late, AssignmentTimes(DUE, CLOSES)) is Reveal.NAMES
    assert RevealPhases().policy_at(time_late, AssignmentTimes(DUE, CLOSES)) is None


def test_without_times_the_first_phase_never_ends() -> None:
    assert PHASES.policy_at(CLOSES + SECOND, AssignmentTimes()) is Reveal.VERDICT
    assert PHASES.policy_at(CLOSES + SECOND, AssignmentTimes(due=DUE)) is Reveal.NAMES


def test_who_has_more_time_sees_more_later() -> None:
    extended = student_times(AssignmentTimes(DUE, CLOSES), AssignmentTimes(due=CLOSES + timedelta(days=1)))
    assert PHASES.policy_at(CLOSES + SECOND, extended) is Reveal.VERDICT
