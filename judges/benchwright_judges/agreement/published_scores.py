"""Scores that a benchmark's own script would give, beside ours; each is named after the script that it repeats."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping

from benchwright_problems.problem import Answer, Question, QuestionFormat

_LETTER = re.compile(r"\b[ABCD]\b", re.IGNORECASE)
_OBJECT = re.compile(r"\{[^{}]*\}")
_BOX = re.compile(r"\\boxed\{\s*([A-D])\s*\}")
_TRUTH = re.compile(r"\b(?:true|false)\b", re.IGNORECASE)


def csbench_script_score(question: Question, answer: str, answer_key: Answer) -> float | None:
    """Score that `gen_judgment.py` of the CS-Bench repository gives an answer; None if it asks a model.

    It takes the first of the letters A to D that stands alone, in either case, and the first `true` or `false`. What
    it cannot read is a 0. As released it compares `true` with `TRUE`, so that no assertion is ever right; that
    slip is not repeated here.

    Args:
        question: Its format decides what is read.
        answer: The whole reply.
        answer_key: The right answer.
    """
    match question.format:
        case QuestionFormat.MULTIPLE_CHOICE:
            match = _LETTER.search(answer)
        case QuestionFormat.ASSERTION:
            match = _TRUTH.search(answer)
        case _:
            return None
    return float(match is not None and match[0].casefold() == answer_key.value.strip().casefold())


def quarch_script_score(question: Question, answer: str, answer_key: Answer) -> float | None:
    """Score that `llm_mcq_eval.py` of the QuArch repository gives an answer; None if it is no multiple choice.

    It takes `final_answer` of the last object in braces, else a letter in a box, else an option's exact text. What it
    cannot read is a 0.

    Args:
        question: Its format decides what is read.
        answer: The whole reply.
        answer_key: The right letter.
    """
    if question.format is not QuestionFormat.MULTIPLE_CHOICE:
        return None
    letter = _final_answer_in_last_object(answer)
    if letter is None and (box := _BOX.search(answer)):
        letter = box[1]
    if letter is None:
        letter = next((choice.letter for choice in question.choices if choice.text.strip() == answer.strip()), None)
    return float(letter == answer_key.value.strip())


def _final_answer_in_last_object(reply_text: str) -> str | None:
    objects = _OBJECT.findall(reply_text)
    try:
        answer = json.loads(objects[-1])["final_answer"] if objects else None
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    return answer.strip() if isinstance(answer, str) else None


PUBLISHED: Mapping[str, Callable[[Question, str, Answer], float | None]] = {
    "csbench_script": csbench_script_score,
    "quarch_script": quarch_script_score,
}
"""Name in summaries → the script's score."""
