"""Forecasts of people, and estimates by people and models afterwards, against what happened."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from benchwright_analysis.report import charts
from benchwright_analysis.report.rows.dataset import Dataset
from benchwright_analysis.report.section import Cell, Picture, Section, Table, number, percent, with_interval
from benchwright_analysis.statistics.calibration import (
    ChanceCalibration,
    TimeCalibration,
    chance_calibration,
    rank_correlation,
    time_calibration,
)
from benchwright_judges.agreement.estimators import Estimate

_MOST_MARKS = 2000
_CONFIDENCE = "self_success"
_ASKED = {"forecast_success": "before the start", _CONFIDENCE: "after submitting"}


def estimates(data: Dataset) -> Section:
    """Calibration of forecasts and self-estimates."""
    title = "Forecasts and self-estimates"
    numbers: dict[str, object] = {}
    rows: list[Sequence[Cell]] = []
    for name, label in (("forecast_minutes", "forecast of time"), ("self_minutes", "estimate of time afterwards")):
        for group in data.people_groups:
            observations = [
                observation for observation in data.timed if observation.group == group and getattr(observation, name)
            ]
            if not observations:
                continue
            result = time_calibration(
                [getattr(observation, name) for observation in observations],
                [observation.time_s / 60 for observation in observations],
                [observation.passed for observation in observations],
                Dataset.cells(observations),
                seed=data.seed,
            )
            numbers[f"{name}, {group}"] = result
            rows.append(_time_row(label, group, result))
    tables = []
    if rows:
        columns = (
            "what",
            "condition",
            "attempts",
            "left out",
            "actual / estimated",
            "within a factor of 2",
            "rank order",
        )
        note = "Only attempts that passed: how long the others would have taken is not known. Above 1: it took longer."
        tables.append(Table("Time: estimated and actual", columns, rows, note))
    chances = _chances(data, numbers)
    tables += chances
    tables += _scored(numbers)
    tables += _difficulty(data, numbers)
    if not numbers:
        return Section("estimates", title, empty_reason="Nobody was asked what they expect, or how it was.")
    drawn = [_picture(data, tables[0])] if rows else []
    drawn += [_reliability(data, numbers, name, chances[0]) for name in _ASKED] if chances else []
    pictures = [picture for picture in drawn if picture is not None]
    other_tables = [table for table in tables if all(table is not picture.table for picture in pictures)]
    return Section("estimates", title, (), pictures, other_tables, numbers)


def _time_row(label: str, group: str, result: TimeCalibration) -> Sequence[Cell]:
    return (
        label,
        group,
        result.attempts,
        result.left_out,
        _ratio(result.ratio),
        with_interval(result.within_factor_2, share=True),
        with_interval(result.rank_correlation),
    )


def _ratio(estimate: Estimate) -> str:
    """A ratio, with digits that tell something however small it is."""
    ends = ["–" if end is None else f"{end:.3g}" for end in (estimate.value, estimate.low, estimate.high)]
    return ends[0] if ends[1:] == ["–", "–"] else f"{ends[0]} ({ends[1]} to {ends[2]})"


def _picture(data: Dataset, table: Table) -> Picture | None:
    observations = [observation for observation in data.timed if observation.forecast_minutes and observation.passed]
    if not observations:
        return None
    longer = sum(observation.time_s / 60 > (observation.forecast_minutes or 0) for observation in observations)
    everybody = [
        group for group in data.people_groups if any(observation.group == group for observation in observations)
    ]
    groups = everybody[: charts.MOST_GROUPS]
    drawn = [observation for observation in observations if observation.group in groups]
    rows = [
        {"x": observation.forecast_minutes, "y": observation.time_s / 60, "group": observation.group}
        for observation in drawn[:_MOST_MARKS]
    ]
    left_out = f" The first {_MOST_MARKS:,} are drawn." if len(drawn) > _MOST_MARKS else ""
    return Picture(
        "forecasts",
        "Forecast against actual time, attempts that passed",
        f"One mark for each attempt; above the dashed line it took longer than expected. {longer} of "
        f"{len(observations)} did."
        f"{left_out}{charts.drawn(groups, everybody)}",
        charts.time_scatter(
            rows, groups, report_groups=data.groups, x="forecast (minutes)", y="actual (active minutes)"
        ),
        table,
    )


def _chances(data: Dataset, numbers: dict[str, object]) -> list[Table]:
    rows: list[Sequence[Cell]] = []
    for name, label in _ASKED.items():
        for group in data.groups:
            observations = [
                observation
                for observation in data.decided
                if observation.group == group and getattr(observation, name) is not None
            ]
            if not observations:
                continue
            result = chance_calibration(
                [getattr(observation, name) for observation in observations],
                [observation.passed for observation in observations],
                Dataset.cells(observations),
            )
            numbers[f"{name}, {group}"] = result
            for bin_ in result.bins:
                range_label = f"{percent(bin_.low)} to {percent(bin_.high)}"
                solved = with_interval(bin_.outcome, share=True)
                rows.append((label, group, range_label, bin_.outcome.total, percent(bin_.mean_forecast), solved))
    columns = ("asked", "condition", "said", "attempts", "mean of what was said", "solved (95 % interval)")
    return [Table("Chance to solve it: said and happened", columns, rows)] if rows else []


def _scored(numbers: Mapping[str, object]) -> list[Table]:
    """Brier scores with their parts."""
    rows: list[Sequence[Cell]] = []
    for key, calibration in numbers.items():
        if isinstance(calibration, ChanceCalibration):
            name, _, group = key.partition(", ")
            parts = (
                number(part, 3) for part in (calibration.reliability, calibration.resolution, calibration.uncertainty)
            )
            rows.append(
                (
                    _ASKED[name],
                    group,
                    calibration.forecasts,
                    with_interval(calibration.brier, digits=3),
                    *parts,
                    percent(calibration.ece),
                )
            )
    columns = (
        *("asked", "condition", "attempts", "Brier score (95 % interval)"),
        *("reliability", "resolution", "uncertainty", "calibration error"),
    )
    note = (
        "0 is the best Brier score. It is reliability (how far what was said is from what happened, 0 is best) - "
        "resolution (how well what was said tells solved from unsolved) + uncertainty (the score of always saying the "
        "share solved), but for rounding within a fifth of the scale. Calibration error, also called expected: how "
        "far what was said in a fifth of the scale is from the share solved there, in the mean over attempts. Few "
        "attempts make it larger."
    )
    return [Table("Chance to solve it: scores", columns, rows, note)] if rows else []


def _reliability(data: Dataset, numbers: Mapping[str, object], name: str, table: Table) -> Picture | None:
    """The reliability diagram of what was said at one time."""
    calibrations = {
        group: result
        for group in data.groups
        if isinstance(result := numbers.get(f"{name}, {group}"), ChanceCalibration)
    }
    if not calibrations:
        return None
    groups = list(calibrations)[: charts.MOST_GROUPS]
    rows = [
        {"x": bin_.mean_forecast, "y": bin_.outcome.value, "group": group}
        for group in groups
        for bin_ in calibrations[group].bins
    ]
    return Picture(
        "reliability" if name == _CONFIDENCE else "reliability-before",
        f"Chance said {_ASKED[name]}, against the share solved",
        "One mark for each fifth of the scale in which something was said. On the dashed line as many were solved as "
        f"was said; below it, fewer.{charts.drawn(groups, list(calibrations))}",
        charts.shares_against(rows, groups, report_groups=data.groups, x="said", y="solved"),
        table,
    )


def _difficulty(data: Dataset, numbers: dict[str, object]) -> list[Table]:
    rows: list[Sequence[Cell]] = []
    for name, label in (("forecast_difficulty", "before"), ("self_difficulty", "afterwards")):
        observations = [observation for observation in data.timed if getattr(observation, name) is not None]
        if len(observations) < 3:
            continue
        result = rank_correlation(
            [float(getattr(observation, name)) for observation in observations],
            [observation.time_s for observation in observations],
            Dataset.cells(observations),
            seed=data.seed,
        )
        numbers[name] = result
        rows.append((label, len(observations), with_interval(result)))
    columns = ("difficulty said", "attempts", "rank correlation with time (95 % interval)")
    return [Table("Difficulty from 1 to 5, against time", columns, rows)] if rows else []
