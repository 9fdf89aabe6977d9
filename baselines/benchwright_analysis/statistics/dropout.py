"""What a difference would be if the tasks that nobody began had gone otherwise than those that were done."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from benchwright_analysis.statistics.columns import Numbers, common_column_length, finite_number_column, flag_column
from benchwright_analysis.statistics.crossed import CrossedEstimate, crossed_difference
from benchwright_analysis.statistics.crossed_design import CrossedCells

_LEVEL = 0.05
_STEPS = 20


@dataclass(frozen=True)
class OutcomeTable:
    """Outcomes of attempts under two conditions, and tasks without one."""

    values: Sequence[float]
    """Outcome of each attempt."""
    in_second_group: Sequence[bool]
    cells: CrossedCells
    missing_in_second_group: Sequence[bool]
    """Condition of each missing task."""
    missing_cells: CrossedCells
    lowest: float
    """The smallest outcome that there can be."""
    highest: float


@dataclass(frozen=True)
class DropoutSensitivity:
    """A difference under several assumptions about missing tasks."""

    missing: tuple[int, int]
    """Missing tasks under the first and the second condition."""
    like_others: CrossedEstimate
    """If they had gone like those that were done under their condition."""
    lowest: CrossedEstimate
    """If they had gone as badly for the difference as can be: the lower bound (Manski 1990)."""
    highest: CrossedEstimate
    """The upper bound."""
    tipping_point: float | None
    """By how much missing outcomes of the second condition have to differ from those that were done, until the \
conclusion changes; `None` if no possible difference changes it."""


def dropout_sensitivity(outcomes: OutcomeTable) -> DropoutSensitivity:
    """Differences with missing tasks filled in: bounds, and the tipping point of a delta adjustment.

    Each missing task gets the mean of its condition (Little & Rubin 2019), those of the second condition moved by delta
    against the conclusion, in steps of a twentieth of the range.

    Raises:
        StatisticsError: Lengths differ, or as in `crossed_difference`.
    """
    values = finite_number_column(outcomes.values, "Values")
    treated = flag_column(outcomes.in_second_group, "Conditions")
    is_second_missing = flag_column(outcomes.missing_in_second_group, "Conditions of missing tasks")
    common_column_length(values=len(values), conditions=len(treated))
    common_column_length(missing=len(is_second_missing), cells=len(outcomes.missing_cells.problems))
    means = np.array([values[~treated].mean(), values[treated].mean()])

    def filled(first_filling: ArrayLike, second_filling: ArrayLike) -> CrossedEstimate:
        unlimited = np.where(is_second_missing, second_filling, first_filling)
        filling: Numbers = np.clip(unlimited, outcomes.lowest, outcomes.highest)
        return crossed_difference(
            np.concatenate([values, filling]),
            np.concatenate([treated, is_second_missing]),
            _joined_cells(outcomes.cells, outcomes.missing_cells),
        )

    like_others = filled(means[0], means[1])
    sign = significant_sign(like_others)
    reach = outcomes.highest - outcomes.lowest
    against = -sign if sign else -1
    tipping = next(
        (
            against * step * reach / _STEPS
            for step in range(1, _STEPS + 1)
            if is_second_missing.any()
            and sign
            and significant_sign(filled(means[0], means[1] + against * step * reach / _STEPS)) != sign
        ),
        None,
    )
    return DropoutSensitivity(
        (int((~is_second_missing).sum()), int(is_second_missing.sum())),
        like_others,
        filled(outcomes.highest, outcomes.lowest),
        filled(outcomes.lowest, outcomes.highest),
        tipping,
    )


def significant_sign(difference: CrossedEstimate, other_p_value: float | None = None) -> int:
    """The sign of a significant difference; 0 of others.

    Args:
        difference: The difference.
        other_p_value: Counts instead of the p-value of the difference.
    """
    value = difference.p_value if other_p_value is None else other_p_value
    if value is None or value >= _LEVEL:
        return 0
    return 1 if difference.value > 0 else -1


def _joined_cells(begun_cells: CrossedCells, missing_cells: CrossedCells) -> CrossedCells:
    def known_or_none(cluster_column: Sequence[object] | None, count: int) -> list[object]:
        return [None] * count if cluster_column is None else [*cluster_column]

    counts = len(begun_cells.problems), len(missing_cells.problems)
    return CrossedCells(
        [*begun_cells.participants, *missing_cells.participants],
        [*begun_cells.problems, *missing_cells.problems],
        [*(begun_cells.families or begun_cells.problems), *(missing_cells.families or missing_cells.problems)],
        [*known_or_none(begun_cells.clusters, counts[0]), *known_or_none(missing_cells.clusters, counts[1])],
    )
