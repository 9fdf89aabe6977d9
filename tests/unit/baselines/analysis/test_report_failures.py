"""Groups of failures: by what models say about them, and by the messages that solvers saw."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from benchwright_analysis.report.fold import FoldedAttempt, Reflection
from benchwright_analysis.report.rows.dataset import Dataset
from benchwright_analysis.report.sections.failing import failing_section
from benchwright_analysis.statistics.failures import cluster_failures

from ....support.packs.report_codebook import observation
from ....support.packs.report_sections import words

_CAUSES = ("The reset clears the pointer one cycle late.", "The output width truncates the carry of the adder.")


def failed_attempt(number: int, message: str = "2 of 9 tests failed.") -> FoldedAttempt:
    return FoldedAttempt(observation(attempt=f"a{number}", passed=False), (), {}, message)


def dataset_with_reflections(count: int) -> Dataset:
    """Attempts that all show the same message; models name one of two causes."""
    return Dataset(
        [
            replace(
                failed_attempt(number), reflection=Reflection(f"{_CAUSES[number % 2]}", f"m/{number % 2}", (100, 10))
            )
            for number in range(count)
        ],
        {},
    )


def test_failures_are_grouped_by_the_causes_that_models_name() -> None:
    section = failing_section(dataset_with_reflections(14))
    by_reflection, by_message = [picture.table for picture in section.pictures]
    assert [row[0] for row in by_reflection.rows] == [7, 7]
    assert {str(row[3]) for row in by_reflection.rows} == set(_CAUSES)
    assert [row[0] for row in by_message.rows] == [14], "the messages alone tell nothing apart"


def test_tokens_of_reflections_and_who_was_asked_are_told() -> None:
    section = failing_section(dataset_with_reflections(14))
    assert "m/0 (7), m/1 (7)" in words(section)
    assert "1400 tokens sent and 140 received" in words(section)
    grouped = section.numbers["reflections"]
    assert isinstance(grouped, dict) and grouped["tokens"] == {"sent": 1400, "received": 140}


def test_too_few_reflections_make_no_groups_but_are_told() -> None:
    section = failing_section(
        Dataset([*dataset_with_reflections(3).folded, *(failed_attempt(number) for number in range(20, 40))], {})
    )
    assert len(section.pictures) == 1
    assert "asked why 3 attempts failed" in words(section)


def test_failures_are_grouped_by_meaning_where_an_embedding_is_given() -> None:
    embedded_texts: list[str] = []

    def embed(texts: Sequence[str]) -> list[list[float]]:
        embedded_texts.extend(texts)
        return [[float("reset" in text), 1.0] for text in texts]

    section = failing_section(replace(dataset_with_reflections(14), embed=embed))
    assert "TF-IDF" not in section.pictures[0].table.note
    assert [row[0] for row in section.pictures[0].table.rows] == [7, 7]
    assert set(embedded_texts[:14]) == set(_CAUSES)


def test_groups_have_names_where_a_namer_is_given_and_their_words_beside_them() -> None:
    def name(texts: Sequence[str]) -> str | None:
        return "late reset" if "reset" in texts[0] else None

    table = failing_section(replace(dataset_with_reflections(14), name_failures=name)).pictures[0].table
    assert table.columns[:4] == ("failed attempts", "share", "name", "distinctive words")
    assert {str(row[2]): str(row[4]) for row in table.rows} == {"late reset": _CAUSES[0], "–": _CAUSES[1]}
    assert "Groups have no names" not in table.note


def test_kinds_of_failure_are_counted_by_category_and_model() -> None:
    # Cause 0 has the even numbers, cause 1 the odd ones; models take turns in pairs, categories halve the numbers.
    rows = [
        replace(
            failed_attempt(number),
            observation=observation(
                attempt=f"a{number}",
                passed=False,
                category=("cid003", "cid016")[number >= 8],
                participant=("m", "n")[number // 2 % 2],
                condition="model",
                solver="model",
            ),
            reflection=Reflection(_CAUSES[number % 2 if number < 12 else 0], "m", (0, 0)),
            failure="",
        )
        for number in range(14)
    ]
    section = failing_section(Dataset(rows, {}))
    grouped = section.numbers["reflections"]
    assert isinstance(grouped, dict)
    assert grouped["by_category"] == [
        {"category": "cid003", "group": "model: m", "attempts": [2, 2]},
        {"category": "cid003", "group": "model: n", "attempts": [2, 2]},
        # 8, 9, 12 and 13 are of m, 10 and 11 of n; 13 has cause 0 too.
        {"category": "cid016", "group": "model: m", "attempts": [3, 1]},
        {"category": "cid016", "group": "model: n", "attempts": [1, 1]},
    ]
    (table,) = section.tables
    assert table.rows[2] == ("cid016", "model: m", 4, "3 (75 %)", "1 (25 %)")


def test_positions_are_the_two_directions_in_which_failures_differ_most() -> None:
    vectors = [[3.0, 0.0, 0.0], [-3.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, -1.0, 0.0]]
    analysis = cluster_failures(["a b", "c d", "e f", "g h"], embed=lambda texts: vectors, seed=1)
    assert np.abs(analysis.positions) == pytest.approx(np.asarray([[3, 0], [3, 0], [0, 1], [0, 1]]))
    assert np.asarray(analysis.positions).sum(axis=0) == pytest.approx([0, 0])
