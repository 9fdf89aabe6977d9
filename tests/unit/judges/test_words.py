from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright_judges.reading.words import normalise, same_words, without_question

SAME: list[tuple[str, str, str]] = [
    ("Program Counter", "program counter", "en"),
    ("the program counter.", "program counter", "en"),
    ("`PC`", "PC", "en"),
    ("Post-order", "post order", "en"),
    ("$O(\\log_2 n)$", "O(log2n)", "en"),
    (r"\(O(\log_{2} n)\)", "O(log2n)", "en"),
    ("O(log\u2082n)", "O(log2n)", "en"),
    ("O( n^2 )", "O(n\u00b2)", "en"),
    (r"$2^{n-1}$", "2^(n-1)", "en"),
    ("n + 1", "n+1", "en"),
    (r"\frac{n}{2}", "n/2", "en"),
    (r"\text{cache line}", "cache line", "en"),
    ("Le d\u00e9codeur", "d\u00e9codeur", "fr"),
    ("l'adressage par registre", "Adressage par registre", "fr"),
    ("Die physikalische Schicht", "Physikalische Schicht", "de"),
    ("\u300c\u540e\u5e8f\u904d\u5386\u300d\u3002", "\u540e\u5e8f\u904d\u5386", "zh"),
    ("\uff30\uff23", "PC", "zh"),
    ("mutual exclusion; hold and wait", "hold and wait; mutual exclusion", "en"),
    ("A, B and C", "C, A, B", "en"),
    ("\u4e92\u65a5\u3001\u8bf7\u6c42", "\u8bf7\u6c42\uff1b\u4e92\u65a5", "zh"),
]


@pytest.mark.parametrize(("answer", "accepted_text", "language"), SAME)
def test_what_differs_only_in_writing_is_the_same(answer: str, accepted_text: str, language: str) -> None:
    assert same_words(answer, accepted_text, language, "")


@pytest.mark.parametrize(
    ("answer", "accepted_text"),
    [
        ("5 2", "52"),
        ("-52", "52"),
        ("program", "program counter"),
        ("no program counter", "program counter"),
        ("a b", "ab"),
        ("...", "..."),
        ("", ""),
        ("A, B", "A, B, C"),
        ("A, A, B", "A, B, B"),
        ("the", "an"),
        ("O(n)", "O(m)"),
        ("n+1", "n-1"),
        ("<=", "<"),
        ("a-b", "b"),
    ],
)
def test_what_differs_in_more_is_not_the_same(answer: str, accepted_text: str) -> None:
    assert not same_words(answer, accepted_text, "en", "")


def test_the_order_of_a_list_counts_where_the_question_has_several_blanks() -> None:
    assert same_words("30, 8", "8, 30", "en", "Two numbers are ( ).")
    assert not same_words("30, 8", "8, 30", "en", "It has ( ) subnets with ( ) addresses.")
    assert same_words("8; 30", "8, 30", "en", "It has ____ subnets with ____ addresses.")


@given(one=st.text(max_size=20), other=st.text(max_size=20))
def test_being_the_same_has_no_direction(one: str, other: str) -> None:
    assert same_words(one, other, "en", "") == same_words(other, one, "en", "")
    assert same_words(one, one, "en", "") == bool(normalise(one))


@given(text=st.text(alphabet="abc XYZ012.,-()^_", min_size=1, max_size=30))
def test_a_text_is_the_same_as_itself_in_capitals(text: str) -> None:
    assert normalise(text) == normalise(text.upper())


@pytest.mark.parametrize("text", ["\\frac{" * 5000, "^" * 50_000, "$" * 50_000, "<!--" * 20_000, "a b" * 20_000])
def test_long_texts_take_no_time(text: str) -> None:
    normalise(text)


@pytest.mark.parametrize(
    ("passage", "statement", "words"),
    [
        ("write-back", "It is called write-____.", "back"),
        ("128 sets", "The cache has ____ sets.", "128"),
        ("The MESI protocol", "It is the ____ protocol.", "The MESI"),
        ("The TLB caches translations.", "The ____ caches translations.", "TLB"),
        ("offsets", "The cache has ____ sets.", "offsets"),
        ("1 and 2 sets", "____ of ____ sets", "1 and 2 sets"),
    ],
)
def test_the_words_of_the_question_around_its_blank_are_left_out(passage: str, statement: str, words: str) -> None:
    assert without_question(passage, statement) == words
