"""Progress of a participant in a study, and the next step: a pure function of what was recorded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from benchwright_attempts.summary.summary import Summary
from benchwright_studies.conduct.entry import (
    ConsentEntry,
    Drawn,
    Entry,
    Finished,
    QuestionnaireAnswered,
    TaskBegun,
    TaskForecast,
)
from benchwright_studies.plan.assignment import Assignment, Plan
from benchwright_studies.plan.study import Study
from benchwright_studies.plan.vocabulary import ParticipantStep


@dataclass(frozen=True, slots=True)
class ParticipantProgress:
    """A participant's progress in a study."""

    step: ParticipantStep
    done: int
    """Tasks done, without practice."""
    total: int
    """All tasks, without practice."""
    position: int | None = None
    """Position of the present task, from 1; 0 for practice."""
    problem: str | None = None
    """The problem to forecast, or of the present task."""
    condition: str | None = None
    """None until the assignment is drawn."""
    attempt: str | None = None
    """The attempt at the present task, once it was opened."""


def progress_of(
    study: Study,
    assignment: Assignment | None,
    entries: Sequence[Entry],
    summaries: Mapping[str, Summary],
    *,
    is_closed: bool = False,
) -> ParticipantProgress:
    """Determines what comes next.

    Args:
        study: The study.
        assignment: Assignment of the participant; none before it is drawn.
        entries: The participant's journal.
        summaries: Summary of each attempt that the journal names, by its id.
        is_closed: True if the study is over.
    """
    attempts = {entry.position: entry.attempt for entry in entries if isinstance(entry, TaskBegun)}
    tasks = [(task.position, task.problem, task.condition) for task in assignment.tasks] if assignment else []
    done_count = sum(
        1
        for position, _, _ in tasks
        if position in attempts and _is_ended_and_estimated(study, summaries[attempts[position]])
    )
    total = len(study.problems)
    if is_closed:
        return ParticipantProgress(ParticipantStep.CLOSED, done_count, total)
    consent = next((entry for entry in reversed(entries) if isinstance(entry, ConsentEntry)), None)
    if consent is not None and not consent.given:
        return ParticipantProgress(ParticipantStep.WITHDRAWN, done_count, total)
    # Consent to an older version of the text is not enough.
    if study.consent is not None and (consent is None or consent.version != study.consent.version):
        return ParticipantProgress(ParticipantStep.CONSENT, done_count, total)
    if study.practice is not None:
        # The same condition for everybody: it reveals nothing of the assignment.
        tasks.insert(0, (0, study.practice, study.people_conditions[0].name))
    for position, problem, condition in tasks:
        attempt = attempts.get(position)
        if attempt is None:
            return ParticipantProgress(ParticipantStep.OPEN, done_count, total, position, problem, condition)
        step = _unfinished_step(study, summaries[attempt])
        if step is not None:
            return ParticipantProgress(step, done_count, total, position, problem, condition, attempt)
    if assignment is None:
        forecast_problem = next_problem_to_forecast(study, entries)
        return ParticipantProgress(
            ParticipantStep.UNLOCK if forecast_problem is None else ParticipantStep.FORECAST,
            done_count,
            total,
            problem=forecast_problem,
        )
    if study.questionnaire and not any(isinstance(entry, QuestionnaireAnswered) for entry in entries):
        return ParticipantProgress(ParticipantStep.QUESTIONNAIRE, done_count, total)
    return ParticipantProgress(ParticipantStep.FINISHED, done_count, total)


def assignment_if_drawn(entries: Sequence[Entry], plan: Plan, participant: str) -> Assignment | None:
    """Assignment of a participant, once it was drawn; none before."""
    drawn_entry = next((entry for entry in entries if isinstance(entry, Drawn)), None)
    if drawn_entry is not None:
        return drawn_entry.assignment
    # Older journals have no draw: the condition was shown with the first task.
    has_begun_task = any(isinstance(entry, TaskBegun) and entry.position > 0 for entry in entries)
    return plan.assignment_of(participant) if has_begun_task else None


def next_problem_to_forecast(study: Study, entries: Sequence[Entry]) -> str | None:
    """The problem to forecast next, in the order of the study file; none if everything was asked."""
    forecast_problems = {entry.problem for entry in entries if isinstance(entry, TaskForecast)}
    remaining_problems = (
        task.problem for task in study.problems if study.forecasts and task.problem not in forecast_problems
    )
    return next(remaining_problems, None)


def is_finished(entries: Sequence[Entry]) -> bool:
    """True if a participant's journal records that they have finished."""
    return any(isinstance(entry, Finished) for entry in entries)


def _unfinished_step(study: Study, summary: Summary) -> ParticipantStep | None:
    if not summary.state.ended:
        return ParticipantStep.WORK
    if _lacks_self_estimate(study, summary):
        return ParticipantStep.SELF_ESTIMATE
    return None


def _is_ended_and_estimated(study: Study, summary: Summary) -> bool:
    return summary.state.ended and not _lacks_self_estimate(study, summary)


def _lacks_self_estimate(study: Study, summary: Summary) -> bool:
    # There is nothing to estimate if the clock was never started.
    return (
        bool(study.self_estimates) and "self_estimate" not in summary.event_types and "started" in summary.event_types
    )
