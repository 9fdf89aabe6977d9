"""Scoring an answer without a model, as far as that can be done."""

from __future__ import annotations

import re
import unicodedata
from enum import StrEnum

from pydantic import BaseModel, ConfigDict

from benchwright_judges.choice import read_choice, read_truth
from benchwright_problems.problem import Answer, Problem, Question, QuestionFormat


class Score(StrEnum):
    """What can be said of an answer."""

    RIGHT = "right"
    WRONG = "wrong"
    EMPTY = "empty"
    """Nothing was answered."""
    UNREADABLE = "unreadable"
    """The text names no choice, or two."""
    UNDECIDED = "undecided"
    """Needs a judge."""


class Judgement(BaseModel):
    """The score of an answer and one sentence about it that gives nothing away."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    score: Score
    message: str


_RIGHT = Judgement(score=Score.RIGHT, message="The answer is right.")
_WRONG = Judgement(score=Score.WRONG, message="The answer is not right.")
_EMPTY = Judgement(score=Score.EMPTY, message="There is no answer yet: write it into answer.md.")

INSTANT = frozenset({QuestionFormat.MULTIPLE_CHOICE, QuestionFormat.ASSERTION, QuestionFormat.FILL_IN_THE_BLANK})
"""Formats that are always decided here."""


def score(problem: Problem, text: str) -> Judgement:
    """Score an answer to a question or text problem.

    Choices and assertions by the choice the text names; blanks by comparison with the accepted
    answers; longer answers only where they equal the reference, and are else undecided.

    Args:
        problem: With its hidden part.
        text: The content of `answer.md`.
    """
    if not text.strip():
        return _EMPTY
    key = problem.hidden.answer
    if key is None:
        return Judgement(score=Score.UNDECIDED, message="The pack has no answer to compare with.")
    question = problem.public.question
    if question is not None and (names := selectable(question)):
        selected = read_selection(question, text)
        if selected is None:
            wanted = " or ".join((", ".join(names[:-1]), names[-1]))
            return Judgement(score=Score.UNREADABLE, message=f"The answer must say {wanted}, and only one of them.")
        return _RIGHT if selected.casefold() == key.value.strip().casefold() else _WRONG
    if _accepted(text, key):
        return _RIGHT
    if question is not None and question.format in INSTANT:
        return _WRONG
    return Judgement(score=Score.UNDECIDED, message="This answer is kept; it needs a judge, and none is set up.")


def selectable(question: Question) -> tuple[str, ...]:
    """What can be chosen: the letters, `true` and `false`, or nothing for questions in free text."""
    if question.format is QuestionFormat.ASSERTION:
        return ("true", "false")
    return tuple(choice.letter for choice in question.choices)


def read_selection(question: Question, text: str) -> str | None:
    """Which of the selectable values a text names; none for questions in free text."""
    if question.format is QuestionFormat.MULTIPLE_CHOICE:
        return read_choice(text, selectable(question))
    if question.format is QuestionFormat.ASSERTION:
        said = read_truth(text)
        return None if said is None else str(said).lower()
    return None


def _accepted(text: str, key: Answer) -> bool:
    given = normalise(text)
    return any(given == normalise(accepted) for accepted in (key.value, *key.alternatives))


def normalise(text: str) -> str:
    """A text without case, width, surrounding punctuation, articles and spacing differences."""
    plain = unicodedata.normalize("NFKC", text).casefold()
    plain = re.sub(r"^(?:the answer is|answer:?)\s+", "", plain.strip())
    plain = re.sub(r"\b(?:a|an|the)\s+", "", plain)
    return re.sub(r"\s+", " ", plain).strip(" .,;:!?\"'`*_")
