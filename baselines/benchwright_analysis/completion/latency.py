"""Latency of requests, with intervals that hold for other problems."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from benchwright_analysis.statistics.bootstrap import draw_counts, percentile_interval
from benchwright_analysis.statistics.columns import Numbers, distinct_labels_and_indices
from benchwright_analysis.statistics.crossed import FEWEST_PROBLEMS
from benchwright_judges.agreement.estimators import Estimate

THRESHOLDS_MS = (200, 500, 2000)
RESAMPLES = 1000


@dataclass(frozen=True)
class Latencies:
    """Of some requests. One that was given up took longer than any time."""

    requests: int
    given_up: int
    p50_ms: Estimate | None
    """None if it is one of those given up."""
    p95_ms: Estimate | None
    over: dict[str, float]
    """Threshold in milliseconds → share of the requests that took longer."""


def summarise_latencies(
    latencies_ms: Sequence[float | None], problems: Sequence[str], *, seed: int
) -> Latencies | None:
    """Latencies of some requests; None if there are none.

    Args:
        latencies_ms: Milliseconds of each; None of one that was given up.
        problems: Problem of each request, where it was sent.
        seed: Seed of the resampling.
    """
    if not latencies_ms:
        return None
    column = np.array([math.inf if value is None else value for value in latencies_ms])
    return Latencies(
        len(latencies_ms),
        sum(value is None for value in latencies_ms),
        _quantile_if_finite(column, problems, 0.5, seed),
        _quantile_if_finite(column, problems, 0.95, seed),
        {str(limit): float((column > limit).mean()) for limit in THRESHOLDS_MS},
    )


def _quantile_if_finite(latencies_ms: Numbers, problems: Sequence[str], level: float, seed: int) -> Estimate | None:
    """A quantile with the percentile interval of resampled problems."""
    value = weighted_quantile(latencies_ms, np.ones(len(latencies_ms)), level)
    if not math.isfinite(value):
        return None
    names, group_index = distinct_labels_and_indices(problems, "Problems")
    if len(names) < FEWEST_PROBLEMS:
        return Estimate(value=value)
    resample_weights = draw_counts(len(names), RESAMPLES, np.random.default_rng(seed))
    replicates = np.array(
        [
            weighted_quantile(latencies_ms, weights[group_index].astype(np.float64), level)
            for weights in resample_weights
        ]
    )
    low, high = percentile_interval(replicates, len(names))
    return Estimate(value=value, low=low, high=high)


def weighted_quantile(values: Numbers, weights: Numbers, level: float) -> float:
    """The least value that a share `level` of the weight does not exceed (Hyndman & Fan 1996, definition 1)."""
    order = np.argsort(values)
    cumulative_weights = np.cumsum(weights[order])
    return float(values[order][np.searchsorted(cumulative_weights, level * cumulative_weights[-1] - 1e-9)])
