"""The mean time to pass if everybody stops at a limit, where some never pass."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from benchwright_analysis.statistics.columns import (
    Flags,
    Numbers,
    common_column_length,
    flag_column,
    time_and_pass_columns,
)
from benchwright_analysis.statistics.crossed import CrossedEstimate, crossed_difference, crossed_mean
from benchwright_analysis.statistics.crossed_design import CrossedCells
from benchwright_analysis.statistics.errors import StatisticsError
from benchwright_analysis.statistics.pseudo_values import (
    log_restricted_time_pseudo_values,
    restricted_time_pseudo_values,
)


def observable_limit(times: ArrayLike, pass_flags: ArrayLike, requested_limit: float) -> float:
    """The longest limit up to the wanted one that a restricted mean can have.

    Where the longest attempt did not pass, nothing is known of what comes after it.

    Raises:
        StatisticsError: A negative time, differing lengths, or no attempts.
    """
    waits, events = time_and_pass_columns(times, pass_flags)
    return requested_limit if events[waits == waits.max()].all() else min(requested_limit, float(waits.max()))


def restricted_mean(times: ArrayLike, pass_flags: ArrayLike, limit: float, cells: CrossedCells) -> CrossedEstimate:
    """The area below the Kaplan-Meier curve up to the limit (Irwin 1949), for other participants at other problems.

    The standard error is that of the mean of pseudo-values (Andersen, Hansen & Klein 2004). The interval is symmetrical
    around the logit of the mean's share of the limit, since means near the limit, or near 0, are skewed.

    Args:
        times: Time of each attempt of one condition, until it passed or ended.
        pass_flags: True for each attempt that passed.
        limit: Limit in the unit of the times.
        cells: Participant and problem of each attempt.

    Raises:
        StatisticsError: The limit is not positive, or later than anything is known of (`observable_limit`).
    """
    waits, events = time_and_pass_columns(times, pass_flags)
    _raise_if_limit_unobservable(waits, events, limit)
    estimate = crossed_mean(restricted_time_pseudo_values(waits, events, limit), cells)
    if estimate.low is None or estimate.high is None:
        return estimate
    share = estimate.value / limit
    if not 0 < share < 1:
        return replace(estimate, low=max(0.0, estimate.low), high=min(limit, estimate.high), p_value=None)
    middle, reach = math.log(share / (1 - share)), (estimate.high - estimate.low) / 2 / limit / (share * (1 - share))
    low, high = (limit / (1 + math.exp(min(-end, 700.0))) for end in (middle - reach, middle + reach))
    return replace(estimate, low=low, high=high, p_value=None)


def restricted_mean_difference(
    times: ArrayLike,
    pass_flags: ArrayLike,
    in_second_group: ArrayLike,
    limit: float,
    cells: CrossedCells,
    covariates: Sequence[ArrayLike] = (),
) -> CrossedEstimate:
    """By how much longer attempts under the second condition take, both stopped at the limit; negative is faster.

    Args:
        times: As in `restricted_mean`, of both conditions.
        pass_flags: As in `restricted_mean`.
        in_second_group: True for each attempt under the second condition.
        limit: As in `restricted_mean`.
        cells: As in `restricted_mean`.
        covariates: As in `crossed_difference`.

    Raises:
        StatisticsError: A condition without attempts, or as in `restricted_mean` and `crossed_difference`.
    """
    return crossed_difference(
        _pseudo_values_by_condition(times, pass_flags, in_second_group, limit, False),
        in_second_group,
        cells,
        covariates,
    )


def geometric_mean_time_change(
    times: ArrayLike,
    pass_flags: ArrayLike,
    in_second_group: ArrayLike,
    limit: float,
    cells: CrossedCells,
    covariates: Sequence[ArrayLike] = (),
) -> CrossedEstimate:
    """The second condition's geometric mean time over the first's, less 1: -0.2 is a fifth less, up to the limit.

    Attempts that reach the limit count with the limit, so an effect on times without a limit is underestimated.

    Args:
        times: As in `restricted_mean_difference`, positive.
        pass_flags: As in `restricted_mean_difference`.
        in_second_group: As in `restricted_mean_difference`.
        limit: As in `restricted_mean_difference`.
        cells: As in `restricted_mean_difference`.
        covariates: As in `crossed_difference`.

    Returns:
        With the standard error and the p-value of the logarithm of the ratio.

    Raises:
        StatisticsError: As in `restricted_mean_difference`, or a time of 0.
    """
    estimate = crossed_difference(
        _pseudo_values_by_condition(times, pass_flags, in_second_group, limit, True), in_second_group, cells, covariates
    )
    low, high = (None if end is None else _relative_change(end) for end in (estimate.low, estimate.high))
    return replace(estimate, value=_relative_change(estimate.value), low=low, high=high)


def _pseudo_values_by_condition(
    times: ArrayLike, pass_flags: ArrayLike, in_second_group: ArrayLike, limit: float, of_logarithm: bool
) -> Numbers:
    waits, events = time_and_pass_columns(times, pass_flags)
    treated = flag_column(in_second_group, "Conditions")
    common_column_length(times=len(waits), conditions=len(treated))
    condition_values = np.zeros(len(waits))
    pseudo_values = log_restricted_time_pseudo_values if of_logarithm else restricted_time_pseudo_values
    for condition_rows in (~treated, treated):
        if not condition_rows.any():
            raise StatisticsError("A difference needs attempts under both conditions.")
        _raise_if_limit_unobservable(waits[condition_rows], events[condition_rows], limit)
        condition_values[condition_rows] = pseudo_values(waits[condition_rows], events[condition_rows], limit)
    return condition_values


def _raise_if_limit_unobservable(waits: Numbers, events: Flags, limit: float) -> None:
    if not (math.isfinite(limit) and limit > 0):
        raise StatisticsError(f"The limit has to be a positive time, not {limit:g}.")
    if limit > waits.max() and not events[waits == waits.max()].all():
        raise StatisticsError(
            f"Nothing is known after {waits.max():g}, when the last attempt ended without a pass: "
            f"a limit of {limit:g} is too late."
        )


def _relative_change(log_ratio: float) -> float:
    return math.expm1(min(log_ratio, 700.0))
