from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright_judges.judgement import JudgementStatus
from benchwright_judges.score import judge_key_and_empty_answer, read_selection, score_by_rules, selectable_values
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

SECRET = "SECRET-42"


def question_problem(
    style: QuestionFormat, answer: Answer | None, letters: str = "ABCD", statement: str = "?", language: str = "en"
) -> Problem:
    choices = tuple(Choice(letter=letter, text=f"choice {letter}") for letter in letters)
    offered_choices = choices if style is QuestionFormat.MULTIPLE_CHOICE else ()
    return Problem(
        id="q",
        kind=ProblemKind.QUESTION,
        title="Q",
        difficulty=Difficulty.EASY,
        provenance=Provenance(source="", license="", version=""),
        public=Public(statement=statement, question=Question(format=style, choices=offered_choices, language=language)),
        hidden=Hidden(answer=answer),
    )


MULTIPLE = question_problem(QuestionFormat.MULTIPLE_CHOICE, Answer(value="B"))
ASSERTION = question_problem(QuestionFormat.ASSERTION, Answer(value="false"))
CLOSED = question_problem(
    QuestionFormat.FILL_IN_THE_BLANK, Answer(value="52", alternatives=("fifty-two",), closed=True)
)
BLANK = question_problem(
    QuestionFormat.FILL_IN_THE_BLANK, Answer(value="Program counter", alternatives=("PC",)), statement="() counts."
)
NUMBER = question_problem(
    QuestionFormat.FILL_IN_THE_BLANK, Answer(value="32 kb/s"), statement="The rate in kb/s is ( )."
)
OPEN = question_problem(
    QuestionFormat.OPEN_ENDED, Answer(value=f"Because {SECRET}.", rubric=SECRET, explanation=SECRET)
)
FREE = question_problem(QuestionFormat.FREE_RESPONSE, Answer(value=SECRET))
LONG_TEXT = "The answer is " + "that the buffer hides latency. " * 400
LONG = question_problem(QuestionFormat.FREE_RESPONSE, Answer(value=LONG_TEXT))
ALL = [MULTIPLE, ASSERTION, CLOSED, BLANK, NUMBER, OPEN, FREE]


@pytest.mark.parametrize(
    ("problem", "text", "expected_pass"),
    [
        (MULTIPLE, "B", True),
        (MULTIPLE, "(b)", True),
        (MULTIPLE, "choice B", True),
        (MULTIPLE, "C", False),
        (ASSERTION, "False.", True),
        (ASSERTION, "true", False),
        (CLOSED, "52", True),
        (CLOSED, "  52.\n", True),
        (CLOSED, "Fifty-Two", True),
        (CLOSED, "\uff15\uff12", True),
        (CLOSED, "**52**", True),
        (CLOSED, "0x34", True),
        (CLOSED, r"$\boxed{52}$", True),
        (CLOSED, "520", False),
        (CLOSED, "-52", False),
        (BLANK, "the program counter", True),
        (BLANK, "pc", True),
        (NUMBER, "32000 bit/s", True),
        (NUMBER, "32", True),
        (NUMBER, "32 kB/s", False),
        (NUMBER, "33 kb/s", False),
        (OPEN, f"because {SECRET}", True),
        (LONG, LONG_TEXT.replace(" ", "\n"), True),
    ],
)
def test_answers_are_scored(problem: Problem, text: str, expected_pass: bool) -> None:
    judgement = score_by_rules(problem, text)
    assert (judgement.status, judgement.passed, judgement.score) == (
        JudgementStatus.SCORED,
        expected_pass,
        float(expected_pass),
    )


