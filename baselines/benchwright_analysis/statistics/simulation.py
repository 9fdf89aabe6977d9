"""Made-up studies with known effects: to try estimators on, and to show a report without people."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from benchwright_analysis.statistics.columns import Numbers
from benchwright_analysis.statistics.errors import StatisticsError

DIFFICULTIES = ("easy", "medium", "hard")


@dataclass(frozen=True)
class SimulatedStudyPlan:
    """Plan of a simulated study: every person works on every problem once, half of them in each condition."""

    participants: int = 30
    families: int = 4
    problems_per_family: int = 3
    condition_names: tuple[str, str] = ("human", "human+copilot")
    effect_percent: float = -20
    """Of the second condition on the time to pass."""
    median_minutes: float = 20
    """To pass a problem of medium difficulty in the first condition."""
    difficulty_ratio: float = 2
    """Between easy and medium, and medium and hard."""
    problem_spread: float = 0.3
    """Standard deviation of log time between problems of one difficulty."""
    participant_spread: float = 0.3
    """Between participants."""
    effect_spread: float = 0
    """Of the effect between participants, on the log scale."""
    noise: float = 0.4
    """Within a participant and problem."""
    forecast_ratio: float = 0.7
    """Median of forecast over the time that the participant would need in the first condition."""
    forecast_noise: float = 0.4
    limit_minutes: float = field(default=math.inf)
    """Time after which an attempt times out, in minutes."""
    give_ups_per_hour: float = 0
    """Rate at which people give up, whatever the problem."""


@dataclass(frozen=True)
class SimulatedAttempt:
    """One person at one problem."""

    participant: str
    problem: str
    family: str
    difficulty: str
    condition: str
    baseline_minutes: float
    """Median time to pass of the problem in the first condition: its human baseline."""
    forecast_minutes: float
    forecast_chance: float
    """To pass within the limit."""
    minutes: float
    """Until it passed or ended."""
    has_passed: bool
    gave_up: bool
    timed_out: bool


def simulate_study(plan: SimulatedStudyPlan, random: np.random.Generator) -> tuple[SimulatedAttempt, ...]:
    """Draw a study.

    Times are lognormal with effects of problem, participant and condition; giving up is exponential and independent
    of them. In each family and for each person half the problems, rounded at random, are in each condition.

    Args:
        plan: Plan of the study.
        random: Source of chance.

    Raises:
        StatisticsError: The plan can't be.
    """
    _raise_if_impossible(plan)
    problems_by_family = _draw_problems_by_family(plan, random)
    attempts = []
    for number in range(1, plan.participants + 1):
        speed = random.normal(0, plan.participant_spread)
        effect = math.log1p(plan.effect_percent / 100) + random.normal(0, plan.effect_spread)
        for family, family_problems in problems_by_family.items():
            treated = _draw_balanced_treatment(len(family_problems), random)
            for (problem, difficulty, baseline), second in zip(family_problems, treated, strict=True):
                expected_log = math.log(baseline) + speed
                needed_minutes = math.exp(expected_log + effect * second + random.normal(0, plan.noise))
                patience = random.exponential(60 / plan.give_ups_per_hour) if plan.give_ups_per_hour else math.inf
                end_minutes = min(needed_minutes, patience, plan.limit_minutes)
                forecast = math.exp(
                    expected_log + math.log(plan.forecast_ratio) + random.normal(0, plan.forecast_noise)
                )
                attempts.append(
                    SimulatedAttempt(
                        participant=f"p{number:02}",
                        problem=problem,
                        family=family,
                        difficulty=difficulty,
                        condition=plan.condition_names[int(second)],
                        baseline_minutes=baseline,
                        forecast_minutes=forecast,
                        forecast_chance=_chance_within_limit(plan.limit_minutes, forecast, plan.noise),
                        minutes=end_minutes,
                        has_passed=end_minutes == needed_minutes,
                        gave_up=end_minutes == patience < needed_minutes,
                        timed_out=end_minutes == plan.limit_minutes < min(needed_minutes, patience),
                    )
                )
    return tuple(attempts)


def _draw_problems_by_family(
    plan: SimulatedStudyPlan, random: np.random.Generator
) -> dict[str, list[tuple[str, str, float]]]:
    """Family → name, difficulty and baseline minutes of its problems."""
    problems_by_family: dict[str, list[tuple[str, str, float]]] = {}
    for family in range(1, plan.families + 1):
        for index in range(plan.problems_per_family):
            level = index % len(DIFFICULTIES)
            spread = random.normal(0, plan.problem_spread)
            minutes = plan.median_minutes * plan.difficulty_ratio ** (level - 1) * math.exp(spread)
            problem_terms = (f"family-{family}/problem-{index + 1}", DIFFICULTIES[level], minutes)
            problems_by_family.setdefault(f"family-{family}", []).append(problem_terms)
    return problems_by_family


def _draw_balanced_treatment(size: int, random: np.random.Generator) -> Numbers:
    """Zeros and ones in random order, as many of each, or one more of either."""
    extra = int(random.integers(0, 2)) if size % 2 else 0
    treatment: Numbers = random.permutation(np.arange(size) < size // 2 + extra).astype(np.float64)
    return treatment


def _chance_within_limit(limit_minutes: float, forecast_minutes: float, log_time_spread: float) -> float:
    from scipy import special

    return (
        float(special.ndtr(math.log(limit_minutes / forecast_minutes) / log_time_spread))
        if math.isfinite(limit_minutes) and log_time_spread
        else 1.0
    )


def _raise_if_impossible(plan: SimulatedStudyPlan) -> None:
    counts = (plan.participants, plan.families, plan.problems_per_family)
    if min(counts) < 1:
        raise StatisticsError("A study needs at least one participant, one family and one problem in it.")
    spreads = (plan.problem_spread, plan.participant_spread, plan.effect_spread, plan.noise, plan.forecast_noise)
    if min(spreads) < 0 or plan.give_ups_per_hour < 0:
        raise StatisticsError("Spreads and rates can't be negative.")
    positive = (plan.median_minutes, plan.difficulty_ratio, plan.forecast_ratio, plan.limit_minutes)
    if min(positive) <= 0 or plan.effect_percent <= -100:
        raise StatisticsError("Times and ratios have to be positive, and the effect more than -100 percent.")
