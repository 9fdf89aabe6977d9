"""Everything a report is made from, read and sorted out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from benchwright_analysis.report.fold import FoldedAttempt
from benchwright_analysis.report.questions.selections import AnswerSelection
from benchwright_analysis.report.rows.model_facts import ModelFacts
from benchwright_analysis.report.rows.observation import PEOPLE, Observation
from benchwright_analysis.report.rows.problem_facts import ProblemFacts
from benchwright_analysis.report.sections.registration import DrawnTask, Registration
from benchwright_analysis.statistics.crossed_design import CrossedCells
from benchwright_analysis.statistics.failures import Embedding, Namer
from benchwright_analysis.statistics.horizon import Weights
from benchwright_attempts.clock.time_source import TimeSource
from benchwright_formal.second_opinion import SecondOpinion
from benchwright_judges.agreement.rated import RatedAnswer
from benchwright_studies.plan.study import Study
from benchwright_studies.plan.vocabulary import Population


@dataclass(frozen=True)
class Dataset:
    """Attempts and what is known around them."""

    folded: Sequence[FoldedAttempt]
    """All attempts, those that do not count marked."""
    problem_facts: Mapping[str, ProblemFacts]
    study: Study | None = None
    rated: Sequence[RatedAnswer] = ()
    """Answers that people and judges rated."""
    selections: Mapping[str, AnswerSelection] = field(default_factory=dict)
    """Selections of attempts at multiple-choice questions, by attempt."""
    second_opinion_by_attempt: Mapping[str, SecondOpinion] = field(default_factory=dict)
    """Second opinions on what passed, by attempt."""
    model_facts: Sequence[ModelFacts] = ()
    """Facts about models from a file."""
    is_problem_kept: Mapping[str, bool] = field(default_factory=dict)
    """Problem → whether a filter kept it; empty without a filter."""
    embed: Embedding | None = None
    """Turns failures into vectors; without it they are grouped by the words that they share."""
    name_failures: Namer | None = None
    """Names groups of failures; without it they have distinctive words."""
    deviations: Sequence[str] = ()
    """Deviations from the study file, as sentences."""
    remarks: Sequence[str] = ()
    """Other remarks that bear on the result, as sentences."""
    drawn_task_count_by_condition: Mapping[str, int] = field(default_factory=dict)
    """Tasks that were drawn for each condition of people."""
    drawn: Sequence[DrawnTask] = ()
    """The same tasks, each with its participant."""
    participant_count_by_plan_kind: Mapping[str, int] = field(default_factory=dict)
    """Number of participants' machines that had the plan `sealed`, or the study file with its seed (`open`)."""
    registration: Registration | None = None
    """The preregistration; none if nothing was preregistered."""
    closing_digest: str = ""
    """The digest with which the study was closed."""
    is_chain_checked: bool = True
    """True if hash chains were checked."""
    seed: int = 1
    baseline: str = ""
    """The group that comes first, and that others are compared with; the first in order if empty."""
    conditions: Sequence[str] = ()
    """Conditions in the order of the study that a table is of; a study's own file goes before it."""
    weights: Weights = Weights.ATTEMPTS
    """Weights of attempts in the horizon."""
    made_at: str = ""
    """Time when the report was made, ISO 8601."""
    times: TimeSource | None = None
    """Where the times in figures come from; from clocks if any ran before people, else from files, if not given."""
    simulated: bool = False
    """True if nobody worked: made-up data."""
    sources: Mapping[str, str] = field(default_factory=dict)
    """Sources of the report: name → version or digest."""

    def with_intention_to_treat(self) -> Dataset:
        """The same data, with every person's attempt that counts by intention to treat."""
        rows = [
            replace(folded_attempt, observation=folded_attempt.observation.model_copy(update={"excluded_by": ""}))
            if folded_attempt.observation.intended
            else folded_attempt
            for folded_attempt in self.folded
        ]
        return replace(self, folded=rows)

    @property
    def population(self) -> Population:
        """Population that the study planned its primary analysis for; per protocol if it planned none."""
        planned = self.study.analysis if self.study is not None else None
        return Population.PER_PROTOCOL if planned is None else planned.population

    def in_planned_population(self) -> Dataset:
        """The same data, with the attempts that count in the primary analysis."""
        return self.with_intention_to_treat() if self.population is Population.INTENTION_TO_TREAT else self

    @cached_property
    def observations(self) -> tuple[Observation, ...]:
        """All attempts."""
        return tuple(folded_attempt.observation for folded_attempt in self.folded)

    @cached_property
    def counted_attempts(self) -> tuple[FoldedAttempt, ...]:
        """Attempts that count."""
        return tuple(folded_attempt for folded_attempt in self.folded if folded_attempt.observation.is_analysed)

    @cached_property
    def decided_observations(self) -> tuple[Observation, ...]:
        """Attempts that count, and of which a verdict says whether they are right, or that ended without one."""
        return tuple(
            folded_attempt.observation
            for folded_attempt in self.counted_attempts
            if folded_attempt.observation.censored_by != "not_decided"
        )

    @cached_property
    def timed_observations(self) -> tuple[Observation, ...]:
        """Attempts of people that count, with a time of the source that figures take."""
        return tuple(
            observation
            for observation in self.decided_observations
            if observation.is_person and self.is_timed(observation)
        )

    @cached_property
    def time_sources(self) -> tuple[TimeSource, ...]:
        """The sources of the times that people's attempts have, clocks first."""
        present_sources = {
            observation.time_source
            for observation in self.decided_observations
            if observation.is_person and observation.time_s
        }
        return tuple(source for source in TimeSource if source.value in present_sources)

    @property
    def shown_time_source(self) -> TimeSource:
        """The source of the times in figures."""
        return self.times or next(iter(self.time_sources), TimeSource.CLOCK)

    def with_time_source(self, time_source: TimeSource) -> Dataset:
        """The same data, with figures that take times of this source."""
        return replace(self, times=time_source)

    def is_timed(self, observation: Observation) -> bool:
        """True if an attempt has a time of the source that figures take."""
        return observation.time_source == self.shown_time_source and bool(observation.time_s)

    @cached_property
    def groups(self) -> tuple[str, ...]:
        """Groups that are compared: conditions of people first, in the study's order, then models."""
        order = [condition.name for condition in self.study.conditions] if self.study is not None else self.conditions
        solvers = (*PEOPLE, "agent", "model")
        solvers_by_group = {
            folded_attempt.observation.group: folded_attempt.observation.solver
            for folded_attempt in self.counted_attempts
        }

        def key(group: str) -> tuple[bool, int, int, str]:
            solver = solvers_by_group[group]
            position = order.index(group) if group in order else len(order)
            return (
                group != self.baseline,
                solvers.index(solver) if solver in solvers else len(solvers),
                position,
                group,
            )

        return tuple(sorted(solvers_by_group, key=key))

    @cached_property
    def people_groups(self) -> tuple[str, ...]:
        """Conditions under which people worked."""
        people = {
            folded_attempt.observation.group
            for folded_attempt in self.counted_attempts
            if folded_attempt.observation.is_person
        }
        return tuple(group for group in self.groups if group in people)

    def counted_attempts_in(self, group: str) -> list[FoldedAttempt]:
        """Attempts of a group that count."""
        return [folded_attempt for folded_attempt in self.counted_attempts if folded_attempt.observation.group == group]

    @staticmethod
    def crossed_cells(rows: Sequence[Observation]) -> CrossedCells:
        """Participant and problem of each row: people vary, and so do problems; a model is the one it is."""
        return CrossedCells(
            [observation.participant if observation.is_person else None for observation in rows],
            [observation.problem for observation in rows],
            [observation.family for observation in rows],
            [observation.cluster if observation.is_person else None for observation in rows],
        )
