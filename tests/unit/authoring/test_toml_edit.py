from __future__ import annotations

import tomllib
from collections.abc import Mapping
from datetime import date

import pytest

from benchwright_authoring.problem_files.toml_edit import TomlEditError, with_toml_values

WRITTEN = """# For Monday.
decision = "open"  # not yet
points = 2
rubric = [
    { text = "the tag", points = 1 },  # half
]

[choices]
A = "Flash"
B = "SRAM"
"""
QUESTION = """id = "cells"

[question]
format = "multiple-choice"  # of four
choices = { A = "Flash", B = "SRAM" }

# Nobody sees this.
[answer]
value = "B"

[[answer.points.items]]
text = "names one"  # any

[[answer.points.items]]
text = "says why"
points = 2

[limits]
wall_s = 5
"""


def test_only_what_changes_is_written() -> None:
    assert with_toml_values(WRITTEN, {"decision": "accepted", "points": 2}) == WRITTEN.replace('"open"', '"accepted"')


def test_a_key_is_added_at_the_top_and_removed_with_its_line() -> None:
    changed_text = with_toml_values(WRITTEN, {"answer": 'B "or" A', "points": None})
    assert tomllib.loads(changed_text)["answer"] == 'B "or" A'
    assert "points = 2" not in changed_text
    assert "# For Monday." in changed_text
    assert changed_text.index("answer") < changed_text.index("[choices]")


def test_a_table_keeps_its_other_keys_and_a_missing_one_is_begun() -> None:
    changed_text = with_toml_values(WRITTEN, {"choices": {"A": "Flash", "B": "DRAM", "C": "Tape"}})
    assert tomllib.loads(changed_text)["choices"] == {"A": "Flash", "B": "DRAM", "C": "Tape"}
    assert with_toml_values('a = "x"\n', {"choices": {"A": "y"}}) == 'a = "x"\n\n[choices]\nA = "y"\n'
    assert with_toml_values("", {"choices": {"A": "y"}}) == '[choices]\nA = "y"\n'
    assert with_toml_values(WRITTEN, {"choices": {"B": "SRAM"}}) == WRITTEN.replace('A = "Flash"\n', "")


def test_a_value_in_a_table_is_changed_where_it_is() -> None:
    changed_text = with_toml_values(QUESTION, {"question": {"format": "open-ended", "topic": "cells"}})
    assert changed_text == QUESTION.replace("multiple-choice", "open-ended").replace(
        'choices = { A = "Flash", B = "SRAM" }', 'topic = "cells"'
    )
    changed_choices = {"format": "multiple-choice", "choices": {"A": "Tape"}}
    assert with_toml_values(QUESTION, {"question": changed_choices}) == QUESTION.replace(
        '"Flash", B = "SRAM"', '"Tape"'
    )
    text = with_toml_values('id = "x"\n', {"answer": {"value": "1", "points": {"items": [{"text": "x"}]}}})
    assert text == 'id = "x"\n\n[answer]\nvalue = "1"\npoints = { items = [\n    { text = "x" },\n] }\n'


def test_tables_of_an_array_are_changed_added_and_removed() -> None:
    def changed(*point_tables: Mapping[str, object]) -> str:
        text = with_toml_values(QUESTION, {"answer": {"value": "B", "points": {"items": point_tables}}})
        assert tomllib.loads(text)["answer"]["points"]["items"] == list(point_tables)
        assert tomllib.loads(text)["limits"] == {"wall_s": 5}
        return text

    name_item, reason_item = {"text": "names one"}, {"text": "says why", "points": 2}
    assert changed(name_item, reason_item) == QUESTION
    assert changed(name_item, reason_item | {"points": 3}) == QUESTION.replace("points = 2", "points = 3")
    assert changed(name_item, {"text": "says why"}) == QUESTION.replace("points = 2\n", "")
    assert changed(name_item) == QUESTION.replace('[[answer.points.items]]\ntext = "says why"\npoints = 2\n', "")
    assert '[[answer.points.items]]\ntext = "is short"\n' in changed(name_item, reason_item, {"text": "is short"})


def test_what_is_below_a_key_goes_with_it() -> None:
    changed_text = with_toml_values(QUESTION, {"answer": {"value": "B"}})
    assert tomllib.loads(changed_text)["answer"] == {"value": "B"}
    assert "# Nobody sees this." in changed_text
    assert "[limits]" in changed_text
    dotted = 'id = "x"\nanswer.value = "A"\nanswer.points.enough = 1  # one\nkind = "question"\n'
    assert with_toml_values(dotted, {"answer": {"value": "A"}}) == dotted.replace(
        "answer.points.enough = 1  # one\n", ""
    )


def test_several_lines_stay_lines() -> None:
    explanation = 'First.\n\nSecond "one" \\ `x`.\n"""\n\ttab\r\x7f'
    changed_text = with_toml_values(QUESTION, {"answer": {"value": "B", "explanation": explanation}})
    assert tomllib.loads(changed_text)["answer"]["explanation"] == explanation
    assert 'explanation = """\nFirst.\n\nSecond' in changed_text


def test_what_it_would_break_is_left_to_its_author() -> None:
    with pytest.raises(TomlEditError, match=r"answer.unit is written in a way that only you can change"):
        with_toml_values(
            'answer.value = "A" # a\n[answer.points]\nenough = 1\n', {"answer": {"value": "A", "unit": "s"}}
        )


def test_line_ends_stay_as_they_are() -> None:
    changed_text = with_toml_values(WRITTEN.replace("\n", "\r\n"), {"answer": "B", "points": None})
    assert changed_text == with_toml_values(WRITTEN, {"answer": "B", "points": None}).replace("\n", "\r\n")


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ('names = [\n  "a",  # why\n]\n', {"names": ["a", "b"]}),
        ('answer = { value = "B", at = 1979-05-27 }\n', {"answer": {"value": "A", "at": date(1979, 5, 27)}}),
        ("[[answer]]\nvalue = 1\n", {"answer": {"value": "A"}}),
        ("[answer]\nvalue = 1\n", {"answer": [{"value": "A"}]}),
    ],
)
def test_comments_in_a_list_and_other_types_are_left_to_the_author(text: str, values: dict[str, object]) -> None:
    with pytest.raises(TomlEditError, match="open the file and edit it there"):
        with_toml_values(text, values)
