"""Source code of which comments and strings are spaces."""

from __future__ import annotations

import pytest

from benchwright_verilog.semantics.project.index.outline import Outline, blank_out_comments_and_strings


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("a / b // c\nd", "a / b     \nd"),
        ("a /* b\n*/ c /* open", "a         c        "),
        ('a "b // c" d', "a          d"),
        (r'a "b \" c" d', "a          d"),
        ('a "open\nb', "a      \nb"),
        ('/* " */ a // "\nb "', "        a     \nb  "),
        ("//", "  "),
        ("a", "a"),
    ],
)
def test_comments_and_strings_are_spaces(text: str, code: str) -> None:
    assert blank_out_comments_and_strings(text.encode()).decode() == code


def test_strings_can_stay() -> None:
    text = b'"a // b" /* "c" */ "d" // "e"'
    assert blank_out_comments_and_strings(text, keeps_strings=True) == b'"a // b"           "d"       '


@pytest.mark.parametrize(
    ("text", "arguments"),
    [
        ("`CHECK(a, (b)) c", ["(a, (b))"]),
        ("`CHECK (a", ["(a"]),
        ("`define CHECK(a) a\n`ifdef X (b)\n`X c", []),
        ("`OUTER(`INNER(a), b)", ["(`INNER(a), b)", "(a)"]),
        ("`define M a\n`M`N(d)", ["(d)"]),
    ],
)
def test_the_arguments_of_macros_have_their_parentheses(text: str, arguments: list[str]) -> None:
    assert [text[start:end] for start, end in Outline(text.encode()).macro_argument_ranges] == arguments
