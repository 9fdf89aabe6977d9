"""Score against time at equal budgets, for people and models alike."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from benchwright_analysis.statistics.columns import (
    Numbers,
    common_column_length,
    distinct_labels_and_indices,
    finite_number_column,
)
from benchwright_analysis.statistics.crossed import crossed_means
from benchwright_analysis.statistics.crossed_design import CrossedCells
from benchwright_analysis.statistics.errors import StatisticsError
from benchwright_analysis.statistics.pass_at_k import best_of_k_weights


@dataclass(frozen=True)
class ScoreTrace:
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
    """`None` where people or problems are too few, or do not differ and so do not show how much they could."""
    high: tuple[float | None, ...]
    problems: int
    left_out: int
    """Problems with fewer than k attempts."""


def best_score_within(trace: ScoreTrace, time_budgets: ArrayLike) -> Numbers:
    """The best score reached within each time; 0 before the first result.

    Raises:
        StatisticsError: A negative time, a score not from 0 to 1, or lengths differ.
    """
    times, scores = (
        finite_number_column(trace.times, "Times", at_least=0),
        finite_number_column(trace.scores, "Scores", at_least=0, at_most=1),
    )
    limits = finite_number_column(time_budgets, "Budgets", at_least=0)
    if len(times) != len(scores):
        raise StatisticsError(f"{trace.problem}: {len(times)} times, but {len(scores)} scores.")
    order = np.argsort(times, kind="stable")
    best = np.concatenate([[0.0], np.maximum.accumulate(scores[order])])
    best_scores: Numbers = best[np.searchsorted(times[order], limits, side="right")]
    return best_scores


def score_curve(
    traces: Sequence[ScoreTrace],
    time_budgets: ArrayLike,
    *,
    attempts_sharing_budget: int = 1,
    cells: CrossedCells | None = None,
) -> ScoreCurve:
    """The score that a time budget buys, alone (k = 1) or as the best of k attempts that share it.

    A budget is split evenly: of k attempts each has a k-th of it, so that curves for different k, people and models
    spend the same (RE-Bench, Wijk et al. 2024, arXiv:2411.15114). The best of k is the unbiased expectation over all
    choices of k of a problem's attempts (`best_of_k_weights`). Attempts that ended early keep their score.

    Args:
        traces: Attempts of one condition.
        time_budgets: Budgets in the unit of the traces' times.
        attempts_sharing_budget: Attempts that share a budget.
        cells: Solver and problem of each trace; a model's if not given. The best of several people has no bands: they
            would have to count that people differ, and that the best of them is chosen.

    Raises:
        StatisticsError: No problem has k attempts, k < 1, or a trace that can't be.
    """
    limits = finite_number_column(time_budgets, "Budgets", at_least=0)
    common_column_length(traces=len(traces))
    if attempts_sharing_budget < 1:
        raise StatisticsError(f"k has to be at least 1, not {attempts_sharing_budget}.")
    problems = [trace.problem for trace in traces]
    cells = cells if cells is not None else CrossedCells([None] * len(traces), problems)
    names, problem_indices = distinct_labels_and_indices(problems, "Problems")
    best_scores = np.array([best_score_within(trace, limits / attempts_sharing_budget) for trace in traces])
    sizes = np.bincount(problem_indices)
    enough = np.flatnonzero(sizes >= attempts_sharing_budget)
    if not len(enough):
        raise StatisticsError(
            f"No problem has {attempts_sharing_budget} attempts, which the best of {attempts_sharing_budget} needs."
        )
    if attempts_sharing_budget == 1:
        estimates = crossed_means(best_scores, cells, 1 / sizes[problem_indices])
    else:
        row_groups = [np.flatnonzero(problem_indices == problem) for problem in enough]
        means = np.array(
            [
                best_of_k_weights(len(row_indices), attempts_sharing_budget) @ np.sort(best_scores[row_indices], axis=0)
                for row_indices in row_groups
            ]
        )
        firsts = np.zeros(len(traces), dtype=np.bool_)
        firsts[[row_indices[0] for row_indices in row_groups]] = True
        order = np.argsort([row_indices[0] for row_indices in row_groups])
        estimates = crossed_means(means[order], cells.select_rows(firsts), np.ones(len(means)))
        if any(participant is not None for participant in cells.participants):
            estimates = [replace(estimate, low=None, high=None) for estimate in estimates]
    return ScoreCurve(
        k=attempts_sharing_budget,
        budgets=tuple(limits.tolist()),
        score=tuple(estimate.value for estimate in estimates),
        low=tuple(None if estimate.low is None else max(0.0, estimate.low) for estimate in estimates),
        high=tuple(None if estimate.high is None else min(1.0, estimate.high) for estimate in estimates),
        problems=len(enough),
        left_out=len(names) - len(enough),
    )
