"""A whole simulated study through every estimator, as a report does it: all that comes out can be written down."""

from __future__ import annotations

import dataclasses
import enum
import json
import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from pydantic import BaseModel

from benchwright_analysis.statistics.calibration import chance_calibration, rank_correlation, time_calibration
from benchwright_analysis.statistics.condition_effects import condition_effects
from benchwright_analysis.statistics.crossed import crossed_difference
from benchwright_analysis.statistics.crossed_design import CrossedCells
from benchwright_analysis.statistics.horizon import human_time_horizon
from benchwright_analysis.statistics.restricted_mean import (
    geometric_mean_time_change,
    observable_limit,
    restricted_mean_difference,
)
from benchwright_analysis.statistics.score_over_time import ScoreTrace, score_curve
from benchwright_analysis.statistics.simulation import SimulatedAttempt, SimulatedStudyPlan, simulate_study
from benchwright_analysis.statistics.success import mean_over_labels, success_by_label
from benchwright_analysis.statistics.survival import geometric_mean_of_passes, kaplan_meier, times_if_give_ups_continued


def plain_json(value: object) -> Any:
    """As JSON takes it."""
    if isinstance(value, BaseModel):
        return value.model_dump()
    if isinstance(value, enum.Enum):
        return value.value
    if dataclasses.is_dataclass(value):
        return {field.name: plain_json(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, list | tuple):
        return [plain_json(member) for member in value]
    if isinstance(value, dict):
        return {str(key): plain_json(member) for key, member in value.items()}
    return value


def all_statistics(attempts: tuple[SimulatedAttempt, ...], limit: float) -> dict[str, Any]:
    people = [attempt.participant for attempt in attempts]
    problems = [attempt.problem for attempt in attempts]
    conditions = [attempt.condition for attempt in attempts]
    minutes = [attempt.minutes for attempt in attempts]
    passed_flags = [attempt.has_passed for attempt in attempts]
    forecasts = [attempt.forecast_minutes for attempt in attempts]
    score = [float(is_passed) for is_passed in passed_flags]
    shared = min(
        observable_limit(
            [attempt.minutes for attempt in attempts if attempt.condition == name],
            [attempt.has_passed for attempt in attempts if attempt.condition == name],
            limit,
        )
        for name in set(conditions)
    )
    effect = condition_effects(minutes, conditions, "human", forecasts=forecasts, participants=people)
    traces = [
        ScoreTrace(simulated_attempt.problem, simulated_attempt.participant, (simulated_attempt.minutes,), (1.0,))
        if simulated_attempt.has_passed
        else ScoreTrace(simulated_attempt.problem, simulated_attempt.participant, (), ())
        for simulated_attempt in attempts
    ]
    cells = CrossedCells(people, problems, [attempt.family for attempt in attempts])
    has_copilot = [condition == "human+copilot" for condition in conditions]
    return {
        "groups": success_by_label(score, [attempt.difficulty for attempt in attempts], cells),
        "macro": mean_over_labels(score, [attempt.family for attempt in attempts], cells),
        "survival": kaplan_meier(minutes, passed_flags, cells),
        "pessimistic": kaplan_meier(
            times_if_give_ups_continued(minutes, [attempt.gave_up for attempt in attempts], limit), passed_flags
        ),
        "difference": restricted_mean_difference(minutes, passed_flags, has_copilot, shared, cells),
        "change": geometric_mean_time_change(minutes, passed_flags, has_copilot, shared, cells, [np.log(forecasts)]),
        "solved": crossed_difference(passed_flags, has_copilot, cells),
        "successes": geometric_mean_of_passes(minutes, passed_flags),
        "effect": effect,
        "times": time_calibration(forecasts, minutes, passed_flags, cells, seed=1, resamples=200),
        "chances": chance_calibration([attempt.forecast_chance for attempt in attempts], passed_flags, cells),
        "order": rank_correlation(forecasts, minutes, cells, seed=1, resamples=200),
        "curve": score_curve(traces, np.linspace(0, limit, 13), attempts_sharing_budget=3),
        "horizon": human_time_horizon(
            [attempt.baseline_minutes for attempt in attempts],
            passed_flags,
            problems,
            [attempt.family for attempt in attempts],
            seed=1,
            resamples=200,
        ),
    }


@pytest.mark.parametrize(
    "plan",
    [
        SimulatedStudyPlan(limit_minutes=45, give_ups_per_hour=0.5),
        SimulatedStudyPlan(participants=3, families=2, problems_per_family=2, limit_minutes=20, give_ups_per_hour=2),
        SimulatedStudyPlan(participants=4, limit_minutes=1000),
    ],
    ids=["ordinary", "tiny", "all pass"],
)
def test_every_number_of_a_study_can_be_written_down(plan: SimulatedStudyPlan) -> None:
    numbers = plain_json(all_statistics(simulate_study(plan, np.random.default_rng(2)), plan.limit_minutes))
    json.dumps(numbers, allow_nan=False)


def test_an_effect_is_found_by_time_to_pass_and_by_regression() -> None:
    plan = replace(SimulatedStudyPlan(), effect_percent=-40, limit_minutes=120)
    numbers = plain_json(all_statistics(simulate_study(plan, np.random.default_rng(3)), 120))
    assert numbers["difference"]["high"] < 0 and numbers["difference"]["p_value"] < 0.001
    assert numbers["change"]["high"] < 0 and -0.45 < numbers["change"]["value"] < -0.3
    assert -45 < numbers["effect"]["effects"][0]["percent"] < -35
    # Forecasts have 0.7 of the time without the effect, which half the attempts have.
    assert numbers["times"]["ratio"]["value"] == pytest.approx(math.sqrt(0.6) / 0.7, rel=0.08)
