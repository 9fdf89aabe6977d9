r"""What a person would read in an answer. `None`: they would ask back."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright_judges.choice import read_choice, read_truth

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
    ("C, not B", None),
    ("B\n\nbecause\n\nB", "B"),
    ("The DRAM is slow", None),
    ("<!-- A, B, C or D -->\n\nB\n", "B"),
    ("# Answer\n\nB\n", "B"),
    ("## Answer\n\nB. The pipeline stalls.\n", "B"),
]


@pytest.mark.parametrize(("text", "letter"), CHOICES)
def test_a_choice_is_read_as_a_person_reads_it(text: str, letter: str | None) -> None:
    assert read_choice(text, "ABCD") == letter


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
    ("The statement is not true", None),
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
    ("not true", None),
    ("It is not true.", None),
    ("It isn't false", None),
    ("The answer is not true.", None),
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
    ("untrue", None),
    ("truth", None),
    ("falsehood", None),
    ("1", None),
]


@pytest.mark.parametrize(("text", "said"), TRUTHS)
def test_an_assertion_is_read_as_a_person_reads_it(text: str, said: bool | None) -> None:
    assert read_truth(text) is said


_MORE = ['{"answer":', '"B"', r"\boxed{C}", "true", "False", "option", "choice", "\x00", "é", "\uff11"]
_WORDS = st.lists(
    st.sampled_from(
        [
            "A",
            "B",
            "c",
            "(D)",
            "E",
            "I",
            "a",
            "the",
            "answer",
            "is",
            "or",
            "not",
            ":",
            ".",
            ",",
            "\n",
            "**",
            "{",
            "}",
            *_MORE,
        ]
    ),
    max_size=12,
).map(" ".join)


@given(text=_WORDS | st.text(max_size=60), letters=st.sets(st.sampled_from("ABCDEF"), min_size=2))
def test_only_a_letter_that_is_offered_and_in_the_text_is_read(text: str, letters: set[str]) -> None:
    letter = read_choice(text, letters)
    assert letter is None or (letter in letters and letter in text.upper())


@given(text=_WORDS | st.text(max_size=60))
def test_nothing_is_read_out_of_a_text_that_says_nothing(text: str) -> None:
    said = read_truth(text)
    words = ("true", "t", "yes", "correct", "right") if said else ("false", "f", "no", "incorrect", "wrong")
    assert said is None or any(word in text.lower() for word in words)


@pytest.mark.parametrize("text", ["A" * 200_000, "answer " * 50_000, "{" * 50_000, "(" * 50_000, "\n" * 100_000 + "B"])
def test_long_answers_take_no_time(text: str) -> None:
    read_choice(text, "ABCD")
    read_truth(text)
