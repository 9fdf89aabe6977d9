"""Replies that settle on a choice in words of their own are read, and those that only talk about one are not."""

from __future__ import annotations

import pytest

from benchwright_judges.reading.assertion_answers import read_truth
from benchwright_judges.reading.choice_answers import read_choice
from benchwright_judges.score import score
from benchwright_problems.problem import Answer, Hidden, Problem

from .reply_corpus import blank

CHOICES = {"A": "DRAM", "B": "SRAM cache", "C": "NAND flash", "D": "Register file"}
QUESTION = "Which of these keeps its contents when the power goes off?"


@pytest.mark.parametrize(
    "text",
    """B is faster than C.|Let me start with B.|I would never pick B.|My friend picked B.|The book says B.|Ignore B.
    They told me B, which I don't believe.|I'd say anything from A to C.|Skip to C.|Remove B.
    The first option is volatile.
    The first thing to note is volatility.|The second option is wrong.|Option 5|Vitamin C|Compiled with C.
    See appendix B.
    La risposta corretta non è la B.|La respuesta correcta no es la B.|A resposta correta não é B.
    De juiste keuze is niet B.|Explain option B|I don't understand option B.|Both A and B are wrong.|Answer B is a trap.
    It looks like B, but it isn't.
    B would be correct for caches.|C over A.|Tom: B. Ann: C.|Core B waits for core A.|The program is written in C.
    Load B, then add C to it|If it leaks, B.|This is about NAND flash.|Unlikely: B.|N/A
    In program B, a variable is shared.
    NAND flash was invented at Toshiba.|Sure, and DRAM is made of stone tablets.""".replace("\n", "|").split("|"),
)
def test_a_choice_that_is_only_talked_about_is_not_the_answer(text: str) -> None:
    assert read_choice(text.strip(), CHOICES, statement=QUESTION).value is None


@pytest.mark.parametrize(
    ("text", "letter"),
    [
        ("NAND flash keeps its contents when the power goes off.", "C"),
        ("We can rule out A, B and D.", "C"),
        ("None of A, B and D is right.", "C"),
        ("Die dritte.", "C"),
        ("I bet on number two.", "B"),
    ],
)
def test_what_a_reply_comes_down_to_is_the_answer(text: str, letter: str) -> None:
    assert read_choice(text, CHOICES, statement=QUESTION).value == letter


def test_a_question_said_again_is_read_only_if_it_is_the_question() -> None:
    text = "NAND flash keeps its contents when the power goes off."
    assert read_choice(text, CHOICES, statement="Which of these is the cheapest per bit?").value is None


@pytest.mark.parametrize(
    "text",
    ["I doubt it is true.", "It is hardly true.", "If caches were ideal, true.", "My teacher claims it is false."],
)
def test_a_value_that_the_reply_does_not_hold_is_not_its_verdict(text: str) -> None:
    assert read_truth(text).value is None


@pytest.mark.parametrize(
    "text",
    """MOESI is a superset of MESI|It is not MESI.|I doubt it is MESI.|The answer is MOESI. Its predecessor is MESI.
    Anything but MESI|The protocol is called MOESI, unlike MESI.|I thought it was MESI. It is MOESI.|Not MESI but MOESI
    MESI/MOESI|MESI or MOESI|MESI, no, MOESI""".replace("\n", "|").split("|"),
)
def test_a_sentence_that_names_the_key_without_giving_it_is_left_to_a_judge(text: str) -> None:
    assert _passed("MESI", "The coherence protocol is called ____.", text) is None


@pytest.mark.parametrize(
    ("text", "expected_pass"),
    [
        ("The answer would be 18 bytes because the header has no options.", True),
        ("The answer would be 20 bytes because of the options.", False),
        ("Each option has 18 bytes.", None),
        ("It is at most 18 bytes.", None),
        ("18 bytes or 20 bytes", None),
        ("18 bytes\nExplanation: 9 * 16 = 144", True),
    ],
)
def test_a_number_in_a_sentence_is_compared_if_the_sentence_gives_it(text: str, expected_pass: bool | None) -> None:
    assert _passed("18B", "How large is the header?", text) is expected_pass


def _passed(key: str, statement: str, text: str) -> bool | None:
    problem: Problem = blank(key, "en")
    public = problem.public.model_copy(update={"statement": statement})
    question = problem.model_copy(update={"public": public, "hidden": Hidden(answer=Answer(value=key))})
    return score(question, text).passed
