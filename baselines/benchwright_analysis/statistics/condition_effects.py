"""By how many percent a condition changes the time, allowing for how long the task was expected to take."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from benchwright_analysis.statistics.columns import (
    Numbers,
    common_column_length,
    distinct_labels_and_indices,
    finite_number_column,
)
from benchwright_analysis.statistics.errors import StatisticsError
from benchwright_judges.agreement.estimators import CONFIDENCE

FEW_CLUSTERS = 20
_EXACT = 1e-9
"""On the log scale: what is left below this is rounding."""


@dataclass(frozen=True)
class PercentChangeBounds:
    """A 95 % interval of a change in percent, and the p-value of no change."""

    low: float
    high: float
    standard_error: float
    """Of the coefficient, on the log scale."""
    p_value: float
    degrees_of_freedom: float
    """Of Student's t, which the interval and the p-value are by."""
    coefficient: float

    @property
    def normal(self) -> NormalPercentChangeBounds:
        """The same by the normal distribution, as some publications have it."""
        from scipy import special

        reach = float(special.ndtri((1 + CONFIDENCE) / 2)) * self.standard_error
        p = 2 * float(special.ndtr(-abs(self.coefficient) / self.standard_error))
        return NormalPercentChangeBounds(
            _percent_of_log_change(self.coefficient - reach), _percent_of_log_change(self.coefficient + reach), p
        )


@dataclass(frozen=True)
class NormalPercentChangeBounds:
    """A 95 % interval of a change in percent, and its p-value, by the normal distribution."""

    low: float
    high: float
    p_value: float


@dataclass(frozen=True)
class ConditionEffect:
    """One condition against the baseline."""

    condition: str
    coefficient: float
    """On log time."""
    percent: float
    """100 * (exp(coefficient) - 1): -20 is a fifth less time."""
    hc3: PercentChangeBounds
    """Attempts taken as independent, with variances of their own."""
    clustered: PercentChangeBounds | None
    """Attempts by one participant taken as varying together; `None` if participants are not given, or too few."""


@dataclass(frozen=True)
class TimeModel:
    """`log(time) ~ condition + log(forecast)` by least squares."""

    baseline: str
    effects: tuple[ConditionEffect, ...]
    forecast_exponent: float | None
    """By how many percent the time grows with each percent of forecast; `None` if no forecasts are given."""
    attempts: int
    participants: int | None
    r_squared: float
    note: str
    """Remark on it, in a plain sentence; empty where there is nothing to know."""


