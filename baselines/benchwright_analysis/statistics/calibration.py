"""Quality of forecasts and self-estimates."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from benchwright_analysis.statistics.bootstrap import RESAMPLES, Counts, crossed_draw_counts, percentile_interval
from benchwright_analysis.statistics.columns import (
    Flags,
    Numbers,
    common_column_length,
    finite_number_column,
    flag_column,
)
from benchwright_analysis.statistics.crossed import crossed_mean, crossed_share, too_few_units_reason
from benchwright_analysis.statistics.crossed_design import CrossedCells
from benchwright_analysis.statistics.errors import StatisticsError
from benchwright_judges.agreement.estimators import Estimate, Share, pearson_correlation, wilson_share

BINS = 5
_AT_ONCE = 1_000_000
"""Numbers in an array of resamples by items, so that large studies need no more than some 10 MB each."""


@dataclass(frozen=True)
class TimeCalibration:
    """Forecasts of time, or estimates of it afterwards, against the time it took."""

    attempts: int
    left_out: int
    """Without a pass: how long they would have taken is not known."""
    ratio: Estimate
    """Geometric mean of actual over forecast: 1.5 means that it took half as long again as was thought."""
    spread: float | None
    """Standard deviation of log2(actual / forecast), in doublings."""
    within_factor_2: Share
    rank_correlation: Estimate
    """Spearman's, of forecast and actual: whether longer tasks were distinguished from shorter ones."""


@dataclass(frozen=True)
class ForecastBin:
    """Forecasts of about the same chance."""

    low: float
    high: float
    mean_forecast: float
    outcome: Share


@dataclass(frozen=True)
class ChanceCalibration:
    """Forecasts of a chance to pass, against what happened."""

    forecasts: int
    brier: Estimate
    """Mean squared difference (Brier 1950): 0 is best, and saying one half throughout gives 0.25."""
    reliability: float
    """Murphy's (1973): how far bins are from what they forecast, 0 is best."""
    resolution: float
    """Difference of the bins' outcomes from the overall rate; more is better."""
    uncertainty: float
    """Rate * (1 - rate): Brier score of forecasting the overall rate throughout."""
    ece: float
    """Expected calibration error: how far bins are from what they forecast, in the mean over forecasts; 0 is best, and
    few forecasts make it larger."""
    bins: tuple[ForecastBin, ...]
    """Without those that hold no forecast."""


def time_calibration(
    forecasts: ArrayLike,
    times: ArrayLike,
    pass_flags: ArrayLike | None = None,
    cells: CrossedCells | None = None,
    *,
    seed: int,
    resamples: int = RESAMPLES,
) -> TimeCalibration:
    """Bias, spread and order of estimates of time.

    Args:
        forecasts: Forecast of each attempt, positive.
        times: Time that each attempt took, positive, in the same unit.
        pass_flags: Attempts that did not are left out and counted; without it all count.
        cells: Participant and problem of each attempt; without it attempts are independent.
        seed: Seed of the bootstrap of the rank correlation.
        resamples: Number of resamples of the same bootstrap.

    Raises:
        StatisticsError: A forecast or time is not positive, lengths differ, or there are no attempts.
    """
    forecast_times, waits = (
        finite_number_column(forecasts, "Forecasts", above=0),
        finite_number_column(times, "Times", above=0),
    )
    is_counted = flag_column(pass_flags, "Results") if pass_flags is not None else np.ones(len(waits), dtype=np.bool_)
    all_cells = cells if cells is not None else _independent_cells(len(waits))
    common_column_length(
        forecasts=len(forecast_times), times=len(waits), results=len(is_counted), cells=len(all_cells.problems)
    )
    forecast_times, waits = forecast_times[is_counted], waits[is_counted]
    counted_cells = all_cells.select_rows(is_counted)
    left_out = int((~is_counted).sum())
    if not len(waits):
        no_estimate = Estimate(value=None)
        return TimeCalibration(0, left_out, no_estimate, None, wilson_share(0, 0), no_estimate)
    logs = np.log2(waits / forecast_times)
    bias = crossed_mean(logs, counted_cells)
    # A ratio of exactly 2 counts as within, whatever the logarithm rounds to.
    return TimeCalibration(
        attempts=len(waits),
        left_out=left_out,
        ratio=Estimate(value=_exp2_if_given(bias.value), low=_exp2_if_given(bias.low), high=_exp2_if_given(bias.high)),
        spread=float(logs.std(ddof=1)) if len(logs) > 1 else None,
        within_factor_2=_crossed_flag_share(np.abs(logs) <= 1 + 1e-12, counted_cells),
        rank_correlation=rank_correlation(forecast_times, waits, counted_cells, seed=seed, resamples=resamples),
    )


