"""How far a participant is in a study, and what comes next: a pure function of what was recorded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from benchwright_attempts.clock import AttemptState
from benchwright_attempts.summary import Summary
from benchwright_studies.assignment import Assignment
from benchwright_studies.entry import ConsentEntry, Entry, Finished, QuestionnaireAnswered, TaskBegun
from benchwright_studies.study import Study
from benchwright_studies.vocabulary import Step


@dataclass(frozen=True, slots=True)
class Progress:
    """A participant's progress in a study."""

    step: Step
    done: int
    """Tasks done, without practice."""
    total: int
    """All tasks, without practice."""
    position: int | None = None
    """Position of the present task, from 1; 0 for practice."""
    problem: str | None = None
    condition: str | None = None
    attempt: str | None = None
    """The attempt at the present task, once it was opened."""


def progress_of(
    study: Study,
    assignment: Assignment,
    entries: Sequence[Entry],
    summaries: Mapping[str, Summary],
    *,
    closed: bool = False,
) -> Progress:
    """Determines what comes next.

    Args:
        study: The study.
        assignment: What the participant does.
        entries: The participant's journal.
        summaries: Summary of each attempt that the journal names, by its id.
        closed: Whether the study is over.
    """
    attempts = {entry.position: entry.attempt for entry in entries if isinstance(entry, TaskBegun)}
    tasks = [(task.position, task.problem, task.condition) for task in assignment.tasks]
    done = sum(1 for position, _, _ in tasks if position in attempts and _is_done(study, summaries[attempts[position]]))
    total = len(tasks)
    if closed:
        return Progress(Step.CLOSED, done, total)
    consent = next((entry for entry in reversed(entries) if isinstance(entry, ConsentEntry)), None)
    if consent is not None and not consent.given:
        return Progress(Step.WITHDRAWN, done, total)
    # Consent to an older version of the text is not enough.
    if study.consent is not None and (consent is None or consent.version != study.consent.version):
        return Progress(Step.CONSENT, done, total)
    if study.practice is not None:
        first = tasks[0][2] if tasks else study.people_conditions[0].name
        tasks.insert(0, (0, study.practice, first))
    for position, problem, condition in tasks:
        attempt = attempts.get(position)
        if attempt is None:
            return Progress(Step.OPEN, done, total, position, problem, condition)
        step = _step_of(study, summaries[attempt])
        if step is not None:
            return Progress(step, done, total, position, problem, condition, attempt)
    if study.questionnaire and not any(isinstance(entry, QuestionnaireAnswered) for entry in entries):
        return Progress(Step.QUESTIONNAIRE, done, total)
    return Progress(Step.FINISHED, done, total)


def is_finished(entries: Sequence[Entry]) -> bool:
    """Whether a participant's journal records that they have finished."""
    return any(isinstance(entry, Finished) for entry in entries)


def _step_of(study: Study, summary: Summary) -> Step | None:
    if not summary.state.ended:
        if summary.state is AttemptState.OPEN and study.forecasts and "forecast" not in summary.kinds:
            return Step.FORECAST
        return Step.WORK
    if _has_to_estimate(study, summary):
        return Step.SELF_ESTIMATE
    return None


def _is_done(study: Study, summary: Summary) -> bool:
    return summary.state.ended and not _has_to_estimate(study, summary)


def _has_to_estimate(study: Study, summary: Summary) -> bool:
    # There is nothing to estimate if the clock was never started.
    return bool(study.self_estimates) and "self_estimate" not in summary.kinds and "started" in summary.kinds
