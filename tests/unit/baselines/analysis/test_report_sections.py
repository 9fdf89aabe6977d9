"""Sections from rows made by hand, at the edges where estimators have nothing to say."""

from __future__ import annotations

import random
from typing import Any

import pytest

from benchwright_analysis.report.fold import FoldedAttempt
from benchwright_analysis.report.rows.dataset import Dataset
from benchwright_analysis.report.rows.support import support_section
from benchwright_analysis.report.sections.models import models_section
from benchwright_analysis.report.sections.success_compared import compare_groups
from benchwright_analysis.report.sections.time_to_pass import score_over_time_section, time_to_pass_section
from benchwright_foundation.number_text import minutes_without_unit, number

from ....support.packs.report_codebook import observation
from ....support.packs.report_sections import attempt, words


def attempts_of_everybody(*, people: int = 4, problems: int = 2, **field_changes: object) -> list[FoldedAttempt]:
    """People at problems under two conditions, each with a time of its own."""
    return [
        attempt(
            f"P{person}",
            f"p/{problem_number}",
            ("alone", "copilot")[(person + problem_number) % 2],
            **{"seconds": 60.0 * time} | field_changes,
        )
        for time, (person, problem_number) in enumerate(((p, q) for p in range(people) for q in range(problems)), 3)
    ]


def test_conditions_that_nobody_passed_are_not_said_to_take_equally_long() -> None:
    text = words(
        time_to_pass_section(Dataset(attempts_of_everybody(passed=False, censored_by="gave_up", score=0.0), {}))
    )
    assert "Nobody passed under alone or copilot" in text
    assert "more than alone" not in text


def test_equal_times_are_told_as_equal_without_an_interval_or_a_p_value() -> None:
    section = time_to_pass_section(Dataset(attempts_of_everybody(seconds=600.0), {}))
    text = words(section)
    assert "Up to 10 minutes, copilot took as long as alone on average." in text
    assert "Too few participants for an interval: 4, and it takes 5." in text
    enough = words(time_to_pass_section(Dataset(attempts_of_everybody(people=6, problems=4, seconds=600.0), {})))
    assert "All values are alike, which does not show how much they could differ." in enough
    assert "interval 0" not in enough


def test_the_model_of_time_says_whether_forecasts_are_in_it() -> None:
    rows = attempts_of_everybody(forecast_blind_minutes=5.0)
    rows[0] = attempt("P0", "p/0", "alone", seconds=180, forecast_blind_minutes=8.0)
    partial_rows = [*rows[1:], attempt("P9", "p/0", "alone", seconds=50)]
    assert "change of time in percent, adjusted for forecasts" in words(time_to_pass_section(Dataset(rows, {})))
    text = words(time_to_pass_section(Dataset(partial_rows, {})))
    assert "Not adjusted for forecasts: not every attempt has one" in text
    alike_text = words(time_to_pass_section(Dataset(attempts_of_everybody(forecast_blind_minutes=5.0), {})))
    assert "Not adjusted for forecasts: they are all alike." in alike_text


def test_forecasts_made_after_the_condition_was_shown_adjust_nothing() -> None:
    text = words(time_to_pass_section(Dataset(attempts_of_everybody(forecast_minutes=5.0), {})))
    assert "Not adjusted for forecasts: some were made after the condition was shown" in text


def test_attempts_that_nothing_decided_lower_no_score_over_time() -> None:
    decided_attempts = [attempt("P1", "p/a", "alone", seconds=60), attempt("P2", "p/b", "alone", seconds=90)]
    open_ends = {"passed": False, "censored_by": "not_decided", "outcome": "error", "score": None}
    undecided = attempt("P3", "p/a", "alone", seconds=600, **open_ends)
    assert words(score_over_time_section(Dataset([*decided_attempts, undecided], {}))) == words(
        score_over_time_section(Dataset(decided_attempts, {}))
    )
    assert score_over_time_section(Dataset([undecided], {})).empty_reason


