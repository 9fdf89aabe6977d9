from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright_judges.check import check_question
from benchwright_judges.score import Score, normalise, read_selection, score, selectable
from benchwright_problems.problem import (
    Answer,
    Choice,
    Difficulty,
    Hidden,
    Kind,
    Problem,
    Provenance,
    Public,
    Question,
    QuestionFormat,
)

SECRET = "SECRET-42"


def question(style: QuestionFormat, answer: Answer | None, letters: str = "ABCD") -> Problem:
    choices = tuple(Choice(letter=letter, text=f"choice {letter}") for letter in letters)
    shown = choices if style is QuestionFormat.MULTIPLE_CHOICE else ()
    return Problem(
        id="q",
        kind=Kind.QUESTION,
        title="Q",
        difficulty=Difficulty.EASY,
        provenance=Provenance(source="", license="", version="", sha256=""),
        public=Public(statement="?", question=Question(format=style, choices=shown)),
        hidden=Hidden(answer=answer),
    )


MULTIPLE = question(QuestionFormat.MULTIPLE_CHOICE, Answer(value="B"))
ASSERTION = question(QuestionFormat.ASSERTION, Answer(value="false"))
BLANK = question(QuestionFormat.FILL_IN_THE_BLANK, Answer(value="52", alternatives=("52 bits", "fifty-two")))
OPEN = question(QuestionFormat.OPEN_ENDED, Answer(value=f"Because {SECRET}.", rubric=SECRET, explanation=SECRET))
FREE = question(QuestionFormat.FREE_RESPONSE, Answer(value=SECRET))


@pytest.mark.parametrize(
    ("problem", "text", "wanted"),
    [
        (MULTIPLE, "B", Score.RIGHT),
        (MULTIPLE, "(b)", Score.RIGHT),
        (MULTIPLE, "C", Score.WRONG),
        (MULTIPLE, "A or B", Score.UNREADABLE),
        (MULTIPLE, "E", Score.UNREADABLE),
        (MULTIPLE, "choice", Score.UNREADABLE),
        (MULTIPLE, " \n\t", Score.EMPTY),
        (ASSERTION, "False.", Score.RIGHT),
        (ASSERTION, "true", Score.WRONG),
        (ASSERTION, "dunno", Score.UNREADABLE),
        (ASSERTION, "", Score.EMPTY),
        (BLANK, "52", Score.RIGHT),
        (BLANK, "  52.\n", Score.RIGHT),
        (BLANK, "The answer is 52 bits.", Score.RIGHT),
        (BLANK, "Fifty-Two", Score.RIGHT),
        (BLANK, "\uff15\uff12", Score.RIGHT),
        (BLANK, "**52**", Score.RIGHT),
        (BLANK, "`52`", Score.RIGHT),
        (BLANK, "520", Score.WRONG),
        (BLANK, "5 2", Score.WRONG),
        (BLANK, "-52", Score.WRONG),
        (BLANK, "52 or 53", Score.WRONG),
        (BLANK, "...", Score.WRONG),
        (OPEN, f"because {SECRET}", Score.RIGHT),
        (OPEN, "Because of something else.", Score.UNDECIDED),
        (OPEN, "", Score.EMPTY),
        (FREE, "no idea", Score.UNDECIDED),
        (question(QuestionFormat.FREE_RESPONSE, None), "words", Score.UNDECIDED),
    ],
)
def test_answers_are_scored(problem: Problem, text: str, wanted: Score) -> None:
    assert score(problem, text).score is wanted


@pytest.mark.parametrize("problem", [MULTIPLE, ASSERTION, BLANK, OPEN, FREE])
@pytest.mark.parametrize("text", ["", "A", "B", "true", "false", "51", "words", SECRET])
def test_no_message_gives_anything_away(problem: Problem, text: str) -> None:
    message = score(problem, text).message
    assert SECRET not in message
    assert "52" not in message
    if problem is MULTIPLE:
        assert message.count("B") == message.count("C")


def test_the_message_names_what_can_be_said() -> None:
    assert score(MULTIPLE, "x").message == "The answer must say A, B, C or D, and only one of them."
    assert score(ASSERTION, "x").message == "The answer must say true or false, and only one of them."


def test_choices_that_can_be_ticked() -> None:
    assert [selectable(p.public.question) for p in (MULTIPLE, ASSERTION, BLANK) if p.public.question] == [
        ("A", "B", "C", "D"),
        ("true", "false"),
        (),
    ]


@given(choice=st.sampled_from("ABCD"))
def test_the_letter_an_answer_form_writes_is_the_letter_read_back(choice: str) -> None:
    assert MULTIPLE.public.question is not None
    assert read_selection(MULTIPLE.public.question, f"{choice}\n") == choice


@given(text=st.text(max_size=40))
def test_normalising_twice_changes_nothing_more(text: str) -> None:
    assert normalise(normalise(text)) == normalise(text)


@pytest.mark.parametrize("problem", [MULTIPLE, ASSERTION, BLANK, OPEN, FREE])
def test_a_good_key_is_right_and_nothing_is_not(problem: Problem) -> None:
    key, empty = check_question(problem)
    assert (key.score, empty.score) == (Score.RIGHT, Score.EMPTY)


def test_a_question_without_a_key_is_undecided() -> None:
    key, _ = check_question(question(QuestionFormat.FREE_RESPONSE, None))
    assert key.score is Score.UNDECIDED
