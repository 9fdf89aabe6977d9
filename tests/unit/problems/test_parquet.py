"""Data sets whose rows come as Parquet, as a table of a model hub has them."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path

import pyarrow
import pytest
from pyarrow.parquet import write_table

from benchwright_problems.datasets import parquet
from benchwright_problems.datasets.invalid_records import InvalidRecords
from benchwright_problems.datasets.jsonl import read_records
from benchwright_problems.errors import DatasetError

from .test_irregular_records import FORMATS, Format, Record, cvdp


def parquet_file(folder: Path, records: list[Record]) -> Path:
    file = folder / "data_v1.parquet"
    write_table(pyarrow.Table.from_pylist(records), file)
    return file


def lines_file(folder: Path, records: list[Record]) -> Path:
    file = folder / "data_v1.jsonl"
    file.write_text("".join(json.dumps(record) + "\n" for record in records))
    return file


def without_nulls(record: Record) -> Record:
    return {name: value for name, value in record.items() if value is not None}


@pytest.mark.parametrize("form", [form for form in FORMATS if form.name != "cvdp"], ids=lambda form: form.name)
def test_rows_of_a_table_become_the_problems_that_lines_become(tmp_path: Path, form: Format) -> None:
    # A column has one type: a table has the truth of an assertion as a word.
    records = [
        without_nulls({**record, "Answer": str(record["Answer"])} if "Answer" in record else record)
        for record in form.records
    ]
    as_rows = form.importer([parquet_file(tmp_path, records)], "p")
    assert as_rows == form.importer([lines_file(tmp_path, records)], "p")


def test_a_file_of_another_record_is_no_empty_file_of_this_record(tmp_path: Path) -> None:
    (form,) = [form for form in FORMATS if form.name == "cvdp"]
    records = [cvdp("cvdp_copilot_inv_0001"), cvdp("cvdp_copilot_inv_0002")]
    for number, record in enumerate(records):
        record["input"] = {"prompt": "Write an inverter.", "context": {f"docs/note_{number}.md": "Short.\n"}}
    as_rows = form.importer([parquet_file(tmp_path, records)], "p")
    assert as_rows == form.importer([lines_file(tmp_path, records)], "p")


def test_a_row_with_a_date_is_refused_with_its_number_and_the_others_are_read(tmp_path: Path) -> None:
    file = tmp_path / "data.parquet"
    dated_rows: list[dict[str, object]] = [{"a": {"day": None}}, {"a": {"day": date(2026, 1, 1)}}, {"a": {"day": None}}]
    write_table(pyarrow.Table.from_pylist(dated_rows), file)
    invalid = InvalidRecords(skip=True)
    assert [number for number, _ in read_records(file, invalid)] == [1, 3]
    (error,) = invalid.record_errors
    assert str(error).endswith("data.parquet:2: field a.day: is date, which is no value of JSON")


def test_a_table_that_unpacks_to_more_than_the_limit_is_refused(tmp_path: Path) -> None:
    file = parquet_file(tmp_path, [{"text": "0" * 100_000}] * 500)
    assert file.stat().st_size < 100_000
    with pytest.raises(DatasetError, match="unpacks to more than 1 MiB"):
        list(parquet.read_parquet_rows(file, 1 << 20))


def test_a_cut_or_changed_table_is_refused_with_its_name(tmp_path: Path) -> None:
    content = parquet_file(tmp_path, [{"a": "text"}] * 50).read_bytes()
    file = tmp_path / "cut.parquet"
    for damaged_content in (content[:100], content[:40] + bytes(60) + content[100:], b"PAR1"):
        file.write_bytes(damaged_content)
        with pytest.raises(DatasetError, match=r"cut.parquet: can't be read as Parquet"):
            list(read_records(file))
