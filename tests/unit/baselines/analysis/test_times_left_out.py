"""Figures of time: clocks and reports apart, and what has no time left out and counted, cell by cell."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from benchwright_analysis.report.fold import FoldedAttempt
from benchwright_analysis.report.rows.dataset import Dataset
from benchwright_analysis.report.section import Section, json_value
from benchwright_analysis.report.sections.estimates import forecasts_section
from benchwright_analysis.report.sections.main_result import main_result_section
from benchwright_analysis.report.sections.models import horizon_section, human_minutes_and_unsolved_count
from benchwright_analysis.report.sections.side_by_side import side_by_side_section
from benchwright_analysis.report.sections.time_to_pass import score_over_time_section, time_to_pass_section
from benchwright_attempts.clock.time_source import TimeSource

from ....support.packs.report_sections import attempt, words

PROBLEMS = ("p/1", "p/2", "p/3", "p/4")


def unmeasured_attempt(participant: str, problem: str) -> FoldedAttempt:
    return attempt(participant, problem, "alone", seconds=None, time_source="none")


def reported_attempt(participant: str, problem: str, minutes: float) -> FoldedAttempt:
    untimed = attempt(participant, problem, "alone", seconds=None, time_source="reported")
    observation = untimed.observation.model_copy(update={"time_s": 60 * minutes})
    return FoldedAttempt(observation, (), {}, "")


def clocked_attempt(participant: str, problem: str, minutes: float, condition: str = "alone") -> FoldedAttempt:
    return attempt(participant, problem, condition, seconds=60 * minutes)


def model_attempt(problem: str, *, passed: bool) -> FoldedAttempt:
    censored_by = "" if passed else "handed_in_unsolved"
    return attempt("lab/m", problem, "model", seconds=5.0, solver="model", passed=passed, censored_by=censored_by)


MIXED = [
    *(
        clocked_attempt(person, problem, 4 * number)
        for person in ("A", "B")
        for number, problem in enumerate(PROBLEMS, 1)
    ),
    *(
        clocked_attempt(person, problem, 2 * number, "helped")
        for person in ("A", "B")
        for number, problem in enumerate(PROBLEMS, 1)
    ),
    *(
        reported_attempt(person, problem, 40 * number)
        for person in ("C", "D")
        for number, problem in enumerate(PROBLEMS, 1)
    ),
    *(unmeasured_attempt("E", problem) for problem in PROBLEMS[:3]),
    *(model_attempt(problem, passed=problem < "p/3") for problem in PROBLEMS),
]
"""Eight attempts alone on the clock, eight with help, eight with a reported time, three without one; a model."""


def section_json(section: Section | None) -> Any:
    assert section is not None
    return json_value(section.numbers)


def test_times_of_two_sources_are_two_figures() -> None:
    section = time_to_pass_section(Dataset(MIXED, {}))
    times = section_json(section)
    assert times["time_source"] == "clock"
    assert {group: mean["value"] for group, mean in times["restricted_means"].items()} == {
        "alone": pytest.approx(10),
        "helped": pytest.approx(5),
    }
    apart = times["reported"]
    assert {group: mean["value"] for group, mean in apart["restricted_means"].items()} == {"alone": pytest.approx(100)}
    titles = [table.title for table in section.all_tables]
    assert "Minutes to the first pass, by condition" in titles
    assert "Minutes to the first pass, by condition, times as reported" in titles
    counted = {table.title: table.rows[0][1] for table in section.all_tables if table.title.startswith("Minutes to")}
    assert list(counted.values()) == [8, 8]


def test_what_is_left_out_of_times_is_counted_with_its_reason() -> None:
    data = Dataset(MIXED, {})
    none, other = (
        "Left out of these times: 3 attempts, since nothing measured their time, and no file states it.",
        "Left out of these times: 8 attempts, since their time is reported by a file, and kept apart from times on the "
        "clock.",
    )
    sections: list[Callable[[Dataset], Section | None]] = [
        time_to_pass_section,
        score_over_time_section,
        horizon_section,
    ]
    for make in sections:
        section = make(data)
        assert section is not None and {none, other} <= set(section.lead), section
        assert sorted(section_json(section)["left_out"].values()) == [3, 8]
    assert none.replace("these", "the") in words(main_result_section(data))


def test_side_by_side_has_rows_for_each_source() -> None:
    section = side_by_side_section(Dataset(MIXED, {}))
    assert section is not None
    cells = {str(row[0]): row[1:] for row in section.tables[0].rows}
    alone = list(section.tables[0].columns).index("alone") - 1
    assert re.match("10", str(cells["mean minutes, solved or not (95 % interval)"][alone]))
    assert re.match("100", str(cells["mean minutes, solved or not, as reported (95 % interval)"][alone]))
    assert cells["times"][alone] == "8 on the clock, 8 as reported, 3 unknown"


def test_horizons_are_fitted_to_human_times_of_one_source() -> None:
    data = Dataset(MIXED, {})
    clock_minutes = dict(zip(PROBLEMS, (4, 8, 12, 16), strict=True))
    apart = {problem: 10 * minutes for problem, minutes in clock_minutes.items()}
    assert human_minutes_and_unsolved_count(data)[0] == clock_minutes
    assert human_minutes_and_unsolved_count(data.with_time_source(TimeSource.REPORTED))[0] == apart
    fitted = section_json(horizon_section(data))
    assert (fitted["human_minutes"], fitted["reported"]["human_minutes"]) == (clock_minutes, apart)
    assert fitted["fits"]["model: lab/m"]["horizons"][0]["minutes"] == pytest.approx(
        fitted["reported"]["fits"]["model: lab/m"]["horizons"][0]["minutes"] / 10, rel=0.05
    )


def test_a_horizon_by_reported_times_alone_says_so() -> None:
    section = horizon_section(
        Dataset([one for one in MIXED if one.observation.time_source != "clock" or one.trace[0][0] == 5], {})
    )
    assert "Times are as a file reports them" in words(section)


def test_without_any_time_there_is_no_figure_and_the_reason_is_told() -> None:
    data = Dataset([unmeasured_attempt("E", problem) for problem in PROBLEMS], {})
    assert human_minutes_and_unsolved_count(data) == ({}, 0)
    for section in (time_to_pass_section(data), score_over_time_section(data), horizon_section(data)):
        assert "4 attempts, since nothing measured their time, and no file states it." in section.empty_reason
    answer = section_json(main_result_section(data))
    assert answer["conditions"][0]["minutes"] is None and answer["limit"] is None


def test_forecasts_are_compared_with_times_of_one_source() -> None:
    folded_attempts = [
        FoldedAttempt(one.observation.model_copy(update={"forecast_minutes": 10.0}), (), {}, "")
        for one in [*MIXED[:8], *MIXED[16:]]
    ]
    section = forecasts_section(Dataset(folded_attempts, {}))
    (row,) = (row for table in section.all_tables for row in table.rows if row[0] == "forecast of time")
    assert row[2] == 8 and str(row[4]).startswith("0.885")
    assert "8 attempts, since their time is reported" in words(section)
