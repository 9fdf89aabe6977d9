"""Rate and quality of solved problems: overall and by label."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from benchwright_analysis.statistics.columns import Numbers, equally_long, numbers
from benchwright_analysis.statistics.crossed import Crossed, crossed_mean, crossed_share
from benchwright_analysis.statistics.crossed_design import Cells

Labels = str | Sequence[str]
"""One label, or several, as of a problem that needs more than one skill."""


@dataclass(frozen=True)
class Group:
    """All attempts with one label."""

    label: str
    attempts: int
    passed: Crossed | None
    """The share that passed; `None` if scores are fractional."""
    score: Crossed
    """The mean score."""


def breakdown(scores: ArrayLike, labels: Sequence[Labels], cells: Cells) -> tuple[Group, ...]:
    """Success by category, difficulty, skill, topic, format or language, sorted by label.

    Args:
        scores: One per attempt, from 0 to 1; passed and failed are 1 and 0.
        labels: Labels of each attempt; with several it counts in each of their groups, with none in no group.
        cells: Participant and problem of each attempt.

    Raises:
        StatisticsError: A score is not from 0 to 1, or lengths differ.
    """
    column = numbers(scores, "Scores", low=0, high=1)
    equally_long(scores=len(column), labels=len(labels), cells=len(cells.problems))
    parts = []
    for label, members in _members(labels).items():
        chosen = np.zeros(len(column), dtype=np.bool_)
        chosen[members] = True
        chosen_scores, chosen_cells = column[chosen], cells.select_rows(chosen)
        whole = bool(np.isin(chosen_scores, (0.0, 1.0)).all())
        share = crossed_share(chosen_scores, chosen_cells) if whole else None
        parts.append(Group(label, len(members), share, mean_score(chosen_scores, chosen_cells)))
    return tuple(parts)


def mean_score(scores: ArrayLike, cells: Cells) -> Crossed:
    """The mean of scores from 0 to 1: of zeros and ones the share, with its interval.

    Raises:
        StatisticsError: As in `breakdown`.
    """
    column = numbers(scores, "Scores", low=0, high=1)
    return crossed_share(column, cells) if bool(np.isin(column, (0.0, 1.0)).all()) else crossed_mean(column, cells)


def macro_average(scores: ArrayLike, labels: Sequence[Labels], cells: Cells) -> Crossed:
    """The mean of the groups' means, so that each label counts alike however many attempts it has.

    Args:
        scores: One per attempt, from 0 to 1.
        labels: As in `breakdown`.
        cells: As in `breakdown`.

    Raises:
        StatisticsError: As in `breakdown`, or no attempt has a label.
    """
    column = numbers(scores, "Scores", low=0, high=1)
    equally_long(scores=len(column), labels=len(labels), cells=len(cells.problems))
    weights: Numbers = np.zeros(len(column))
    for rows in _members(labels).values():
        weights[rows] += 1 / len(rows)
    strata = [[row_labels] if isinstance(row_labels, str) else list(row_labels) for row_labels in labels]
    return crossed_mean(column, cells, weights, strata)


def _members(labels: Sequence[Labels]) -> dict[str, list[int]]:
    members: dict[str, list[int]] = {}
    for index, row_labels in enumerate(labels):
        for label in {row_labels} if isinstance(row_labels, str) else set(row_labels):
            members.setdefault(label, []).append(index)
    return dict(sorted(members.items()))
