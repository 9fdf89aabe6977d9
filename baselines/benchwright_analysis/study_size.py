"""Simulated studies of a planned design: how often its primary analysis would find an effect, and which it would find.

Of a study of one condition there is no effect to find: how sure its share solved or its mean time would be.

Each simulated study draws a plan as the real one does, and people, problems and dropouts at random; its attempts then
go through the same functions as a report's.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from benchwright_analysis.report.rows.dataset import Dataset
from benchwright_analysis.report.rows.observation import Observation
from benchwright_analysis.report.sections.success_compared import solved_difference
from benchwright_analysis.report.sections.time_compared import (
    comparison_limit,
    minutes_of,
    pass_flags_of,
    time_difference,
)
from benchwright_analysis.statistics.crossed import CrossedEstimate, crossed_share
from benchwright_analysis.statistics.errors import StatisticsError
from benchwright_analysis.statistics.multiple import holm_tests
from benchwright_analysis.statistics.restricted_mean import restricted_mean
from benchwright_attempts.clock.time_source import TimeSource
from benchwright_problems.problem import Difficulty
from benchwright_studies.plan.assignment import Plan, draw_plan
from benchwright_studies.plan.study import Study
from benchwright_studies.plan.vocabulary import Measure

POWER = 0.8
"""Power at which an effect counts as detectable."""
_LEVEL = 0.05
_LEAST_EFFECT_PERCENT = -95.0
_AROUND = (0.85, 1.0, 1.2)
"""Effects that are tried around the first guess of the detectable one, as multiples of it."""


@dataclass(frozen=True)
class Expectations:
    """What a planned study expects of people and problems."""

    effect: float
    """Of every other condition, against the baseline: percent of time, or percentage points solved."""
    dropout: float = 0.1
    """Share of the participants who leave before their last task."""
    solved: float = 0.6
    """Share solved in the baseline, of a study that decides on success."""
    median_minutes: float = 20.0
    """Time that half of the attempts take, of a study that decides on time."""
    give_ups_per_hour: float = 0.2
    """Rate at which people give a problem up, of a study that decides on time."""
    participant_spread: float = 0.4
    """Standard deviation between participants, of log time or on the scale of a normal chance."""
    problem_spread: float = 0.5
    """Between problems."""
    cluster_spread: float = 0.2
    """Between clusters; only if the study has some."""
    effect_spread: float = 0.1
    """Of the effect between participants, and as much between problems and clusters."""
    noise: float = 0.45
    """Within a participant and problem, of log time."""

    def refuse_impossible(self, measure: Measure, *, has_effect: bool = True) -> None:
        """Refuses what can't be.

        Args:
            measure: The primary outcome.
            has_effect: False if there is one condition.

        Raises:
            StatisticsError: It names the value and what to give.
        """
        spreads = (self.participant_spread, self.problem_spread, self.cluster_spread, self.effect_spread)
        if min(*spreads, self.give_ups_per_hour) < 0 or self.noise <= 0 or self.median_minutes <= 0:
            raise StatisticsError("Spreads and rates can't be negative; the median and the noise are positive.")
        if not 0 <= self.dropout < 1:
            raise StatisticsError(f"The dropout is a share from 0 to below 1, such as 0.1, not {self.dropout:g}.")
        if not has_effect:
            if measure is Measure.SOLVED and not 0 < self.solved < 1:
                raise StatisticsError(f"The share solved is between 0 and 1, such as 0.6, not {self.solved:g}.")
            return
        if self.effect == 0:
            raise StatisticsError("The effect is 0. Give one that the study is to find, such as -20.")
        if measure is Measure.TIME and self.effect <= -100:
            raise StatisticsError(f"Time can't change by {self.effect:g} percent. Give more than -100.")
        if measure is Measure.SOLVED and not 0 < self.solved + self.effect / 100 < 1:
            raise StatisticsError(
                f"{100 * self.solved:g} percent solved and {self.effect:+g} points is no share between 0 and 1."
            )


@dataclass(frozen=True)
class PowerRate:
    """How often simulated studies with one effect find it."""

    effect: float
    studies: int
    found: int
    without_interval: int
    """Of the studies, those whose data allow no test: they find nothing."""
    ratio: float
    """Mean of estimate over standard error."""

    @property
    def power(self) -> float:
        """Share of the studies with p below 0.05."""
        return self.found / self.studies

    @property
    def error(self) -> float:
        """Standard error of the power from so few studies, with two added on each side (Agresti & Coull 1998)."""
        share = (self.found + 2) / (self.studies + 4)
        return math.sqrt(share * (1 - share) / (self.studies + 4))


@dataclass(frozen=True)
class StudySize:
    """What a planned study can find."""

    measure: Measure
    tasks: int
    """In a plan without dropouts."""
    power: PowerRate
    """With the expected effect."""
    false_alarms: PowerRate
    """Without any effect."""
    tried: tuple[PowerRate, ...]
    """Further effects."""
    detectable: float | None
    """The effect that is found with a chance of 80 %; `None` if none was seen to be."""
    detectable_error: float | None
    """Its standard error from so few studies."""


@dataclass(frozen=True)
class PrecisionRate:
    """How sure simulated studies of one condition are."""

    people: int
    tasks: int
    """In a plan without dropouts."""
    studies: int
    without_interval: int
    reach: float | None
    """Mean of half the 95 % interval's length, of studies with one: percentage points solved, or minutes."""
    held: int | None
    """Studies whose interval holds the expected share; `None` of times."""
    reason: str = ""
    """Why a study had no interval, and what it takes."""