@pytest.mark.parametrize("seconds", [57, 58, 59, 114, 118, 119])
def test_the_shortest_budget_is_enough_for_the_earliest_pass(seconds: int) -> None:
    attempts = [attempt("P1", "p/a", "alone", seconds=seconds), attempt("P1", "p/b", "copilot", seconds=3600)]
    curves = score_over_time_section(Dataset(attempts, {})).numbers["curves"]
    assert isinstance(curves, dict)
    assert curves["alone"].score[0] == 1


def test_one_budget_is_one_column() -> None:
    section = score_over_time_section(Dataset([attempt("P1", "p/a", "alone", seconds=7200)], {}))
    assert list(section.pictures[0].table.columns) == ["group", "problems", "within 120 min"]


def test_one_person_says_nothing_of_others() -> None:
    attempts = [attempt("P1", "p/a", "alone", seconds=60), attempt("P1", "p/b", "copilot", seconds=70)]
    assert "No comparison of alone and copilot is possible: no problem has a verdict under both." in words(
        support_section(Dataset(attempts, {}))
    )
    paired_attempts = [attempt("P1", "p/a", "alone", seconds=60), attempt("P1", "p/a", "copilot", seconds=70)]
    assert "What could have been found can't be said. Too few participants" in words(
        support_section(Dataset(paired_attempts, {}))
    )


def test_replies_made_elsewhere_show_no_tokens_instead_of_none_used() -> None:
    model_reply = attempt("m", "p/a", "model", seconds=1, solver="model")
    (usage_table,) = (
        table for table in models_section(Dataset([model_reply], {})).tables if table.title == "What models used"
    )
    assert usage_table.rows == [("model: m", 1, None, None, None, "–", "–")]


@pytest.mark.parametrize(
    ("publication_date", "cutoff", "note"),
    [
        ("2023-11", "2024-09-30", "published before the cut-off: the model may have seen these problems"),
        ("2024-09-01", "2024-09", "published before the cut-off: the model may have seen these problems"),
        ("2025-06", "2024-09-30", "published after the cut-off"),
        ("", "2024-09", "the pack's date is unknown: the model may have seen these problems"),
        ("2025-06", "", "the model's cut-off is unknown: the model may have seen these problems"),
        ("", "", "the pack's date and the model's cut-off are unknown: the model may have seen these problems"),
    ],
)
def test_models_say_whether_they_may_have_seen_a_pack(publication_date: str, cutoff: str, note: str) -> None:
    changes = {"pack": "p", "published": publication_date, "knowledge_cutoff": cutoff}
    model_replies = [attempt("m", f"p/{name}", "model", seconds=1, solver="model", **changes) for name in "ab"]
    (seen_table,) = (
        table
        for table in models_section(Dataset(model_replies, {})).tables
        if table.title.startswith("Whether models may")
    )
    assert seen_table.rows == [("model: m", "p", publication_date or "unknown", cutoff or "unknown", 2, note)]


def test_numbers_without_end_are_told_by_their_size() -> None:
    assert (number(14779531753689.6, 1), number(-2e7), number(999_999, 0)) == (
        "1.5e+13",
        "\N{MINUS SIGN}2e+07",
        "999999",
    )
    assert (minutes_without_unit(0.094), minutes_without_unit(22), minutes_without_unit(1440)) == (
        "0.094",
        "22",
        "1,440",
    )


def test_models_that_are_alike_hardly_ever_differ_among_all_pairs(nightly: bool) -> None:
    dice, pairs, reports, count = random.Random(3), 0, 0, 20 if nightly else 2
    for _ in range(count):
        by_group = {
            f"m{model_number}": [
                observation(
                    participant=f"m{model_number}",
                    condition="model",
                    solver="model",
                    problem=f"p/{problem}",
                    passed=dice.random() < 0.5,
                )
                for problem in range(40)
            ]
            for model_number in range(6)
        }
        comparisons, table = compare_groups(Dataset([], {}), by_group)
        pair_tests: list[Any] = [comparison["test"] for comparison in comparisons.values()]  # type: ignore[index]
        assert len(pair_tests) == len(table.rows) == 15
        pairs += sum(test.p_value < 0.05 for test in pair_tests)
        reports += any(test.significant for test in pair_tests)
    # Of 300 pairs that are alike, 15 are expected below 0.05; of 20 reports, one with any after correction.
    assert pairs >= 6 or not nightly
    assert reports <= 2 * nightly
