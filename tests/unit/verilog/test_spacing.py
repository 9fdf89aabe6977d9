from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from benchwright_verilog.syntax.json_form import JsonText, MovingJson, quote_for_json_template
from benchwright_verilog.syntax.spacing import has_same_words, spacing_changes

word_strategy = st.lists(st.sampled_from(["a", "=", "𝄞", "é;", "\u2028"]), max_size=6)
gaps = st.sampled_from(["", " ", "\n", "  ", "\n\n  ", "\t"])


@st.composite
def spaced(draw: st.DrawFn) -> tuple[str, str]:
    """Two texts of the same words."""
    drawn_words = draw(word_strategy)
    return tuple(draw(gaps) + "".join(word + draw(gaps) for word in drawn_words) for _ in range(2))  # type: ignore[return-value]


def applied(old_text: str, new_text: str) -> str:
    for spacing in sorted(spacing_changes(old_text, new_text), key=lambda spacing: spacing.start, reverse=True):
        assert not old_text[spacing.start : spacing.end].strip(" \t\r\n")
        assert not spacing.text.strip(" \t\r\n")
        old_text = old_text[: spacing.start] + spacing.text + old_text[spacing.end :]
    return old_text


@given(spaced())
def test_edits_of_white_space_make_one_text_of_the_other(texts: tuple[str, str]) -> None:
    old_text, new_text = texts
    assert has_same_words(old_text, new_text)
    assert applied(old_text, new_text) == new_text


@given(spaced())
def test_windows_line_ends_stay(texts: tuple[str, str]) -> None:
    old_text, new_text = texts
    old_text = "x\r\n" + old_text.replace("\n", "\r\n")
    assert applied(old_text, "x\n" + new_text) == "x\r\n" + new_text.replace("\n", "\r\n")


def test_nothing_is_done_where_nothing_differs_and_form_feeds_stay() -> None:
    assert list(spacing_changes("a = b;\r\n", "a = b;\n")) == []
    assert applied("a\f\nb  c", "a\nb c") == "a\f\nb c"


def test_other_words_are_noticed() -> None:
    assert not has_same_words("a b", "a c")
    assert has_same_words("a  b", "ab\n")


def test_json_moves_with_its_lines() -> None:
    piece = MovingJson(f'{{"name":{quote_for_json_template("50% é")},"lines":[%d,%d]}}', (0, 2))
    for line in (0, 7, 7, 3):
        assert json.loads(piece.json_at(line)) == {"name": "50% é", "lines": [line, line + 2]}
    assert json.loads(JsonText.of_list([piece.json_at(1), "", "3"]).text)[1] == 3
    assert JsonText.of_list([]).text == "[]"
