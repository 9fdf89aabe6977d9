"""Tables of attempts from elsewhere: CSV or Parquet, with the codebook's columns or a file that names them."""

from __future__ import annotations

import csv
import math
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import yaml
from pydantic import Field, ValidationError

from benchwright_analysis.report.rows.observation import Observation
from benchwright_attempts.errors import AttemptError
from benchwright_attempts.terms import Solver
from benchwright_foundation.model import Model
from benchwright_problems.verdict import Outcome

_TIMES = {"minutes": 60.0, "hours": 3600.0}
"""Columns of time besides `time_s`, in seconds."""
_FORMULAS = ("=", "+", "-", "@", "\t", "\r")
_NEEDED = ("participant", "problem", "condition")
_EMPTY: Mapping[type, object] = {str: "", int: 0, float: 0.0, bool: False}


class TableError(AttemptError):
    """A table, or the file that names its columns, is not as it has to be; the message names the place."""


class ColumnMap(Model):
    """The file that says what the columns of a table are."""

    columns: dict[str, str] = Field(default_factory=dict)
    """Our column → the table's. Besides the codebook's: `minutes`, `hours`, `limit_minutes`, `human_minutes`."""
    values: dict[str, dict[str, str]] = Field(default_factory=dict)
    """Our column → a value of the table → ours."""
    constants: dict[str, str | int | float | bool] = Field(default_factory=dict)
    """Our column → what it is in every row."""
    baseline: str = ""
    """The condition that others are compared with."""


@dataclass(frozen=True)
class ForeignTable:
    """Attempts read from a table."""

    rows: tuple[Observation, ...]
    human_minutes: Mapping[str, float]
    """Problem → minutes that people take, where the table says so."""
    baseline: str
    ignored: tuple[str, ...]
    """Columns of the table that are none of ours."""
    assumed: tuple[str, ...]
    """Assumptions made since no column says it, as sentences."""


def read_table(table_file: Path, mapping_file: Path | None = None) -> ForeignTable:
    """Reads attempts.

    Args:
        table_file: A file of CSV (with a line of names, UTF-8) or Parquet.
        mapping_file: TOML or YAML, see `ColumnMap`; without it the table has the codebook's columns.

    Raises:
        TableError: Naming file, line (of Parquet: row) and column.
    """
    column_map = read_mapping(mapping_file) if mapping_file is not None else ColumnMap()
    names, located_records = (
        _parquet_columns_and_records(table_file)
        if table_file.suffix.lower() in (".parquet", ".pq")
        else _csv_columns_and_records(table_file)
    )
    columns = _foreign_column_by_own(table_file, names, column_map, mapping_file)
    rows: list[Observation] = []
    minutes: dict[str, float] = {}
    for position, record in located_records:
        location = f"{table_file}, {position}"
        values = _own_values(record, columns, column_map, location)
        baseline = values.pop("human_minutes", None)
        row = _completed_observation(values, location, columns, len(rows) + 1)
        rows.append(row)
        if baseline is not None:
            minutes[row.problem] = _agreed_minutes(minutes.get(row.problem), baseline, row.problem, location, columns)
    if not rows:
        raise TableError(f"{table_file}: there are no attempts below the line of column names.")
    present_columns = {*columns, *column_map.constants}
    ignored = tuple(name for name in names if name not in columns.values())
    return ForeignTable(tuple(rows), minutes, column_map.baseline, ignored, tuple(_assumption_notes(present_columns)))


def read_mapping(file: Path) -> ColumnMap:
    """Reads the file that names columns.

    Raises:
        TableError: The file can't be read, or names a column that there is not.
    """
    try:
        text = file.read_text(encoding="utf-8")
        mapping_content = tomllib.loads(text) if file.suffix.lower() == ".toml" else yaml.safe_load(text)
        column_map = ColumnMap.model_validate(mapping_content if mapping_content is not None else {})
    except OSError as error:
        raise TableError(f"{file}: {error.strerror}.") from error
    except (UnicodeDecodeError, tomllib.TOMLDecodeError, yaml.YAMLError) as error:
        raise TableError(f"{file}: {error}.") from error
    except ValidationError as error:
        first_error = error.errors()[0]
        raise TableError(f"{file}, {'.'.join(map(str, first_error['loc']))}: {first_error['msg']}.") from error
    for mapping_section in (column_map.columns, column_map.values, column_map.constants):
        if unknown := next((name for name in mapping_section if name not in _codebook_and_extra_columns()), None):
            raise TableError(f"{file}: there is no column {unknown!r}; docs/reference/codebook.md lists them.")
    return column_map


