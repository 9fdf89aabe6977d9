"""Simulated studies with known effects: intervals hold the truth as often as they promise.

500 studies with --nightly, 50 otherwise. How many of them may miss is itself a matter of chance: a count of hits passes
if it lies within the central 99.9 % of the binomial distribution at the nominal rate, or above, where a method is known
to be conservative. With `-rP`, pytest shows the rates as the table of `docs/reference/statistics.md` has them.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from benchwright_analysis.statistics.bootstrap import clustered_mean
from benchwright_analysis.statistics.calibration import time_calibration
from benchwright_analysis.statistics.condition_effects import condition_effects
from benchwright_analysis.statistics.errors import StatisticsError
from benchwright_analysis.statistics.horizon import human_time_horizon
from benchwright_analysis.statistics.paired import mcnemar
from benchwright_analysis.statistics.pass_at_k import mean_pass_at_k
from benchwright_analysis.statistics.restricted_mean import restricted_mean, restricted_mean_difference
from benchwright_analysis.statistics.simulation import StudyPlan, simulate
from benchwright_analysis.statistics.success import success_rate
from benchwright_analysis.statistics.survival import kaplan_meier, log_rank

PLAN = StudyPlan()
RESAMPLES = 300


@pytest.fixture
def studies(nightly: bool) -> int:
    return 500 if nightly else 50


def holds(low: float | None, high: float | None, truth: float) -> bool:
    return (low is None or low <= truth) and (high is None or truth <= high)


def demand(what: str, hits: int, studies: int, *, conservative: bool = False) -> None:
    print(f"| {what} | {100 * hits / studies:.1f} % |")
    low, high = (float(stats.binom.ppf(tail, studies, 0.95)) for tail in (0.0005, 0.9995))
    assert low <= hits <= (studies if conservative else high), f"{hits} of {studies}"


def count(studies: int, one: Callable[[np.random.Generator, int], bool]) -> int:
    return sum(one(np.random.default_rng([11, study]), study) for study in range(studies))


def test_a_study_is_drawn_as_planned() -> None:
    plan = replace(PLAN, limit_minutes=45, give_ups_per_hour=1)
    attempts = simulate(plan, np.random.default_rng(1))
    assert attempts == simulate(plan, np.random.default_rng(1))
    assert len(attempts) == 30 * 12 and len({one.participant for one in attempts}) == 30
    assert all(one.passed + one.gave_up + one.timed_out == 1 for one in attempts)
    assert all(one.minutes <= 45 for one in attempts)
    assert any(one.gave_up for one in attempts) and any(one.timed_out for one in attempts)
    for participant in ("p01", "p30"):
        mine = [one.condition for one in attempts if one.participant == participant]
        assert len(mine) == 12 and 4 <= mine.count("human") <= 8
    with pytest.raises(StatisticsError, match="at least one participant"):
        simulate(replace(PLAN, participants=0), np.random.default_rng(1))
    with pytest.raises(StatisticsError, match="more than -100 percent"):
        simulate(replace(PLAN, effect_percent=-100), np.random.default_rng(1))


def test_condition_effects_are_recovered(studies: int) -> None:
    """The clustered interval where the effect differs between people, HC3's where all are alike."""
    varied = replace(PLAN, effect_spread=0.25)
    alike = replace(PLAN, participant_spread=0)

    def effect(plan: StudyPlan, random: np.random.Generator, clustered: bool) -> bool:
        attempts = simulate(plan, random)
        found = condition_effects(
            [one.minutes for one in attempts],
            [one.condition for one in attempts],
            "human",
            forecasts=[one.forecast_minutes for one in attempts],
            participants=[one.participant for one in attempts],
        ).effects[0]
        bounds = found.clustered if clustered else found.hc3
        assert bounds is not None
        return holds(bounds.low, bounds.high, -20)

    clustered = count(studies, lambda random, _: effect(varied, random, True))
    demand("effect of a condition, clustered by participant", clustered, studies)
    hc3 = count(studies, lambda random, _: effect(alike, random, False))
    demand("the same by HC3, people alike", hc3, studies)


def test_censored_times_are_recovered(studies: int) -> None:
    """Of exponential times with a mean of 20 under independent give-ups: survival, median, and mean up to 30."""
    hits = dict.fromkeys(("median time (Kaplan-Meier)", "share not solved by 10 minutes", "restricted mean"), 0)
    for study in range(studies):
        random = np.random.default_rng([12, study])
        needed, patience = random.exponential(20, 80), np.minimum(random.exponential(60, 80), 45)
        times, passed = np.minimum(needed, patience), needed <= patience
        curve = kaplan_meier(times, passed)
        hits["median time (Kaplan-Meier)"] += holds(curve.median.low, curve.median.high, 20 * math.log(2))
        place = int(np.searchsorted(curve.times, 10, side="right")) - 1
        hits["share not solved by 10 minutes"] += holds(curve.low[place], curve.high[place], math.exp(-0.5))
        mean = restricted_mean(times, passed, 30)
        hits["restricted mean"] += holds(mean.low, mean.high, 20 * (1 - math.exp(-1.5)))
    for what, each in hits.items():
        demand(what, each, studies)


