"""The two-sided proof of a question: its key is right, an empty answer is not."""

from __future__ import annotations

from benchwright_judges.judgement import Judgement
from benchwright_judges.rule_judgements import NO_KEY
from benchwright_judges.score import score
from benchwright_problems.problem import Problem


def check_question(problem: Problem) -> tuple[Judgement, Judgement]:
    """The judgements of the answer key itself and of an empty answer."""
    key = problem.hidden.answer
    return score(problem, key.value) if key is not None else NO_KEY, score(problem, "")
