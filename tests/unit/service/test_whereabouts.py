"""Whereabouts of a participant, from what was recorded and how long ago."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from benchwright_attempts.clock.clock import AttemptState, ClockState
from benchwright_attempts.summary.summary import Summary
from benchwright_remote.messages import Whereabouts
from benchwright_service.studies.lab_monitor import whereabouts
from benchwright_studies.conduct.progress import ParticipantProgress
from benchwright_studies.plan.vocabulary import ParticipantStep

AT_WORK = ParticipantProgress(ParticipantStep.WORK, 1, 4, position=2, attempt="a" * 32)


@pytest.mark.parametrize(
    ("state", "silent_s", "idle_s", "expected_whereabouts"),
    [
        (AttemptState.RUNNING, 5, 5, Whereabouts.WORKING),
        (AttemptState.RUNNING, 5, 600, Whereabouts.WORKING),
        (AttemptState.RUNNING, 5, 601, Whereabouts.STUCK),
        (AttemptState.RUNNING, 601, 900, Whereabouts.SILENT),
        (AttemptState.PAUSED, 9_000, 9_000, Whereabouts.PAUSED),
        (AttemptState.OPEN, 9_000, 9_000, Whereabouts.PAUSED),
    ],
)
def test_who_works_is_stuck_or_silent_after_the_given_time_while_the_clock_runs(
    state: AttemptState, silent_s: float, idle_s: float, expected_whereabouts: Whereabouts
) -> None:
    summary = Summary(clock=ClockState(state=state))
    current = whereabouts(AT_WORK, summary, timedelta(seconds=silent_s), timedelta(seconds=idle_s), 600)
    assert current is expected_whereabouts


@pytest.mark.parametrize(
    ("step", "expected_whereabouts"),
    [
        (ParticipantStep.CONSENT, Whereabouts.BETWEEN_TASKS),
        (ParticipantStep.FORECAST, Whereabouts.BETWEEN_TASKS),
        (ParticipantStep.OPEN, Whereabouts.BETWEEN_TASKS),
        (ParticipantStep.SELF_ESTIMATE, Whereabouts.BETWEEN_TASKS),
        (ParticipantStep.QUESTIONNAIRE, Whereabouts.BETWEEN_TASKS),
        (ParticipantStep.FINISHED, Whereabouts.FINISHED),
        (ParticipantStep.WITHDRAWN, Whereabouts.DROPPED_OUT),
        (ParticipantStep.CLOSED, Whereabouts.CLOSED),
    ],
)
def test_who_does_not_work_is_never_stuck(step: ParticipantStep, expected_whereabouts: Whereabouts) -> None:
    long = timedelta(days=30)
    assert whereabouts(replace(AT_WORK, step=step), None, long, long, 600) is expected_whereabouts
