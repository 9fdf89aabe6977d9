"""A participant's own numbers, and how others did where the study allows to show it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from benchwright_analysis.report.rows.exclusions import exclude
from benchwright_analysis.report.rows.observation import Observation
from benchwright_analysis.report.rows.problem_facts import ProblemFacts, facts_of
from benchwright_analysis.report.rows.reading import Job, fold_attempts
from benchwright_attempts.attempts import Attempts
from benchwright_attempts.clock.time_spent import Spent
from benchwright_attempts.log.record import AttemptHeader
from benchwright_attempts.terms import ClockDisplay, Feedback, Terms
from benchwright_problems.storage.store import Store
from benchwright_studies.conduct.studies import RegisteredStudy, Studies, terms

if TYPE_CHECKING:
    from benchwright_studies.conduct.study_log import StudyLog

FEWEST_OTHERS = 5
"""With fewer others at a task, a distribution would reveal what one person did."""


@dataclass(frozen=True)
class Others:
    """How others did at one problem."""

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
    state: str
    passed: bool | None
    """`None` if the study shows no results, or nothing is decided yet."""
    score: float | None
    active_min: float
    first_pass_min: float | None
    runs: int
    forecast_min: float | None
    forecast_ratio: float | None
    """Active minutes to the pass over the forecast; 2 is twice as long as expected."""
    share_by_assistant: float | None
    others: Others | None
    """`None` if the study does not show it, there are too few others, or the own attempt has not ended."""
    category: str
    """What the problem asks for, in words; empty if its pack does not say."""
    skill: str
    """Of a question; empty if its pack does not say."""
    started: str
    """When its clock was started, ISO 8601; empty if it was not."""
    spent: Spent


def own_numbers(
    log: StudyLog, store: Store, study: str = "", participant: str = "", *, practice: bool = False
) -> list[OwnAttempt]:
    """A participant's attempts, without those whose clock is still hidden; or those outside studies.

    Blocks on the disk; asynchronous code calls it in a thread. Imports SciPy only where a distribution is shown.

    Args:
        log: The user's log.
        store: Has what is known of the problems.
        study: Its name; empty for attempts outside studies.
        participant: Of the study.
        practice: Whether practice is among them: a study's, and the guided first problem.

    Raises:
        StudyError: There is no such study.
        LogDamagedError: An attempt is not as it was written.
    """
    if not study:
        mine = [header for header in log.headers() if not header.study and header.condition.startswith("human")]
        rows = _rows(log, store, mine, {})
        counted = sorted((one for one in rows.observations if practice or not one.practice), key=_position)
        return [rows.own(one, [], shows_results=True) for one in counted]
    registered = Studies(log, Attempts(log)).study(study)
    known = registered.study
    shows_results = known.feedback is not Feedback.NONE
    shows_others = known.show_distribution and shows_results
    headers = [header for header in log.journal.attempts(study) if shows_others or header.solver == participant]
    rows = _rows(log, store, headers, {study: known.idle_minutes * 60})
    wanted = [one for one in rows.observations if one.participant == participant and (practice or not one.practice)]
    own = sorted((one for one in wanted if _is_shown(log, registered, one)), key=_position)
    others = [one for one in rows.observations if one.participant != participant and one.is_analysed and one.is_person]
    return [rows.own(one, others, shows_results=shows_results) for one in own]


def _is_shown(log: StudyLog, known: RegisteredStudy, one: Observation) -> bool:
    """Whether the study does not hide the attempt's times any more."""
    summary = log.summary(one.attempt)
    said = Terms(one.solver, terms(known, one.participant, 1, one.problem, one.condition))
    return said.shows_of_clock(summary.kinds, ended=summary.state.ended) is ClockDisplay.SHOWN


@dataclass(frozen=True)
class _Rows:
    """Attempts with what is known around them."""

    observations: list[Observation]
    facts: Mapping[str, ProblemFacts]
    spent: Mapping[str, Spent]

    def own(self, one: Observation, others: Sequence[Observation], *, shows_results: bool) -> OwnAttempt:
        ended = one.state in ("submitted", "abandoned", "timed_out")
        first = one.first_pass_s / 60 if one.first_pass_s is not None and shows_results else None
        facts = self.facts.get(one.problem, ProblemFacts())
        return OwnAttempt(
            attempt=one.attempt,
            problem=one.problem,
            title=one.title,
            condition=one.condition,
            state=one.state,
            passed=one.passed if shows_results and (one.passed or one.outcome == "failed") else None,
            score=one.score if shows_results else None,
            active_min=one.active_s / 60,
            first_pass_min=first,
            runs=one.runs,
            forecast_min=one.forecast_minutes,
            forecast_ratio=first / one.forecast_minutes if first is not None and one.forecast_minutes else None,
            share_by_assistant=one.share_by_assistant,
            others=_others([other for other in others if other.problem == one.problem]) if ended else None,
            category=facts.category_label,
            skill=facts.skill,
            started=one.started,
            spent=self.spent[one.attempt],
        )


def _rows(log: StudyLog, store: Store, headers: Sequence[AttemptHeader], thresholds: dict[str, float]) -> _Rows:
    facts = facts_of(store, {header.problem for header in headers})
    folded, _ = fold_attempts(Job(log.path, headers, facts, thresholds, check=False), events=0)
    observations = exclude([one.observation for one in folded], None, None)
    return _Rows(observations, facts, {one.observation.attempt: one.spent for one in folded})


def _position(one: Observation) -> tuple[int, str]:
    return one.position or 0, one.started


def _others(found: Sequence[Observation]) -> Others | None:
    if len({one.participant for one in found}) < FEWEST_OTHERS:
        return None
    from benchwright_analysis.statistics.survival import kaplan_meier

    curve = kaplan_meier([one.time_s / 60 for one in found], [one.passed for one in found])

    def solved_by(share: float) -> float | None:
        return next(
            (at for at, left in zip(curve.times, curve.unsolved, strict=True) if 1 - left >= share - 1e-9), None
        )

    return Others(len(found), curve.passed, solved_by(0.25), solved_by(0.5), solved_by(0.75))
