r"""Verdicts that a person would read in an answer to an assertion. `None`: they would ask back."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright_judges.reading.assertion_answers import read_truth

REPLIES = json.loads((Path(__file__).parent / "choice_replies.json").read_text(encoding="utf-8"))

TRUTHS: list[tuple[str, bool | None]] = [
    ("true", True),
    ("True", True),
    ("TRUE.", True),
    ("**true**", True),
    ("`true`", True),
    ("(true)", True),
    ("T", True),
    ("t", True),
    ("yes", True),
    ("Yes.", True),
    ("correct", True),
    ("right", True),
    ("false", False),
    ("False", False),
    ("FALSE!", False),
    ("F", False),
    ("no", False),
    ("No.", False),
    ("wrong", False),
    ("incorrect", False),
    ("The answer is true.", True),
    ("The answer is **false**.", False),
    ("Answer: False", False),
    ("Final answer: true", True),
    ('{"answer": true}', True),
    ('{"final_answer": "False"}', False),
    (r"\boxed{True}", True),
    (r"\boxed{\text{False}}", False),
    ("The answer is yes.", True),
    ("The answer is no.", False),
    ("The answer is no different", None),
    ("True, false", None),
    ("The statement is true or false", None),
    ("The statement is not true", False),
    ("The claim is incorrect because stores are buffered.", False),
    ("It is true.", True),
    ("That's false", False),
    ("The statement is false.", False),
    ("This statement is true.", True),
    ("True, because stores are buffered.", True),
    ("False: the tag has fewer bits.", False),
    ("False. The tag has fewer bits than that, which is true of all caches.", False),
    ("true\n\nbecause stores are buffered", True),
    ("Stores are buffered.\n\nTrue", True),
    ("# Answer\n\nfalse\n", False),
    ("", None),
    ("maybe", None),
    ("not true", False),
    ("It is not true.", False),
    ("It isn't false", True),
    ("The answer is not true.", False),
    ("true or false", None),
    ("true/false", None),
    ("True and false", None),
    ("neither true nor false", None),
    ("The answer is true or false", None),
    ("I do not know", None),
    ("It depends on what is right for the cache.", None),
    ("The right half of the cache", None),
    ("A", None),
    ("B", None),
    ("untrue", False),
    ("truth", None),
    ("falsehood", None),
    ("1", None),
]


@pytest.mark.parametrize(("text", "expected_truth"), TRUTHS)
def test_an_assertion_is_read_as_a_person_reads_it(text: str, expected_truth: bool | None) -> None:
    assert read_truth(text).value == (None if expected_truth is None else str(expected_truth).lower())


@pytest.mark.parametrize("reply", REPLIES["assertion"], ids=lambda reply: reply["text"][:50])
def test_a_reply_of_the_table_is_read_as_it_was_labelled_by_hand(reply: Mapping[str, str]) -> None:
    reading = read_truth(reply["text"])
    assert (reading.value or reading.outcome.value) == reply["expected"]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("I am rather sure that this one is wrong. Stores are buffered.", "false"),
        ("The claim is true; then again, loads bypass the buffer, which would make it false.", None),
        ("Strongly disagree. Loads are not buffered.", "false"),
        ("Indeed. Each store waits in the buffer.", "true"),
        ("Indeed, an interesting question.", None),
        ("Each store waits in the buffer, so I'd mark it T.", "true"),
        ("Loads are not buffered, so the claim fails.", "false"),
        ("I tend towards false: loads bypass it.", "false"),
        ("Right, first the store buffer.", None),
        ("Right, stores wait in it.", "true"),
        ("Right, let me see: loads bypass it, so the claim is false.", "false"),
        ("Many label it as true and others as false.", None),
        ("The claim fails if loads bypass the buffer.", None),
        ("Half of it holds, and the rest would make it wrong.", None),
    ],
)
def test_a_verdict_is_told_from_what_would_make_it_one(text: str, value: str | None) -> None:
    assert read_truth(text).value == value


SAYINGS = [
    "The statement is {}.",
    "The answer is **{}**.",
    "Answer: {}",
    '{{"answer": "{}"}}',
    r"\boxed{{\text{{{}}}}}",
    "{}",
    "{}, because stores are buffered.",
    "Stores are buffered. Therefore, the statement is {}.",
]


@given(said=st.booleans(), saying=st.sampled_from(SAYINGS), upper=st.booleans())
def test_what_is_said_of_the_statement_is_read(said: bool, saying: str, upper: bool) -> None:
    word = str(said) if upper else str(said).lower()
    assert read_truth(saying.format(word)).value == str(said).lower()


SAID = {
    "true": "t yes correct right vrai oui exact juste w ja richtig korrekt stimmt zu gilt gree indeed"
    " it is holds accurate valid y v"
    " \u2713 \u2714 \u2705 \u2611 \u221a \u6b63\u786e \u5bf9 \u662f \u771f",
    "false": "f no n wrong invalid isn disagree not fail"
    " \u274c \u2717 \u2718 \u2716 \u2715 \u274e \xd7 wrong faux in un nein nicht \u4e0d \u9519 \u5426 \u5047 \u975e",
}


@given(text=st.text(max_size=60))
def test_nothing_is_read_out_of_a_text_that_says_nothing(text: str) -> None:
    reading = read_truth(text).value
    plain_text = unicodedata.normalize("NFKC", text).casefold()
    assert reading is None or any(word in plain_text for word in SAID[reading].split())


@pytest.mark.parametrize("text", ["true " * 20_000, "the answer is (" * 9_000, "*" * 100_000, "{" * 50_000])
def test_long_answers_take_no_time(text: str) -> None:
    read_truth(text)
