"""Human time horizon: how long a task may take people until a solver succeeds at only half, or 80 %, of such tasks."""

from __future__ import annotations

import enum
import math
from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from benchwright_analysis.statistics.bootstrap import draw_counts, nested_draw_counts, percentile_interval
from benchwright_analysis.statistics.columns import (
    Numbers,
    checked_between_0_and_1,
    common_column_length,
    distinct_labels_and_indices,
    finite_number_column,
    flag_column,
)
from benchwright_analysis.statistics.errors import StatisticsError

RIDGE = 0.1
METR_RIDGE = 1e-5
"""Of METR's published analysis (`regularization`), whose weights add up to 1."""
_STEPS = 60
_CLOSE = 1e-9
_CURVE_POINTS = 61
_FARTHEST = 40
"""Doublings of a minute, up or down: two million years."""


class Weights(enum.StrEnum):
    """Weight of each attempt."""

    ATTEMPTS = "attempts"
    """All alike: a problem with more attempts, and a family with more problems, counts more."""
    METR = "metr"
    """As in METR's analysis (Kwa et al. 2025): a problem's attempts share its weight, which is one over the square root
    of the number of problems in its family; all add up to 1."""


class FitKind(enum.Enum):
    """Kind of data the horizon was read from."""

    FITTED = "fitted"
    SEPARATED = "separated"
    """All shorter tasks passed and all longer ones failed: the slope is as steep as the penalty lets it be."""
    ALL_PASSED = "all passed"
    ALL_FAILED = "all failed"
    NOT_FALLING = "not falling"
    """Success does not fall with people's time, so no length of task stands for a success rate."""


@dataclass(frozen=True)
class Horizon:
    """The length of task at which success has a given rate."""

    level: float
    minutes: float | None
    """Of human time; `None` if the fit has no such point (see the fit's `note`)."""
    low: float | None
    """Of the 95 % interval; `None` if it has no end on this side."""
    high: float | None
    beyond_data: bool
    """Outside the range of tasks that were tried, so that it rests on the shape of the curve alone."""


@dataclass(frozen=True)
class HorizonCurve:
    """The fitted success rate over length of task, with pointwise 95 % bands."""

    minutes: tuple[float, ...]
    success: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]


@dataclass(frozen=True)
class HorizonFit:
    """Logistic regression of success on log2 of human minutes."""

    fit: FitKind
    note: str
    """Remark on it, in a plain sentence; empty for an ordinary fit."""
    intercept: float | None
    """Log odds of success at one minute."""
    slope: float | None
    """Change of the log odds with every doubling of human time."""
    horizons: tuple[Horizon, ...]
    curve: HorizonCurve | None
    attempts: int
    problems: int
    families: int
    shortest: float
    longest: float
    """Human minutes of the shortest and longest task tried."""
    weights: Weights = Weights.ATTEMPTS


_NOTES = {
    FitKind.FITTED: "",
    FitKind.SEPARATED: (
        "Every task shorter than some length passed and every longer one failed, so the data does not show how "
        "gradually success falls; the slope comes from the penalty."
    ),
    FitKind.ALL_PASSED: "Every attempt passed: the horizon is beyond these problems; longer ones are needed.",
    FitKind.ALL_FAILED: "Every attempt failed: the horizon is below these problems; shorter ones are needed.",
    FitKind.NOT_FALLING: "Success does not fall with the time people take, so there is no horizon to read off.",
}


