"""What answers drawn at random earn on CS-Bench's questions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from benchwright_analysis.report.rows.observation import Observation
from benchwright_analysis.report.section import Figure

_EXPECTED = {"multiple-choice": 0.25, "assertion": 0.5, "fill-in-the-blank": 0.0, "open-ended": 0.1}
"""As CS-Bench's row “Random” (table 2): four choices; the lowest points for an open-ended answer."""


def by_chance(rows: Sequence[Observation], columns: Callable[[Observation], Iterable[str]]) -> list[Figure]:
    """A row for each language: the expected score of each column, each question once.

    Args:
        rows: Attempts; several at one question count as one.
        columns: Those that an attempt's question counts in.
    """
    found: dict[tuple[str, str], dict[str, float]] = {}
    for one in rows:
        for column in columns(one) if one.format in _EXPECTED else ():
            found.setdefault((f"chance ({one.language})", column), {})[one.problem] = _EXPECTED[one.format]
    return [Figure(row, column, 0, len(each), sum(each.values()) / len(each)) for (row, column), each in found.items()]
