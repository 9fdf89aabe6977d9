"""Groups compared in how much they solved, people and models alike."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from benchwright_analysis.report import charts
from benchwright_analysis.report.rows.dataset import Dataset
from benchwright_analysis.report.rows.observation import Observation
from benchwright_analysis.report.section import Cell, Table, p_value, with_interval
from benchwright_analysis.report.sections.time_compared import in_percentage_points
from benchwright_analysis.statistics.crossed import Crossed, crossed_share_difference
from benchwright_analysis.statistics.errors import StatisticsError
from benchwright_analysis.statistics.multiple import Adjusted, holm


def compared_groups(data: Dataset, by_group: Mapping[str, Sequence[Observation]]) -> tuple[dict[str, object], Table]:
    """Pairs of groups, on the problems that both tried."""
    groups = list(by_group)[: charts.MOST_GROUPS]
    comparisons: dict[str, object] = {}
    rows: list[Sequence[Cell]] = []
    for position, first in enumerate(groups):
        for second in groups[position + 1 :]:
            first_attempts, second_attempts = by_group[first], by_group[second]
            difference = solved_difference(first_attempts, second_attempts)
            if difference is None:
                continue
            categories = _by_category(first_attempts, second_attempts)
            comparisons[f"{second} against {first}"] = {"difference": difference, "categories": categories}
            rows.append(
                (
                    f"{second} against {first}",
                    difference.problems,
                    with_interval(in_percentage_points(difference), digits=1),
                    p_value(difference.p_value),
                    ", ".join(name for name, test in categories.items() if test.significant) or "none",
                )
            )
    note = (
        "Differences of the share solved, in percentage points, over the problems that both groups tried. Intervals "
        "and tests hold for other people at other problems; of a model for other problems. The last column names "
        "categories that differ after Holm's correction over categories."
    )
    columns = ("comparison", "problems", "difference (95 % interval)", "p", "categories that differ")
    note += charts.drawn(groups, by_group, "Compared")
    return comparisons, Table("Groups compared, problem by problem", columns, rows, note)


def _in_common(first: Sequence[Observation], second: Sequence[Observation]) -> list[Observation]:
    problems = {observation.problem for observation in first} & {observation.problem for observation in second}
    return [observation for observation in (*first, *second) if observation.problem in problems]


def solved_difference(first: Sequence[Observation], second: Sequence[Observation]) -> Crossed | None:
    """By how much the share solved in the second group exceeds that in the first; `None` if no problem was shared.

    Args:
        first: Decided attempts of one group; only those at problems that the other group tried count.
        second: Decided attempts of the other group.
    """
    shared_attempts = _in_common(first, second)
    if not shared_attempts:
        return None
    try:
        treated = [observation.group == second[0].group for observation in shared_attempts]
        return crossed_share_difference(
            [observation.passed for observation in shared_attempts], treated, Dataset.cells(shared_attempts)
        )
    except StatisticsError:
        return None


def _by_category(first: Sequence[Observation], second: Sequence[Observation]) -> dict[str, Adjusted]:
    tests: dict[str, float] = {}
    for name in sorted({_category(observation) for observation in _in_common(first, second)} - {""}):
        difference = solved_difference(
            *([observation for observation in rows if _category(observation) == name] for rows in (first, second))
        )
        if difference is not None and difference.p_value is not None:
            tests[name] = difference.p_value
    return holm(tests)


def _category(observation: Observation) -> str:
    return observation.category or observation.format
