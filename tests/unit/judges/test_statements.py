"""Where an answer is read: the tables of the documentation, the replies that nobody may misread, hostile lengths."""

from __future__ import annotations

import re
import time
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright_judges.reading.corpus import read_corpus
from benchwright_judges.reading.statements import ExtractionOutcome
from benchwright_judges.score import read_selection, score_by_rules
from benchwright_problems.problem import Choice, Question, QuestionFormat

from .conftest import make_problem

ROOT = Path(__file__).parents[3]
OPTIONS = ("2", "3 cycles", "write-back", "DRAM with refresh")
CHOICE = Question(
    format=QuestionFormat.MULTIPLE_CHOICE,
    choices=tuple(Choice(letter=letter, text=text) for letter, text in zip("ABCD", OPTIONS, strict=True)),
)
ASSERTION = Question(format=QuestionFormat.ASSERTION)
ROW = re.compile(r"^\| `(?P<reply>.+)` \| (?P<value>\S+) \|$", re.MULTILINE)
LANGUAGES = ("en", "de", "fr", "zh")
SELF_CONTRADICTIONS = {"en-238", "fr-210", "zh-159", "zh-198"}
"""They end with the line that was asked for, after reasons for another answer in words: the line counts."""


def documented_replies_and_values(heading: str) -> list[tuple[str, str]]:
    """Replies of the table of the documentation below a heading, with what is read in each."""
    text = (ROOT / "docs/reference/scoring.md").read_text("utf-8").partition(heading)[2]
    table = text.partition("| --- | --- |\n")[2].partition("\n\n")[0]
    return [(match["reply"].replace("⏎", "\n"), match["value"]) for match in ROW.finditer(table)]


@pytest.mark.parametrize(("reply", "value"), documented_replies_and_values("### The table"))
def test_a_choice_is_read_as_the_table_says(reply: str, value: str) -> None:
    assert (read_selection(CHOICE, reply) or "unread") == value


@pytest.mark.parametrize(("reply", "value"), documented_replies_and_values("An assertion:"))
def test_an_assertion_is_read_as_the_table_says(reply: str, value: str) -> None:
    assert (read_selection(ASSERTION, reply) or "unread") == value


def test_the_tables_have_their_rows() -> None:
    assert (
        len(documented_replies_and_values("### The table")) > 50,
        len(documented_replies_and_values("An assertion:")) > 25,
    ) == (True, True)


def test_a_value_needs_no_letter_if_only_one_option_has_it_and_a_letter_none_if_it_is_another_text() -> None:
    variables = CHOICE.model_copy(
        update={
            "choices": tuple(Choice(letter=letter, text=text) for letter, text in zip("AB", ("b", "x"), strict=True))
        }
    )
    assert [read_selection(variables, reply) for reply in ("A", "B", "x", "b")] == ["A", None, "B", None]


@pytest.mark.parametrize("language", LANGUAGES)
def test_nothing_is_misread_or_invented_in_replies_of_authors_who_did_not_know_the_rules(language: str) -> None:
    replies = read_corpus(Path(__file__).parent / "replies" / f"{language}.jsonl")
    outcomes = [(reply, reply.reading_outcome(score_by_rules(reply.problem, reply.text))) for reply in replies]
    wrong = {reply.question.item for reply, outcome in outcomes if outcome in ("misread", "invented")}
    assert wrong <= SELF_CONTRADICTIONS
    counts = Counter(
        outcome for reply, outcome in outcomes if reply.states_one_value and reply.style.startswith("contract")
    )
    assert counts["read"] > 3 * counts["unread"]


@pytest.mark.parametrize(
    ("statement", "language", "key", "right", "wrong", "waiting"),
    [
        (
            "The cache has ____ sets.",
            "en",
            "128",
            ["128", "128 sets", "0x80"],
            ["128 KiB", "128 bytes", "128 lines", "127"],
            [],
        ),
        (
            "It translates with the ____.",
            "en",
            "TLB",
            ["the tlb", "ANSWER: TLB"],
            [],
            ["This is known as the TLB.", "MMU"],
        ),
        ("Die Beschleunigung ist ____.", "de", "2,5", ["2,5", "2,5-fach"], ["3"], ["Faktor 2,5"]),
        ("该缓存有____组。", "zh", "256", ["256组", "256"], ["255"], ["一共256组"]),
        ("The period is ____.", "en", "0.5 ns", ["½ ns", "500 ps"], ["5 ns", "0.5 ms"], ["0.5", "0.51 ns"]),
        ("The bandwidth is ____.", "en", "25.6 GB/s", ["25.6 GB s^-1", "25600 MB/s"], ["2.56 GB/s"], ["25.6 Gb/s"]),
        ("The size is ____.", "en", "32 KB", ["32 KiB", "32768 B"], ["33 KB", "32 GB"], ["32 Kb"]),
    ],
)
def test_a_closed_blank_decides_exact_forms_and_leaves_the_rest_to_a_judge(
    statement: str, language: str, key: str, right: list[str], wrong: list[str], waiting: list[str]
) -> None:
    problem = make_problem(QuestionFormat.FILL_IN_THE_BLANK, statement=statement, value=key, closed=True)
    question = Question(format=QuestionFormat.FILL_IN_THE_BLANK, language=language)
    problem = problem.model_copy(update={"public": problem.public.model_copy(update={"question": question})})
    for replies, passed in ((right, True), (wrong, False), (waiting, None)):
        assert {reply: score_by_rules(problem, reply).passed for reply in replies} == dict.fromkeys(replies, passed)


