"""How often, and how well, problems were solved: overall and by label."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from benchwright_analysis.statistics.bootstrap import RESAMPLES, clustered_mean, draws, percentile_interval
from benchwright_analysis.statistics.columns import Numbers, equally_long, flags, groups, numbers
from benchwright_judges.estimators import Estimate, Share, share

Labels = str | Sequence[str]
"""One label, or several, as of a problem that needs more than one skill."""


@dataclass(frozen=True)
class Group:
    """All attempts with one label."""

    label: str
    attempts: int
    clusters: int
    """Distinct problems or participants among them, whichever was given; else the attempts."""
    passed: Share | None
    """With Wilson's interval; `None` if scores are fractional."""
    score: Estimate
    """The mean score, its interval by bootstrap over clusters."""


def success_rate(passed: ArrayLike) -> Share:
    """The share of attempts that passed, with Wilson's score interval (Wilson 1927).

    Args:
        passed: One flag per attempt.

    Returns:
        Without a value where there are no attempts.
    """
    column = flags(passed, "Results")
    return share(int(column.sum()), len(column))


def breakdown(
    scores: ArrayLike,
    labels: Sequence[Labels],
    *,
    clusters: Sequence[Hashable] | None = None,
    seed: int,
    resamples: int = RESAMPLES,
) -> tuple[Group, ...]:
    """Success by category, difficulty, skill, topic, format or language, sorted by label.

    Args:
        scores: One per attempt, from 0 to 1; passed and failed are 1 and 0.
        labels: Of each attempt; with several labels it counts in each of their groups, with none in no group.
        clusters: Of each attempt, its problem or participant, so that repeated samples do not feign precision.
        seed: Of the bootstrap.
        resamples: Of the bootstrap.

    Raises:
        StatisticsError: A score is not from 0 to 1, or lengths differ.
    """
    column = numbers(scores, "Scores", low=0, high=1)
    _same_length(column, labels, clusters)
    found = []
    for label, members in _members(labels).items():
        chosen = column[members]
        belonging = [clusters[member] for member in members] if clusters is not None else None
        whole = bool(np.isin(chosen, (0.0, 1.0)).all())
        found.append(
            Group(
                label=label,
                attempts=len(members),
                clusters=len(set(map(str, belonging))) if belonging is not None else len(members),
                passed=share(int(chosen.sum()), len(chosen)) if whole else None,
                score=clustered_mean(chosen, belonging, seed=seed, resamples=resamples),
            )
        )
    return tuple(found)


def macro_average(
    scores: ArrayLike,
    labels: Sequence[Labels],
    *,
    clusters: Sequence[Hashable] | None = None,
    seed: int,
    resamples: int = RESAMPLES,
) -> Estimate:
    """The mean of the groups' means, so that each label counts alike however many attempts it has.

    Whole clusters are drawn for the interval; a group of which nothing was drawn does not count in that resample.

    Args:
        scores: One per attempt, from 0 to 1.
        labels: As in `breakdown`.
        clusters: As in `breakdown`.
        seed: Of the bootstrap.
        resamples: Of the bootstrap.

    Returns:
        Without a value where no attempt has a label, without bounds where there are fewer than two clusters.
    """
    column = numbers(scores, "Scores", low=0, high=1)
    length = _same_length(column, labels, clusters)
    members = _members(labels)
    if not members:
        return Estimate(value=None)
    place = groups(clusters, "Clusters")[1] if clusters is not None else np.arange(length)
    units = int(place.max()) + 1
    totals = np.array([np.bincount(place[rows], column[rows], units) for rows in members.values()])
    sizes = np.array([np.bincount(place[rows], minlength=units) for rows in members.values()])
    value = float(np.mean(totals.sum(axis=1) / sizes.sum(axis=1)))
    if units < 2:
        return Estimate(value=value)
    drawn = draws(units, resamples, np.random.default_rng(seed))
    drawn_sizes = drawn @ sizes.T
    there = drawn_sizes > 0
    means = np.divide(drawn @ totals.T, drawn_sizes, out=np.zeros(drawn_sizes.shape), where=there)
    counted = there.sum(axis=1)
    replicates = np.divide(means.sum(axis=1), counted, out=np.full(resamples, np.nan), where=counted > 0)
    low, high = percentile_interval(replicates, units)
    return Estimate(value=value, low=low, high=high)


def _members(labels: Sequence[Labels]) -> dict[str, list[int]]:
    members: dict[str, list[int]] = {}
    for index, given in enumerate(labels):
        for label in {given} if isinstance(given, str) else set(given):
            members.setdefault(label, []).append(index)
    return dict(sorted(members.items()))


def _same_length(column: Numbers, labels: Sequence[Labels], clusters: Sequence[Hashable] | None) -> int:
    lengths = {"scores": len(column), "labels": len(labels)}
    return equally_long(**lengths, **({"clusters": len(clusters)} if clusters is not None else {}))
