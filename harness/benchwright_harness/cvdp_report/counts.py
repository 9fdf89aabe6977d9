"""The counts that a report holds for each category and difficulty."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from benchwright_problems.category import Category

# Scored from 0 to 1 instead of passed or failed, and the field that holds it.
SCORES = {
    Category.RTL_CORRESPONDENCE: "bleu_score",
    Category.TESTBENCH_CORRESPONDENCE: "bleu_score",
    Category.RTL_QUESTION: "llm_score",
    Category.TESTBENCH_QUESTION: "llm_score",
}
DIFFICULTIES = ("easy", "medium", "hard")
_SECTIONS = ("metadata", "test_details", "sample_index")
_COUNTS = ("Passed", "Failed", "Total")


def categories_by_name(report_content: Mapping[str, Any]) -> dict[str, Any]:
    """The categories of a report, by name."""
    return {name: value for name, value in sorted(report_content.items()) if name not in _SECTIONS}


def difficulty_counts(category: Mapping[str, Any], level: str) -> dict[str, float]:
    """The counts of one difficulty."""
    counts: dict[str, float] = category[level]
    return counts


def int_if_whole(count: float) -> float:
    """An integer if it is one, as CVDP writes counts."""
    return int(count) if count == int(count) else count


def passed_failed_and_total(
    categories: Iterable[Mapping[str, Any]], counted_noun: str, levels: Sequence[str] = DIFFICULTIES
) -> tuple[float, float, float]:
    """Passed, failed and all tests or problems of some categories."""
    sums = [0.0, 0.0, 0.0]
    for category in categories:
        for level in levels:
            counts = category.get(level, {})
            for index, count in enumerate(_COUNTS):
                sums[index] += counts.get(f"{count} {counted_noun}", 0)
    passed_count, failed_count, total = (int_if_whole(round(number, 2)) for number in sums)
    return passed_count, failed_count, total
