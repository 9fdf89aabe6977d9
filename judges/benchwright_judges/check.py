"""The two-sided proof of a question: its key is right, an empty answer is not."""

from __future__ import annotations

from benchwright_judges.score import Judgement, Score, score
from benchwright_problems.problem import Problem


def check_question(problem: Problem) -> tuple[Judgement, Judgement]:
    """The judgements of the answer key itself and of an empty answer."""
    key = problem.hidden.answer
    if key is None:
        undecided = Judgement(score=Score.UNDECIDED, message="the pack has no answer to compare with")
        return undecided, score(problem, "")
    return score(problem, key.value), score(problem, "")