def human_time_horizon(
    human_minutes: ArrayLike,
    pass_flags: ArrayLike,
    problems: Sequence[Hashable],
    families: Sequence[Hashable] | None = None,
    *,
    levels: Sequence[float] = (0.5, 0.8),
    weights: Weights = Weights.ATTEMPTS,
    ridge: float | None = None,
    seed: int,
    resamples: int = 1000,
) -> HorizonFit:
    """The horizon of one solver: with the weights `METR` as in Kwa et al. (2025, arXiv:2503.14499), else only like it.

    Maximises log likelihood - ridge/2 * slope². The default penalty, a normal prior of the slope with a standard
    deviation of 3.2 per doubling, leaves ordinary data as it is and keeps separated data finite. Intervals are
    percentiles of a bootstrap that draws families, within these problems, and within these attempts. A resample in
    which all pass has an endless horizon, one in which all fail has none; one whose success does not fall has either,
    by whether it succeeds more often than the level.

    Args:
        human_minutes: Time people take for each attempt's problem (their baseline, not this solver's time).
        pass_flags: True for each attempt that passed.
        problems: Problem of each attempt.
        families: Family of each attempt's problem; without it each problem is its own.
        levels: Success rates to read off.
        weights: Weights of attempts.
        ridge: The penalty; 0 for maximum likelihood. If not given, `RIDGE`, and `METR_RIDGE` with METR's weights.
        seed: Seed of the bootstrap.
        resamples: Number of resamples of the bootstrap.

    Raises:
        StatisticsError: A problem has two baselines or two families, all have one and the same baseline, a level or
            the penalty is out of range, lengths differ, or there are no attempts.
    """
    tasks = _tasks_by_problem(human_minutes, pass_flags, problems, families)
    for level in levels:
        checked_between_0_and_1(level, "A level")
    ridge = ridge if ridge is not None else METR_RIDGE if weights is Weights.METR else RIDGE
    if not (math.isfinite(ridge) and ridge >= 0):
        raise StatisticsError(f"The penalty has to be 0 or more, not {ridge:g}.")
    fit_kind = _fit_kind(tasks)
    if fit_kind is FitKind.SEPARATED and ridge == 0:
        raise StatisticsError("The data is separated, so a penalty greater than 0 is needed.")
    lengths = np.log2(tasks.minutes)
    if fit_kind in (FitKind.ALL_PASSED, FitKind.ALL_FAILED):
        nowhere = [Horizon(level, None, None, None, beyond_data=True) for level in levels]
        return _horizon_fit(fit_kind, None, None, nowhere, None, tasks, weights)
    share = tasks.attempt_weights(weights)
    weighted_counts = _weighted_counts(tasks.passes[None], tasks.attempts[None], share)
    intercept, slope = (
        float(coefficients[0]) for coefficients in _ridge_logistic_fits(lengths, *weighted_counts, ridge)
    )
    if slope >= 0:
        fit_kind = FitKind.NOT_FALLING
    drawn_passes, drawn_attempts = _resampled_pass_counts(tasks, resamples, np.random.default_rng(seed))
    passes, attempts = _weighted_counts(drawn_passes, drawn_attempts, share)
    replicates = _ridge_logistic_fits(lengths, passes, attempts, ridge)
    overall = passes.sum(axis=1) / attempts.sum(axis=1)
    horizons = []
    for level in levels:
        low, high = percentile_interval(_log2_minutes_at_level(level, *replicates, overall))
        value = _minutes_if_meaningful((_log_odds(level) - intercept) / slope) if slope < 0 else None
        outside = value is None or not tasks.minutes.min() <= value <= tasks.minutes.max()
        horizons.append(
            Horizon(level, value, _minutes_if_meaningful(low), _minutes_if_meaningful(high), beyond_data=outside)
        )
    curve = _curve_with_bands(intercept, slope, replicates, overall, lengths)
    return _horizon_fit(fit_kind, intercept, slope, horizons, curve, tasks, weights)


@dataclass(frozen=True)
class _Tasks:
    """Attempts counted by problem: each problem has one length, so counts suffice."""

    minutes: Numbers
    passes: NDArray[np.int64]
    attempts: NDArray[np.int64]
    families: tuple[str, ...]

    def attempt_weights(self, weights: Weights) -> Numbers | None:
        """Weight of an attempt at each problem; `None` if all count 1."""
        if weights is Weights.ATTEMPTS:
            return None
        sizes = Counter(self.families)
        of_problem = np.array([1 / math.sqrt(sizes[family]) for family in self.families])
        shares: Numbers = of_problem / self.attempts
        return shares


def _weighted_counts(
    passes: NDArray[np.int64], attempts: NDArray[np.int64], weight_of_attempt: Numbers | None
) -> tuple[Numbers, Numbers]:
    """Counts by problem in every row; with shares they add up to 1."""
    if weight_of_attempt is None:
        return passes.astype(np.float64), attempts.astype(np.float64)
    whole = (attempts * weight_of_attempt).sum(axis=1, keepdims=True)
    return passes * weight_of_attempt / whole, attempts * weight_of_attempt / whole


