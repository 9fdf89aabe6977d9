"""Tables of means with intervals, on the page and as CSV, against values worked out by hand."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from benchwright_analysis.report.rows.exports import write_figure_tables
from benchwright_analysis.report.rows.observation import Observation
from benchwright_analysis.report.section import Section
from benchwright_analysis.report.sections.matrix import accuracy_by_label, mean_over_problems, table_of_numbers

from ....support.packs.report_codebook import observation


def observations_of_tries(
    model: str, problem: str, *outcomes_right: bool, **field_changes: object
) -> list[Observation]:
    """A model's attempts at a problem."""
    return [
        observation(
            attempt=f"{model}-{problem}-{number}",
            participant=model,
            problem=problem,
            family=problem,
            condition="model",
            solver="model",
            passed=is_right,
            score=float(is_right),
            kind="question",
            **field_changes,
        )
        for number, is_right in enumerate(outcomes_right)
    ]


def test_a_question_counts_once_however_often_it_was_tried() -> None:
    rows = [*observations_of_tries("m", "p/1", True), *observations_of_tries("m", "p/2", False, False, True)]
    assert mean_over_problems(rows).value == pytest.approx((1 + 1 / 3) / 2)


def test_with_equally_many_tries_the_interval_is_that_of_the_share() -> None:
    rows = [attempt for n in range(8) for attempt in observations_of_tries("m", f"p/{n}", n < 6)]
    estimate = mean_over_problems(rows)
    # Wilson's interval for 0.75 of 7 (0.75 * 0.25 over the squared standard error) with Student's quantile, 2.3646.
    assert estimate.value == 0.75
    assert estimate.low == pytest.approx(0.3298, abs=1e-4)
    assert estimate.high == pytest.approx(0.9482, abs=1e-4)


def test_no_interval_of_a_share_leaves_0_to_1() -> None:
    rows = [
        attempt
        for n in range(5)
        for attempt in observations_of_tries("m", f"p/{n}", *([True] * (n + 1)), *([False] if not n else []))
    ]
    (figure,) = accuracy_by_label({"m": rows}, lambda attempt: "all")
    assert figure.high == 1.0
    assert figure.low is not None
    assert figure.low > 0


def test_rows_and_columns_have_the_order_asked_for_and_gaps_stay_empty() -> None:
    groups = {
        "b": [
            *observations_of_tries("b", "p/1", True, topic="x"),
            *observations_of_tries("b", "p/2", False, topic="y"),
        ],
        "a": observations_of_tries("a", "p/1", False, topic="x"),
    }
    figures = accuracy_by_label(groups, lambda attempt: attempt.topic, label_order=("y",))
    table = table_of_numbers("topics", "Topics", figures, first_row_names=["b", "a"], unit="question")
    assert table.columns == ("group", "y, 1 question", "x, 1 question")
    assert table.rows == [("b", "0 %", "100 %"), ("a", None, "0 %")]


def test_figures_are_written_unrounded_and_without_formulas(tmp_path: Path) -> None:
    figures = accuracy_by_label({"=m": observations_of_tries("m", "p/1", True, False, True)}, lambda attempt: "all")
    section = Section("s", "S", tables=[table_of_numbers("some-table", "T", figures)])
    write_figure_tables(tmp_path, [section])
    with (tmp_path / "tables" / "some-table.csv").open(newline="") as file:
        (row,) = csv.DictReader(file)
    assert row == {
        "row": "'=m", "column": "all", "attempts": "3", "problems": "1", "value": str(2 / 3), "low": "", "high": "",
    }  # fmt: skip
    write_figure_tables(tmp_path, [])
    assert not (tmp_path / "tables").exists()
