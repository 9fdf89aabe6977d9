from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright_judges.reading.words import (
    is_same_apart_from_spelling,
    normalise_short_answer,
    without_words_around_blank,
)

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
    ("C, A, B", "A, B and C", "en"),
    ("\u8bf7\u6c42\u3001\u4e92\u65a5", "\u4e92\u65a5\u548c\u8bf7\u6c42", "zh"),
]


@pytest.mark.parametrize(("answer", "accepted_text", "language"), SAME)
def test_what_differs_only_in_writing_is_the_same(answer: str, accepted_text: str, language: str) -> None:
    assert is_same_apart_from_spelling(answer, accepted_text, language)


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
    assert not is_same_apart_from_spelling(answer, accepted_text, "en")


@given(one=st.text(max_size=20), other=st.text(max_size=20))
def test_every_text_but_an_empty_one_is_the_same_as_itself(one: str, other: str) -> None:
    assert is_same_apart_from_spelling(one, other, "en") <= (normalise_short_answer(one) != "")
    assert is_same_apart_from_spelling(one, one, "en") == bool(normalise_short_answer(one))


@given(text=st.text(alphabet="abc XYZ012.,", min_size=1, max_size=30))
def test_a_text_is_the_same_as_itself_in_capitals(text: str) -> None:
    assert normalise_short_answer(text) == normalise_short_answer(text.upper())


@pytest.mark.parametrize("text", ["\\frac{" * 5000, "^" * 50_000, "$" * 50_000, "<!--" * 20_000, "a b" * 20_000])
def test_long_texts_take_no_time(text: str) -> None:
    normalise_short_answer(text)


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
    assert without_words_around_blank(passage, statement) == words


@pytest.mark.parametrize(
    ("answer", "key"),
    [
        *(
            ("~a", "a"),
            ("!a", "a"),
            ("~(a & b)", "(a & b)"),
            ("y = a & ~(b | c)", "y = a & (b | c)"),
            ("a & ~b", "a & b"),
        ),
        *(
            ("A'B + AB'", "A'B + AB"),
            ("A + B'", "A + B"),
            ("(A+B)'", "(A+B)"),
            ("AB'", "AB"),
            ("A'B", "AB"),
            ("n!", "n"),
        ),
        *(("*p", "p"), ("x <= a + 1", "x <= + 1"), ("a - b", "the - b"), ("2^(n-1)", "2^n-1"), ("x_{n+1}", "x_n+1")),
        *((r"\\frac{a+b}{2}", "a+b/2"), ("a_b", "ab"), ("clk_en", "clken"), ("2\u207f", "2n"), ("O(n)", "o(n)")),
        *(("10 MΩ", "10 mΩ"), ("5 mA", "5 MA"), ("MB", "Mb"), ("mW", "MW"), ("Gb/s", "GB/s"), ("-a", "a")),
        *(("WB, MEM, EX, ID, IF", "IF, ID, EX, MEM, WB"), ("1, 0, 0, 1", "0, 1, 1, 0")),
    ],
)
def test_a_sign_an_exponent_the_case_of_a_unit_and_an_order_count(answer: str, key: str) -> None:
    assert not is_same_apart_from_spelling(answer, key, "en")
    assert not is_same_apart_from_spelling(key, answer, "en")
    assert is_same_apart_from_spelling(answer, answer, "en")
