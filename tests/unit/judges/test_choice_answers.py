r"""Choices that a person would read in an answer. `None`: they would ask back."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright_judges.reading.answer_extraction import ExtractionOutcome
from benchwright_judges.reading.choice_answers import read_choice

REPLIES = json.loads((Path(__file__).parent / "choice_replies.json").read_text(encoding="utf-8"))
LANGUAGES = {"chinese": "zh", "french": "fr", "german": "de"}
TEXTS = {letter: f"choice {letter}" for letter in "ABCD"}

CHOICES: list[tuple[str, str | None]] = [
    ("B", "B"),
    ("b", "B"),
    ("B.", "B"),
    ("(B)", "B"),
    ("(b)", "B"),
    ("[B]", "B"),
    ("B)", "B"),
    ("**B**", "B"),
    ("`B`", "B"),
    ("__B__", "B"),
    ("> B", "B"),
    ("# B", "B"),
    ("'B'", "B"),
    ('"B"', "B"),
    ("  B  \n", "B"),
    ("B!", "B"),
    ("\n\nB\n\n", "B"),
    ("- B", "B"),
    ("* B", "B"),
    ("B. The pipeline stalls.", "B"),
    ("B) the pipeline stalls", "B"),
    ("(B) The pipeline stalls.", "B"),
    ("**B.** The pipeline stalls.", "B"),
    ("B: the pipeline stalls", "B"),
    ("B - the pipeline stalls", "B"),
    ("B because the pipeline stalls", "B"),
    ("The answer is B.", "B"),
    ("The answer is (C).", "C"),
    ("the answer is c", "C"),
    ("Answer: D", "D"),
    ("ANSWER: D", "D"),
    ("**Answer:** D", "D"),
    ("**Answer: D**", "D"),
    ("Answer = D", "D"),
    ("Final answer: **A**", "A"),
    ("My answer would be A.", "A"),
    ("The correct answer is A", "A"),
    ("The correct choice is A.", "A"),
    ("The correct option is **A**.", "A"),
    ("Option C", "C"),
    ("option c", "C"),
    ("I choose C.", "C"),
    ("I think it is C.", "C"),
    ("I'd say C", "C"),
    ("It must be D, a hazard.", "D"),
    ('{"final_answer": "C"}', "C"),
    ('{"answer": "c"}', "C"),
    ('{"answer": "C", "confidence": 0.8}', "C"),
    ('```json\n{"final_answer": "C"}\n```', "C"),
    ('Thinking about {"A": 1}. {"final_answer": "C"}', "C"),
    (r"\boxed{C}", "C"),
    (r"$\boxed{\text{C}}$", "C"),
    (r"First \boxed{A}, no: \boxed{C}", "C"),
    ("The pipeline stalls.\n\nB", "B"),
    ("B\n\nThe pipeline stalls because A is not forwarded.", "B"),
    ("A is wrong because it stalls.\nThe answer is B.", "B"),
    ("A cache miss stalls the pipeline, so C.", "C"),
    ("A cache miss is what happens.", None),
    ("I think a cache miss happens.", None),
    ("I don't know.", None),
    ("", None),
    ("   \n", None),
    ("?", None),
    ("A and B", None),
    ("A, B", None),
    ("A/B", None),
    ("A or B", None),
    ("AB", None),
    ("A B", None),
    ("Either A or B.", None),
    ("The answer is A or B.", None),
    ("The answer is A and C.", None),
    ("Answer: A, C", None),
    ("The answer is A. The answer is B.", None),
    ("A\nB", None),
    ("all of them", None),
    ("none of the above", None),
    ("42", None),
    ("E", None),
    ("The answer is E.", None),
    ("Z", None),
    ("not B", None),
    ("It is not B.", None),
    ("The answer is not B.", None),
    ("The answer isn't B", None),
    ("Anything but B", None),
    ('{"final_answer": "E"}', None),
    ('{"final_answer": ["A", "B"]}', None),
    ("The answer is a write-back cache.", None),
    ("The answer is A cache", None),
    ("option a big one", None),
    ("The answer is B, a stall.", "B"),
    ("B because it does not stall", "B"),
    ("C, not B", "C"),
    ("B\n\nbecause\n\nB", "B"),
    ("The DRAM is slow", None),
    ("<!-- A, B, C or D -->\n\nB\n", "B"),
    ("# Answer\n\nB\n", "B"),
    ("## Answer\n\nB. The pipeline stalls.\n", "B"),
]


@pytest.mark.parametrize(("text", "letter"), CHOICES)
def test_a_choice_is_read_as_a_person_reads_it(text: str, letter: str | None) -> None:
    assert read_choice(text, TEXTS).value == letter


@pytest.mark.parametrize("reply", REPLIES["multiple_choice"], ids=lambda reply: reply["text"][:50])
def test_a_reply_of_the_table_is_read_as_it_was_labelled_by_hand(reply: Mapping[str, str]) -> None:
    reading = read_choice(reply["text"], REPLIES["choices"][reply["choices"]], LANGUAGES.get(reply["choices"], "en"))
    assert (reading.value or reading.outcome.value) == reply["expected"]


def test_the_table_is_large_and_has_all_kinds_of_replies() -> None:
    labels = [reply["expected"] for reply in REPLIES["multiple_choice"]]
    assert len(labels) >= 150
    assert len({(reply["choices"], reply["text"]) for reply in REPLIES["multiple_choice"]}) == len(labels)
    assert {"refusal", "ambiguous", "nothing", "A", "B", "C", "D"} == set(labels)


SAYINGS = [
    "The answer is {}.",
    "The correct answer is **{}**.",
    "Answer: {}",
    "Final answer: ({})",
    "I choose {}.",
    "Option {} is correct.",
    "So the answer is {}.",
    '{{"final_answer": "{}"}}',
    r"\boxed{{{}}}",
    "La bonne r\u00e9ponse est {}.",
    "Die richtige Antwort lautet {}.",
    "\u6b63\u786e\u7b54\u6848\u662f{}\u3002",
    "{}",
    "({})",
    "**{}.**",
]
PROSE = [
    "A cache miss stalls the pipeline.",
    "Both loads are used by the next instruction.",
    "It takes 9 + 2 = 11 cycles.",
    "Forwarding helps, but not behind a load.",
]
DENIALS = ["{} is wrong.", "Option {} forgets a stall.", "The answer is not {}.", "{} can be ruled out."]
letters = st.sampled_from("ABCD")


@given(
    letter=letters,
    saying=st.sampled_from(SAYINGS),
    before=st.lists(st.sampled_from(PROSE), max_size=3),
    wrapping=st.sampled_from(["{}", "\n{}", "{}\n", "  {}  ", "> {}", "{}\n\n"]),
)
def test_a_letter_that_is_said_to_be_the_answer_is_read(
    letter: str, saying: str, before: list[str], wrapping: str
) -> None:
    text = "\n\n".join([*before, wrapping.format(saying.format(letter))])
    assert read_choice(text, TEXTS).value == letter


@given(letter=letters, other=letters, saying=st.sampled_from(SAYINGS), denial=st.sampled_from(DENIALS))
def test_what_is_denied_is_never_read(letter: str, other: str, saying: str, denial: str) -> None:
    reading = read_choice(denial.format(other), TEXTS)
    assert reading.value is None
    combined = read_choice(f"{denial.format(other)}\n\n{saying.format(letter)}", TEXTS)
    assert combined.value in ({letter} if other != letter else {letter, None})


@given(one=letters, other=letters, first=st.sampled_from(SAYINGS), second=st.sampled_from(SAYINGS))
def test_two_answers_are_never_settled_by_guessing(one: str, other: str, first: str, second: str) -> None:
    reading = read_choice(f"{first.format(one)}\n{second.format(other)}", TEXTS)
    # JSON, a box and a conclusion are more deliberate than the rest, and "B is correct" may be said of several choices.
    assert reading.value in {one, other, None}
    deliberate = ("final", "So ", "boxed", "Final", "is correct")
    if one != other and not any(word in saying for saying in (first, second) for word in deliberate):
        assert reading.outcome is ExtractionOutcome.AMBIGUOUS


_PLACE = re.compile(r"(?:option|choice|number)\s+\d", re.IGNORECASE)
_MORE = ['{"answer":', '"B"', r"\boxed{C}", "true", "False", "option", "choice", "\x00", "\u00e9", "\uff11", "wait"]
_WORDS = st.lists(
    st.sampled_from(["A", "B", "c", "(D)", "E", "I", "a", "the", "answer", "is", "or", "not", ":", ".", ",", *_MORE]),
    max_size=12,
).map(" ".join)


@given(text=_WORDS | st.text(max_size=60), offered=st.sets(st.sampled_from("ABCDEF"), min_size=2))
def test_only_a_letter_that_is_offered_and_in_the_text_is_read(text: str, offered: set[str]) -> None:
    letter = read_choice(text, dict.fromkeys(offered, "")).value
    is_left = (
        "not" in text and len(offered) > 2 and all(other_letter in text.upper() for other_letter in offered - {letter})
    )
    assert letter is None or (letter in offered and (letter in text.upper() or _PLACE.search(text) or is_left))


@pytest.mark.parametrize(("text", "letter"), [("not A, B", "C"), ("neither A nor B", "C"), ("not A B", None)])
def test_what_is_left_is_read_if_the_others_are_a_list(text: str, letter: str | None) -> None:
    assert read_choice(text, dict.fromkeys("ABC", "")).value == letter


def test_a_text_that_two_choices_share_names_neither() -> None:
    twice = {"A": "Last in, first out", "B": "First in, first out", "C": "last in first out", "D": "Last in, first out"}
    assert read_choice("Last in, first out", twice) == read_choice("A or D", twice)
    assert read_choice("First in, first out.", twice).value == "B"


@pytest.mark.parametrize(
    "text",
    [
        "A" * 200_000,
        "answer " * 50_000,
        "answer is (" * 20_000,
        "{" * 50_000,
        "(" * 50_000,
        "*" * 100_000,
        "<!--" * 30_000,
        "\n" * 100_000 + "B",
        "- B, " * 20_000,
        "\\boxed{" * 20_000,
        "wait, " * 20_000,
    ],
    ids=lambda text: text[:12],
)
def test_long_answers_take_no_time(text: str) -> None:
    read_choice(text, TEXTS)


@pytest.mark.parametrize(
    ("reply", "letter"),
    [
        ("### Option A\nSlow.\n\n### Option B\nFast.\n\nThe correct answer is B.", "B"),
        ("### Option A: slow\nIt is.\n### Option B\nFast.\nThe correct answer is B.", "B"),
        ("### Option A\nSlow.\n### Option B\nFast.\n### Answer\nB", "B"),
        ("### Option A\nSlow.\n### Option B\nFast.", None),
        ("A\nB", None),
        (
            "- A. Write-through: kept.\n- B. Write-back (lazy): kept.\n- C. Kept.\n- D. Dropped.\n\n"
            "Correct option: **D**",
            "D",
        ),
        ("Two of them cannot be right → **C**.", "C"),
        ("So the chain is: A → B → C.\n\nThe answer is D.", "D"),
        ("So the chain is: A → B → C.", None),
    ],
)
def test_headings_of_some_of_the_choices_are_no_answers(reply: str, letter: str | None) -> None:
    choices = {"A": "Write-through", "B": "Write-back", "C": "Write-around", "D": "No-write allocate"}
    assert read_choice(reply, choices).value == letter
