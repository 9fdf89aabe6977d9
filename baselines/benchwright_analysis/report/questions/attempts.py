"""Attempts at questions, by group."""

from __future__ import annotations

from collections.abc import Callable

from benchwright_analysis.report.fold import Folded
from benchwright_analysis.report.rows.dataset import Dataset
from benchwright_analysis.report.rows.observation import Observation
from benchwright_problems.problem import Kind


def at_questions(data: Dataset, keep: Callable[[Folded], bool] = lambda one: True) -> dict[str, list[Folded]]:
    """Decided attempts at questions that count, by group, in the order of the groups; groups without any are left out.

    Args:
        data: All attempts.
        keep: Which of these.
    """
    found = {
        group: [
            one
            for one in data.of(group)
            if one.observation.kind == Kind.QUESTION.value
            and one.observation.censored_by != "not_decided"
            and keep(one)
        ]
        for group in data.groups
    }
    return {group: several for group, several in found.items() if several}


def rows_of(groups: dict[str, list[Folded]]) -> dict[str, list[Observation]]:
    """The rows of these attempts."""
    return {group: [one.observation for one in several] for group, several in groups.items()}
