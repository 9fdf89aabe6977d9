from __future__ import annotations

import tomllib

import pytest

from benchwright_authoring.problem_files.toml_edit import TomlEditError, with_values

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


def test_only_what_changes_is_written() -> None:
    assert with_values(WRITTEN, {"decision": "accepted", "points": 2}) == WRITTEN.replace('"open"', '"accepted"')


def test_a_key_is_added_at_the_top_and_removed_with_its_line() -> None:
    changed = with_values(WRITTEN, {"answer": 'B "or" A', "points": None})
    assert tomllib.loads(changed)["answer"] == 'B "or" A'
    assert "points = 2" not in changed
    assert "# For Monday." in changed
    assert changed.index("answer") < changed.index("[choices]")


def test_a_table_keeps_its_other_keys_and_a_missing_one_is_begun() -> None:
    changed = with_values(WRITTEN, {"choices": {"A": "Flash", "B": "DRAM", "C": "Tape"}})
    assert tomllib.loads(changed)["choices"] == {"A": "Flash", "B": "DRAM", "C": "Tape"}
    assert with_values('a = "x"\n', {"choices": {"A": "y"}}) == 'a = "x"\n\n[choices]\nA = "y"\n'


def test_what_it_would_break_is_left_to_its_author() -> None:
    tables = '[[rubric]]\ntext = "one"\npoints = 1\n'
    with pytest.raises(TomlEditError, match="rubric is written in a way that only you can change"):
        with_values(tables, {"rubric": [{"text": "two", "points": 1}]})
