"""The chance that one of k samples passes, that all do, and the best of k: unbiased, and as CVDP computes it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from benchwright_analysis.statistics.bootstrap import RESAMPLES, clustered_mean
from benchwright_analysis.statistics.columns import finite_number_column
from benchwright_analysis.statistics.errors import StatisticsError
from benchwright_judges.agreement.estimators import Estimate


@dataclass(frozen=True)
class PassAtK:
    """The mean over problems, twice estimated."""

    k: int
    problems: int
    unbiased: Estimate
    """1 - C(n-c,k)/C(n,k); the interval by bootstrap over problems."""
    cvdp_plug_in: Estimate
    """1 - (1-c/n)^k, as CVDP's reporter has it: too low on average for k > 1."""


@dataclass(frozen=True)
class ProblemSamples:
    """All samples of one problem, as CVDP weighs them."""

    scores: tuple[float, ...]
    """From 0 to 1; passed and failed are 1 and 0."""
    is_score_based: bool = False
    """Scored from 0 to 1 (CVDP's correspondence and question categories): the mean score counts, whatever k is."""


def pass_at_k(sample_count: int, passed_count: int, k: int) -> float:
    """The chance that at least one of k samples drawn without replacement passed (Chen et al. 2021, section 2.1).

    1 - C(n-c,k)/C(n,k), multiplied out as 1 - product over i = n-c+1 … n of (1 - k/i), so that nothing overflows.

    Args:
        sample_count: n, of one problem.
        passed_count: c, of these.
        k: At most n.

    Raises:
        StatisticsError: k > n, or counts that can't be.
    """
    _raise_if_counts_impossible(sample_count, passed_count, k)
    if k > sample_count:
        raise StatisticsError(f"pass@{k} needs at least {k} samples of each problem, and one has {sample_count}.")
    if sample_count - passed_count < k:
        return 1.0
    return float(1 - np.prod(1 - k / np.arange(sample_count - passed_count + 1, sample_count + 1)))


def all_of_k_pass(sample_count: int, passed_count: int, k: int) -> float:
    """The chance that all of k samples drawn without replacement passed, pass^k: C(c,k)/C(n,k).

    Args:
        sample_count: n, of one problem.
        passed_count: c, of these.
        k: At most n.

    Raises:
        StatisticsError: k > n, or counts that can't be.
    """
    # All pass unless at least one of them fails.
    return 1 - pass_at_k(sample_count, sample_count - passed_count, k)


def cvdp_plug_in_pass_at_k(sample_count: int, passed_count: float, k: int) -> float:
    """CVDP's value: 1 - (1 - c/n)^k (NVlabs/cvdp_benchmark 1.1, src/report.py).

    The observed rate stands for the true one, so it is biased downwards for k > 1 (Jensen's inequality), and defined
    for k > n, which is why it is kept beside the unbiased one only for comparison with CVDP's published numbers.

    Raises:
        StatisticsError: Counts that can't be.
    """
    _raise_if_counts_impossible(sample_count, passed_count, k)
    return float(1 - (1 - passed_count / sample_count) ** k)


def mean_pass_at_k(
    sample_counts: Sequence[int], passed_counts: Sequence[int], k: int, *, seed: int, resamples: int = RESAMPLES
) -> PassAtK:
    """Pass@k over problems, both estimates.

    Args:
        sample_counts: Number of samples of each problem.
        passed_counts: Number of samples of each problem that passed.
        k: At most the smallest number of samples.
        seed: Seed of the bootstrap over problems.
        resamples: Number of resamples of the bootstrap.

    Raises:
        StatisticsError: A problem has fewer than k samples, there are no problems, or lengths differ.
    """
    if len(sample_counts) != len(passed_counts):
        raise StatisticsError(f"There are samples of {len(sample_counts)} problems but passes of {len(passed_counts)}.")
    count_pairs = list(zip(sample_counts, passed_counts, strict=True))
    unbiased = [pass_at_k(n, c, k) for n, c in count_pairs]
    plug_in = [cvdp_plug_in_pass_at_k(n, c, k) for n, c in count_pairs]
    return PassAtK(
        k=k,
        problems=len(count_pairs),
        unbiased=clustered_mean(unbiased, seed=seed, resamples=resamples),
        cvdp_plug_in=clustered_mean(plug_in, seed=seed, resamples=resamples),
    )


def cvdp_mean_success(problem_samples: Sequence[ProblemSamples], k: int) -> float:
    """CVDP's average success probability over problems, from 0 to 1.

    Plug-in pass@k of problems that pass or fail, the mean score of problems that are scored.

    Raises:
        StatisticsError: No problems, a problem without samples, or a score outside 0 to 1.
    """
    if not problem_samples:
        raise StatisticsError("There are no problems to average over.")
    return float(np.mean([_cvdp_problem_success(samples, k) for samples in problem_samples]))


def best_of_k_weights(sample_count: int, k: int) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Weight of each of n sorted scores, smallest first, in the expected best of k: C(i-1,k-1)/C(n,k).

    Raises:
        StatisticsError: k > n or k < 1.
    """
    _raise_if_counts_impossible(sample_count, 0, k)
    if k > sample_count:
        raise StatisticsError(f"The best of {k} needs at least {k} scores, and there are {sample_count}.")
    # The largest weighs k/n; each smaller one follows from its neighbour, so no factorial overflows.
    weights = np.zeros(sample_count)
    weights[-1] = k / sample_count
    for i in range(sample_count - 1, k - 1, -1):
        weights[i - 1] = weights[i] * (i - k + 1) / i
    return weights


def _cvdp_problem_success(samples: ProblemSamples, k: int) -> float:
    scores = finite_number_column(samples.scores, "Scores", at_least=0, at_most=1)
    if samples.is_score_based and len(scores):
        return float(scores.mean())
    return cvdp_plug_in_pass_at_k(len(scores), float(scores.sum()), k)


def _raise_if_counts_impossible(sample_count: int, passed_count: float, k: int) -> None:
    if sample_count < 1:
        raise StatisticsError("A problem has no samples.")
    if not 0 <= passed_count <= sample_count:
        raise StatisticsError(f"{passed_count:g} of {sample_count} samples can't have passed.")
    if k < 1:
        raise StatisticsError(f"k has to be at least 1, not {k}.")
