from __future__ import annotations

import csv
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from benchwright_analysis.report.rows.codebook import TABLES, arrow_schema_of, codebook_markdown
from benchwright_analysis.report.rows.exports import write_attempts_and_codebook
from benchwright_analysis.report.rows.observation import Observation

from ....support.packs.report_codebook import observation

ROOT = Path(__file__).parents[4]


def test_the_codebook_names_every_column_with_its_meaning() -> None:
    text = codebook_markdown()
    for model in TABLES.values():
        for name, field in model.model_fields.items():
            assert f"| `{name}` |" in text
            assert field.description, name


def test_every_table_says_which_version_of_the_classifier_made_its_labels() -> None:
    assert all("classifier" in model.model_fields for model in TABLES.values())


def test_the_page_in_the_documentation_is_current() -> None:
    assert (ROOT / "docs" / "reference" / "codebook.md").read_text(encoding="utf-8") == codebook_markdown()


def test_tables_have_the_columns_of_the_codebook_and_give_values_back(tmp_path: Path) -> None:
    rows = [observation(attempt="a", score=0.5, external_help=True), observation(attempt="b", passed=True)]
    write_attempts_and_codebook(tmp_path, rows)
    table = pq.read_table(tmp_path / "attempts.parquet")
    assert table.schema.equals(arrow_schema_of(Observation))
    assert [Observation.model_validate(row) for row in table.to_pylist()] == rows
    with (tmp_path / "attempts.csv").open(newline="") as lines:
        first_row, second_row = csv.DictReader(lines)
    assert list(first_row) == list(Observation.model_fields)
    assert (first_row["score"], first_row["external_help"], second_row["score"], second_row["passed"]) == (
        "0.5",
        "true",
        "",
        "true",
    )


@pytest.mark.parametrize("name", ["=HYPERLINK(1)", "+1", "-1", "@x", "\tx"])
def test_a_spreadsheet_takes_no_name_for_a_formula(name: str, tmp_path: Path) -> None:
    write_attempts_and_codebook(tmp_path, [observation(attempt="a", title=name)])
    with (tmp_path / "attempts.csv").open(newline="") as lines:
        (row,) = csv.DictReader(lines)
    assert row["title"] == f"'{name}"
    assert pq.read_table(tmp_path / "attempts.parquet")["title"].to_pylist() == [name]