@pytest.mark.parametrize(
    ("problem", "text", "status"),
    [
        (MULTIPLE, "A or B", JudgementStatus.UNREADABLE),
        (MULTIPLE, "E", JudgementStatus.UNREADABLE),
        (MULTIPLE, "choice", JudgementStatus.UNREADABLE),
        (MULTIPLE, " \n\t", JudgementStatus.EMPTY),
        (ASSERTION, "dunno", JudgementStatus.UNREADABLE),
        (ASSERTION, "", JudgementStatus.EMPTY),
        (BLANK, "the register that counts", JudgementStatus.PENDING),
        *((CLOSED, text, JudgementStatus.PENDING) for text in ("5 2", "52 or 53", "52 bits", "...", "many")),
        (BLANK, "52", JudgementStatus.PENDING),
        (NUMBER, "about thirty-odd", JudgementStatus.PENDING),
        (OPEN, "Because of something else.", JudgementStatus.PENDING),
        (OPEN, "", JudgementStatus.EMPTY),
        (FREE, "no idea", JudgementStatus.PENDING),
        (question_problem(QuestionFormat.FREE_RESPONSE, None), "words", JudgementStatus.PENDING),
    ],
)
def test_what_cannot_be_scored_says_why_and_is_never_a_zero(
    problem: Problem, text: str, status: JudgementStatus
) -> None:
    judgement = score_by_rules(problem, text)
    assert (judgement.status, judgement.passed, judgement.score) == (status, None, None)
    assert status is not JudgementStatus.PENDING or "pending" in judgement.message or "judge" in judgement.message


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("C", "C"),
        ("no idea", "refusal"),
        ("A or B", "ambiguous"),
        ("ANSWER: A\nANSWER: B", "ambiguous"),
        ("seven", "nothing"),
    ],
)
def test_the_label_tells_what_was_read_or_why_nothing_was(text: str, label: str) -> None:
    assert score_by_rules(MULTIPLE, text).label == label


def text_problem(reference: str) -> Problem:
    return question_problem(QuestionFormat.OPEN_ENDED, Answer(value=reference)).model_copy(
        update={"kind": ProblemKind.TEXT, "public": Public(statement="?")}
    )


def test_a_text_is_scored_by_bleu_and_passes_where_bleu_and_rouge_are_above_the_threshold() -> None:
    problem = text_problem("the counter wraps at its limit and raises done for one cycle")
    near_judgement = score_by_rules(problem, "the counter wraps at its limit and raises done")
    far = score_by_rules(problem, "nothing of the kind")
    assert (near_judgement.passed, far.passed) == (True, False)
    assert near_judgement.score == near_judgement.metrics["bleu"] > 0.4
    assert near_judgement.metrics["rouge"] > 0.4
    assert far.score == far.metrics["bleu"] < 0.4
    # Every bigram is there, but most of the text is something else.
    padded = score_by_rules(problem, "the counter wraps at its limit and raises done for one cycle " + "so " * 40)
    assert padded.metrics["rouge"] == 1
    assert not padded.passed


def test_a_reference_of_one_word_passes_itself() -> None:
    assert score_by_rules(text_problem("assign"), "assign\n").passed
    assert not score_by_rules(text_problem("assign"), "always").passed


@pytest.mark.parametrize("problem", ALL)
@pytest.mark.parametrize("text", ["", "A", "B", "true", "false", "51", "33 kb/s", "words", SECRET])
def test_no_message_gives_anything_away(problem: Problem, text: str) -> None:
    message = score_by_rules(problem, text).message
    assert SECRET not in message
    assert "52" not in message
    assert "32" not in message
    assert "counter" not in message
    if problem is MULTIPLE:
        assert message.count("B") == message.count("C")


def test_the_message_names_what_can_be_said() -> None:
    line = "alone or in a last line such as `ANSWER:"
    assert score_by_rules(MULTIPLE, "x").message == f"The answer has to be one of A, B, C, D, {line} A`."
    assert score_by_rules(ASSERTION, "x").message == f"The answer has to be one of true, false, {line} true`."


def test_choices_that_can_be_ticked() -> None:
    assert [selectable_values(p.public.question) for p in (MULTIPLE, ASSERTION, BLANK) if p.public.question] == [
        ("A", "B", "C", "D"),
        ("true", "false"),
        (),
    ]


@given(choice=st.sampled_from("ABCD"))
def test_the_letter_an_answer_form_writes_is_the_letter_read_back(choice: str) -> None:
    assert MULTIPLE.public.question is not None
    assert read_selection(MULTIPLE.public.question, f"{choice}\n") == choice


@pytest.mark.parametrize("problem", ALL)
def test_a_good_key_is_right_and_nothing_is_not(problem: Problem) -> None:
    key, empty = judge_key_and_empty_answer(problem)
    assert (key.passed, empty.status) == (True, JudgementStatus.EMPTY)


def test_a_question_without_a_key_is_pending() -> None:
    key, _ = judge_key_and_empty_answer(question_problem(QuestionFormat.FREE_RESPONSE, None))
    assert key.status is JudgementStatus.PENDING


@given(text=st.text(max_size=60))
def test_any_answer_to_any_question_is_judged(text: str) -> None:
    for problem in ALL:
        judgement = score_by_rules(problem, text)
        assert (
            (judgement.score is not None)
            == (judgement.status is JudgementStatus.SCORED)
            == (judgement.passed is not None)
        )