def condition_effects(
    times: ArrayLike,
    condition_labels: Sequence[Hashable],
    baseline: str,
    *,
    forecasts: ArrayLike | None = None,
    participants: Sequence[Hashable] | None = None,
) -> TimeModel:
    """The effect of conditions on time, by statsmodels.

    The model of the trial of early-2025 AI tools by Becker et al. (2025, arXiv:2507.09089). Intervals
    twice: HC3 (MacKinnon & White 1985) with Student's t at n - p degrees of freedom, and clustered by participant
    (Liang & Zeger 1986, with the factor G/(G-1) * (n-1)/(n-p)) with t at G - 1.

    Args:
        times: Time per attempt, positive. Attempts without a pass count with the time that was spent; where many are,
            the survival estimates are the ones to read.
        condition_labels: Condition of each attempt.
        baseline: The condition that others are compared with.
        forecasts: Time expected for each attempt before conditions were drawn, positive.
        participants: Participant of each attempt, for the clustered interval.

    Raises:
        StatisticsError: The baseline is not among two or more conditions, a time or forecast is not positive, lengths
            differ, there are too few attempts, times do not vary, or the effects of conditions and forecasts can't be
            separated.
    """
    import statsmodels.api as sm

    waits = finite_number_column(times, "Times", above=0)
    forecast_column = finite_number_column(forecasts, "Forecasts", above=0) if forecasts is not None else None
    lengths = {"times": len(waits), "conditions": len(condition_labels)}
    lengths |= {"forecasts": len(forecast_column)} if forecast_column is not None else {}
    lengths |= {"participants": len(participants)} if participants is not None else {}
    attempts = common_column_length(**lengths)
    names, condition_indices = distinct_labels_and_indices(condition_labels, "Conditions")
    other_conditions = [name for name in names if name != baseline]
    if baseline not in names or not other_conditions:
        raise StatisticsError(f"The baseline {baseline!r} has to be one of two or more conditions: {', '.join(names)}.")
    design_columns = [
        np.ones(attempts),
        *((condition_indices == names.index(name)).astype(np.float64) for name in other_conditions),
    ]
    # Forecasts that are all equal carry no information, and would be collinear with the constant.
    varied = forecast_column is not None and float(np.ptp(forecast_column)) > 0
    if forecast_column is not None and varied:
        design_columns.append(np.log(forecast_column))
    design_matrix = np.column_stack(design_columns)
    if attempts <= design_matrix.shape[1]:
        raise StatisticsError(f"{attempts} attempts are too few for {design_matrix.shape[1]} coefficients.")
    if np.linalg.matrix_rank(design_matrix) < design_matrix.shape[1]:
        raise StatisticsError("The effects of conditions and forecasts can't be separated: one determines the other.")
    model = sm.OLS(np.log(waits), design_matrix)
    _raise_if_leverage_is_full(design_matrix, other_conditions)
    robust = model.fit(cov_type="HC3", use_t=True)
    if np.abs(robust.resid).max() < _EXACT:
        raise StatisticsError("Times do not vary within a condition, so there is nothing to judge a difference by.")
    clustered, people = None, None
    if participants is not None:
        _, participant_indices = distinct_labels_and_indices(participants, "Participants")
        people = int(participant_indices.max()) + 1
        # The scores of all clusters add up to nothing: no more clusters than coefficients leave some without variance.
        if people > design_matrix.shape[1]:
            clustered = model.fit(
                cov_type="cluster", cov_kwds={"groups": participant_indices, "use_correction": True}, use_t=True
            )
    effects = [
        ConditionEffect(
            condition=name,
            coefficient=float(robust.params[position]),
            percent=_percent_of_log_change(float(robust.params[position])),
            hc3=_percent_bounds(robust, position),
            clustered=_percent_bounds(clustered, position) if clustered is not None else None,
        )
        for position, name in enumerate(other_conditions, 1)
    ]
    return TimeModel(
        baseline=baseline,
        effects=tuple(effects),
        forecast_exponent=float(robust.params[-1]) if varied else None,
        attempts=attempts,
        participants=people,
        r_squared=float(robust.rsquared),
        note=_clusters_note(people, design_matrix.shape[1]),
    )


def _raise_if_leverage_is_full(design_matrix: Numbers, other_conditions: Sequence[str]) -> None:
    """HC3 divides by what each attempt leaves undetermined: a condition with one attempt leaves nothing."""
    leverage = np.sum(design_matrix @ np.linalg.pinv(design_matrix.T @ design_matrix) * design_matrix, axis=1)
    if (leverage > 1 - 1e-9).any():
        raise StatisticsError(
            f"Each condition needs at least two attempts: the baseline and {', '.join(other_conditions)}."
        )


def _percent_bounds(fitted_model: Any, coefficient_index: int) -> PercentChangeBounds:
    low, high = (_percent_of_log_change(float(bound)) for bound in fitted_model.conf_int()[coefficient_index])
    df = float(getattr(fitted_model, "df_resid_inference", fitted_model.df_resid))
    return PercentChangeBounds(
        low,
        high,
        float(fitted_model.bse[coefficient_index]),
        float(fitted_model.pvalues[coefficient_index]),
        df,
        float(fitted_model.params[coefficient_index]),
    )


def _percent_of_log_change(log_change: float) -> float:
    return 100 * math.expm1(min(log_change, 700.0))


def _clusters_note(people: int | None, coefficient_count: int) -> str:
    if people is None:
        return "Attempts are taken as independent of each other, which those of one person are not."
    if people == 1:
        return "All attempts are by one participant, so nothing can be said of others."
    if people <= coefficient_count:
        return (
            f"{people} participants are too few for an interval that takes attempts of one person as alike: HC3 takes "
            "them as independent, and so is too narrow."
        )
    if people < FEW_CLUSTERS:
        return f"With {people} participants, clustered intervals tend to be too narrow."
    return ""
