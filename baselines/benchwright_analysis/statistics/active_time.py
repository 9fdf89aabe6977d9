"""Dependence of the derived active time on the threshold that calls a gap a pause."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from benchwright_analysis.statistics.columns import common_column_length, finite_number_column
from benchwright_analysis.statistics.errors import StatisticsError


@dataclass(frozen=True)
class ThresholdTime:
    """Active time of all attempts with one threshold."""

    threshold_s: float
    """Gaps between events that are longer count as not active."""
    total_s: float
    median_s: float
    share_of_elapsed: float | None
    """Of the time on the clock; `None` if no time passed."""
    against_reference: float | None
    """Total over the reference threshold's total, minus 1."""
    rank_correlation: float | None
    """Spearman's with the reference threshold: whether attempts keep their order."""


@dataclass(frozen=True)
class ActiveTimeSensitivity:
    """One row per threshold, ascending."""

    reference_s: float
    attempts: int
    thresholds: tuple[ThresholdTime, ...]
    largest_change: float
    """The greatest distance from the reference, as a share of it: 0.1 means that the choice moves totals by 10 %."""


def active_time_sensitivity(
    active_s_by_threshold_s: Mapping[float, Sequence[float]], elapsed_s: ArrayLike, *, reference_s: float
) -> ActiveTimeSensitivity:
    """Compare active times that were derived with different thresholds.

    Args:
        active_s_by_threshold_s: Threshold in seconds → active seconds of each attempt, in one order throughout.
        elapsed_s: Seconds on the clock of each attempt.
        reference_s: The threshold that the study names.

    Raises:
        StatisticsError: The reference is not among the thresholds, active time exceeds elapsed time or shrinks with a
            longer threshold, or lengths differ.
    """
    from scipy import stats

    if reference_s not in active_s_by_threshold_s:
        raise StatisticsError(f"No active times were given for the reference threshold of {reference_s:g} s.")
    elapsed = finite_number_column(elapsed_s, "Elapsed seconds", at_least=0)
    active_columns = {
        threshold: finite_number_column(
            active_s_by_threshold_s[threshold], f"Active seconds at {threshold:g} s", at_least=0
        )
        for threshold in sorted(active_s_by_threshold_s)
    }
    attempts = common_column_length(
        elapsed=len(elapsed), **{f"at_{key:g}_s": len(active_column) for key, active_column in active_columns.items()}
    )
    previous_active = np.zeros(attempts)
    for threshold, active_seconds in active_columns.items():
        # Clocks are read to the millisecond.
        if (active_seconds > elapsed + 0.001).any():
            index = int(np.argmax(active_seconds - elapsed))
            raise StatisticsError(f"At {threshold:g} s, attempt {index} is active for longer than its clock ran.")
        if (active_seconds < previous_active - 0.001).any():
            raise StatisticsError(f"Active time shrinks where the threshold grows to {threshold:g} s.")
        previous_active = active_seconds
    reference_column = active_columns[reference_s]
    threshold_rows = []
    for threshold, active_seconds in active_columns.items():
        varied = attempts > 2 and np.ptp(active_seconds) > 0 and np.ptp(reference_column) > 0
        threshold_rows.append(
            ThresholdTime(
                threshold_s=threshold,
                total_s=float(active_seconds.sum()),
                median_s=float(np.median(active_seconds)),
                share_of_elapsed=float(active_seconds.sum() / elapsed.sum()) if elapsed.sum() > 0 else None,
                against_reference=float(active_seconds.sum() / reference_column.sum() - 1)
                if reference_column.sum() > 0
                else None,
                rank_correlation=float(stats.spearmanr(active_seconds, reference_column).statistic) if varied else None,
            )
        )
    changes = [abs(row.against_reference) for row in threshold_rows if row.against_reference is not None]
    return ActiveTimeSensitivity(reference_s, attempts, tuple(threshold_rows), max(changes, default=0.0))
