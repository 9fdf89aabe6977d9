"""The page of the command line is what the commands declare."""

from __future__ import annotations

from pathlib import Path

from benchwright_server.cli.reference import PAGE, reference_page

DOCS = Path(__file__).parents[3]


def test_the_page_is_what_the_commands_declare() -> None:
    assert (DOCS / PAGE).read_text() == reference_page(), "run: python -m benchwright_server.cli.reference"


def test_groups_of_options_required_ones_and_statuses_are_there() -> None:
    reference_text = reference_page()
    assert "| `--samples INT` | Samples per problem. 1 ≤ value. Default: `1`. |" in reference_text
    assert "benchwright eval export-prompts FILE --pack TEXT [OPTION]..." in reference_text
    assert "Exit status for a folder: 0 passed, 1 failed, 2 error" in reference_text
    assert "judge desk" not in reference_text
