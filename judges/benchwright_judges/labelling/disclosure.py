"""Check if a model's reason for a label may give a question's answer away: solvers may see labels."""

from __future__ import annotations

import re
from collections.abc import Sequence

from benchwright_problems.problem import AnswerKind, Problem

WITHHELD = "withheld: it may give the answer away"
_SAYS_ANSWER = re.compile(
    r"\b(?:answer|solution)\s*(?:is|are|was|would be|must be|should be|=|:)|\b(?:in)?correct(?:ly)?\b|\bnot\s+right\b"
    r"|\b(?:options?|choices?|letters?)\s+\(?[A-Z]\b",
    re.IGNORECASE,
)
_TRUTH = re.compile(r"\b(?:true|false|right|wrong|holds|untrue)\b", re.IGNORECASE)
_IN_COMMON = 5
"""Words in a row that a reason may not share with a longer key."""
_LETTER = re.compile(r"(?<![A-Za-z])\(?[B-Z]\)|(?<![A-Za-z'])[B-Z](?=[.,:;]|$)")


def withhold_if_revealing(judge_reason: str, problem: Problem) -> str:
    """The reason, or that it is withheld.

    Where there are few answers to choose from, the rule does not depend on the key: being withheld reveals nothing.

    Args:
        judge_reason: A model's words, which saw only the public side, but may have solved the question.
        problem: Problem with its hidden part.
    """
    return WITHHELD if _may_disclose(judge_reason, problem) else judge_reason


def _may_disclose(judge_reason: str, problem: Problem) -> bool:
    if _SAYS_ANSWER.search(judge_reason):
        return True
    question, key = problem.public.question, problem.hidden.answer
    words = _lower_case_words(judge_reason)
    if question is not None and question.choices:
        choice_words = [_lower_case_words(choice.text) for choice in question.choices]
        return bool(_LETTER.search(judge_reason)) or any(_holds_phrase(words, text) for text in choice_words)
    if question is not None and question.format.answered_by is AnswerKind.TRUTH:
        return bool(_TRUTH.search(judge_reason))
    if key is None:
        return False
    return any(_shares_key_words(words, _lower_case_words(text)) for text in (key.value, *key.alternatives))


def _lower_case_words(text: str) -> list[str]:
    return re.findall(r"\w+", text.casefold())


def _holds_phrase(text_words: Sequence[str], phrase_words: Sequence[str]) -> bool:
    """True if one sequence of words is in the other."""
    size = len(phrase_words)
    return bool(phrase_words) and any(
        text_words[start : start + size] == phrase_words for start in range(len(text_words) - size + 1)
    )


def _shares_key_words(text_words: Sequence[str], key_words: Sequence[str]) -> bool:
    """True if all of a short key, or several words in a row of a longer one, are there."""
    if len(key_words) <= _IN_COMMON:
        return _holds_phrase(text_words, key_words)
    return any(
        _holds_phrase(text_words, key_words[start : start + _IN_COMMON])
        for start in range(len(key_words) - _IN_COMMON + 1)
    )
