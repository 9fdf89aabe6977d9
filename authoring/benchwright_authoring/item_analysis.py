"""Item analysis: how hard a problem is, and whether those who are good at the others solve it.

Terms and formulas are those of classical test theory: Crocker and Algina, *Introduction to Classical and Modern Test
Theory* (1986), chapter 14; the upper and lower 27 % are Kelley's (1939).
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

LEAST_STUDENTS = 10
"""Students below which no discrimination is given: it would be chance."""
_GROUP = 0.27
_FUNCTIONAL = 0.05


@dataclass(frozen=True)
class ItemStatistics:
    """A problem of an assignment."""

    students: int
    """Number of students who worked on it."""
    facility: float
    """Mean share of the points, from 0 (nobody) to 1 (everybody)."""
    facility_interval: tuple[float, float] | None
    """95 %, Wilson's, where each student has all points or none; None otherwise."""
    discrimination: float | None
    """Correlation of the item with the sum of all others (corrected point-biserial), from -1 to 1. None with
    fewer than `LEAST_STUDENTS` students, or if all have the same."""
    upper_lower: float | None
    """Facility among the best 27 % by all other items, minus that among the worst 27 %."""


@dataclass(frozen=True)
class OptionStatistics:
    """A value that can be selected, and who has done so."""

    value: str
    students: int
    share: float
    """Of all who answered, from 0 to 1."""
    upper: float | None
    """Of the best 27 % by all other items; None with fewer than `LEAST_STUDENTS` students."""
    lower: float | None
    """Of the worst 27 %."""
    discrimination: float | None
    """Correlation of selecting it with the sum of all other items (corrected point-biserial), from -1 to 1: of a good
    distractor negative. None with fewer than `LEAST_STUDENTS` students, or if all have the same."""
    is_non_functional: bool | None
    """True if fewer than 5 % select it (Haladyna and Downing, "How many options is enough for a multiple-choice test
    item?", 1993). None with fewer than 20 students, of whom one is more than that."""


def option_statistics(
    points_by_item: Mapping[str, Sequence[float | None]],
    item_name: str,
    chosen_options: Sequence[Collection[str] | None],
    option_names: Sequence[str],
) -> list[OptionStatistics]:
    """The selections of each option. A good distractor attracts some, and more of the worst than of the best.

    Args:
        points_by_item: As for `analyse_mutants`.
        item_name: One of them.
        chosen_options: Options that each student has selected, in the same order; None for who has not answered.
        option_names: Options that can be selected.

    Returns:
        One for each option; none if nobody has answered.
    """
    other_points = sum(
        (_zero_filled(column) for name, column in points_by_item.items() if name != item_name),
        np.zeros(len(chosen_options)),
    )
    return option_statistics_given_other_points(other_points.tolist(), chosen_options, option_names)


def option_statistics_given_other_points(
    points_in_other_items: Sequence[float],
    chosen_options: Sequence[Collection[str] | None],
    option_names: Sequence[str],
) -> list[OptionStatistics]:
    """The same, where the sum over all other items is known.

    Args:
        points_in_other_items: The sum of each student.
        chosen_options: Options that each student has selected, in the same order; None for who has not answered.
        option_names: Options that can be selected.
    """
    answered_indices = [index for index, value in enumerate(chosen_options) if value is not None]
    other_points = np.array(points_in_other_items, dtype=float)[answered_indices]
    answered_options = [chosen for chosen in chosen_options if chosen is not None]
    has_enough = len(answered_indices) >= LEAST_STUDENTS
    analysed_options = []
    for value in option_names if answered_indices else ():
        selected = np.array([value in chosen for chosen in answered_options], dtype=float)
        size = max(1, round(_GROUP * len(answered_indices)))
        upper, lower = (
            _mean_share_of_best(selected, ranking, size) if has_enough else None
            for ranking in (other_points, -other_points)
        )
        share = float(selected.mean())
        is_non_functional = share < _FUNCTIONAL if len(answered_indices) * _FUNCTIONAL >= 1 else None
        correlation = _correlation_if_defined(selected, other_points)
        analysed_options.append(
            OptionStatistics(value, int(selected.sum()), share, upper, lower, correlation, is_non_functional)
        )
    return analysed_options