def _tasks_by_problem(
    minutes: ArrayLike, pass_flags: ArrayLike, problems: Sequence[Hashable], families: Sequence[Hashable] | None
) -> _Tasks:
    lengths, pass_column = finite_number_column(minutes, "Human minutes", above=0), flag_column(pass_flags, "Results")
    family_labels = problems if families is None else families
    common_column_length(
        minutes=len(lengths), results=len(pass_column), problems=len(problems), families=len(family_labels)
    )
    names, problem_indices = distinct_labels_and_indices(problems, "Problems")
    first_indices = np.array([int(np.argmax(problem_indices == index)) for index in range(len(names))])
    baselines = lengths[first_indices]
    family = [str(family_labels[int(index)]) for index in first_indices]
    for index, problem in enumerate(problem_indices):
        if lengths[index] != baselines[problem]:
            raise StatisticsError(
                f"Problem {names[problem]} has two human times, {baselines[problem]:g} and {lengths[index]:g} minutes."
            )
        if str(family_labels[index]) != family[problem]:
            raise StatisticsError(
                f"Problem {names[problem]} is in two families, {family[problem]} and {family_labels[index]}."
            )
    if len(np.unique(baselines)) < 2:
        raise StatisticsError("A horizon needs problems of different lengths, and all take people equally long.")
    passes = np.bincount(problem_indices, pass_column).astype(np.int64)
    return _Tasks(baselines, passes, np.bincount(problem_indices), tuple(family))


def _fit_kind(tasks: _Tasks) -> FitKind:
    if (tasks.passes == tasks.attempts).all():
        return FitKind.ALL_PASSED
    if not tasks.passes.any():
        return FitKind.ALL_FAILED
    passed_minutes, failed_minutes = tasks.minutes[tasks.passes > 0], tasks.minutes[tasks.passes < tasks.attempts]
    # One length may have both and the rest still be apart: then too the likelihood has no maximum.
    apart = passed_minutes.max() <= failed_minutes.min() or failed_minutes.max() <= passed_minutes.min()
    return FitKind.SEPARATED if apart else FitKind.FITTED


def _ridge_logistic_fits(
    log2_minutes: Numbers, passes: Numbers, attempts: Numbers, ridge: float
) -> tuple[Numbers, Numbers]:
    """Intercept and slope by Newton's method with halved steps, of every row of counts at once."""
    middle = float(log2_minutes.mean())
    x = log2_minutes - middle
    row_count = len(passes)
    # An infinite intercept (all pass, all fail) is of no use: such rows get their rate.
    mixed = (passes > 0).any(axis=1) & (passes < attempts).any(axis=1)
    c, n = passes[mixed], attempts[mixed]
    rate = c.sum(axis=1) / n.sum(axis=1)
    a, b = np.log(rate / (1 - rate)), np.zeros(len(c))
    # A row whose attempts all have one length says nothing of the slope; this keeps its equations solvable.
    floor = max(ridge, 1e-10)
    best = _penalised_log_likelihoods(x, c, n, a, b, ridge)
    for _ in range(_STEPS):
        p = _logistic(a[:, None] + b[:, None] * x)
        weight = n * p * (1 - p)
        gradient_a, gradient_b = (c - n * p).sum(axis=1), ((c - n * p) * x).sum(axis=1) - ridge * b
        aa, ab, bb = weight.sum(axis=1) + 1e-12, weight @ x, weight @ (x * x) + floor
        determinant = np.maximum(aa * bb - ab * ab, 1e-300)
        step_a = (bb * gradient_a - ab * gradient_b) / determinant
        step_b = (aa * gradient_b - ab * gradient_a) / determinant
        step_sizes = np.ones(len(a))
        for _ in range(30):
            new_likelihood = _penalised_log_likelihoods(
                x, c, n, a + step_sizes * step_a, b + step_sizes * step_b, ridge
            )
            worse = new_likelihood < best - 1e-12
            if not worse.any():
                break
            step_sizes = np.where(worse, step_sizes / 2, step_sizes)
        else:
            step_sizes = np.where(worse, 0.0, step_sizes)
            new_likelihood = np.where(worse, best, new_likelihood)
        a, b, best = a + step_sizes * step_a, b + step_sizes * step_b, new_likelihood
        if max(np.abs(step_a).max(initial=0), np.abs(step_b).max(initial=0)) < _CLOSE:
            break
    intercept, slope = np.full(row_count, np.nan), np.full(row_count, np.nan)
    intercept[mixed], slope[mixed] = a - b * middle, b
    return intercept, slope


