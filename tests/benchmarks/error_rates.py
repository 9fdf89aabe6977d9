"""Rates at which the report's intervals hold the truth, and its tests raise false alarms, on simulated studies.

    nice .venv/bin/python -m tests.benchmarks.error_rates [STUDIES [PROCESSES]] > docs/reference/error-rates.md

In a study within persons everybody works under both conditions, in one between persons under one; both are assigned as
`benchwright_studies.plan.assignment` does. Times are lognormal with effects of participants and problems. Three in ten
attempts or more end without a pass, at the limit or given up, and people give up and leave more often under the second
condition. `tests/unit/baselines/analysis/test_error_rates.py` draws the same.
"""

from __future__ import annotations

import math
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple
from unittest.mock import patch

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from benchwright_analysis.statistics.crossed import CrossedEstimate, crossed_difference, crossed_share
from benchwright_analysis.statistics.crossed_design import CrossedCells, CrossedDesign, VarianceModel
from benchwright_analysis.statistics.errors import StatisticsError
from benchwright_analysis.statistics.restricted_mean import (
    geometric_mean_time_change,
    restricted_mean,
    restricted_mean_difference,
)
from benchwright_analysis.statistics.survival import kaplan_meier

from .error_rates_text import CONCLUSION, INTRODUCTION, LIMITS

Numbers = NDArray[np.float64]

STUDIES = 2000
SEED = 40
"""Of the page; methods were chosen with others."""
TOLERATED = (0.035, 0.065)
FEWEST_BETWEEN = 6
PEOPLE, PROBLEMS, NOISE = 0.4, 0.5, 0.45
"""Standard deviations of log time between participants, between problems, and within both."""
MEDIAN, LIMIT = 20.0, 28.0
"""Minutes. Three in ten attempts of the first condition reach the limit or are given up."""
GIVE_UPS = (0.1, 0.3)
"""Per hour, by condition."""
LEAVES = (0.02, 0.06)
"""The chance that somebody is gone after an attempt, by condition."""
MOMENT = 15.0
"""Minutes at which the curve is looked at."""
SOLVED, MINUTES, CHANGE = "share solved", "mean minutes", "change of time"
DIFFERENCES = (SOLVED, MINUTES, CHANGE)
SINGLE = ("share solved, one condition", "restricted mean", "share not solved by 15 minutes", "median")
NO_EFFECT, A_THIRD = 0.0, math.log(2 / 3)


class Size(NamedTuple):
    """Of a study."""

    participants: int
    problems: int

    def __str__(self) -> str:
        return f"{self.participants} × {self.problems}"


SIZES = tuple(
    Size(*dimensions)
    for dimensions in ((5, 4), (5, 12), (5, 40), (8, 6), (12, 8), (20, 4), (20, 12), (30, 12), (40, 8), (60, 6))
)
LARGEST = Size(60, 40)
LIMITED = (Size(8, 6), Size(20, 12), Size(60, 6))
OTHER_LIMITS = (15.0, 60.0)
"""Minutes. Three quarters of attempts in the first condition do not pass within one, one in ten within the other."""


@dataclass(frozen=True)
class Plan:
    """Parameters of a simulated study."""

    size: Size
    is_within: bool = True
    effect: float = NO_EFFECT
    """Of the second condition on the mean logarithm of time."""
    varies: float = 0.0
    """Standard deviation of the effect between participants, and as much between problems."""
    limit: float = LIMIT
    """Minutes."""


@dataclass(frozen=True)
class StudySample:
    """Attempts of a study, by row."""

    participant: NDArray[np.intp]
    problem_indexes: NDArray[np.intp]
    second_condition: Numbers
    minutes: Numbers
    passed_flags: NDArray[np.bool_]

    @property
    def cells(self) -> CrossedCells:
        return CrossedCells(self.participant.tolist(), self.problem_indexes.tolist())


@dataclass(frozen=True)
class Truth:
    """True values of the estimates, by condition."""

    mean: tuple[float, float]
    log_mean: tuple[float, float]
    solved_shares: tuple[float, float]
    median: float
    unsolved: float


