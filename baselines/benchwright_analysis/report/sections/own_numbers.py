"""A participant's own numbers, and how others did where the study allows to show it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from benchwright_analysis.report.rows.exclusions import with_exclusions_marked
from benchwright_analysis.report.rows.observation import Observation
from benchwright_analysis.report.rows.problem_facts import ProblemFacts, facts_by_problem_ref
from benchwright_analysis.report.rows.reading import LogJob, fold_attempts_and_write_events
from benchwright_attempts.attempts import Attempts
from benchwright_attempts.clock.time_source import TimeSource
from benchwright_attempts.clock.time_spent import ActiveTime
from benchwright_attempts.clock.time_with_agents import TimeWithAgents
from benchwright_attempts.log.record import AttemptHeader
from benchwright_attempts.standing import AttemptView, summary_view
from benchwright_attempts.state import AttemptState
from benchwright_attempts.terms import ClockDisplay, Terms
from benchwright_problems.problem import ProblemKind
from benchwright_problems.storage.store import Store
from benchwright_studies.conduct.studies import RegisteredStudy, Studies, assigned_terms

if TYPE_CHECKING:
    from benchwright_studies.conduct.study_log import StudyLog

FEWEST_OTHERS = 5
"""With fewer others at a task, a distribution would reveal what one person did."""


@dataclass(frozen=True)
class OtherResults:
    """Results of others at one problem."""

    attempts: int
    solved: int
    quarter_min: float | None
    """A quarter of them solved it within this many active minutes; `None` if fewer did."""
    half_min: float | None
    three_quarters_min: float | None


@dataclass(frozen=True)
class OwnAttempt:
    """One attempt of the participant's."""

    attempt: str
    problem: str
    title: str
    condition: str
    worked_as: str
    """The condition that follows from who made it; `unknown` if that can't be said."""
    view: AttemptView
    """Its standing."""
    score: float | None
    active_min: float | None
    """`None` if no clock measured it."""
    first_pass_min: float | None
    runs: int
    forecast_min: float | None
    forecast_ratio: float | None
    """Active minutes to the pass over the forecast; 2 is twice as long as expected."""
    share_by_assistant: float | None
    others: OtherResults | None
    """`None` if the study does not show it, there are too few others, or the own attempt has not ended."""
    category: str
    """Task of the problem, in words; empty if its pack does not say."""
    skill: str
    """Of a question; empty if its pack does not say."""
    started: str
    """Time when its clock was started, ISO 8601; empty if it was not."""
    spent: ActiveTime
    with_agents: TimeWithAgents | None
    """None if no agent worked with the person."""


def read_own_attempts(
    log: StudyLog, store: Store, study: str = "", participant: str = "", *, include_practice: bool = False
) -> list[OwnAttempt]:
    """A participant's attempts whose clock has started and is not hidden any more; or those outside studies.

    Blocks on the disk; asynchronous code calls it in a thread. Imports SciPy only where a distribution is shown.

    Args:
        log: The user's log.
        store: Has what is known of the problems.
        study: Its name; empty for attempts outside studies.
        participant: Participant of the study.
        include_practice: True to include practice: a study's, and the guided first problem.

    Raises:
        StudyError: No such study exists.
        LogDamagedError: An attempt is not as it was written.
    """
    if not study:
        own_headers = [header for header in log.headers() if not header.study and header.condition.startswith("human")]
        attempt_rows = _fold_attempt_rows(log, store, own_headers, {}, shows_results=True)
        shown_observations = sorted(
            (
                observation
                for observation in attempt_rows.begun_observations()
                if include_practice or not observation.practice
            ),
            key=_task_order_key,
        )
        return [attempt_rows.own_attempt(observation, [], shows_results=True) for observation in shown_observations]
    registered = Studies(log, Attempts(log)).study(study)
    study_terms = registered.study
    shows_results = study_terms.feedback != "none"
    shows_others = study_terms.show_distribution and shows_results
    headers = [header for header in log.journal.attempts(study) if shows_others or header.solver == participant]
    attempt_rows = _fold_attempt_rows(
        log, store, headers, {study: study_terms.idle_minutes * 60}, shows_results=shows_results
    )
    candidates = [
        observation
        for observation in attempt_rows.begun_observations()
        if observation.participant == participant and (include_practice or not observation.practice)
    ]
    own_observations = sorted(
        (observation for observation in candidates if _shows_attempt_times(log, registered, observation)),
        key=_task_order_key,
    )
    other_observations = [
        observation
        for observation in attempt_rows.observations
        if observation.participant != participant
        and observation.is_analysed
        and observation.is_person
        and observation.time_source == TimeSource.CLOCK
    ]
    return [
        attempt_rows.own_attempt(observation, other_observations, shows_results=shows_results)
        for observation in own_observations
    ]


