"""Scoring answers that name one of several values."""

from __future__ import annotations

from collections.abc import Sequence

from benchwright_judges.judgement import Judgement, JudgementStatus
from benchwright_judges.reading.answer_extraction import Extraction
from benchwright_judges.rule_judgements import RIGHT, WRONG
from benchwright_problems.problem import Answer


def score_selection(extraction: Extraction, selectable: Sequence[str], key: Answer) -> Judgement:
    """Compare the value that an answer names with the key.

    Args:
        extraction: Extraction from the answer.
        selectable: At least two values, one of which the answer has to name.
        key: The right one.
    """
    if extraction.value is None:
        expected_words = " or ".join((", ".join(selectable[:-1]), selectable[-1]))
        return Judgement(
            status=JudgementStatus.UNREADABLE,
            label=extraction.outcome.value,
            message=f"The answer must say {expected_words}, and only one of them.",
        )
    is_right = extraction.value.casefold() == key.value.strip().casefold()
    return (RIGHT if is_right else WRONG).model_copy(update={"label": extraction.value})