@dataclass(frozen=True)
class StudyPrecision:
    """How sure a planned study of one condition would be."""

    measure: Measure
    rates: tuple[PrecisionRate, ...]
    """With half the participants, as planned, and with twice as many; as planned alone if the file names them."""


SIZES_TRIED = 3


def simulate_study_precision(
    study: Study,
    difficulties: Mapping[str, Difficulty],
    expectations: Expectations,
    *,
    simulated_studies: int = 1000,
    seed: int = 1,
    on_study_simulated: Callable[[], object] = lambda: None,
) -> StudyPrecision:
    """Simulates a planned study of one condition of people.

    Args:
        study: As for `simulate_study_size`.
        difficulties: As for `simulate_study_size`.
        expectations: As for `simulate_study_size`; there is no effect.
        simulated_studies: Simulated studies for each number of participants.
        seed: Of all chance.
        on_study_simulated: Called after each simulated study, `SIZES_TRIED` × `simulated_studies` times at most.

    Raises:
        StatisticsError: An expectation can't be, or the study has no condition of people, or several.
    """
    measure = _primary_measure(study)
    if len(study.people_conditions) != 1:
        raise StatisticsError("It takes exactly one condition of people: models need no number of participants.")
    expectations.refuse_impossible(measure, has_effect=False)
    rates = []
    people = len(study.pseudonyms)
    for count in (max(1, people // 2), people, 2 * people) if isinstance(study.participants, int) else (people,):
        sized = study if count == people else study.model_copy(update={"participants": count})
        planned_design = PlannedDesign(sized, difficulties, expectations, measure, seed)
        rates.append(_precision_rate(planned_design, count, simulated_studies, on_study_simulated))
    return StudyPrecision(measure, tuple(rates))


def simulate_study_size(
    study: Study,
    difficulties: Mapping[str, Difficulty],
    expectations: Expectations,
    *,
    simulated_studies: int = 1000,
    seed: int = 1,
    on_study_simulated: Callable[[], object] = lambda: None,
) -> StudySize:
    """Simulates a planned study, without and with its effect, and with effects around the detectable one.

    Args:
        study: The study as its file has it.
        difficulties: Difficulty of each problem, as its pack has it.
        expectations: People, problems and the effect.
        simulated_studies: Simulated studies for each effect.
        seed: Of all chance.
        on_study_simulated: Called after each simulated study, `EFFECTS_TRIED` × `simulated_studies` times at most.

    Raises:
        StatisticsError: An expectation can't be, or the study's primary outcome has no test.
    """
    measure = _primary_measure(study)
    if len(study.people_conditions) < 2:
        raise StatisticsError("A difference needs two conditions of people, and the study has fewer.")
    expectations.refuse_impossible(measure)
    planned_design = PlannedDesign(study, difficulties, expectations, measure, seed)

    def rate(effect: float) -> PowerRate:
        return _power_rate(planned_design, effect, simulated_studies, on_study_simulated)

    false_alarms, planned = rate(0.0), rate(expectations.effect)
    tried = tuple(rate(effect) for effect in _effects_around_detectable(planned_design, planned))
    detectable, error = _detectable_effect_and_error(planned_design, (planned, *tried))
    tasks = sum(len(assignment.tasks) for assignment in planned_design.simulated_plan(0).assignments)
    return StudySize(measure, tasks, planned, false_alarms, tried, detectable, error)


EFFECTS_TRIED = 2 + len(_AROUND)


class PlannedDesign:
    """A planned study whose attempts can be drawn."""

    def __init__(
        self,
        study: Study,
        difficulties: Mapping[str, Difficulty],
        expectations: Expectations,
        measure: Measure,
        seed: int,
    ) -> None:
        self.study, self.difficulties, self.expectations = study, difficulties, expectations
        self.measure, self.seed = measure, seed
        names = [condition.name for condition in study.people_conditions]
        baseline = study.analysis.baseline if study.analysis is not None else ""
        self.baseline = baseline if baseline in names else names[0]
        self.others = [name for name in names if name != self.baseline]
        solvers = {condition.name: condition.solver.value for condition in study.people_conditions}
        self.attempts = {name: _empty_observation(study.study, name, solvers[name]) for name in names}

    def simulated_plan(self, study_number: int) -> Plan:
        """The plan of a simulated study: as the real one, with another seed."""
        drawn = self.study.randomisation.model_copy(update={"seed": self.seed * 1_000_003 + study_number})
        return draw_plan(self.study.model_copy(update={"randomisation": drawn}), "0" * 64, self.difficulties)

    def to_latent_effect(self, effect: float) -> float:
        """An effect on the scale on which it adds up."""
        if self.measure is Measure.TIME:
            return math.log1p(effect / 100)
        solved = self.expectations.solved
        return _normal_quantile(solved + effect / 100) - _normal_quantile(solved)

    def from_latent_effect(self, latent_effect: float) -> float | None:
        """The inverse of `to_latent_effect`; None if no study could have it."""
        if self.measure is Measure.TIME:
            percent = 100 * math.expm1(latent_effect)
            return percent if percent >= _LEAST_EFFECT_PERCENT else None
        solved = _normal_probability(_normal_quantile(self.expectations.solved) + latent_effect)
        return 100 * (solved - self.expectations.solved) if 0.005 < solved < 0.995 else None

    def draw_attempts(self, study_number: int, effect: float) -> list[Observation]:
        """The attempts of a simulated study; the same chance for each effect."""
        expected = self.expectations
        plan, random = self.simulated_plan(study_number), np.random.default_rng((self.seed, study_number))
        problems = [task.problem for task in self.study.problems]
        problem_levels = dict(zip(problems, random.normal(0, 1, (len(problems), 2)).tolist(), strict=True))
        cluster_levels = {name: random.normal(0, 1, 2).tolist() for name in self.study.clusters}
        scale = self._latent_scale()
        leave_chance = 1 - (1 - expected.dropout) ** (1 / max(1, len(problems) - 1))
        rows = []
        for assignment in plan.assignments:
            cluster = self.study.cluster_by_participant.get(assignment.participant, "")
            level, slope = random.normal(0, 1, 2).tolist()
            shared_level, shared_slope = cluster_levels.get(cluster, (0.0, 0.0))
            chances = random.normal(0, 1, len(assignment.tasks)).tolist()
            patiences = random.exponential(1, len(assignment.tasks)).tolist()
            leaves = random.random(len(assignment.tasks)).tolist()
            for task, chance, patience, leaving in zip(assignment.tasks, chances, patiences, leaves, strict=True):
                own, own_slope = problem_levels[task.problem]
                deviation = (
                    expected.participant_spread * level
                    + expected.problem_spread * own
                    + expected.cluster_spread * shared_level
                )
                if task.condition != self.baseline:
                    deviation += self.to_latent_effect(effect) * scale
                    deviation += expected.effect_spread * (slope + own_slope + shared_slope)
                rows.append(
                    self._simulated_attempt(
                        assignment.participant, cluster, task.problem, task.condition, deviation, chance, patience
                    )
                )
                if leaving < leave_chance:
                    break
        return rows

    def _latent_scale(self) -> float:
        """Of chances to solve: effects on the share of all are this much larger for one person at one problem."""
        if self.measure is Measure.TIME:
            return 1.0
        expected = self.expectations
        spreads = (
            1.0,
            expected.participant_spread,
            expected.problem_spread,
            expected.cluster_spread if self.study.clusters else 0.0,
        )
        return math.hypot(*spreads)

    def _simulated_attempt(
        self,
        participant: str,
        cluster: str,
        problem: str,
        condition: str,
        latent_level: float,
        random_deviation: float,
        unit_patience: float,
    ) -> Observation:
        expected = self.expectations
        limit_s = self.study.time_limit_s(problem)
        if self.measure is Measure.TIME:
            needed = expected.median_minutes * math.exp(latent_level + expected.noise * random_deviation)
            patient = unit_patience * 60 / expected.give_ups_per_hour if expected.give_ups_per_hour else math.inf
            ended = min(needed, patient, math.inf if limit_s is None else limit_s / 60)
            passed = ended == needed
        else:
            ended = 1.0
            passed = _normal_quantile(expected.solved) * self._latent_scale() + latent_level + random_deviation > 0
        return self.attempts[condition].model_copy(
            update={
                "participant": participant,
                "cluster": cluster,
                "problem": problem,
                "family": problem,
                "time_s": 60 * ended,
                "limit_s": limit_s,
                "passed": passed,
                "censored_by": "" if passed else "gave_up",
            }
        )

    def primary_estimates(self, rows: Sequence[Observation]) -> dict[str, CrossedEstimate]:
        """Each other condition against the baseline, as a report's primary analysis has it; of those that have one."""
        by_condition = {name: [row for row in rows if row.condition == name] for name in (self.baseline, *self.others)}
        by_condition = {name: found for name, found in by_condition.items() if found}
        estimates: dict[str, CrossedEstimate] = {}
        limit = comparison_limit(by_condition).minutes if self.measure is Measure.TIME and by_condition else 0.0
        for name in self.others:
            if self.baseline not in by_condition or name not in by_condition:
                continue
            first, second = by_condition[self.baseline], by_condition[name]
            if self.measure is Measure.SOLVED:
                difference = solved_difference(first, second)
            else:
                try:
                    difference = time_difference([*first, *second], name, limit)
                except StatisticsError:
                    difference = None
            if difference is not None:
                estimates[name] = difference
        return estimates


def _primary_measure(study: Study) -> Measure:
    measure = study.analysis.primary if study.analysis is not None else Measure.SOLVED
    if measure is Measure.SCORE:
        raise StatisticsError(
            "No test compares scores. Write `analysis: {primary: time}` or solved into the study file."
        )
    return measure


def _precision_rate(
    planned_design: PlannedDesign, people: int, simulated_studies: int, on_study_simulated: Callable[[], object]
) -> PrecisionRate:
    measure, reaches, held, reason = planned_design.measure, [], 0, ""
    for number in range(simulated_studies):
        estimate = _outcome_estimate(planned_design.draw_attempts(number, 0.0), measure)
        if estimate is not None and estimate.low is not None and estimate.high is not None:
            reaches.append((estimate.high - estimate.low) / 2)
            held += estimate.low <= planned_design.expectations.solved <= estimate.high
        elif estimate is not None:
            reason = estimate.note
        on_study_simulated()
    percent_factor = 100 if measure is Measure.SOLVED else 1
    tasks = sum(len(assignment.tasks) for assignment in planned_design.simulated_plan(0).assignments)
    return PrecisionRate(
        people,
        tasks,
        simulated_studies,
        simulated_studies - len(reaches),
        percent_factor * float(np.mean(reaches)) if reaches else None,
        held if measure is Measure.SOLVED else None,
        reason,
    )


def _outcome_estimate(rows: Sequence[Observation], measure: Measure) -> CrossedEstimate | None:
    """Share solved, or mean minutes up to the limit, as a report has it."""
    cells = Dataset.crossed_cells(rows)
    if measure is Measure.SOLVED:
        return crossed_share([row.passed for row in rows], cells)
    limit = comparison_limit({rows[0].condition: rows}).minutes
    try:
        return restricted_mean(minutes_of(rows), pass_flags_of(rows), limit, cells)
    except StatisticsError:
        return None


def _power_rate(
    planned_design: PlannedDesign, effect: float, simulated_studies: int, on_study_simulated: Callable[[], object]
) -> PowerRate:
    found = without = 0
    ratios = []
    for number in range(simulated_studies):
        estimates = planned_design.primary_estimates(planned_design.draw_attempts(number, effect))
        p_values = {name: estimate.p_value for name, estimate in estimates.items() if estimate.p_value is not None}
        name = planned_design.others[0]
        if name in p_values:
            # Among all conditions that are compared, as in the report; of one test, Holm's p is its own.
            p = holm_tests(p_values)[name].adjusted if len(p_values) > 1 else p_values[name]
            found += p < _LEVEL
            ratios.append(estimates[name].value / (estimates[name].standard_error or math.inf))
        else:
            without += 1
        on_study_simulated()
    return PowerRate(effect, simulated_studies, found, without, float(np.mean(ratios)) if ratios else 0.0)


def _effects_around_detectable(planned_design: PlannedDesign, planned_rate: PowerRate) -> list[float]:
    """Effects near the one with a power of 80 %, by how many standard errors the planned one is away from none."""
    if abs(planned_rate.ratio) < 0.1:
        return []
    guess = (
        planned_design.to_latent_effect(planned_rate.effect)
        * (_normal_quantile(0.975) + _normal_quantile(POWER))
        / abs(planned_rate.ratio)
    )
    effects = [planned_design.from_latent_effect(multiple * guess) for multiple in _AROUND]
    return [effect for effect in effects if effect is not None]


def _detectable_effect_and_error(
    planned_design: PlannedDesign, rates: Sequence[PowerRate]
) -> tuple[float | None, float | None]:
    """The effect with a power of 80 %, on a line through the normal quantiles of the powers, and its standard error."""
    usable = [rate for rate in rates if 0.1 < rate.power < 0.995]
    if len(usable) < 2:
        return None, None
    strengths = np.array([abs(planned_design.to_latent_effect(rate.effect)) for rate in usable])
    quantiles = np.array([_normal_quantile(rate.power) for rate in usable])
    density = np.exp(-(quantiles**2) / 2) / math.sqrt(2 * math.pi)
    weights = density / np.array([rate.error for rate in usable])
    columns = np.column_stack([np.ones(len(usable)), strengths]) * weights[:, None]
    inverse = np.linalg.pinv(columns.T @ columns)
    intercept, slope = (inverse @ columns.T @ (quantiles * weights)).tolist()
    if slope <= 0:
        return None, None
    strength = (_normal_quantile(POWER) - intercept) / slope
    gradient = np.array([-1 / slope, -strength / slope])
    error = math.sqrt(float(gradient @ inverse @ gradient))
    sign = math.copysign(1.0, planned_design.to_latent_effect(usable[0].effect))
    effect, further = (
        planned_design.from_latent_effect(sign * strength),
        planned_design.from_latent_effect(sign * (strength + error)),
    )
    return effect, None if effect is None or further is None else abs(further - effect)


def _empty_observation(study: str, condition: str, solver: str) -> Observation:
    """An attempt in which nothing happened."""
    empty: Mapping[object, object] = {str: "", int: 0, float: 0.0, bool: False}
    values = {name: empty.get(field.annotation) for name, field in Observation.model_fields.items()}
    identity = {"study": study, "condition": condition, "solver": solver, "assigned_solver": solver}
    return Observation.model_validate(values | identity | {"censored_by": "", "time_source": TimeSource.CLOCK.value})


def _normal_quantile(probability: float) -> float:
    from scipy import special

    return float(special.ndtri(probability))


def _normal_probability(quantile: float) -> float:
    from scipy import special

    return float(special.ndtr(quantile))
