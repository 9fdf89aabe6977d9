"""Simulated studies with known effects: intervals hold the truth as often as they promise.

500 studies with --nightly, 50 otherwise. How many of them may miss is itself a matter of chance: a count of hits passes
if it lies within the central 99.9 % of the binomial distribution at the nominal rate, or above, where a method is known
to be conservative. With `-rP`, pytest shows the rates as the table of `docs/reference/statistics.md` has them.
Comparisons of conditions are in `test_error_rates.py`.
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
from benchwright_analysis.statistics.crossed import crossed_share
from benchwright_analysis.statistics.crossed_design import CrossedCells
from benchwright_analysis.statistics.errors import StatisticsError
from benchwright_analysis.statistics.horizon import human_time_horizon
from benchwright_analysis.statistics.pass_at_k import mean_pass_at_k
from benchwright_analysis.statistics.simulation import SimulatedStudyPlan, simulate_study

PLAN = SimulatedStudyPlan()
RESAMPLES = 300


@pytest.fixture
def studies(nightly: bool) -> int:
    return 500 if nightly else 50


def interval_covers(low: float | None, high: float | None, truth: float) -> bool:
    return (low is None or low <= truth) and (high is None or truth <= high)


def require_coverage(quantity: str, hits: int, studies: int, *, conservative: bool = False) -> None:
    print(f"| {quantity} | {100 * hits / studies:.1f} % |")
    low, high = (float(stats.binom.ppf(tail, studies, 0.95)) for tail in (0.0005, 0.9995))
    assert low <= hits <= (studies if conservative else high), f"{hits} of {studies}"


def count_covered_studies(studies: int, is_covered: Callable[[np.random.Generator, int], bool]) -> int:
    return sum(is_covered(np.random.default_rng([11, study]), study) for study in range(studies))


def test_a_study_is_drawn_as_planned() -> None:
    plan = replace(PLAN, limit_minutes=45, give_ups_per_hour=1)
    attempts = simulate_study(plan, np.random.default_rng(1))
    assert attempts == simulate_study(plan, np.random.default_rng(1))
    assert len(attempts) == 30 * 12 and len({attempt.participant for attempt in attempts}) == 30
    assert all(attempt.has_passed + attempt.gave_up + attempt.timed_out == 1 for attempt in attempts)
    assert all(attempt.minutes <= 45 for attempt in attempts)
    assert any(attempt.gave_up for attempt in attempts) and any(attempt.timed_out for attempt in attempts)
    for participant in ("p01", "p30"):
        conditions = [attempt.condition for attempt in attempts if attempt.participant == participant]
        assert len(conditions) == 12 and 4 <= conditions.count("human") <= 8
    with pytest.raises(StatisticsError, match="at least one participant"):
        simulate_study(replace(PLAN, participants=0), np.random.default_rng(1))
    with pytest.raises(StatisticsError, match="more than -100 percent"):
        simulate_study(replace(PLAN, effect_percent=-100), np.random.default_rng(1))


def test_condition_effects_are_recovered(studies: int) -> None:
    """The clustered interval where the effect differs between people, HC3's where all are alike."""
    varied = replace(PLAN, effect_spread=0.25)
    uniform_plan = replace(PLAN, participant_spread=0)

    def effect(plan: SimulatedStudyPlan, random: np.random.Generator, clustered: bool) -> bool:
        attempts = simulate_study(plan, random)
        condition_effect = condition_effects(
            [attempt.minutes for attempt in attempts],
            [attempt.condition for attempt in attempts],
            "human",
            forecasts=[attempt.forecast_minutes for attempt in attempts],
            participants=[attempt.participant for attempt in attempts],
        ).effects[0]
        bounds = condition_effect.clustered if clustered else condition_effect.hc3
        assert bounds is not None
        return interval_covers(bounds.low, bounds.high, -20)

    clustered = count_covered_studies(studies, lambda random, _: effect(varied, random, True))
    require_coverage("effect of a condition, clustered by participant", clustered, studies)
    hc3 = count_covered_studies(studies, lambda random, _: effect(uniform_plan, random, False))
    require_coverage("the same by HC3, people alike", hc3, studies)


@pytest.mark.parametrize(("spread", "description"), [(1, "differ"), (0, "alike")])
def test_a_horizon_is_recovered(studies: int, spread: float, description: str) -> None:
    """Success falls by 0.8 in log odds with each doubling and is one half at 32 minutes.

    The bootstrap counts chance at every level, so it may hold the truth more often than it promises.
    """
    problems = np.repeat(np.arange(40), 5)
    minutes = np.geomspace(1, 480, 40)[problems]
    families = (problems % 20).tolist()

    def horizon(random: np.random.Generator, study: int) -> bool:
        ease = random.normal(0, spread, 20)[problems % 20] + random.normal(0, spread / 2, 40)[problems]
        passed_flags = random.random(len(minutes)) < 1 / (1 + np.exp(0.8 * (np.log2(minutes) - 5) - ease))
        horizon_fit = human_time_horizon(
            minutes, passed_flags, problems.tolist(), families, seed=study, resamples=RESAMPLES
        )
        half = horizon_fit.horizons[0]
        return interval_covers(half.low, half.high, 32)

    require_coverage(
        f"horizon at 50 %, families of problems {description}",
        count_covered_studies(studies, horizon),
        studies,
        conservative=True,
    )


def test_a_share_that_a_model_solved_is_recovered() -> None:
    """Counted over every number of successes, since 60 yes or no answers allow just 61 intervals.

    A rate at which a single one of them begins to hold the truth makes the coverage jump by several percent.
    """
    cells = CrossedCells([None] * 60, list(range(60)))
    shares = [crossed_share(np.arange(60) < success_count, cells) for success_count in range(61)]
    rates = np.linspace(0.2, 0.8, 121)
    coverages = [
        sum(
            stats.binom.pmf(success_count, 60, rate)
            for success_count, share in enumerate(shares)
            if interval_covers(share.low, share.high, rate)
        )
        for rate in rates
    ]
    assert min(coverages) > 0.93
    assert np.mean(coverages) == pytest.approx(0.955, abs=0.005)


def test_rates_and_means_are_recovered(studies: int) -> None:
    hits: Counter[str] = Counter()
    for study in range(studies):
        random = np.random.default_rng([13, study])
        rates = random.beta(2, 2, 100)
        unbiased = mean_pass_at_k([10] * 100, random.binomial(10, rates).tolist(), 3, seed=study, resamples=RESAMPLES)
        # E(1 - (1-p)^3) of Beta(2, 2): 1 - (2 * 3 * 4) / (4 * 5 * 6).
        hits["pass@3"] += interval_covers(unbiased.unbiased.low, unbiased.unbiased.high, 0.8)
        people = np.repeat(np.arange(60), 4)
        scores = random.normal(0.5, 0.2, 60)[people] + random.normal(0, 0.1, 240)
        mean = clustered_mean(scores, people.tolist(), seed=study, resamples=RESAMPLES)
        hits["mean of clustered scores"] += interval_covers(mean.low, mean.high, 0.5)
        times = random.lognormal(3, 0.5, 60)
        forecast = time_calibration(
            times / random.lognormal(math.log(1.5), 0.4, 60), times, seed=study, resamples=RESAMPLES
        )
        hits["ratio of time to forecast"] += interval_covers(forecast.ratio.low, forecast.ratio.high, 1.5)
    for quantity, hit_count in hits.items():
        require_coverage(quantity, hit_count, studies)
