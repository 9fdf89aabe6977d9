"""Scoring answers that name one of several values."""

from __future__ import annotations

from collections.abc import Sequence

from benchwright_judges.judgement import Judgement, JudgementStatus
from benchwright_judges.reading.statements import ANSWER_LABEL, Extraction
from benchwright_judges.rule_judgements import RIGHT, WRONG
from benchwright_problems.problem import Answer, Question


def option_text_by_letter(question: Question) -> dict[str, str]:
    """Letter → text of each option."""
    return {choice.letter: choice.text for choice in question.choices}


def option_letters(question: Question) -> tuple[str, ...]:
    """The letters of its options."""
    return tuple(choice.letter for choice in question.choices)


def score_selection(extraction: Extraction, selectable_values: Sequence[str], answer_key: Answer) -> Judgement:
    """Compare the value that an answer names with the key.

    Args:
        extraction: Extraction from the answer.
        selectable_values: At least two values, one of which the answer has to name.
        answer_key: The right one.
    """
    if extraction.value is None:
        return unreadable_judgement(extraction, selectable_values, "one of")
    is_right = extraction.value.casefold() == answer_key.value.strip().casefold()
    return (RIGHT if is_right else WRONG).model_copy(update={"label": extraction.value})


def unreadable_judgement(extraction: Extraction, selectable_values: Sequence[str], quantity_phrase: str) -> Judgement:
    """The judgement of an answer in which no rule reads a value.

    Args:
        extraction: Extraction from the answer.
        selectable_values: The values that it could give.
        quantity_phrase: How many of them, such as "one of".
    """
    return Judgement(
        status=JudgementStatus.UNREADABLE,
        label=extraction.outcome.value,
        message=f"The answer has to be {quantity_phrase} {', '.join(selectable_values)}, alone or in a last line"
        f" such as `{ANSWER_LABEL}: {selectable_values[0]}`.",
    )
