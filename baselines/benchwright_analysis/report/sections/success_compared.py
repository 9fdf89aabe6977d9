"""Groups compared in how much they solved, people and models alike."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence

from benchwright_analysis.report import charts
from benchwright_analysis.report.rows.dataset import Dataset
from benchwright_analysis.report.rows.observation import Observation
from benchwright_analysis.report.section import Cell, SortableTable, p_value_text, text_with_interval
from benchwright_analysis.report.sections.time_compared import as_percentage_points
from benchwright_analysis.statistics.crossed import CrossedEstimate, crossed_share_difference
from benchwright_analysis.statistics.errors import StatisticsError
from benchwright_analysis.statistics.multiple import AdjustedTest, holm_tests

_MOST_COMPARED = 8
"""Groups of which each pair is compared; every pair is a row."""


def compare_groups(
    data: Dataset, observations_by_group: Mapping[str, Sequence[Observation]]
) -> tuple[dict[str, object], SortableTable]:
    """Pairs of groups, on the problems that both tried."""
    groups = list(observations_by_group)[:_MOST_COMPARED]
    differences: dict[str, CrossedEstimate] = {}
    category_p_values: dict[tuple[str, str], float] = {}
    for first_group, second_group in itertools.combinations(groups, 2):
        first_attempts, second_attempts = observations_by_group[first_group], observations_by_group[second_group]
        if (difference := solved_difference(first_attempts, second_attempts)) is not None:
            pair = f"{second_group} against {first_group}"
            differences[pair] = difference
            for category, category_p_value in _p_values_by_category(first_attempts, second_attempts).items():
                category_p_values[pair, category] = category_p_value
    pair_tests = holm_tests(
        {pair: difference.p_value for pair, difference in differences.items() if difference.p_value is not None}
    )
    category_tests: dict[str, dict[str, AdjustedTest]] = {pair: {} for pair in differences}
    for (pair, category), test in holm_tests(category_p_values).items():
        category_tests[pair][category] = test
    comparisons: dict[str, object] = {
        pair: {"difference": difference, "test": pair_tests.get(pair), "categories": category_tests[pair]}
        for pair, difference in differences.items()
    }
    rows: list[Sequence[Cell]] = [
        (
            pair,
            difference.problems,
            text_with_interval(as_percentage_points(difference), digits=1),
            p_value_text(difference.p_value),
            p_value_text(pair_tests[pair].adjusted if pair in pair_tests else None),
            ", ".join(name for name, test in category_tests[pair].items() if test.significant) or "none",
        )
        for pair, difference in differences.items()
    ]
    note = (
        "Differences of the share solved, in percentage points, over the problems that both groups tried. Intervals "
        "and tests hold for other people at other problems; of a model for other problems. Of groups that are alike, "
        "one pair in twenty has a p below 0.05; any of them has one after Holm's correction in one report of twenty. "
        "The last column names categories that differ after Holm's correction over pairs and categories."
    )
    columns = (
        *("comparison", "problems", "difference (95 % interval)", "p", "p among all pairs (Holm)"),
        "categories that differ",
    )
    note += charts.note_if_omitted(groups, observations_by_group, "Compared")
    return comparisons, SortableTable("Groups compared, problem by problem", columns, rows, note)


def _attempts_at_shared_problems(
    attempts: Sequence[Observation], other_attempts: Sequence[Observation]
) -> list[Observation]:
    problems = {observation.problem for observation in attempts} & {
        observation.problem for observation in other_attempts
    }
    return [observation for observation in (*attempts, *other_attempts) if observation.problem in problems]


def have_own_tasks(attempts: Sequence[Observation]) -> bool:
    """True if people have several tasks each, and no two share one: then people are compared with themselves."""
    if not attempts or not all(attempt.is_person for attempt in attempts):
        return False
    return (
        len({attempt.participant for attempt in attempts})
        < len(attempts)
        == len({attempt.problem for attempt in attempts})
    )


def solved_difference(
    first_attempts: Sequence[Observation], second_attempts: Sequence[Observation]
) -> CrossedEstimate | None:
    """By how much the share solved in the second group exceeds that in the first; `None` if no problem was shared.

    Where each task is one person's own, people are compared with themselves.

    Args:
        first_attempts: Decided attempts of one group; only those at problems that the other group tried count,
            unless each task is one person's own.
        second_attempts: Decided attempts of the other group.
    """
    shared_attempts = _attempts_at_shared_problems(first_attempts, second_attempts)
    if not shared_attempts and have_own_tasks([*first_attempts, *second_attempts]):
        shared_attempts = [*first_attempts, *second_attempts]
    if not shared_attempts:
        return None
    try:
        treated = [observation.group == second_attempts[0].group for observation in shared_attempts]
        return crossed_share_difference(
            [observation.passed for observation in shared_attempts], treated, Dataset.crossed_cells(shared_attempts)
        )
    except StatisticsError:
        return None


def _p_values_by_category(
    first_attempts: Sequence[Observation], second_attempts: Sequence[Observation]
) -> Mapping[str, float]:
    p_values: dict[str, float] = {}
    for name in sorted(
        {
            _category_or_format(observation)
            for observation in _attempts_at_shared_problems(first_attempts, second_attempts)
        }
        - {""}
    ):
        difference = solved_difference(
            *(
                [observation for observation in rows if _category_or_format(observation) == name]
                for rows in (first_attempts, second_attempts)
            )
        )
        if difference is not None and difference.p_value is not None:
            p_values[name] = difference.p_value
    return p_values


def _category_or_format(observation: Observation) -> str:
    return observation.category or observation.format
