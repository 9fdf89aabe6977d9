"""Rate and quality of solved problems: overall and by label."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from benchwright_analysis.statistics.columns import Numbers, common_column_length, finite_number_column
from benchwright_analysis.statistics.crossed import CrossedEstimate, crossed_mean, crossed_share
from benchwright_analysis.statistics.crossed_design import CrossedCells

Labels = str | Sequence[str]
"""One label, or several, as of a problem that needs more than one skill."""


@dataclass(frozen=True)
class LabelledAttempts:
    """All attempts with one label."""

    label: str
    attempts: int
    passed: CrossedEstimate | None
    """The share that passed; `None` if scores are fractional."""
    score: CrossedEstimate
    """The mean score."""


def success_by_label(scores: ArrayLike, labels: Sequence[Labels], cells: CrossedCells) -> tuple[LabelledAttempts, ...]:
    """Success by category, difficulty, skill, topic, format or language, sorted by label.

    Args:
        scores: One per attempt, from 0 to 1; passed and failed are 1 and 0.
        labels: Labels of each attempt; with several it counts in each of their groups, with none in no group.
        cells: Participant and problem of each attempt.

    Raises:
        StatisticsError: A score is not from 0 to 1, or lengths differ.
    """
    column = finite_number_column(scores, "Scores", at_least=0, at_most=1)
    common_column_length(scores=len(column), labels=len(labels), cells=len(cells.problems))
    label_groups = []
    for label, member_indices in _indices_by_label(labels).items():
        is_member = np.zeros(len(column), dtype=np.bool_)
        is_member[member_indices] = True
        chosen_scores, chosen_cells = column[is_member], cells.select_rows(is_member)
        is_binary = bool(np.isin(chosen_scores, (0.0, 1.0)).all())
        share = crossed_share(chosen_scores, chosen_cells) if is_binary else None
        label_groups.append(
            LabelledAttempts(label, len(member_indices), share, mean_score_or_pass_share(chosen_scores, chosen_cells))
        )
    return tuple(label_groups)


def mean_score_or_pass_share(scores: ArrayLike, cells: CrossedCells) -> CrossedEstimate:
    """The mean of scores from 0 to 1: of zeros and ones the share, with its interval.

    Raises:
        StatisticsError: As in `success_by_label`.
    """
    column = finite_number_column(scores, "Scores", at_least=0, at_most=1)
    return crossed_share(column, cells) if bool(np.isin(column, (0.0, 1.0)).all()) else crossed_mean(column, cells)


def mean_over_labels(scores: ArrayLike, labels_of_attempts: Sequence[Labels], cells: CrossedCells) -> CrossedEstimate:
    """The mean of the groups' means, so that each label counts alike however many attempts it has.

    Args:
        scores: One per attempt, from 0 to 1.
        labels_of_attempts: As in `success_by_label`.
        cells: As in `success_by_label`.

    Raises:
        StatisticsError: As in `success_by_label`, or no attempt has a label.
    """
    column = finite_number_column(scores, "Scores", at_least=0, at_most=1)
    common_column_length(scores=len(column), labels=len(labels_of_attempts), cells=len(cells.problems))
    weights: Numbers = np.zeros(len(column))
    for member_indices in _indices_by_label(labels_of_attempts).values():
        weights[member_indices] += 1 / len(member_indices)
    strata = [[row_labels] if isinstance(row_labels, str) else list(row_labels) for row_labels in labels_of_attempts]
    return crossed_mean(column, cells, weights, strata)


def _indices_by_label(labels: Sequence[Labels]) -> dict[str, list[int]]:
    indices_by_label: dict[str, list[int]] = {}
    for index, row_labels in enumerate(labels):
        for label in {row_labels} if isinstance(row_labels, str) else set(row_labels):
            indices_by_label.setdefault(label, []).append(index)
    return dict(sorted(indices_by_label.items()))
