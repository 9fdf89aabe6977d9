from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from benchwright_attempts.events.file_text import apply_changes
from benchwright_subjects.agents.text_difference import text_changes

LINES = st.lists(
    st.sampled_from(["a\n", "b\n", "assign x = y;\n", "assign x = z;\n", "\r\n", "é\u2028", "end"]), max_size=30
)


@given(LINES, LINES)
def test_changes_turn_one_text_into_the_other(before: list[str], after: list[str]) -> None:
    old_text, new_text = "".join(before), "".join(after)
    assert apply_changes(old_text, text_changes(old_text, new_text)) == new_text


@given(LINES)
def test_equal_texts_differ_in_nothing(lines: list[str]) -> None:
    assert text_changes("".join(lines), "".join(lines)) == ()


def test_two_places_are_two_changes_without_what_lies_between() -> None:
    old_text = "module a;\nwire x;\nendmodule\n"
    edits = text_changes(old_text, "module b;\nwire x;\nendmodule : b\n")
    assert [(edit.start, edit.end, edit.text) for edit in edits] == [(27, 27, " : b"), (7, 8, "b")]


def test_a_long_text_that_differs_everywhere_is_one_change() -> None:
    old_text, new_text = ("".join(f"{word} {number}\n" for number in range(5000)) for word in ("old", "new"))
    assert len(text_changes(old_text, new_text)) == 1
    assert apply_changes(old_text, text_changes(old_text, new_text)) == new_text
