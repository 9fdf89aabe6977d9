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
    found: dict[str, object] = {}
    rows: list[Sequence[Cell]] = []
    for place, first in enumerate(groups):
        for second in groups[place + 1 :]:
            one, other = by_group[first], by_group[second]
            difference = solved_difference(one, other)
            if difference is None:
                continue
            categories = _by_category(one, other)
            found[f"{second} against {first}"] = {"difference": difference, "categories": categories}
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
    return found, Table("Groups compared, problem by problem", columns, rows, note)


def _in_common(first: Sequence[Observation], second: Sequence[Observation]) -> list[Observation]:
    problems = {one.problem for one in first} & {one.problem for one in second}
    return [one for one in (*first, *second) if one.problem in problems]


def solved_difference(first: Sequence[Observation], second: Sequence[Observation]) -> Crossed | None:
    """By how much the share solved in the second group exceeds that in the first; `None` if no problem was shared.

    Args:
        first: Decided attempts of one group; only those at problems that the other group tried count.
        second: Of the other.
    """
    both = _in_common(first, second)
    if not both:
        return None
    try:
        treated = [one.group == second[0].group for one in both]
        return crossed_share_difference([one.passed for one in both], treated, Dataset.cells(both))
    except StatisticsError:
        return None


def _by_category(first: Sequence[Observation], second: Sequence[Observation]) -> dict[str, Adjusted]:
    tests: dict[str, float] = {}
    for name in sorted({_category(one) for one in _in_common(first, second)} - {""}):
        found = solved_difference(*([one for one in rows if _category(one) == name] for rows in (first, second)))
        if found is not None and found.p_value is not None:
            tests[name] = found.p_value
    return holm(tests)


def _category(one: Observation) -> str:
    return one.category or one.format
