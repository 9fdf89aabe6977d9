"""Score against time at equal budgets, for people and models alike."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from benchwright_analysis.statistics.bootstrap import RESAMPLES, do_not_vary, draws
from benchwright_analysis.statistics.columns import Numbers, equally_long, groups, numbers
from benchwright_analysis.statistics.errors import StatisticsError
from benchwright_analysis.statistics.pass_at_k import best_of_k_weights


@dataclass(frozen=True)
class Trace:
    """One attempt: what its results were, and when."""

    problem: str
    solver: str
    """Participant, or model and sample."""
    times: tuple[float, ...]
    """Of each result, since the attempt began."""
    scores: tuple[float, ...]
    """From 0 to 1."""


@dataclass(frozen=True)
class ScoreCurve:
    """The mean over problems of the expected best score within each budget, with pointwise 95 % bands."""

    k: int
    budgets: tuple[float, ...]
    """Of all k attempts together, in the unit of the traces' times."""
    score: tuple[float, ...]
    low: tuple[float | None, ...]
    """`None` if the problems do not differ, and so do not show how much they could."""
    high: tuple[float | None, ...]
    problems: int
    left_out: int
    """Problems with fewer than k attempts."""


def best_so_far(trace: Trace, budgets: ArrayLike) -> Numbers:
    """The best score reached within each time; 0 before the first result.

    Raises:
        StatisticsError: A negative time, a score not from 0 to 1, or lengths differ.
    """
    times, scores = numbers(trace.times, "Times", low=0), numbers(trace.scores, "Scores", low=0, high=1)
    limits = numbers(budgets, "Budgets", low=0)
    if len(times) != len(scores):
        raise StatisticsError(f"{trace.problem}: {len(times)} times, but {len(scores)} scores.")
    order = np.argsort(times, kind="stable")
    best = np.concatenate([[0.0], np.maximum.accumulate(scores[order])])
    found: Numbers = best[np.searchsorted(times[order], limits, side="right")]
    return found


def score_curve(
    traces: Sequence[Trace],
    budgets: ArrayLike,
    *,
    k: int = 1,
    clusters: Sequence[Hashable] | None = None,
    seed: int,
    resamples: int = RESAMPLES,
) -> ScoreCurve:
    """The score that a time budget buys, alone (k = 1) or as the best of k attempts that share it.

    A budget is split evenly: of k attempts each has a k-th of it, so that curves for different k, people and models
    spend the same (RE-Bench, Wijk et al. 2024, arXiv:2411.15114). The best of k is the unbiased expectation over all
    choices of k of a problem's attempts (`best_of_k_weights`). Attempts that ended early keep their score.

    Args:
        traces: Attempts of one condition.
        budgets: In the unit of the traces' times.
        k: Attempts that share a budget.
        clusters: Of each trace, what is drawn whole for the bands, its problem if not given. Clusters have to hold
            whole problems, as problems and families of problems do.
        seed: Of the bootstrap.
        resamples: Of the bootstrap.

    Raises:
        StatisticsError: No problem has k attempts, k < 1, a cluster splits a problem, or a trace that can't be.
    """
    limits = numbers(budgets, "Budgets", low=0)
    equally_long(traces=len(traces))
    if k < 1:
        raise StatisticsError(f"k has to be at least 1, not {k}.")
    names, place = groups([trace.problem for trace in traces], "Problems")
    reached = np.array([best_so_far(trace, limits / k) for trace in traces])
    by_problem, owners = [], []
    belonging = [trace.problem for trace in traces] if clusters is None else [str(cluster) for cluster in clusters]
    equally_long(traces=len(traces), clusters=len(belonging))
    for problem in range(len(names)):
        rows = np.flatnonzero(place == problem)
        if len({belonging[row] for row in rows}) > 1:
            raise StatisticsError(f"The attempts at problem {names[problem]} are in more than one cluster.")
        if len(rows) >= k:
            by_problem.append(best_of_k_weights(len(rows), k) @ np.sort(reached[rows], axis=0))
            owners.append(belonging[rows[0]])
    if not by_problem:
        raise StatisticsError(f"No problem has {k} attempts, which the best of {k} needs.")
    means = np.array(by_problem)
    score = means.mean(axis=0)
    nowhere: tuple[float | None, ...] = (None,) * len(score)
    low = high = nowhere
    _, owner = groups(owners, "Clusters")
    units = int(owner.max()) + 1
    if units > 1:
        drawn = draws(units, resamples, np.random.default_rng(seed))[:, owner]
        replicates = drawn @ means / drawn.sum(axis=1)[:, None]
        lowest, highest = np.percentile(replicates, [2.5, 97.5], axis=0)
        told = [not do_not_vary(*ends) for ends in zip(replicates.min(axis=0), replicates.max(axis=0), strict=True)]
        low = tuple(float(bound) if here else None for bound, here in zip(lowest, told, strict=True))
        high = tuple(float(bound) if here else None for bound, here in zip(highest, told, strict=True))
    return ScoreCurve(
        k=k,
        budgets=tuple(limits.tolist()),
        score=tuple(score.tolist()),
        low=low,
        high=high,
        problems=len(means),
        left_out=len(names) - len(means),
    )
