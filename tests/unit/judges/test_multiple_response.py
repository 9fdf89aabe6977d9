"""Answers to questions of which several options may be right."""

from __future__ import annotations

import pytest

from benchwright_judges.judgement import JudgementStatus
from benchwright_judges.score import judge_key_and_empty_answer, score_by_rules
from benchwright_problems.problem import (
    Answer,
    Choice,
    Difficulty,
    Hidden,
    Problem,
    ProblemKind,
    Provenance,
    Public,
    Question,
    QuestionFormat,
)

TEXTS = {"A": "a write buffer", "B": "a victim cache", "C": "a wider bus", "D": "a slower clock"}
PROBLEM = Problem(
    id="misses",
    kind=ProblemKind.QUESTION,
    title="Misses",
    difficulty=Difficulty.EASY,
    provenance=Provenance(source="", license="", version=""),
    public=Public(
        statement="What makes misses cheaper?",
        question=Question(
            format=QuestionFormat.MULTIPLE_RESPONSE,
            choices=tuple(Choice(letter=letter, text=text) for letter, text in TEXTS.items()),
        ),
    ),
    hidden=Hidden(answer=Answer(value="AC")),
)


@pytest.mark.parametrize(
    ("answer", "label", "share"),
    [
        ("AC", "AC", 1.0),
        ("CA", "AC", 1.0),
        ("A", "A", 0.5),
        ("ABC", "ABC", 0.5),
        ("AB", "AB", 0.0),
        ("BD", "BD", 0.0),
        ("ABCD", "ABCD", 0.0),
    ],
)
def test_only_all_right_options_are_right_and_others_have_a_share(answer: str, label: str, share: float) -> None:
    judgement = score_by_rules(PROBLEM, answer)
    assert (judgement.label, judgement.score, judgement.passed) == (label, share, share == 1.0)


@pytest.mark.parametrize(
    "answer",
    [
        *("AC", "A, C", "A and C", "(A), (C)", "**A, C**\n", "ANSWER: AC", "I weighed all four.\n\nANSWER: A, C"),
        *('{"reason": "both shorten it", "answer": "AC"}', '{"answer": ["A", "C"]}'),
    ],
)
def test_a_list_of_letters_is_read_in_each_spelling(answer: str) -> None:
    assert score_by_rules(PROBLEM, answer).passed is True


@pytest.mark.parametrize("answer", ["none of them", "AE", "A, A", "I would say that it depends.", "?"])
def test_what_is_no_list_of_letters_is_unreadable(answer: str) -> None:
    judgement = score_by_rules(PROBLEM, answer)
    assert (judgement.status, judgement.passed) == (JudgementStatus.UNREADABLE, None)


def test_the_key_itself_is_right_and_an_empty_answer_is_none() -> None:
    of_key, of_nothing = judge_key_and_empty_answer(PROBLEM)
    assert (of_key.passed, of_nothing.status) == (True, JudgementStatus.EMPTY)