def chance_calibration(
    forecasts: ArrayLike,
    pass_flags: ArrayLike,
    cells: CrossedCells | None = None,
    *,
    bin_count: int = BINS,
) -> ChanceCalibration:
    """Brier's score, Murphy's parts of it, the expected calibration error and the reliability diagram.

    Bins have equal width.

    Reliability - resolution + uncertainty is the Brier score of forecasts rounded to the mean of their bin.

    Args:
        forecasts: Chance to pass, from 0 to 1.
        pass_flags: True for each attempt that passed.
        cells: Participant and problem of each forecast; without it forecasts are independent.
        bin_count: Number of bins.

    Raises:
        StatisticsError: A forecast is not from 0 to 1, lengths differ, there are none, or fewer than one bin.
    """
    chances = finite_number_column(forecasts, "Forecasts", at_least=0, at_most=1)
    pass_values = flag_column(pass_flags, "Results").astype(np.float64)
    all_cells = cells if cells is not None else _independent_cells(len(chances))
    total = common_column_length(forecasts=len(chances), results=len(pass_values), cells=len(all_cells.problems))
    if bin_count < 1:
        raise StatisticsError(f"There has to be at least one bin, not {bin_count}.")
    bin_indices = np.minimum((chances * bin_count).astype(int), bin_count - 1)
    rate = float(pass_values.mean())
    filled_bins, reliability, resolution, ece = [], 0.0, 0.0, 0.0
    for index in np.unique(bin_indices):
        in_bin = bin_indices == index
        size, mean, observed = int(in_bin.sum()), float(chances[in_bin].mean()), float(pass_values[in_bin].mean())
        filled_bins.append(
            ForecastBin(
                index / bin_count,
                (index + 1) / bin_count,
                mean,
                _crossed_flag_share(pass_values[in_bin] > 0, all_cells.select_rows(in_bin)),
            )
        )
        reliability += size / total * (mean - observed) ** 2
        ece += size / total * abs(mean - observed)
        resolution += size / total * (observed - rate) ** 2
    brier = crossed_mean((chances - pass_values) ** 2, all_cells).estimate
    brier_bounds = (None if end is None else min(1.0, max(0.0, end)) for end in (brier.low, brier.high))
    return ChanceCalibration(
        forecasts=total,
        brier=Estimate(value=brier.value, low=next(brier_bounds), high=next(brier_bounds)),
        reliability=reliability,
        resolution=resolution,
        uncertainty=rate * (1 - rate),
        ece=ece,
        bins=tuple(filled_bins),
    )


def rank_correlation(
    first_measure: ArrayLike,
    second_measure: ArrayLike,
    cells: CrossedCells | None = None,
    *,
    seed: int,
    resamples: int = RESAMPLES,
) -> Estimate:
    """Spearman's rank correlation (1904), ties at their mean rank, with a bootstrap over participants and problems.

    Args:
        first_measure: Such as estimated difficulty from 1 to 5.
        second_measure: Such as the time it took.
        cells: Participant and problem of each item; without it items are independent.
        seed: Seed of the bootstrap.
        resamples: Number of resamples of the bootstrap.

    Returns:
        Without a value where one side is constant or there are fewer than three items.

    Raises:
        StatisticsError: Lengths differ, or there are no items.
    """
    first_column, second_column = (
        finite_number_column(first_measure, "First values"),
        finite_number_column(second_measure, "Second values"),
    )
    length = common_column_length(first=len(first_column), second=len(second_column))
    value = _spearman_correlation(first_column, second_column) if length > 2 else math.nan
    if math.isnan(value):
        return Estimate(value=None)
    given_cells = cells if cells is not None else _independent_cells(length)
    row_draws, participants, problems = crossed_draw_counts(given_cells, resamples, np.random.default_rng(seed))
    if too_few_units_reason(participants, problems):
        return Estimate(value=value)
    portion = max(1, _AT_ONCE // length)
    replicates = np.concatenate(
        [
            _resampled_spearman(first_column, second_column, row_draws[offset : offset + portion])
            for offset in range(0, resamples, portion)
        ]
    )
    low, high = percentile_interval(replicates, min(participants, problems) if participants else problems)
    return Estimate(value=value, low=low, high=high)


def _independent_cells(row_count: int) -> CrossedCells:
    return CrossedCells([None] * row_count, range(row_count))


def _crossed_flag_share(flag_column: Flags, cells: CrossedCells) -> Share:
    estimate = crossed_share(flag_column, cells)
    return Share(
        count=int(flag_column.sum()), total=len(flag_column), value=estimate.value, low=estimate.low, high=estimate.high
    )


def _spearman_correlation(first_values: Numbers, second_values: Numbers) -> float:
    return pearson_correlation(_mean_ranks(first_values), _mean_ranks(second_values))


def _mean_ranks(values: Numbers) -> Numbers:
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    ranks: Numbers = (np.cumsum(counts) - (counts - 1) / 2)[inverse]
    return ranks


def _resampled_spearman(first_values: Numbers, second_values: Numbers, row_draws: Counts) -> Numbers:
    """The correlation of the ranks that items have where each is there as often as it was drawn; by resample."""
    size = row_draws.sum(axis=1, keepdims=True)
    deviations = [_resampled_mean_ranks(side, row_draws) - (size + 1) / 2 for side in (first_values, second_values)]
    first, second = deviations
    product = (row_draws * first * second).sum(axis=1)
    spread = np.sqrt((row_draws * first**2).sum(axis=1) * (row_draws * second**2).sum(axis=1))
    correlations: Numbers = np.divide(product, spread, out=np.full(len(row_draws), np.nan), where=spread > 0)
    return correlations


def _resampled_mean_ranks(values: Numbers, row_draws: Counts) -> Numbers:
    _, inverse = np.unique(values, return_inverse=True)
    order = np.argsort(inverse, kind="stable")
    tie_starts = np.flatnonzero(np.diff(inverse[order], prepend=-1))
    tied = np.add.reduceat(row_draws[:, order], tie_starts, axis=1)
    ranks: Numbers = (np.cumsum(tied, axis=1) - (tied - 1) / 2)[:, inverse]
    return ranks


def _exp2_if_given(log2_ratio: float | None) -> float | None:
    return None if log2_ratio is None else 2.0**log2_ratio