def median_minutes_of_people(log: StudyLog, store: Store, refs: Sequence[str]) -> dict[str, float]:
    """Active minutes within which half of the people who tried a problem on this machine solved it, by `pack/id`.

    Only of problems that enough people have tried and half of them solved.

    Raises:
        LogDamagedError: An attempt is not as it was written.
    """
    headers = [header for header in log.headers() if header.problem in refs and header.condition.startswith("human")]
    observations = [
        observation
        for observation in _fold_attempt_rows(log, store, headers, {}, shows_results=True).observations
        if observation.is_analysed and observation.time_source == TimeSource.CLOCK
    ]
    other_results_by_ref = {
        ref: _results_if_enough_people([observation for observation in observations if observation.problem == ref])
        for ref in refs
    }
    return {
        ref: other_results.half_min
        for ref, other_results in other_results_by_ref.items()
        if other_results is not None and other_results.half_min
    }


def _shows_attempt_times(log: StudyLog, registered_study: RegisteredStudy, observation: Observation) -> bool:
    """True if the study does not hide the attempt's times any more."""
    summary = log.summary(observation.attempt)
    clock_terms = Terms(
        observation.solver,
        assigned_terms(registered_study, observation.participant, 1, observation.problem, observation.condition),
    )
    return clock_terms.clock_display(summary.event_types, has_ended=summary.state.ended) is ClockDisplay.SHOWN


@dataclass(frozen=True)
class _AttemptRows:
    """Attempts with what is known around them."""

    observations: list[Observation]
    problem_facts: Mapping[str, ProblemFacts]
    spent: Mapping[str, ActiveTime]
    views: Mapping[str, AttemptView]

    def begun_observations(self) -> list[Observation]:
        """Those whose clock was ever started: a problem that was only opened is no attempt to count."""
        return [observation for observation in self.observations if observation.started]

    def own_attempt(
        self, observation: Observation, other_observations: Sequence[Observation], *, shows_results: bool
    ) -> OwnAttempt:
        has_ended = AttemptState(observation.state).ended
        # What a file reports is nothing that was measured here.
        pass_s = observation.first_pass_s if observation.time_source == TimeSource.CLOCK and shows_results else None
        pass_minutes = None if pass_s is None else pass_s / 60
        problem_facts = self.problem_facts.get(observation.problem, ProblemFacts())
        return OwnAttempt(
            attempt=observation.attempt,
            problem=observation.problem,
            title=observation.title,
            condition=observation.condition,
            worked_as=observation.solver,
            view=self.views[observation.attempt],
            score=observation.score if shows_results else None,
            active_min=None if observation.active_s is None else observation.active_s / 60,
            first_pass_min=pass_minutes,
            runs=observation.runs,
            forecast_min=observation.forecast_minutes,
            forecast_ratio=pass_minutes / observation.forecast_minutes
            if pass_minutes is not None and observation.forecast_minutes
            else None,
            share_by_assistant=observation.share_by_assistant,
            others=_results_if_enough_people(
                [candidate for candidate in other_observations if candidate.problem == observation.problem]
            )
            if has_ended
            else None,
            category=problem_facts.category_label,
            skill=problem_facts.skill,
            started=observation.started,
            spent=self.spent[observation.attempt],
            with_agents=_time_with_agents(observation),
        )


def _time_with_agents(observation: Observation) -> TimeWithAgents | None:
    activity_seconds = (observation.working_s, observation.supervising_s, observation.waiting_s, observation.away_s)
    known_seconds = [seconds for seconds in activity_seconds if seconds is not None]
    return TimeWithAgents(*known_seconds) if len(known_seconds) == len(activity_seconds) else None


def _fold_attempt_rows(
    log: StudyLog,
    store: Store,
    headers: Sequence[AttemptHeader],
    idle_threshold_s_by_study: dict[str, float],
    *,
    shows_results: bool,
) -> _AttemptRows:
    problem_facts = facts_by_problem_ref(store, {header.problem for header in headers})
    folded, _ = fold_attempts_and_write_events(
        LogJob(log.path, headers, problem_facts, idle_threshold_s_by_study, check=False), expected_event_count=0
    )
    observations = with_exclusions_marked([attempt.observation for attempt in folded], None, None)
    spent = {attempt.observation.attempt: attempt.spent for attempt in folded}
    summaries = log.summaries_by_attempt([header.id for header in headers])
    views = {
        header.id: summary_view(
            summaries[header.id], _problem_kind(problem_facts, header), are_results_shown=shows_results
        )
        for header in headers
    }
    return _AttemptRows(observations, problem_facts, spent, views)


def _problem_kind(problem_facts: Mapping[str, ProblemFacts], header: AttemptHeader) -> ProblemKind:
    kind = problem_facts.get(header.problem, ProblemFacts()).kind
    return ProblemKind(kind) if kind else ProblemKind.DESIGN


def _task_order_key(observation: Observation) -> tuple[int, str]:
    return observation.position or 0, observation.started


def _results_if_enough_people(observations: Sequence[Observation]) -> OtherResults | None:
    if len({observation.participant for observation in observations}) < FEWEST_OTHERS:
        return None
    from benchwright_analysis.statistics.survival import kaplan_meier

    curve = kaplan_meier(
        [observation.minutes for observation in observations], [observation.passed for observation in observations]
    )

    def solved_by(share: float) -> float | None:
        return next(
            (minute for minute, left in zip(curve.times, curve.unsolved, strict=True) if 1 - left >= share - 1e-9), None
        )

    return OtherResults(len(observations), curve.passed, solved_by(0.25), solved_by(0.5), solved_by(0.75))
