"""Forecasts of people, and estimates by people and models afterwards, against what happened."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from benchwright_analysis.report import charts
from benchwright_analysis.report.rows.dataset import Dataset
from benchwright_analysis.report.section import Cell, Section, SectionPicture, SortableTable, text_with_interval
from benchwright_analysis.report.sections.times_left_out import left_out_sentences, reported_times_sentences
from benchwright_analysis.statistics.calibration import (
    ChanceCalibration,
    TimeCalibration,
    chance_calibration,
    rank_correlation,
    time_calibration,
)
from benchwright_foundation.number_text import number, percent
from benchwright_judges.agreement.estimators import Estimate

_MOST_MARKS = 2000
_CONFIDENCE = "self_success"
_ASKED = {"forecast_success": "before the start", _CONFIDENCE: "after submitting"}


def forecasts_section(data: Dataset) -> Section:
    """Calibration of forecasts and self-estimates."""
    title = "Forecasts and self-estimates"
    numbers: dict[str, object] = {}
    rows: list[Sequence[Cell]] = []
    for name, label in (("forecast_minutes", "forecast of time"), ("self_minutes", "estimate of time afterwards")):
        for group in data.people_groups:
            observations = [
                observation
                for observation in data.timed_observations
                if observation.group == group and getattr(observation, name)
            ]
            if not observations:
                continue
            calibration = time_calibration(
                [getattr(observation, name) for observation in observations],
                [observation.minutes for observation in observations],
                [observation.passed for observation in observations],
                Dataset.crossed_cells(observations),
                seed=data.seed,
            )
            numbers[f"{name}, {group}"] = calibration
            rows.append(_time_calibration_cells(label, group, calibration))
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
        asked_rows = [
            observation
            for observation in data.decided_observations
            if observation.is_person and (observation.forecast_minutes or observation.self_minutes)
        ]
        sentences = [
            "Only attempts that passed: how long the others would have taken is not known. Above 1: it took longer.",
            *reported_times_sentences(data.shown_time_source),
            *left_out_sentences(asked_rows, data.shown_time_source),
        ]
        note = " ".join(sentences)
        tables.append(SortableTable("Time: estimated and actual", columns, rows, note))
    chances = _add_chance_numbers_and_make_tables(data, numbers)
    tables += chances
    tables += _brier_tables(numbers)
    tables += _add_difficulty_numbers_and_make_tables(data, numbers)
    if not numbers:
        return Section("estimates", title, empty_reason="Nobody was asked what they expect, or how it was.")
    possible_pictures = [_forecasts_picture(data, tables[0])] if rows else []
    possible_pictures += [_reliability_picture(data, numbers, name, chances[0]) for name in _ASKED] if chances else []
    pictures = [picture for picture in possible_pictures if picture is not None]
    other_tables = [table for table in tables if all(table is not picture.table for picture in pictures)]
    return Section("estimates", title, (), pictures, other_tables, numbers)


def _time_calibration_cells(label: str, group: str, calibration: TimeCalibration) -> Sequence[Cell]:
    return (
        label,
        group,
        calibration.attempts,
        calibration.left_out,
        _ratio_text(calibration.ratio),
        text_with_interval(calibration.within_factor_2, as_share=True),
        text_with_interval(calibration.rank_correlation),
    )


def _ratio_text(estimate: Estimate) -> str:
    """A ratio, with digits that tell something however small it is."""
    bound_texts = ["–" if end is None else f"{end:.3g}" for end in (estimate.value, estimate.low, estimate.high)]
    return (
        bound_texts[0] if bound_texts[1:] == ["–", "–"] else f"{bound_texts[0]} ({bound_texts[1]} to {bound_texts[2]})"
    )


def _forecasts_picture(data: Dataset, table: SortableTable) -> SectionPicture | None:
    observations = [
        observation for observation in data.timed_observations if observation.forecast_minutes and observation.passed
    ]
    if not observations:
        return None
    longer = sum(observation.minutes > (observation.forecast_minutes or 0) for observation in observations)
    everybody = [
        group for group in data.people_groups if any(observation.group == group for observation in observations)
    ]
    groups = everybody[: charts.MOST_GROUPS]
    drawn_observations = [observation for observation in observations if observation.group in groups]
    rows = [
        {"x": observation.forecast_minutes, "y": observation.minutes, "group": observation.group}
        for observation in drawn_observations[:_MOST_MARKS]
    ]
    left_out = f" The first {_MOST_MARKS:,} are drawn." if len(drawn_observations) > _MOST_MARKS else ""
    return SectionPicture(
        "forecasts",
        "Forecast against actual time, attempts that passed",
        f"One mark for each attempt; above the dashed line it took longer than expected. {longer} of "
        f"{len(observations)} did."
        f"{left_out}{charts.note_if_omitted(groups, everybody)}",
        charts.scatter_of_two_times(
            rows, groups, colour_order=data.groups, x_title="forecast (minutes)", y_title="actual (active minutes)"
        ),
        table,
    )


def _add_chance_numbers_and_make_tables(data: Dataset, json_numbers: dict[str, object]) -> list[SortableTable]:
    rows: list[Sequence[Cell]] = []
    for name, label in _ASKED.items():
        for group in data.groups:
            observations = [
                observation
                for observation in data.decided_observations
                if observation.group == group and getattr(observation, name) is not None
            ]
            if not observations:
                continue
            calibration = chance_calibration(
                [getattr(observation, name) for observation in observations],
                [observation.passed for observation in observations],
                Dataset.crossed_cells(observations),
            )
            json_numbers[f"{name}, {group}"] = calibration
            for bin_ in calibration.bins:
                range_label = f"{percent(bin_.low)} to {percent(bin_.high)}"
                solved_text = text_with_interval(bin_.outcome, as_share=True)
                rows.append((label, group, range_label, bin_.outcome.total, percent(bin_.mean_forecast), solved_text))
    columns = ("asked", "condition", "said", "attempts", "mean of what was said", "solved (95 % interval)")
    return [SortableTable("Chance to solve it: said and happened", columns, rows)] if rows else []


def _brier_tables(json_numbers: Mapping[str, object]) -> list[SortableTable]:
    """Brier scores with their parts."""
    rows: list[Sequence[Cell]] = []
    for key, calibration in json_numbers.items():
        if isinstance(calibration, ChanceCalibration):
            name, _, group = key.partition(", ")
            score_parts = (
                number(score_part, 3)
                for score_part in (calibration.reliability, calibration.resolution, calibration.uncertainty)
            )
            rows.append(
                (
                    _ASKED[name],
                    group,
                    calibration.forecasts,
                    text_with_interval(calibration.brier, digits=3),
                    *score_parts,
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
    return [SortableTable("Chance to solve it: scores", columns, rows, note)] if rows else []


def _reliability_picture(
    data: Dataset, json_numbers: Mapping[str, object], column: str, table: SortableTable
) -> SectionPicture | None:
    """The reliability diagram of what was said at one time."""
    calibrations = {
        group: result
        for group in data.groups
        if isinstance(result := json_numbers.get(f"{column}, {group}"), ChanceCalibration)
    }
    if not calibrations:
        return None
    groups = list(calibrations)[: charts.MOST_GROUPS]
    rows = [
        {"x": bin_.mean_forecast, "y": bin_.outcome.value, "group": group}
        for group in groups
        for bin_ in calibrations[group].bins
    ]
    return SectionPicture(
        "reliability" if column == _CONFIDENCE else "reliability-before",
        f"Chance said {_ASKED[column]}, against the share solved",
        "One mark for each fifth of the scale in which something was said. On the dashed line as many were solved as "
        f"was said; below it, fewer.{charts.note_if_omitted(groups, list(calibrations))}",
        charts.scatter_of_two_shares(rows, groups, colour_order=data.groups, x_title="said", y_title="solved"),
        table,
    )


def _add_difficulty_numbers_and_make_tables(data: Dataset, json_numbers: dict[str, object]) -> list[SortableTable]:
    rows: list[Sequence[Cell]] = []
    for name, label in (("forecast_difficulty", "before"), ("self_difficulty", "afterwards")):
        observations = [
            observation for observation in data.timed_observations if getattr(observation, name) is not None
        ]
        if len(observations) < 3:
            continue
        correlation = rank_correlation(
            [float(getattr(observation, name)) for observation in observations],
            [observation.minutes for observation in observations],
            Dataset.crossed_cells(observations),
            seed=data.seed,
        )
        json_numbers[name] = correlation
        rows.append((label, len(observations), text_with_interval(correlation)))
    columns = ("difficulty said", "attempts", "rank correlation with time (95 % interval)")
    return [SortableTable("Difficulty from 1 to 5, against time", columns, rows)] if rows else []
