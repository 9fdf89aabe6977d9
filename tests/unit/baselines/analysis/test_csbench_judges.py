"""Judges against each other and error types, from rows made by hand."""

from __future__ import annotations

import dataclasses
import math

import pytest

from benchwright_analysis.report.csbench.error_types import error_types_section
from benchwright_analysis.report.csbench.judges_compared import judges_compared_section
from benchwright_analysis.report.fold import FoldedAttempt, NamedErrors
from benchwright_analysis.report.rows.dataset import Dataset
from benchwright_analysis.report.rows.verdicts import NewestJudgement
from benchwright_analysis.report.section import Section
from benchwright_judges.agreement.rated import RatedAnswer
from benchwright_judges.scale import Scale

from ....support.packs.csbench_domains import reply


def judged_attempt(number: int, *judge_votes: tuple[str, str], **field_changes: object) -> FoldedAttempt:
    """An open-ended answer with the points that judges gave it."""
    folded_reply = reply(number, 0.5, format="open-ended", **field_changes)
    judges, labels = zip(*judge_votes, strict=True)
    return dataclasses.replace(folded_reply, judgement=NewestJudgement("model", labels[0], labels, judges))


def mean_by_row_and_column(section: Section | None) -> dict[tuple[str, str], float | None]:
    assert section is not None
    return {(figure.row, figure.column): figure.value for figure in section.tables[0].figures}


def test_judges_are_compared_on_the_answers_that_both_judged() -> None:
    rows = [
        judged_attempt(1, ("a", "8"), ("b", "6")),
        judged_attempt(2, ("a", "4"), ("b", "4")),
        judged_attempt(3, ("a", "10"), ("b", "9"), ("a", "6"), ("a", "8")),
        judged_attempt(4, ("a", "1")),
    ]
    section = judges_compared_section(Dataset(rows, {}))
    name = "model: m (en, zero-shot), open-ended"
    assert mean_by_row_and_column(section) == {
        (name, "a"): pytest.approx((0.8 + 0.4 + 0.8 + 0.1) / 4),
        (name, "b"): pytest.approx((0.6 + 0.4 + 0.9) / 3),
    }
    assert section is not None
    (comparison_row,) = section.tables[1].rows
    assert comparison_row[:6] == ("open-ended", "a", "b", 3, "66.7 %", "63.3 %")
    # From 7 points on an answer is right: they differ on the first of three.
    assert str(comparison_row[6]).startswith("66.7 %")
    # Both right once, both wrong once: (2/3 - 4/9) / (1 - 4/9). Products of deviations 0.0933, squares 0.1067, 0.1267.
    assert str(comparison_row[7]).startswith("0.40 (")
    # The same label once, 4; the medians of the others differ.
    assert comparison_row[8] == "33.3 % of 3"
    assert str(comparison_row[11]).startswith("0.80 (")
    assert comparison_row[12] == 0
    judge_pairs = section.numbers["pairs"]
    assert isinstance(judge_pairs, list)
    (agreement,) = judge_pairs[0].judges
    assert agreement.kappa.value == pytest.approx(0.4)
    assert agreement.pearson.value == pytest.approx(0.28 / 3 / math.sqrt(0.32 / 3 * 0.38 / 3))


def test_votes_that_are_half_right_are_undecided_and_counted() -> None:
    rows = [judged_attempt(1, ("a", "8"), ("b", "6")), judged_attempt(2, ("a", "10"), ("b", "9"), ("a", "6"))]
    section = judges_compared_section(Dataset(rows, {}))
    assert section is not None
    (comparison_row,) = section.tables[1].rows
    assert section.tables[1].columns[12] == "undecided" and len(section.tables[1].columns) == len(comparison_row)
    assert (comparison_row[3], comparison_row[8], comparison_row[12]) == (1, "0 % of 2", 1)


def test_people_have_a_column_of_the_same_answers() -> None:
    rows = [judged_attempt(1, ("a", "8"), ("b", "6")), judged_attempt(2, ("a", "4"), ("b", "4"))]
    rated = [
        RatedAnswer("x", "cs/en-1", "open-ended", Scale.TIERS, {"ana": "7", "bo": "9"}, {"a": ["8"]}, attempt="a1"),
        RatedAnswer("y", "cs/en-2", "open-ended", Scale.TIERS, {"ana": "1"}, {"a": ["4"]}),
    ]
    section = judges_compared_section(Dataset(rows, {}, rated=rated))
    assert mean_by_row_and_column(section)["model: m (en, zero-shot), open-ended", "people"] == pytest.approx(0.8)


def test_one_judge_or_rules_alone_compare_nothing() -> None:
    assert judges_compared_section(Dataset([judged_attempt(1, ("a", "8"))], {})) is None
    ruled = dataclasses.replace(reply(1, 1.0), judgement=NewestJudgement("deterministic", "B", ()))
    assert judges_compared_section(Dataset([ruled], {})) is None
    apart = [judged_attempt(1, ("a", "8")), judged_attempt(2, ("b", "8"))]
    assert judges_compared_section(Dataset(apart, {})) is None


def wrong_attempt(number: int, *types: str, tag: str = "Knowledge", **judges: tuple[str, ...]) -> FoldedAttempt:
    folded_reply = reply(number, 0.0, tag=tag, steps=True)
    return dataclasses.replace(folded_reply, errors={"error-types": NamedErrors(types, judges or {"a": types})})


def test_an_answer_counts_in_each_of_its_types_of_error() -> None:
    rows = [
        wrong_attempt(1, "single concept"),
        wrong_attempt(2, "single concept", "calculation"),
        wrong_attempt(3, "partial knowledge"),
        wrong_attempt(4, "concept confusion", tag="Reasoning"),
        wrong_attempt(5),
        reply(6, 0.0, steps=True),
        reply(7, 1.0, steps=True),
        reply(8, 0.0),
    ]
    section = error_types_section(Dataset(rows, {}))
    assert section is not None
    (picture,) = section.pictures
    shares = {(figure.row.partition(", ")[0], figure.column): figure.value for figure in picture.table.figures}
    assert shares == pytest.approx(
        {
            ("knowledge", "any of knowledge"): 1.0,
            ("knowledge", "any of reasoning"): 1 / 3,
            ("knowledge", "single concept"): 2 / 3,
            ("knowledge", "concept confusion"): 0.0,
            ("knowledge", "partial knowledge"): 1 / 3,
            ("knowledge", "calculation"): 1 / 3,
            ("reasoning", "any of knowledge"): 1.0,
            ("reasoning", "any of reasoning"): 0.0,
            ("reasoning", "single concept"): 0.0,
            ("reasoning", "concept confusion"): 1.0,
            ("reasoning", "partial knowledge"): 0.0,
            ("reasoning", "calculation"): 0.0,
        }
    )
    assert "5 wrong choices of 6 after which steps were asked for" in section.lead[0]
    assert "of 1 answer they agree on none" in section.lead[0]
    assert error_types_section(Dataset([reply(1, 0.0, steps=True)], {})) is None


def test_judges_of_errors_are_compared() -> None:
    rows = [
        wrong_attempt(1, "calculation", a=("calculation",), b=("calculation",)),
        wrong_attempt(2, a=("misreading",), b=("calculation",)),
    ]
    section = error_types_section(Dataset(rows, {}))
    assert section is not None
    (row,) = section.tables[0].rows
    # 16 pairs of yes and no; 2 differ. Alpha is 1 - 31 * 4 / (2 * 4 * 28) with 4 yes among 32 values.
    assert row == ("a", "b", 2, "50 %", "0.45")
