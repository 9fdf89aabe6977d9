"""Checks of reviewers, and the degree to which they agree."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from enum import StrEnum


class ReviewCheck(StrEnum):
    """Check that a reviewer makes; all of them before they accept."""

    ASSUMPTIONS = "The question states what it assumes."
    RELEVANCE = "It is about what the pack is about, and worth knowing."
    RATIONALE = "The explanation is right, and says why other answers are wrong."
    UNAMBIGUOUS = "However it is read, the same answer is right."
    LICENCE = "Nothing of it is copied, as far as I know."


def alike_and_all_pair_counts(decisions_by_question: Sequence[Sequence[bool]]) -> tuple[int, int]:
    """How many pairs of decisions on the same question are alike, and how many there are."""
    pairs = [
        pair for question_decisions in decisions_by_question for pair in itertools.combinations(question_decisions, 2)
    ]
    return sum(first == second for first, second in pairs), len(pairs)


def agreement_alpha(decisions_by_question: Sequence[Sequence[bool]]) -> float | None:
    """Krippendorff's alpha of decisions, nominal; None where it is not defined.

    Args:
        decisions_by_question: Decisions of each question's reviewers, in any number and order.
    """
    if not decisions_by_question:
        return None
    import numpy as np

    from benchwright_judges.agreement.estimators import krippendorff_alpha

    ratings = np.full((max(map(len, decisions_by_question)), len(decisions_by_question)), np.nan)
    for question_index, question_decisions in enumerate(decisions_by_question):
        ratings[: len(question_decisions), question_index] = question_decisions
    coefficient = krippendorff_alpha(ratings, "nominal")
    return None if np.isnan(coefficient) else coefficient