def _penalised_log_likelihoods(
    log2_minutes: Numbers,
    pass_counts: Numbers,
    attempt_counts: Numbers,
    intercepts: Numbers,
    slopes: Numbers,
    ridge: float,
) -> Numbers:
    odds = intercepts[:, None] + slopes[:, None] * log2_minutes
    likelihood: Numbers = (pass_counts * odds - attempt_counts * np.logaddexp(0, odds)).sum(
        axis=1
    ) - ridge / 2 * slopes * slopes
    return likelihood


def _resampled_pass_counts(
    tasks: _Tasks, resamples: int, random: np.random.Generator
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    families = len(set(tasks.families))
    problems = nested_draw_counts(tasks.families, draw_counts(families, resamples, random), random)
    attempts = problems * tasks.attempts
    # Attempts drawn with replacement within a problem: how many of them passed is binomial.
    return random.binomial(attempts, tasks.passes / tasks.attempts), attempts


def _log2_minutes_at_level(level: float, intercept: Numbers, slope: Numbers, overall_success_rate: Numbers) -> Numbers:
    """Log2 minutes at the level in every resample, infinite where the curve does not come to it."""
    falling = slope < 0
    crossing = np.divide(_log_odds(level) - intercept, slope, out=np.zeros(len(slope)), where=falling)
    return np.where(falling, crossing, np.where(overall_success_rate >= level, np.inf, -np.inf))


def _curve_with_bands(
    intercept: float,
    slope: float,
    replicates: tuple[Numbers, Numbers],
    resample_success_rates: Numbers,
    log2_minutes: Numbers,
) -> HorizonCurve:
    grid = np.linspace(log2_minutes.min(), log2_minutes.max(), _CURVE_POINTS)
    success = _logistic(intercept + slope * grid)
    drawn_success = _logistic(replicates[0][:, None] + replicates[1][:, None] * grid)
    # Where all passed or all failed in a resample, its rate is 1 or 0 at every length.
    low, high = np.percentile(
        np.where(np.isnan(drawn_success), resample_success_rates[:, None], drawn_success), [2.5, 97.5], axis=0
    )
    curve_columns = (np.exp2(grid), success, low, high)
    return HorizonCurve(*(tuple(column.tolist()) for column in curve_columns))


def _horizon_fit(
    fit_kind: FitKind,
    intercept: float | None,
    slope: float | None,
    horizons: Sequence[Horizon],
    curve: HorizonCurve | None,
    tasks: _Tasks,
    weights: Weights,
) -> HorizonFit:
    return HorizonFit(
        fit=fit_kind,
        note=_NOTES[fit_kind],
        intercept=intercept,
        slope=slope,
        horizons=tuple(horizons),
        curve=curve,
        attempts=int(tasks.attempts.sum()),
        problems=len(tasks.minutes),
        families=len(set(tasks.families)),
        shortest=float(tasks.minutes.min()),
        longest=float(tasks.minutes.max()),
        weights=weights,
    )


def _minutes_if_meaningful(log2_minutes: float | None) -> float | None:
    """`None` if a nearly flat curve reaches the level only at meaningless lengths."""
    return 2.0**log2_minutes if log2_minutes is not None and abs(log2_minutes) <= _FARTHEST else None


def _log_odds(probability: float) -> float:
    return math.log(probability / (1 - probability))


def _logistic(log_odds: Numbers) -> Numbers:
    rates: Numbers = 1 / (1 + np.exp(-np.clip(log_odds, -500, 500)))
    return rates
