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
from benchwright_analysis.statistics.crossed_design import Cells
from benchwright_analysis.statistics.horizon import human_time_horizon
from benchwright_analysis.statistics.restricted_mean import observable_limit, restricted_mean_difference, time_change
from benchwright_analysis.statistics.score_over_time import Trace, score_curve
from benchwright_analysis.statistics.simulation import SimulatedAttempt, StudyPlan, simulate
from benchwright_analysis.statistics.success import breakdown, macro_average
from benchwright_analysis.statistics.survival import kaplan_meier, success_only_time, with_give_ups_until


def plain(value: object) -> Any:
    """As JSON takes it."""
    if isinstance(value, BaseModel):
        return value.model_dump()
    if isinstance(value, enum.Enum):
        return value.value
    if dataclasses.is_dataclass(value):
        return {field.name: plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, list | tuple):
        return [plain(one) for one in value]
    if isinstance(value, dict):
        return {str(key): plain(one) for key, one in value.items()}
    return value


def everything(attempts: tuple[SimulatedAttempt, ...], limit: float) -> dict[str, Any]:
    people = [one.participant for one in attempts]
    problems = [one.problem for one in attempts]
    conditions = [one.condition for one in attempts]
    minutes = [one.minutes for one in attempts]
    passed = [one.passed for one in attempts]
    forecasts = [one.forecast_minutes for one in attempts]
    score = [float(one) for one in passed]
    shared = min(
        observable_limit(
            [one.minutes for one in attempts if one.condition == name],
            [one.passed for one in attempts if one.condition == name],
            limit,
        )
        for name in set(conditions)
    )
    effect = condition_effects(minutes, conditions, "human", forecasts=forecasts, participants=people)
    traces = [
        Trace(one.problem, one.participant, (one.minutes,), (1.0,))
        if one.passed
        else Trace(one.problem, one.participant, (), ())
        for one in attempts
    ]
    cells = Cells(people, problems, [one.family for one in attempts])
    second = [one == "human+copilot" for one in conditions]
    return {
        "groups": breakdown(score, [one.difficulty for one in attempts], cells),
        "macro": macro_average(score, [one.family for one in attempts], cells),
        "survival": kaplan_meier(minutes, passed, cells),
        "pessimistic": kaplan_meier(with_give_ups_until(minutes, [one.gave_up for one in attempts], limit), passed),
        "difference": restricted_mean_difference(minutes, passed, second, shared, cells),
        "change": time_change(minutes, passed, second, shared, cells, [np.log(forecasts)]),
        "solved": crossed_difference(passed, second, cells),
        "successes": success_only_time(minutes, passed),
        "effect": effect,
        "times": time_calibration(forecasts, minutes, passed, cells, seed=1, resamples=200),
        "chances": chance_calibration([one.forecast_chance for one in attempts], passed, cells),
        "order": rank_correlation(forecasts, minutes, cells, seed=1, resamples=200),
        "curve": score_curve(traces, np.linspace(0, limit, 13), k=3),
        "horizon": human_time_horizon(
            [one.baseline_minutes for one in attempts],
            passed,
            problems,
            [one.family for one in attempts],
            seed=1,
            resamples=200,
        ),
    }


@pytest.mark.parametrize(
    "plan",
    [
        StudyPlan(limit_minutes=45, give_ups_per_hour=0.5),
        StudyPlan(participants=3, families=2, problems_per_family=2, limit_minutes=20, give_ups_per_hour=2),
        StudyPlan(participants=4, limit_minutes=1000),
    ],
    ids=["ordinary", "tiny", "all pass"],
)
def test_every_number_of_a_study_can_be_written_down(plan: StudyPlan) -> None:
    found = plain(everything(simulate(plan, np.random.default_rng(2)), plan.limit_minutes))
    json.dumps(found, allow_nan=False)


def test_an_effect_is_found_by_time_to_pass_and_by_regression() -> None:
    plan = replace(StudyPlan(), effect_percent=-40, limit_minutes=120)
    found = plain(everything(simulate(plan, np.random.default_rng(3)), 120))
    assert found["difference"]["high"] < 0 and found["difference"]["p_value"] < 0.001
    assert found["change"]["high"] < 0 and -0.45 < found["change"]["value"] < -0.3
    assert -45 < found["effect"]["effects"][0]["percent"] < -35
    # Forecasts have 0.7 of the time without the effect, which half the attempts have.
    assert found["times"]["ratio"]["value"] == pytest.approx(math.sqrt(0.6) / 0.7, rel=0.08)
