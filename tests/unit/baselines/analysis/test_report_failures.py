"""Groups of failures: by what models say about them, and by the messages that solvers saw."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from benchwright_analysis.report.fold import FoldedAttempt, Reflection
from benchwright_analysis.report.rows.dataset import Dataset
from benchwright_analysis.report.sections.failing import failing_section

from ....support.packs.report_codebook import observation
from ....support.packs.report_sections import words

_CAUSES = ("The reset clears the pointer one cycle late.", "The output width truncates the carry of the adder.")


def failed(number: int, message: str = "2 of 9 tests failed.") -> FoldedAttempt:
    return FoldedAttempt(observation(attempt=f"a{number}", passed=False), (), {}, message)


def reflected(count: int) -> Dataset:
    """Attempts that all show the same message; models name one of two causes."""
    return Dataset(
        [
            replace(failed(number), reflection=Reflection(f"{_CAUSES[number % 2]}", f"m/{number % 2}", (100, 10)))
            for number in range(count)
        ],
        {},
    )


def test_failures_are_grouped_by_the_causes_that_models_name() -> None:
    section = failing_section(reflected(14))
    by_reflection, by_message = section.tables
    assert [row[0] for row in by_reflection.rows] == [7, 7]
    assert {str(row[3]) for row in by_reflection.rows} == set(_CAUSES)
    assert [row[0] for row in by_message.rows] == [14], "the messages alone tell nothing apart"


def test_tokens_of_reflections_and_who_was_asked_are_told() -> None:
    section = failing_section(reflected(14))
    assert "m/0 (7), m/1 (7)" in words(section)
    assert "1400 tokens sent and 140 received" in words(section)
    grouped = section.numbers["reflections"]
    assert isinstance(grouped, dict) and grouped["tokens"] == {"sent": 1400, "received": 140}


def test_too_few_reflections_make_no_groups_but_are_told() -> None:
    section = failing_section(Dataset([*reflected(3).folded, *(failed(number) for number in range(20, 40))], {}))
    assert len(section.tables) == 1
    assert "asked why 3 attempts failed" in words(section)


def test_failures_are_grouped_by_meaning_where_an_embedding_is_given() -> None:
    embedded_texts: list[str] = []

    def embed(texts: Sequence[str]) -> list[list[float]]:
        embedded_texts.extend(texts)
        return [[float("reset" in text), 1.0] for text in texts]

    section = failing_section(replace(reflected(14), embed=embed))
    assert "TF-IDF" not in section.tables[0].note
    assert [row[0] for row in section.tables[0].rows] == [7, 7]
    assert set(embedded_texts[:14]) == set(_CAUSES)


def test_groups_have_names_where_a_namer_is_given_and_their_words_beside_them() -> None:
    def name(texts: Sequence[str]) -> str | None:
        return "late reset" if "reset" in texts[0] else None

    table = failing_section(replace(reflected(14), name_failures=name)).tables[0]
    assert table.columns[:4] == ("failed attempts", "share", "name", "distinctive words")
    assert {str(row[2]): str(row[4]) for row in table.rows} == {"late reset": _CAUSES[0], "–": _CAUSES[1]}
    assert "Groups have no names" not in table.note
