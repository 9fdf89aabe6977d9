"""Attempts at questions, by group."""

from __future__ import annotations

from collections.abc import Callable

from benchwright_analysis.report.fold import FoldedAttempt
from benchwright_analysis.report.rows.dataset import Dataset
from benchwright_analysis.report.rows.observation import Observation
from benchwright_problems.problem import ProblemKind


def question_attempts_by_group(
    data: Dataset, is_kept: Callable[[FoldedAttempt], bool] = lambda attempt: True
) -> dict[str, list[FoldedAttempt]]:
    """Decided attempts at questions that count, by group, in the order of the groups; groups without any are left out.

    Args:
        data: All attempts.
        is_kept: True for an attempt that is kept.
    """
    attempts_by_group = {
        group: [
            attempt
            for attempt in data.counted_attempts_in(group)
            if attempt.observation.kind == ProblemKind.QUESTION.value
            and attempt.observation.censored_by != "not_decided"
            and is_kept(attempt)
        ]
        for group in data.groups
    }
    return {group: attempts for group, attempts in attempts_by_group.items() if attempts}


def observations_by_group(attempts_by_group: dict[str, list[FoldedAttempt]]) -> dict[str, list[Observation]]:
    """The rows of these attempts."""
    return {group: [attempt.observation for attempt in attempts] for group, attempts in attempts_by_group.items()}