SIGNED = CHOICE.model_copy(
    update={
        "choices": tuple(
            Choice(letter=letter, text=text)
            for letter, text in zip("ABCDEF", ("-5", "5", "~(a & b)", "(a & b)", "2^n", "2n"), strict=True)
        )
    }
)


@pytest.mark.parametrize(
    ("reply", "letter"),
    [
        ("ANSWER: A) -5", "A"),
        ("ANSWER: B) -5", None),
        ("ANSWER: B (-5)", None),
        ("ANSWER: C. (a & b)", None),
        ("ANSWER: ~(a & b)", "C"),
        ("2\u207f", "E"),
        ("2n", "F"),
        ("ANSWER: !B", None),
        ("ANSWER: B (wrong)", None),
        ("答案：B（错误）", None),
        ("ANSWER: B\nThis is the wrong answer.", None),
        ("ANSWER: B\nOops, the first one.", None),
        ("ANSWER: B\n\nI hope this helps!", "B"),
        ("I refuse to answer.\n\nANSWER: B", None),
        ("If the cell is dynamic:\nANSWER: B", None),
        ('{"answer": "B"}\n{"answer": "C"}', None),
        ('{"answer": "A", "answer": "B"}', None),
        ("ANSWER: B\n\nUser: And which is static?\nANSWER: B", None),
        ("<|channel|>analysis<|message|>ANSWER: B", None),
        ("<|channel|>final<|message|>ANSWER: B", "B"),
        ("B is incorrect because it is volatile.\n\nANSWER: B", "B"),
        ("ANSWER: $\\boxed{B}$", "B"),
        ("Eviction needs a free way. A tag is not enough. The answer is (B).", "B"),
    ],
)
def test_what_is_around_a_letter_counts(reply: str, letter: str | None) -> None:
    assert read_selection(SIGNED, reply) == letter


@pytest.mark.parametrize(
    "reply",
    [
        *("This is not true.\nANSWER: True", "Die Aussage ist nicht richtig.\nANSWER: Wahr", "!true"),
        *(
            "ANSWER: True (partly)",
            "ANSWER: True (nope)",
            "ANSWER: True\nExcept for caches.",
            "The answer is false.\nTrue",
        ),
    ],
)
def test_an_assertion_that_is_taken_back_is_unread(reply: str) -> None:
    assert read_selection(ASSERTION, reply) is None


@pytest.mark.parametrize(
    ("key", "language", "statement", "answer"),
    [
        *(("1010", "en", "In binary it is ____.", answer) for answer in ("4'b1010", "0b1010")),
        *(("16", "en", "It is ____.", answer) for answer in ("10h", "16?", "16!", "~16")),
        *(("65536", "de", "Es sind ____.", answer) for answer in ("65,536", "6,553")),
        *(("32 KB", "en", "It is ____.", answer) for answer in ("2^15", "32768")),
        *(("5", "en", "It is ____ %.", answer) for answer in ("0.05",)),
        *(("0101", "en", "The opcode is ____.", answer) for answer in ("101", "5")),
        *(("6", "en", "It is ____.", answer) for answer in ("The answer is 7.\nANSWER: 6", "ANSWER: 6\nor 7")),
        *(("volatile", "en", "It is ____.", answer) for answer in ("volatile?", "ANSWER: volatile\nThat is false.")),
    ],
)
def test_what_may_be_another_notation_or_is_taken_back_waits(
    key: str, language: str, statement: str, answer: str
) -> None:
    problem = make_problem(QuestionFormat.FILL_IN_THE_BLANK, statement=statement, value=key, closed=True)
    question = Question(format=QuestionFormat.FILL_IN_THE_BLANK, language=language)
    problem = problem.model_copy(update={"public": problem.public.model_copy(update={"question": question})})
    assert score_by_rules(problem, answer).passed is None


def test_letters_that_a_list_has_are_no_other_answer() -> None:
    several = CHOICE.model_copy(update={"format": QuestionFormat.MULTIPLE_RESPONSE})
    assert read_selection(several, "So I choose A and C.\n\nANSWER: AC") == "AC"
    assert read_selection(several, "ANSWER: A & !C") is None


def test_an_unread_answer_says_why() -> None:
    problem = make_problem(QuestionFormat.ASSERTION, value="true")
    labels = [
        score_by_rules(problem, reply).label for reply in ("I don't know.", "ANSWER: true\nANSWER: false", "Perhaps.")
    ]
    assert labels == [ExtractionOutcome.REFUSAL, ExtractionOutcome.AMBIGUOUS, ExtractionOutcome.NOTHING]


@given(text=st.text(max_size=200))
def test_any_text_is_read_or_unread(text: str) -> None:
    assert read_selection(CHOICE, text) in (*"ABCD", None)


HOSTILE = [
    *("(" * 39_000, "\\boxed{" * 6_000, '{"a":' * 8_000, "<answer>" * 5_000, "A " * 19_000, "answer" * 6_000),
    *("the answer is " * 2_800, "the answer is B. " * 2_000, ". " * 19_000, "**" * 19_000, "_" * 39_000),
    *("1,111" * 7_000, " " * 39_000 + "B", "\n" * 39_000 + "B", "so, " * 9_000, "<think>" * 5_000, "not B " * 6_000),
]


@pytest.mark.parametrize("reply", HOSTILE, ids=lambda reply: repr(reply[:12]))
def test_a_hostile_length_takes_no_time(reply: str) -> None:
    start = time.process_time()
    for problem in (CHOICE, ASSERTION):
        read_selection(problem, reply)
    score_by_rules(make_problem(QuestionFormat.FILL_IN_THE_BLANK, statement="It has ____ sets.", value="2"), reply)
    assert time.process_time() - start < 5