def _codebook_and_extra_columns() -> set[str]:
    return {*Observation.model_fields, *_TIMES, "limit_minutes", "human_minutes"}


def _csv_columns_and_records(csv_file: Path) -> tuple[list[str], Iterator[tuple[str, dict[str, object]]]]:
    try:
        with csv_file.open(encoding="utf-8-sig", newline="") as lines:
            csv_reader = csv.reader(lines, strict=True)
            names = next(csv_reader, [])
            numbered_rows = [(csv_reader.line_num, row) for row in csv_reader if row]
    except OSError as error:
        raise TableError(f"{csv_file}: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise TableError(f"{csv_file}: byte {error.start} is not UTF-8. Save the table as UTF-8.") from error
    except csv.Error as error:
        raise TableError(f"{csv_file}, line {csv_reader.line_num}: {error}.") from error
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise TableError(f"{csv_file}, line 1: two columns are called {twice!r}.")
    for line, row in numbered_rows:
        if len(row) != len(names):
            raise TableError(f"{csv_file}, line {line}: {len(row)} cells, and there are {len(names)} columns.")
    return names, (
        (f"line {line}", dict(zip(names, map(_csv_cell_value, row), strict=True))) for line, row in numbered_rows
    )


def _csv_cell_value(text: str) -> str | None:
    """A cell without the apostrophe that our own tables have before what looks like a formula."""
    if text.startswith("'") and text[1:].startswith(_FORMULAS):
        return text[1:]
    return text.strip() or None


def _parquet_columns_and_records(parquet_file: Path) -> tuple[list[str], Iterator[tuple[str, dict[str, object]]]]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        table = pq.read_table(parquet_file)
    except OSError as error:
        raise TableError(f"{parquet_file}: {error.strerror or error}.") from error
    except pa.ArrowException as error:
        raise TableError(f"{parquet_file} is not a table of Parquet: {error}.") from error
    rows = table.to_pylist()
    return table.column_names, ((f"row {number}", row) for number, row in enumerate(rows, 1))


def _foreign_column_by_own(
    table_file: Path, table_columns: Sequence[str], column_map: ColumnMap, mapping_file: Path | None
) -> dict[str, str]:
    """Our column → the table's."""
    if mapping_file is None:
        our_columns = {name: name for name in table_columns if name in _codebook_and_extra_columns()}
    else:
        our_columns = dict(column_map.columns)
        if missing := next((theirs for theirs in our_columns.values() if theirs not in table_columns), None):
            raise TableError(f"{table_file}, line 1: there is no column {missing!r}, which {mapping_file} names.")
    for required_name in _NEEDED:
        if required_name not in our_columns and required_name not in column_map.constants:
            raise TableError(
                f"{table_file}, line 1: no column says the {required_name}. Name one {required_name!r}, or give "
                "--mapping with a file "
                "that says which it is."
            )
    if not {"time_s", *_TIMES, "passed"} & {*our_columns, *column_map.constants}:
        raise TableError(f"{table_file}, line 1: neither a time (`time_s`, `minutes`, `hours`) nor `passed` is there.")
    return our_columns


def _own_values(
    record: Mapping[str, object], foreign_by_own: Mapping[str, str], column_map: ColumnMap, location: str
) -> dict[str, object]:
    values: dict[str, object] = dict(column_map.constants)
    for own_column, foreign_column in foreign_by_own.items():
        value = record[foreign_column]
        if (words := column_map.values.get(own_column)) is not None and value is not None:
            text = str(value)
            if text not in words:
                raise TableError(f"{location}, column {foreign_column}: {text!r} is none of {', '.join(words)}.")
            value = words[text]
        if isinstance(value, float) and math.isnan(value):
            value = None
        if value is not None:
            values[own_column] = value
    for own_column, factor in {**_TIMES, "limit_minutes": 60.0, "human_minutes": 1.0}.items():
        if own_column in values:
            number = _positive_number(
                values.pop(own_column), f"{location}, column {foreign_by_own.get(own_column, own_column)}"
            )
            target = {"limit_minutes": "limit_s", "human_minutes": "human_minutes"}.get(own_column, "time_s")
            values[target] = number * factor
    return values


def _positive_number(value: object, location: str) -> float:
    try:
        number = float(str(value))
    except ValueError as error:
        raise TableError(f"{location}: {value!r} is not a number.") from error
    if not (math.isfinite(number) and number > 0):
        raise TableError(f"{location}: {value} is not a positive number.")
    return number


def _completed_observation(
    values: dict[str, object], location: str, columns: Mapping[str, str], row_number: int
) -> Observation:
    for required_name in _NEEDED:
        if required_name not in values:
            raise TableError(
                f"{location}, column {columns.get(required_name, required_name)}: the {required_name} is missing."
            )
    condition = str(values["condition"])
    fields: dict[str, object] = {
        "attempt": f"row {row_number}",
        "passed": True,
        "family": values["problem"],
        "solver": condition if condition in set(Solver) else Solver.HUMAN.value,
        "study": "elsewhere",
    } | values
    try:
        row = Observation.model_validate(_empty_columns() | fields)
    except ValidationError as error:
        first_error = error.errors()[0]
        own_column = str(first_error["loc"][0]) if first_error["loc"] else ""
        explanation = f"{first_error['input']!r}: {first_error['msg']}"
        raise TableError(f"{location}, column {columns.get(own_column, own_column)}: {explanation}.") from error
    for name, value in row:
        if isinstance(value, float) and not (math.isfinite(value) and (value >= 0 or name == "score")):
            raise TableError(f"{location}, column {columns.get(name, name)}: {value:g} is not a number from 0 on.")
    if row.solver not in set(Solver):
        raise TableError(
            f"{location}, column {columns.get('solver', 'solver')}: {row.solver!r} is none of {', '.join(Solver)}."
        )
    derived_values: dict[str, object] = {"clock_s": row.clock_s or row.time_s, "active_s": row.active_s or row.time_s}
    if not row.final:
        derived_values["final"] = (Outcome.PASSED if row.passed else Outcome.FAILED).value
    if row.score is None:
        derived_values["score"] = float(row.passed)
    if not row.passed and not row.censored_by:
        at_limit = row.limit_s is not None and row.time_s >= row.limit_s
        derived_values["censored_by"] = "timed_out" if at_limit else "gave_up"
    return row.model_copy(update=derived_values)


def _empty_columns() -> dict[str, object]:
    """Every column without a value."""
    empty_values: dict[str, object] = {"censored_by": ""}
    for name, field in Observation.model_fields.items():
        if field.is_required() and name not in empty_values:
            empty_values[name] = _EMPTY.get(field.annotation) if isinstance(field.annotation, type) else None
    return empty_values


def _agreed_minutes(
    earlier_minutes: float | None,
    stated_minutes: object,
    problem: str,
    location: str,
    foreign_by_own: Mapping[str, str],
) -> float:
    value = float(str(stated_minutes))
    if earlier_minutes is not None and earlier_minutes != value:
        column = foreign_by_own.get("human_minutes", "human_minutes")
        raise TableError(
            f"{location}, column {column}: {problem} has {earlier_minutes:g} minutes before and {value:g} here."
        )
    return value


def _assumption_notes(present_columns: set[str]) -> Iterator[str]:
    if "passed" not in present_columns:
        yield "No column says which attempts passed: all are taken to have."
    if "solver" not in present_columns:
        yield "No column says who solved: conditions that are not called `model` or `agent` are taken for people's."
    if "family" not in present_columns:
        yield "No column says which problems belong together: each is taken to be a family of its own."
    if "forecast_blind_minutes" not in present_columns:
        yield "No column has forecasts that were made before the condition was known, so nothing is adjusted for them."
