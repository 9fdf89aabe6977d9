"""Scores that papers' own scripts give an answer, beside what we read in it."""

from __future__ import annotations

import pytest

from benchwright_judges.agreement.published_scores import csbench_script_score, quarch_script_score
from benchwright_judges.agreement.tally import tally_reasons
from benchwright_judges.judgement import Judgement, JudgementStatus
from benchwright_problems.problem import Answer, Choice, Question, QuestionFormat

CHOICE = Question(
    format=QuestionFormat.MULTIPLE_CHOICE,
    choices=tuple(Choice(letter=letter, text=f"choice {letter}") for letter in "ABCD"),
)
ASSERTION = Question(format=QuestionFormat.ASSERTION)


@pytest.mark.parametrize(
    ("question", "text", "key", "score"),
    [
        (CHOICE, "The answer is (B).", "B", 1.0),
        (CHOICE, "A cache needs no refresh, so B.", "B", 0.0),
        (CHOICE, "a guess: B", "A", 1.0),
        (CHOICE, "no idea", "A", 0.0),
        (ASSERTION, "It is not true.", "true", 1.0),
        (ASSERTION, "TRUE", "true", 1.0),
        (ASSERTION, "untrue", "true", 0.0),
        (Question(format=QuestionFormat.FILL_IN_THE_BLANK), "42", "42", None),
    ],
)
def test_the_script_takes_the_first_letter_or_truth_value(
    question: Question, text: str, key: str, score: float | None
) -> None:
    assert csbench_script_score(question, text, Answer(value=key)) == score


@pytest.mark.parametrize(
    ("text", "score"),
    [
        ('Reasons {of mine}. {"final_answer": "B"}', 1.0),
        ('{"final_answer": "B"} or {"final_answer": "C"}', 0.0),
        ("so \\boxed{B}", 1.0),
        ("choice B", 1.0),
        ("The answer is B.", 0.0),
        ('{"final_answer": ["B"]}', 0.0),
    ],
)
def test_quarchs_script_takes_the_last_object_a_box_or_an_options_text(text: str, score: float) -> None:
    assert quarch_script_score(CHOICE, text, Answer(value="B")) == score
    assert quarch_script_score(ASSERTION, text, Answer(value="true")) is None


def test_an_unreadable_answer_counts_in_one_accuracy_and_not_in_the_other() -> None:
    judgements = [
        Judgement(status=JudgementStatus.SCORED, score=1.0, passed=True, message=""),
        Judgement(status=JudgementStatus.SCORED, score=0.0, passed=False, message=""),
        Judgement(status=JudgementStatus.UNREADABLE, message=""),
        Judgement(status=JudgementStatus.EMPTY, message=""),
        Judgement(status=JudgementStatus.PENDING, message=""),
        Judgement(status=JudgementStatus.ERROR, message=""),
    ]
    reason_tally = tally_reasons(judgement.reason for judgement in judgements)
    assert (
        reason_tally.right,
        reason_tally.wrong,
        reason_tally.unreadable,
        reason_tally.empty,
        reason_tally.pending,
    ) == (1, 1, 1, 1, 2)
    assert (reason_tally.accuracy, reason_tally.accuracy_of_readable) == (0.25, 0.5)
    assert tally_reasons([]).accuracy is None
