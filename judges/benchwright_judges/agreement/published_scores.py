"""Scores that a benchmark's own script would give, beside ours; each is named after the script that it repeats."""

from __future__ import annotations

import re

from benchwright_problems.problem import Answer, Question, QuestionFormat

_LETTER = re.compile(r"\b[ABCD]\b", re.IGNORECASE)
_TRUTH = re.compile(r"\b(?:true|false)\b", re.IGNORECASE)


def csbench_script_score(question: Question, text: str, key: Answer) -> float | None:
    """Score that `gen_judgment.py` of the CS-Bench repository gives an answer; None if it asks a model.

    It takes the first of the letters A to D that stands alone, in either case, and the first `true` or `false`. What
    it cannot read is a 0. As released it compares `true` with `TRUE`, so that no assertion is ever right; that
    slip is not repeated here.

    Args:
        question: Its format decides what is read.
        text: The whole reply.
        key: The right answer.
    """
    match question.format:
        case QuestionFormat.MULTIPLE_CHOICE:
            match = _LETTER.search(text)
        case QuestionFormat.ASSERTION:
            match = _TRUTH.search(text)
        case _:
            return None
    return float(match is not None and match[0].casefold() == key.value.strip().casefold())