def item_statistics(shares_by_item: Mapping[str, Sequence[float | None]]) -> dict[str, ItemStatistics]:
    """Analyses the items of a test.

    Args:
        shares_by_item: Shares of the points from 0 to 1: for each item, each student's, in the same order of students;
            None for who has not worked on it, which counts as 0 in the sum over other items.

    Raises:
        ValueError: A share is not from 0 to 1, or items have different numbers of students.
    """
    if len({len(column) for column in shares_by_item.values()}) > 1:
        raise ValueError("items have different numbers of students")
    if any(share is not None and not 0 <= share <= 1 for column in shares_by_item.values() for share in column):
        raise ValueError("a share of points is not from 0 to 1")
    filled = {name: _zero_filled(column) for name, column in shares_by_item.items()}
    total = sum(filled.values(), np.zeros(len(next(iter(filled.values()), ()))))
    return {name: analyse_item(column, (total - filled[name]).tolist()) for name, column in shares_by_item.items()}


def analyse_item(item_shares: Sequence[float | None], points_in_other_items: Sequence[float]) -> ItemStatistics:
    """Analyses one item.

    Args:
        item_shares: Share of each student; None for who has not worked on it.
        points_in_other_items: The sum of each over all other items, in the same order.
    """
    other_points = np.array(points_in_other_items, dtype=float)
    worked = [index for index, share in enumerate(item_shares) if share is not None]
    shares = np.array([share for share in item_shares if share is not None])
    facility = float(shares.mean()) if len(shares) else 0.0
    selected_points = other_points[worked]
    has_enough = len(worked) >= LEAST_STUDENTS
    return ItemStatistics(
        len(worked),
        facility,
        _wilson_interval(int(shares.sum()), len(shares)) if len(shares) and {*shares.tolist()} <= {0.0, 1.0} else None,
        _correlation_if_defined(shares, selected_points),
        _upper_minus_lower_mean(shares, selected_points) if has_enough else None,
    )


def _correlation_if_defined(
    shares: np.ndarray[tuple[int], np.dtype[np.float64]], other_points: np.ndarray[tuple[int], np.dtype[np.float64]]
) -> float | None:
    if len(shares) < LEAST_STUDENTS or shares.std() == 0 or other_points.std() == 0:
        return None
    return float(np.corrcoef(shares, other_points)[0, 1])


def _zero_filled(item_shares: Sequence[float | None]) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    return np.array([share or 0.0 for share in item_shares])


def _upper_minus_lower_mean(
    shares: np.ndarray[tuple[int], np.dtype[np.float64]], other_points: np.ndarray[tuple[int], np.dtype[np.float64]]
) -> float:
    """Of students who are tied where a group ends, each counts in part: their order means nothing."""
    size = max(1, round(_GROUP * len(shares)))
    return _mean_share_of_best(shares, other_points, size) - _mean_share_of_best(shares, -other_points, size)


def _mean_share_of_best(
    shares: np.ndarray[tuple[int], np.dtype[np.float64]],
    ranking_points: np.ndarray[tuple[int], np.dtype[np.float64]],
    group_size: int,
) -> float:
    limit = np.sort(ranking_points)[-group_size]
    is_above, tied = ranking_points > limit, ranking_points == limit
    tied_share = (group_size - int(is_above.sum())) / int(tied.sum())
    return float((shares[is_above].sum() + tied_share * shares[tied].sum()) / group_size)


def _wilson_interval(success_count: int, trial_count: int) -> tuple[float, float]:
    # Not SciPy's: it takes a second to import.
    share, z = success_count / trial_count, NormalDist().inv_cdf(0.975)
    centre = (share + z**2 / (2 * trial_count)) / (1 + z**2 / trial_count)
    half = z / (1 + z**2 / trial_count) * math.sqrt(share * (1 - share) / trial_count + z**2 / (4 * trial_count**2))
    return max(0.0, centre - half), min(1.0, centre + half)
