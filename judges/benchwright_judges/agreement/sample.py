"""A question that every judge can grade, to check a configuration."""

from __future__ import annotations

from benchwright_judges.rubric import Rubric, load_rubric
from benchwright_problems.problem import (
    Answer,
    Difficulty,
    Hidden,
    Problem,
    ProblemKind,
    Provenance,
    Public,
    Question,
    QuestionFormat,
)

TRIAL_QUESTION = Problem(
    id="sample",
    kind=ProblemKind.QUESTION,
    title="Hit rate of a cache",
    difficulty=Difficulty.EASY,
    provenance=Provenance(source="Benchwright", license="Apache-2.0", version="1"),
    public=Public(
        statement="A cache answers a hit in 1 ns and a miss in 50 ns in all. Which hit rate gives 5.9 ns on average?",
        question=Question(format=QuestionFormat.FREE_RESPONSE),
    ),
    hidden=Hidden(answer=Answer(value="h + 50 (1 - h) = 5.9, so 49 h = 44.1 and h = 0.9, that is 90 %.")),
)
TRIAL_ANSWERS_AND_LABELS = (("Nine out of ten accesses have to hit.", "correct"), ("It has to be 50 %.", "incorrect"))
"""Answers with the verdict that any judge should give."""


def trial_rubric() -> Rubric:
    """The rubric that the sample is graded by."""
    return load_rubric("free-response")