def assigned(plan: Plan, random: np.random.Generator) -> tuple[Numbers, NDArray[np.intp]]:
    """Condition of each cell, and each participant's order of the problems; pairs share an order."""
    people, problems = plan.size
    second_condition, orders = np.zeros((people, problems)), np.zeros((people, problems), dtype=np.intp)
    for pair_index in range((people + 1) // 2):
        order, first_condition = random.permutation(problems), int(random.integers(2))
        for member_index in (0, 1):
            person = 2 * pair_index + member_index
            if person < people:
                orders[person] = order
                second_condition[person, order] = (
                    (np.arange(problems) + first_condition + member_index) % 2
                    if plan.is_within
                    else (first_condition + member_index) % 2
                )
    return second_condition, orders


def draw(plan: Plan, random: np.random.Generator) -> StudySample:
    """One study."""
    people, problems = plan.size
    second_condition, orders = assigned(plan, random)
    level = random.normal(0, PEOPLE, (people, 1)) + random.normal(0, PROBLEMS, (1, problems))
    slope = random.normal(0, plan.varies, (people, 1)) + random.normal(0, plan.varies, (1, problems))
    logs = (
        math.log(MEDIAN)
        + level
        + second_condition * (plan.effect + slope)
        + random.normal(0, NOISE, (people, problems))
    )
    durations, condition_index = np.exp(logs), second_condition.astype(int)
    patience = random.exponential(60 / np.array(GIVE_UPS)[condition_index])
    leaves = random.random((people, problems)) < np.array(LEAVES)[condition_index]
    ranks = np.argsort(orders, axis=1)
    last = np.where(leaves, ranks, problems).min(axis=1, keepdims=True)
    person_rows, problem_columns = np.nonzero(ranks <= last)
    ended = np.minimum(np.minimum(durations, patience), plan.limit)
    return StudySample(
        person_rows,
        problem_columns,
        second_condition[person_rows, problem_columns],
        ended[person_rows, problem_columns],
        (ended == durations)[person_rows, problem_columns],
    )


def truth(plan: Plan, random: np.random.Generator, draws: int = 100_000) -> Truth:
    """By drawing attempts of as many people at as many problems."""
    spread = math.sqrt(PEOPLE**2 + PROBLEMS**2 + NOISE**2)
    duration_samples = []
    for condition_index in (0, 1):
        wide = math.hypot(spread, condition_index * math.sqrt(2) * plan.varies)
        # Quantiles, not draws: the error is that of a sum over a grid.
        grid = stats.norm.ppf((np.arange(draws) + 0.5) / draws)
        durations = np.exp(math.log(MEDIAN) + condition_index * plan.effect + wide * grid)
        patience = random.exponential(60 / GIVE_UPS[condition_index], draws)
        stopped = np.minimum(durations, plan.limit)
        passed_flags = (durations <= patience) & (durations <= plan.limit)
        duration_samples.append((durations, stopped, passed_flags))
    means = tuple(float(stopped.mean()) for _, stopped, _ in duration_samples)
    log_means = tuple(float(np.log(stopped).mean()) for _, stopped, _ in duration_samples)
    solved_shares = tuple(float(passed.mean()) for *_, passed in duration_samples)
    durations, *_ = duration_samples[0]
    return Truth(
        mean=(means[0], means[1]),
        log_mean=(log_means[0], log_means[1]),
        solved_shares=(solved_shares[0], solved_shares[1]),
        median=MEDIAN,
        unsolved=float((durations > MOMENT).mean()),
    )


def holds(low: float | None, high: float | None, value: float) -> bool:
    return (low is None or low <= value) and (high is None or value <= high)


class Outcome(NamedTuple):
    """Of one interval in one study."""

    name: str
    holds: bool
    alarm: bool | None = None
    """True if the test says that there is an effect; `None` for one condition."""


def outcomes(study: StudySample, true: Truth, limit: float, *, one_condition: bool) -> Iterator[Outcome]:
    """Outcomes that the report would state of a study, with the first condition by itself or without."""
    solved_values = study.passed_flags.astype(float)
    study_columns = (study.minutes, study.passed_flags, study.second_condition, limit, study.cells)
    shifts = {
        SOLVED: (crossed_difference(solved_values, study.second_condition, study.cells), _gap(true.solved_shares)),
        MINUTES: (restricted_mean_difference(*study_columns), _gap(true.mean)),
        CHANGE: (geometric_mean_time_change(*study_columns), math.expm1(_gap(true.log_mean))),
    }
    for name, (difference, value) in shifts.items():
        if difference.low is not None:
            yield Outcome(
                name,
                holds(difference.low, difference.high, value),
                difference.p_value is not None and difference.p_value < 0.05,
            )
    if not one_condition:
        return
    first = study.second_condition == 0
    cells, minutes, passed = study.cells.select_rows(first), study.minutes[first], study.passed_flags[first]
    share = crossed_share(passed, cells)
    mean = restricted_mean(minutes, passed, limit, cells)
    curve = kaplan_meier(minutes, passed, cells)
    yield from _single_outcome("share solved, one condition", share, true.solved_shares[0])
    yield from _single_outcome("restricted mean", mean, true.mean[0])
    if curve.low is not None and curve.high is not None:
        index = max(int(np.searchsorted(curve.times, MOMENT, side="right")) - 1, 0)
        yield Outcome("share not solved by 15 minutes", holds(curve.low[index], curve.high[index], true.unsolved))
        yield Outcome("median", holds(curve.median.low, curve.median.high, true.median))


def _single_outcome(name: str, estimate: CrossedEstimate, value: float) -> Iterator[Outcome]:
    if estimate.low is not None:
        yield Outcome(name, holds(estimate.low, estimate.high, value))


def _gap(condition_values: tuple[float, float]) -> float:
    return condition_values[1] - condition_values[0]


@dataclass(frozen=True)
class Rate:
    """Of many studies."""

    coverage: float
    alarmed: float | None
    printed_count: int
    """In how many studies the report gives the interval."""


@contextmanager
def one_model() -> Iterator[dict[str, tuple[Numbers, VarianceModel]]]:
    """Comparisons share what depends only on who tried what, which is most of the work, until it is cleared."""
    cached: dict[str, tuple[Numbers, VarianceModel]] = {}
    real = CrossedDesign.residual_treatment_and_variance_model

    def once(
        design: CrossedDesign, treated: Numbers, covariates: Sequence[Numbers], is_within: bool
    ) -> tuple[Numbers, VarianceModel]:
        if not cached:
            cached["study"] = real(design, treated, covariates, is_within)
        return cached["study"]

    with patch.object(CrossedDesign, "residual_treatment_and_variance_model", once):
        yield cached


def rates(plan: Plan, studies: int, seed: int, *, one_condition: bool = False) -> dict[str, Rate]:
    """Draws studies and counts."""
    true = truth(plan, np.random.default_rng([seed, 0]))
    outcomes_by_name: dict[str, list[Outcome]] = defaultdict(list)
    with one_model() as model:
        for number in range(studies):
            model.clear()
            study = draw(plan, np.random.default_rng([seed, 1, number]))
            with suppress(StatisticsError):
                for outcome in outcomes(study, true, plan.limit, one_condition=one_condition):
                    outcomes_by_name[outcome.name].append(outcome)
    return {
        name: Rate(
            sum(outcome.holds for outcome in drawn_outcomes) / len(drawn_outcomes),
            sum(bool(outcome.alarm) for outcome in drawn_outcomes) / len(drawn_outcomes)
            if drawn_outcomes[0].alarm is not None
            else None,
            len(drawn_outcomes),
        )
        for name, drawn_outcomes in outcomes_by_name.items()
    }


SCENARIOS = {
    "none": (NO_EFFECT, 0.0),
    "a third": (A_THIRD, 0.0),
    "a third, varying": (A_THIRD, 0.15),
}


def table(*, is_within: bool, studies: int, pool: Executor) -> Iterator[str]:
    """Of one design, a row for each size."""
    sizes = [size for size in (*SIZES, LARGEST) if is_within or size.participants >= FEWEST_BETWEEN]
    columns = ("size", *SCENARIOS, "power")
    yield f"| {' | '.join(columns)} |"
    yield "| --- " * len(columns) + "|"
    yield from pool.map(partial(row, is_within=is_within, studies=studies), sizes)


def row(size: Size, *, is_within: bool, studies: int) -> str:
    """Of one size."""
    scenario_rates = {
        name: rates(Plan(size, is_within, effect, varies), studies, SEED)
        for name, (effect, varies) in SCENARIOS.items()
    }
    missed = [
        " ".join(
            marked(1 - scenario[difference].coverage, scenario[difference].printed_count) for difference in DIFFERENCES
        )
        for scenario in scenario_rates.values()
    ]
    power = " ".join(f"{100 * (scenario_rates['a third'][difference].alarmed or 0):.0f}" for difference in DIFFERENCES)
    line = f"| {' | '.join([str(size), *missed, power])} |"
    print(line, file=sys.stderr, flush=True)
    return line


def single_table(studies: int, pool: Executor) -> Iterator[str]:
    """Rates at which intervals of one condition hold the truth, within persons: each has half of the attempts."""
    yield f"| size | {' | '.join(SINGLE)} |"
    yield "| --- " * (1 + len(SINGLE)) + "|"
    yield from pool.map(partial(single_row, studies=studies), SIZES)


def single_row(size: Size, *, studies: int) -> str:
    """Of one size."""
    single_rates = rates(Plan(size), studies, SEED, one_condition=True)
    cells = [marked(1 - single_rates[name].coverage, single_rates[name].printed_count) for name in SINGLE]
    return f"| {size} | {' | '.join(cells)} |"


def other_limits(studies: int, pool: Executor) -> Iterator[str]:
    """Rates where most reach the limit, or few."""
    headings = ("limit", "size", "none", "a third, varying", "restricted mean")
    yield f"| {' | '.join(headings)} |"
    yield "| --- " * len(headings) + "|"
    limits_and_sizes = [(limit, size) for limit in OTHER_LIMITS for size in LIMITED]
    yield from pool.map(partial(limited_row, studies=studies), *zip(*limits_and_sizes, strict=True))


def limited_row(limit: float, size: Size, *, studies: int) -> str:
    """Of one limit and size."""
    quiet = rates(Plan(size, limit=limit), studies, SEED, one_condition=True)
    varying = rates(Plan(size, True, A_THIRD, 0.15, limit), studies, SEED)
    cells = [
        " ".join(
            marked(1 - scenario[difference].coverage, scenario[difference].printed_count) for difference in DIFFERENCES
        )
        for scenario in (quiet, varying)
    ]
    mean = quiet["restricted mean"]
    return f"| {limit:g} | {size} | {' | '.join(cells)} | {marked(1 - mean.coverage, mean.printed_count)} |"


def marked(missed: float, studies: int) -> str:
    """In percent; in bold where chance alone does not explain that it is outside what is tolerated (1 %)."""
    percent, count = f"{100 * missed:.1f}", round(missed * studies)
    low, high = stats.binom.cdf(count, studies, TOLERATED[0]), stats.binom.sf(count - 1, studies, TOLERATED[1])
    return f"**{percent}**" if min(low, high) < 0.01 else percent


def page(studies: int, pool: Executor) -> str:
    """The reference page."""
    return "\n".join(
        [
            INTRODUCTION.format(
                studies=studies,
                people=PEOPLE,
                problems=PROBLEMS,
                noise=NOISE,
                median=MEDIAN,
                limit=LIMIT,
                least=100 * stats.binom.ppf(0.025, studies, 0.05) / studies,
                most=100 * stats.binom.ppf(0.975, studies, 0.05) / studies,
            ),
            "## Within persons",
            "",
            *table(is_within=True, studies=studies, pool=pool),
            "",
            "## Between persons",
            "",
            *table(is_within=False, studies=studies, pool=pool),
            "",
            "## One condition",
            "",
            "How often the 95 % interval misses the truth, in percent of studies within persons; bold as above.",
            "",
            *single_table(studies, pool),
            "",
            "## Other limits",
            "",
            LIMITS,
            "",
            *other_limits(studies, pool),
            "",
            CONCLUSION,
        ]
    )


def main() -> None:
    """Writes the page to the standard output."""
    studies, processes = (*(int(argument) for argument in sys.argv[1:]), *(STUDIES, 2)[len(sys.argv) - 1 :])
    with ProcessPoolExecutor(processes) as pool:
        print(page(studies, pool), end="")


if __name__ == "__main__":
    main()