def test_a_log_rank_test_raises_false_alarms_at_its_level(studies: int) -> None:
    def quiet(random: np.random.Generator, _: int) -> bool:
        needed, patience = random.exponential(20, 60), random.exponential(60, 60)
        conditions = np.arange(60) % 3
        return log_rank(np.minimum(needed, patience), needed <= patience, conditions.tolist()).p_value >= 0.05

    demand("log-rank of three equal groups: no alarm", count(studies, quiet), studies)


def test_the_difference_of_restricted_means_within_people_is_recovered(studies: int) -> None:
    """Expected minutes of a lognormal time stopped at 40, over all that varies."""
    plan = replace(PLAN, families=1, problems_per_family=2, problem_spread=0, difficulty_ratio=1, limit_minutes=40)
    spread = math.hypot(plan.participant_spread, plan.noise)

    def stopped(shift: float) -> float:
        middle = math.log(20) + shift
        grid = np.linspace(0, 40, 4001)[1:]
        return float(40 / 4000 * stats.norm.sf((np.log(grid - 0.005) - middle) / spread).sum())

    truth = stopped(math.log(0.8)) - stopped(0)

    def difference(random: np.random.Generator, study: int) -> bool:
        attempts = simulate(plan, random)
        found = restricted_mean_difference(
            [one.minutes for one in attempts],
            [one.passed for one in attempts],
            [one.condition for one in attempts],
            "human",
            40,
            clusters=[one.participant for one in attempts],
            seed=study,
            resamples=RESAMPLES,
        ).difference
        return holds(found.low, found.high, truth)

    demand("difference of restricted means within people", count(studies, difference), studies)


@pytest.mark.parametrize(("spread", "told"), [(1, "differ"), (0, "alike")])
def test_a_horizon_is_recovered(studies: int, spread: float, told: str) -> None:
    """Success falls by 0.8 in log odds with each doubling and is one half at 32 minutes.

    The bootstrap counts chance at every level, so it may hold the truth more often than it promises.
    """
    problems = np.repeat(np.arange(40), 5)
    minutes = np.geomspace(1, 480, 40)[problems]
    families = (problems % 20).tolist()

    def horizon(random: np.random.Generator, study: int) -> bool:
        ease = random.normal(0, spread, 20)[problems % 20] + random.normal(0, spread / 2, 40)[problems]
        passed = random.random(len(minutes)) < 1 / (1 + np.exp(0.8 * (np.log2(minutes) - 5) - ease))
        found = human_time_horizon(minutes, passed, problems.tolist(), families, seed=study, resamples=RESAMPLES)
        half = found.horizons[0]
        return holds(half.low, half.high, 32)

    demand(f"horizon at 50 %, families of problems {told}", count(studies, horizon), studies, conservative=True)


def test_rates_and_means_are_recovered(studies: int) -> None:
    hits: Counter[str] = Counter()
    for study in range(studies):
        random = np.random.default_rng([13, study])
        found = success_rate(random.random(60) < 0.7)
        hits["success rate (Wilson)"] += holds(found.low, found.high, 0.7)
        rates = random.beta(2, 2, 100)
        unbiased = mean_pass_at_k([10] * 100, random.binomial(10, rates).tolist(), 3, seed=study, resamples=RESAMPLES)
        # E(1 - (1-p)^3) of Beta(2, 2): 1 - (2 * 3 * 4) / (4 * 5 * 6).
        hits["pass@3"] += holds(unbiased.unbiased.low, unbiased.unbiased.high, 0.8)
        people = np.repeat(np.arange(60), 4)
        scores = random.normal(0.5, 0.2, 60)[people] + random.normal(0, 0.1, 240)
        mean = clustered_mean(scores, people.tolist(), seed=study, resamples=RESAMPLES)
        hits["mean of clustered scores"] += holds(mean.low, mean.high, 0.5)
        times = random.lognormal(3, 0.5, 60)
        forecast = time_calibration(
            times / random.lognormal(math.log(1.5), 0.4, 60), times, seed=study, resamples=RESAMPLES
        )
        hits["ratio of time to forecast"] += holds(forecast.ratio.low, forecast.ratio.high, 1.5)
        # Two solvers of equal strength on problems of different difficulty.
        ease = random.random(200)
        hits["McNemar of two equals: no alarm"] += (
            mcnemar(random.random(200) < ease, random.random(200) < ease).p_value >= 0.05
        )
    for what, each in hits.items():
        demand(what, each, studies)
