"""Contribution of each attempt to an estimate from censored times, to be analysed like complete data."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from benchwright_analysis.statistics.columns import Flags, Numbers, finite_number_column, time_and_pass_columns
from benchwright_analysis.statistics.errors import StatisticsError


def restricted_time_pseudo_values(times: ArrayLike, pass_flags: ArrayLike, time_limit: float) -> Numbers:
    """Pseudo-values of the mean time up to a limit.

    Of an attempt that passed or reached the limit it is its time up to the limit, if no other was censored before;
    their mean is the restricted mean of Kaplan and Meier's curve (Andersen, Hansen & Klein 2004, Lifetime Data Analysis
    10: n times the estimate less n - 1 times that without the attempt).

    Args:
        times: Time of each attempt of one condition, until it passed or ended.
        pass_flags: True for each attempt that passed.
        time_limit: Limit in the unit of the times.

    Raises:
        StatisticsError: A negative time, a limit that is not positive, lengths differ, or no attempts.
    """
    waits, events = _times_stopped_at_limit(times, pass_flags, time_limit)
    return _restricted_time_jackknife(waits, events, time_limit, of_logarithm=False)


def log_restricted_time_pseudo_values(times: ArrayLike, pass_flags: ArrayLike, limit: float) -> Numbers:
    """Pseudo-values of the mean logarithm of the time up to a limit: exp of their mean is a geometric mean.

    Raises:
        StatisticsError: As in `restricted_time_pseudo_values`, or a time of 0.
    """
    waits, events = _times_stopped_at_limit(times, pass_flags, limit)
    finite_number_column(waits, "Times", above=0)
    return _restricted_time_jackknife(waits, events, limit, of_logarithm=True)


def unsolved_pseudo_values(times: ArrayLike, pass_flags: ArrayLike, moments_asked: ArrayLike) -> Numbers:
    """Pseudo-values of the share not solved by each of some times.

    Returns:
        Attempts by times.

    Raises:
        StatisticsError: As in `restricted_time_pseudo_values`.
    """
    waits, events = time_and_pass_columns(times, pass_flags)
    moments = finite_number_column(moments_asked, "Times", at_least=0)
    if not events.any():
        return np.ones((len(waits), len(moments)))
    curve = _KaplanMeierCurves(waits, events)
    columns = np.searchsorted(curve.pass_times, moments, side="right")
    later_curve = np.append(1.0, curve.full_curve)[columns]
    own_step_curve = np.append(curve.full_curve, 1.0)[curve.step_index]
    # Where the curve comes to 0 there are no later steps.
    later_share = np.ones((len(waits), len(moments)))
    np.divide(later_curve[None, :], own_step_curve[:, None], out=later_share, where=own_step_curve[:, None] > 0)
    reduced_shares = np.where(
        columns[None, :] <= curve.step_index[:, None],
        curve.reduced_curve[columns][None, :],
        (curve.reduced_curve[curve.step_index] * curve.factor)[:, None] * later_share,
    )
    return _centred_pseudo_values(later_curve, reduced_shares)


def _times_stopped_at_limit(times: ArrayLike, pass_flags: ArrayLike, limit: float) -> tuple[Numbers, Flags]:
    waits, events = time_and_pass_columns(times, pass_flags)
    if not (np.isfinite(limit) and limit > 0):
        raise StatisticsError(f"The limit has to be a positive time, not {limit:g}.")
    return np.minimum(waits, limit), events & (waits < limit)


def _restricted_time_jackknife(
    stopped_times: Numbers, passed_before_limit: Flags, limit: float, *, of_logarithm: bool
) -> Numbers:
    def scale(times: Numbers) -> Numbers:
        return np.log(times) if of_logarithm else times

    if (passed_before_limit | (stopped_times >= limit)).all():
        return scale(stopped_times)
    if not passed_before_limit.any():
        return np.full(len(stopped_times), float(scale(np.array([limit]))[0]))
    curve = _KaplanMeierCurves(stopped_times, passed_before_limit)
    widths = np.diff(scale(np.append(curve.pass_times, limit)))
    first_step = float(scale(curve.pass_times[:1])[0])
    remaining_area = np.zeros(len(widths) + 1)
    for step in range(len(widths) - 1, -1, -1):
        remaining_area[step] = widths[step] + (
            curve.step_share[step + 1] * remaining_area[step + 1] if step + 1 < len(widths) else 0.0
        )
    early_areas = np.append(0.0, np.cumsum(widths * curve.reduced_curve[1:]))
    reduced_areas = (
        first_step
        + early_areas[curve.step_index]
        + curve.reduced_curve[curve.step_index] * curve.factor * remaining_area[curve.step_index]
    )
    return _centred_pseudo_values(first_step + float(widths @ curve.full_curve), reduced_areas)


def _centred_pseudo_values(full_estimate: ArrayLike, reduced_estimates: Numbers) -> Numbers:
    """Pseudo-values whose mean is the estimate itself.

    The jackknife's is not where the curve's last step is that of one attempt: without it, the curve ends above 0.
    """
    pseudo_values: Numbers = (
        len(reduced_estimates) * np.asarray(full_estimate) - (len(reduced_estimates) - 1) * reduced_estimates
    )
    shifted: Numbers = pseudo_values + (full_estimate - pseudo_values.mean(axis=0))
    return shifted


class _KaplanMeierCurves:
    """Kaplan and Meier's curve, and the curve without each attempt."""

    def __init__(self, waits: Numbers, events: Flags) -> None:
        self.pass_times: Numbers = np.unique(waits[events])
        """Times at which attempts passed."""
        ordered_waits = np.sort(waits)
        risk = (len(waits) - np.searchsorted(ordered_waits, self.pass_times, side="left")).astype(np.float64)
        dead = np.bincount(np.searchsorted(self.pass_times, waits[events]), minlength=len(self.pass_times)).astype(
            np.float64
        )
        self.step_share = np.asarray(1 - dead / risk, dtype=np.float64)
        """Of those under way at a step, the share that did not pass."""
        self.full_curve = np.asarray(np.cumprod(self.step_share), dtype=np.float64)
        fewer = np.maximum(risk - 1, 1)
        self.reduced_curve: Numbers = np.append(1.0, np.cumprod(np.maximum(0.0, 1 - dead / fewer)))
        """Before each step, the curve without an attempt that is still under way then."""
        self.step_index = np.searchsorted(self.pass_times, waits, side="left")
        """Of each attempt the first step that is not before its end."""
        step_positions = np.minimum(self.step_index, len(self.pass_times) - 1)
        ends_at_step = (self.step_index < len(self.pass_times)) & (self.pass_times[step_positions] == waits)
        self.factor: Numbers = np.where(
            ends_at_step, 1 - (dead[step_positions] - events) / fewer[step_positions], self.step_share[step_positions]
        )
        """Of each attempt, what its step multiplies the curve without it by."""
