"""Tables of attempts from elsewhere: CSV or Parquet, with the codebook's columns or a file that names them."""

from __future__ import annotations

import csv
import math
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import get_args

import yaml
from pydantic import Field, ValidationError

from benchwright_analysis.report.rows.observation import GRACE_S, CensoredBy, Observation
from benchwright_attempts.clock.time_source import TimeSource
from benchwright_attempts.errors import AttemptError
from benchwright_attempts.events.evidence import Exposure
from benchwright_attempts.state import AttemptState
from benchwright_attempts.terms import Solver
from benchwright_foundation.model import Model
from benchwright_problems.verdict import Outcome
from benchwright_studies.plan.vocabulary import Population

_TIMES = {"minutes": 60.0, "hours": 3600.0}
"""Columns of time besides `time_s`, in seconds."""
_FORMULAS = ("=", "+", "-", "@", "\t", "\r")
_NEEDED = ("participant", "problem", "condition")
_EMPTY: Mapping[type, object] = {str: "", int: 0, float: 0.0, bool: False}
_MEASURED = (
    *("clock_s", "elapsed_s", "active_60_s", "active_120_s", "active_300_s", "active_s", "unfocused_s", "time_s"),
    *("first_pass_s", "first_pass_clock_s"),
)
_MOST_S = 366 * 24 * 3600.0
_MOST = float(1 << 53)
_SHARE, _FIVE = (0.0, 1.0), (1, 5)
_RANGES: Mapping[str, tuple[float, float]] = {
    **dict.fromkeys(("score", "forecast_success", "self_success", "share_by_assistant", "guessed_share"), _SHARE),
    **dict.fromkeys(("forecast_difficulty", "self_difficulty"), _FIVE),
    "limit_s": (1e-9, _MOST_S),
}
"""Column → its least and greatest number; others are counts, amounts and times from 0 on."""
_WORDS: Mapping[str, tuple[str, ...]] = {
    "solver": tuple(Solver),
    "time_source": tuple(TimeSource),
    "outcome": ("", *Outcome),
    "final": ("", *Outcome),
    "state": ("", *AttemptState),
    "prior_exposure": ("", *Exposure),
}
"""Column → the words that it may hold."""
_TEXTS = tuple(name for name, field in Observation.model_fields.items() if field.annotation is str)
_STATED_AS: Mapping[str, tuple[str, ...]] = {"time_s": tuple(_TIMES), "limit_s": ("limit_minutes",)}
_NUMBER_STEP = "Write a number with a decimal point and without a unit, or leave the cell empty."
_WORD_STEP = "Write one of these, or give --mapping with its [values]."
_FIELDS = 100
_SHOWN_FINDINGS = 200
_SHOWN_CHARACTERS = 60


class TableError(AttemptError):
    """A table, or the file that names its columns, is not as it has to be; the message names the place."""


@dataclass(frozen=True)
class TableFinding:
    """One thing that is wrong with a table."""

    place: str
    """File and line; of Parquet the row."""
    column: str
    """As the table calls it; empty if it is about the whole line."""
    rule: str
    """What is wrong, without a full stop."""
    next_step: str
    """What to do, as a sentence."""

    def __str__(self) -> str:
        return f"{self.place}{f', column {self.column}' if self.column else ''}: {self.rule}. {self.next_step}".rstrip()


class _Findings:
    """What is wrong with a table so far."""

    def __init__(self, columns: Mapping[str, str]) -> None:
        self.columns = columns
        """Our column → the table's."""
        self.all_findings: list[TableFinding] = []

    def add(self, location: str, own_column: str, flaw: str, next_step: str) -> None:
        """One more; a line names a column once."""
        names = (own_column, *_STATED_AS.get(own_column, ()))
        column = next((self.columns[name] for name in names if name in self.columns), own_column)
        if not any(finding.place == location and finding.column == column for finding in self.all_findings[-_FIELDS:]):
            self.all_findings.append(TableFinding(location, column, flaw, next_step))

    def raise_if_any(self) -> None:
        """Refuses the table.

        Raises:
            TableError: It names everything that is wrong.
        """
        if not self.all_findings:
            return
        lines = [str(finding) for finding in self.all_findings[:_SHOWN_FINDINGS]]
        if further_count := len(self.all_findings) - len(lines):
            lines.append(f"… and {further_count} more.")
        raise TableError("\n".join(lines))


class ColumnMap(Model):
    """The file that says what the columns of a table are."""

    columns: dict[str, str] = Field(default_factory=dict)
    """Our column → the table's. Besides the codebook's: `minutes`, `hours`, `limit_minutes`, `human_minutes`, `try`."""
    values: dict[str, dict[str, str]] = Field(default_factory=dict)
    """Our column → a value of the table → ours."""
    constants: dict[str, str | int | float | bool] = Field(default_factory=dict)
    """Our column → what it is in every row."""
    baseline: str = ""
    """The condition that others are compared with."""


class AnalysisPlan(Model):
    """What a study's own table says of the analysis, in the metadata of its Parquet file."""

    baseline: str = ""
    """The condition that others are compared with."""
    population: Population = Population.PER_PROTOCOL
    """Attempts that the primary analysis counts."""
    conditions: tuple[str, ...] = ()
    """In the study's order."""

    def table_metadata(self) -> dict[bytes | str, bytes | str]:
        """For the schema of the table."""
        return {_PLAN_KEY: self.model_dump_json().encode()}


_PLAN_KEY = b"benchwright"


def _analysis_plan(table_file: Path) -> AnalysisPlan:
    """The plan in a table of Parquet; an empty one if there is none, or none that can be read."""
    import pyarrow.parquet as pq

    try:
        return AnalysisPlan.model_validate_json((pq.read_schema(table_file).metadata or {})[_PLAN_KEY])
    except (KeyError, ValidationError):
        return AnalysisPlan()


@dataclass(frozen=True)
class ForeignTable:
    """Attempts read from a table."""

    rows: tuple[Observation, ...]
    human_minutes_by_problem: Mapping[str, float]
    """Problem → minutes that people take, where the table says so."""
    plan: AnalysisPlan
    ignored: tuple[str, ...]
    """Columns of the table that are none of ours."""
    assumption_sentences: tuple[str, ...]
    """Assumptions made since no column says it, as sentences."""


def read_table(table_file: Path, mapping_file: Path | None = None) -> ForeignTable:
    """Reads attempts.

    Args:
        table_file: A file of CSV (with a line of names, UTF-8) or Parquet.
        mapping_file: TOML or YAML, see `ColumnMap`; without it the table has the codebook's columns.

    Raises:
        TableError: It names everything that is wrong, each with file, line (of Parquet: row), column, rule and next
            step.
    """
    column_map = read_column_map(mapping_file) if mapping_file is not None else ColumnMap()
    is_parquet = table_file.suffix.lower() in (".parquet", ".pq")
    names, located_records = (
        _parquet_columns_and_records(table_file) if is_parquet else _csv_columns_and_records(table_file)
    )
    plan = _analysis_plan(table_file) if is_parquet and mapping_file is None else AnalysisPlan()
    columns = _foreign_column_by_own(table_file, names, column_map, mapping_file)
    table_findings = _Findings(columns)
    is_export_without_time_source = mapping_file is None and "clock_s" in columns and "time_source" not in columns
    rows: list[Observation] = []
    first_positions: dict[tuple[str, str, str, str | None], str] = {}
    minutes_and_position_by_problem: dict[str, tuple[float, str]] = {}
    row_count = 0
    for position, record in located_records:
        row_count += 1
        location = f"{table_file}, {position}"
        if isinstance(record, str):
            table_findings.add(
                location, "", record, "Write a cell for each column; a comma inside a cell needs quotes."
            )
            continue
        values = _own_values(record, column_map, location, table_findings)
        tried = values.pop("try", values.get("attempt"))
        baseline = values.pop("human_minutes", None)
        row = _completed_observation(
            values, location, row_count, table_findings, is_export_without_time_source=is_export_without_time_source
        )
        if row is None:
            continue
        rows.append(row)
        key = (row.participant, row.problem, row.condition, None if tried is None else str(tried))
        if (first := first_positions.setdefault(key, position)) != position:
            _add_repetition_finding(key, first, location, table_findings)
        if isinstance(baseline, float):
            _note_and_compare_minutes(
                minutes_and_position_by_problem, row.problem, baseline, location, position, table_findings
            )
    if not row_count:
        raise TableError(f"{table_file}: there are no attempts below the line of column names.")
    table_findings.raise_if_any()
    present_columns = {*columns, *column_map.constants}
    ignored = tuple(name for name in names if name not in columns.values())
    observations = _with_unique_ids(rows)
    return ForeignTable(
        observations,
        {problem: stated_minutes for problem, (stated_minutes, _) in minutes_and_position_by_problem.items()},
        plan.model_copy(update={"baseline": column_map.baseline or plan.baseline}),
        ignored,
        tuple(
            _assumption_notes(
                present_columns, observations, is_export_without_time_source=is_export_without_time_source
            )
        ),
    )


def _add_repetition_finding(
    try_identity: tuple[str, str, str, str | None], first_position: str, location: str, table_findings: _Findings
) -> None:
    """One participant tries a problem under a condition once, unless the table says which try each row is."""
    participant, problem, condition, tried = try_identity
    try_text = "" if tried is None else f", try {tried}"
    table_findings.add(
        location,
        "participant",
        f"{participant} at {problem} under {condition}{try_text} is in {first_position} already",
        "Remove one of them; if both happened, number them in a column `try`.",
    )


def _with_unique_ids(rows: Sequence[Observation]) -> tuple[Observation, ...]:
    """The same rows, each with an id of its own: a table may number the tries of each participant."""
    if len({row.attempt for row in rows}) == len(rows):
        return tuple(rows)
    return tuple(row.model_copy(update={"attempt": f"row {number}"}) for number, row in enumerate(rows, 1))


def read_column_map(file: Path) -> ColumnMap:
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
    except ValidationError as error:
        error_details = error.errors(include_url=False)
        raise TableError(
            "\n".join(f"{file}, {'.'.join(map(str, flaw['loc']))}: {flaw['msg']}." for flaw in error_details)
        ) from error
    except (ValueError, yaml.YAMLError) as error:
        raise TableError(f"{file}: {error}.") from error
    except RecursionError as error:
        raise TableError(f"{file}: it is nested too deeply.") from error
    unknown_names = dict.fromkeys(
        name
        for mapping_section in (column_map.columns, column_map.values, column_map.constants)
        for name in mapping_section
        if name not in _codebook_and_extra_columns()
    )
    if unknown_names:
        raise TableError(
            "\n".join(
                f"{file}: there is no column {name!r}; docs/reference/codebook.md lists them." for name in unknown_names
            )
        )
    return column_map


def _codebook_and_extra_columns() -> set[str]:
    return {*Observation.model_fields, *_TIMES, "limit_minutes", "human_minutes", "try"}


def _csv_columns_and_records(csv_file: Path) -> tuple[list[str], Iterator[tuple[str, dict[str, object] | str]]]:
    """Names of the columns, and each line with its place; a line with another number of cells as what is wrong."""
    line = 1
    try:
        with csv_file.open(encoding="utf-8-sig", newline="") as lines:
            csv_reader = csv.reader(lines, strict=True)
            names = next(csv_reader, [])
            numbered_rows = []
            line = csv_reader.line_num + 1
            for row in csv_reader:
                if row:
                    numbered_rows.append((line, row))
                # A record may go over several lines: it is where it begins.
                line = csv_reader.line_num + 1
    except OSError as error:
        raise TableError(f"{csv_file}: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise TableError(f"{csv_file}: byte {error.start} is not UTF-8. Save the table as UTF-8.") from error
    except csv.Error as error:
        raise TableError(f"{csv_file}, line {line}: {error}. Close quotes, and double those inside a cell.") from error
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise TableError(f"{csv_file}, line 1: two columns are called {twice!r}. Rename one of them.")
    return names, (
        (
            f"line {line}",
            dict(zip(names, map(_csv_cell_value, row), strict=True))
            if len(row) == len(names)
            else f"{len(row)} cells, and there are {len(names)} columns",
        )
        for line, row in numbered_rows
    )


def _csv_cell_value(text: str) -> str | None:
    """A cell without the apostrophe that our own tables have before what looks like a formula."""
    if text.startswith("'") and text[1:].startswith(_FORMULAS):
        return text[1:]
    return text.strip() or None


def _parquet_columns_and_records(parquet_file: Path) -> tuple[list[str], Iterator[tuple[str, dict[str, object] | str]]]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        table = pq.ParquetFile(parquet_file).read()
        names, values_by_column = table.column_names, [column.to_pylist() for column in table.columns]
    except (OSError, UnicodeError, ValueError, NotImplementedError) as error:
        raise TableError(f"{parquet_file}: {getattr(error, 'strerror', None) or error}.") from error
    except pa.ArrowException as error:
        raise TableError(f"{parquet_file} is not a table of Parquet: {error}.") from error
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise TableError(f"{parquet_file}: two columns are called {twice!r}. Rename one of them.")
    records = (dict(zip(names, row_values, strict=True)) for row_values in zip(*values_by_column, strict=True))
    return names, ((f"row {number}", record) for number, record in enumerate(records, 1))


def _foreign_column_by_own(
    table_file: Path, table_columns: Sequence[str], column_map: ColumnMap, mapping_file: Path | None
) -> dict[str, str]:
    """Our column → the table's."""
    flaws = []
    if mapping_file is None:
        our_columns = {name: name for name in table_columns if name in _codebook_and_extra_columns()}
    else:
        our_columns = dict(column_map.columns)
        flaws += [
            f"there is no column {theirs!r}, which {mapping_file} names."
            for theirs in our_columns.values()
            if theirs not in table_columns
        ]
    for required_name in _NEEDED:
        if required_name not in our_columns and required_name not in column_map.constants:
            flaws.append(
                f"no column says the {required_name}. Name one {required_name!r}, or give --mapping with a file that "
                "says which it is."
            )
    if not {"time_s", *_TIMES, "passed"} & {*our_columns, *column_map.constants}:
        flaws.append("neither a time (`time_s`, `minutes`, `hours`) nor `passed` is there. Add one of them.")
    if flaws:
        raise TableError("\n".join(f"{table_file}, line 1: {flaw}" for flaw in flaws))
    return our_columns


def _own_values(
    record: Mapping[str, object], column_map: ColumnMap, location: str, table_findings: _Findings
) -> dict[str, object]:
    """Our column → the value of a line, its times in seconds; what is wrong is left out and told."""
    values: dict[str, object] = dict(column_map.constants)
    for own_column, foreign_column in table_findings.columns.items():
        value = record[foreign_column]
        if isinstance(value, float) and math.isnan(value):
            value = None
        if (words := column_map.values.get(own_column)) is not None and value is not None:
            text = str(value)
            if text not in words:
                rule = f"{text!r} is none of {', '.join(words)}"
                table_findings.add(location, own_column, rule, f"Add it to [values.{own_column}] of the mapping.")
                continue
            value = words[text]
        if value is not None:
            values[own_column] = value
    stated_times = [name for name in ("time_s", *_TIMES) if name in values]
    for own_column in stated_times[1:]:
        rule = f"the line states its time in {stated_times[0]} as well"
        table_findings.add(location, own_column, rule, "Keep one of the columns of time.")
    for own_column, factor in {**_TIMES, "limit_minutes": 60.0, "human_minutes": 1.0}.items():
        if own_column not in values:
            continue
        stated = values.pop(own_column)
        target = {"limit_minutes": "limit_s", "human_minutes": "human_minutes"}.get(own_column, "time_s")
        number = _positive_number(stated, own_column, location, table_findings)
        if number is not None:
            values[target] = number * factor
    return values


def _positive_number(value: object, own_column: str, location: str, table_findings: _Findings) -> float | None:
    try:
        number = float(str(value)) if not isinstance(value, bool) else math.nan
    except ValueError:
        number = math.nan
    if isinstance(value, bool) or (math.isnan(number) and str(value).strip().lower() != "nan"):
        table_findings.add(location, own_column, f"{_shortened_value_text(value)} is not a number", _NUMBER_STEP)
        return None
    if not (math.isfinite(number) and number > 0):
        table_findings.add(
            location, own_column, f"{_shortened_value_text(number)} is not a positive number", _NUMBER_STEP
        )
        return None
    return number


def _completed_observation(
    own_values: Mapping[str, object],
    location: str,
    row_number: int,
    table_findings: _Findings,
    *,
    is_export_without_time_source: bool,
) -> Observation | None:
    """The row of a line, without the cells that can't be read; None if nothing is left of it."""
    for required_name in _NEEDED:
        if required_name not in own_values:
            rule = f"the {required_name} is missing"
            table_findings.add(location, required_name, rule, "Fill the cell, or remove the line.")
    if "passed" in table_findings.columns and "passed" not in own_values:
        rule = "the outcome is missing"
        table_findings.add(
            location, "passed", rule, "Write true or false; what nobody decided does not belong into the table."
        )
    condition = str(own_values.get("condition", ""))
    fields: dict[str, object] = {
        "attempt": f"row {row_number}",
        "passed": True,
        "family": str(own_values.get("problem", "")),
        "solver": condition if condition in set(Solver) else Solver.HUMAN.value,
        "study": "elsewhere",
        **own_values,
    }
    # A name that is a number has another type in Parquet.
    fields |= {name: str(fields[name]) for name in _TEXTS if isinstance(fields.get(name), int | float)}
    if "time_source" not in fields:
        fields["time_source"] = (TimeSource.REPORTED if fields.get("time_s") is not None else TimeSource.NONE).value
    try:
        row = Observation.model_validate(_empty_value_by_column() | fields)
    except ValidationError as error:
        error_details = error.errors(include_url=False)
        unreadable = {str(flaw["loc"][0]) for flaw in error_details if flaw["loc"]}
        for flaw in error_details:
            own_column = str(flaw["loc"][0]) if flaw["loc"] else ""
            table_findings.add(
                location, own_column, *_flaw_and_step(own_column, flaw["type"], flaw["input"], flaw["msg"])
            )
        # What can be read of the line may break rules as well.
        readable = {name: value for name, value in fields.items() if name not in unreadable}
        try:
            row = Observation.model_validate({"attempt": "", "passed": False, **_empty_value_by_column(), **readable})
        except ValidationError:
            return None
    for own_column, rule, next_step in _flaws_of_row(row):
        if own_column in own_values:
            table_findings.add(location, own_column, rule, next_step)
    return _with_derived_values(row, is_export_without_time_source=is_export_without_time_source)


def _flaw_and_step(own_column: str, flaw_type: str, value: object, message: str) -> tuple[str, str]:
    if own_column == "passed":
        return (
            f"{_shortened_value_text(value)} is no outcome",
            "Write true or false, or give --mapping with [values.passed].",
        )
    if own_column == "censored_by":
        return f"{_shortened_value_text(value)} is none of {', '.join(filter(None, get_args(CensoredBy)))}", _WORD_STEP
    if "bool" in flaw_type:
        return (
            f"{_shortened_value_text(value)} is neither true nor false",
            "Write true or false, or leave the cell empty.",
        )
    if "int" in flaw_type:
        return f"{_shortened_value_text(value)} is not a whole number", _NUMBER_STEP
    if "float" in flaw_type or "number" in flaw_type:
        return f"{_shortened_value_text(value)} is not a number", _NUMBER_STEP
    return f"{_shortened_value_text(value)} can't be read ({message})", "Write text."


def _shortened_value_text(value: object) -> str:
    text = repr(value) if isinstance(value, str) else f"{value:.15g}" if isinstance(value, float) else str(value)
    return text if len(text) <= _SHOWN_CHARACTERS else f"{text[:_SHOWN_CHARACTERS]}…"


def _flaws_of_row(row: Observation) -> Iterator[tuple[str, str, str]]:
    """Column, what is wrong, and next step of each thing that can't be."""
    for name, value in row:
        if isinstance(value, bool) or not isinstance(value, int | float):
            continue
        low, high = _RANGES.get(name, (0, _MOST_S if name.endswith("_s") else _MOST))
        # NaN is in no range.
        if not low <= value <= high:
            if high == 1:
                yield (
                    name,
                    f"{_shortened_value_text(value)} is not from 0 to 1",
                    "Write shares: of percentages, divide by 100.",
                )
            elif name.endswith("_s") and value > high:
                yield (
                    name,
                    f"{_shortened_value_text(value)} s are more than a year",
                    "Check the unit: `time_s` is in seconds.",
                )
            else:
                yield name, f"{_shortened_value_text(value)} is not from {low:g} to {high:g}", _NUMBER_STEP
    for name, words in _WORDS.items():
        if (word := getattr(row, name)) not in words:
            yield name, f"{word!r} is none of {', '.join(filter(None, words))}", _WORD_STEP
    if row.passed and row.censored_by:
        yield "censored_by", f"it passed, so it can't have ended as {row.censored_by}", "Correct one of the two."
    if row.passed is False and row.outcome == Outcome.PASSED.value:
        yield "outcome", "the newest verdict passed, and `passed` says that none did", "Correct one of the two."
    if row.time_source == TimeSource.NONE and row.time_s is not None:
        yield "time_source", "it is none, and there is a time", "Empty the time, or say clock or reported."
    if row.time_source != TimeSource.NONE and row.time_s is None:
        yield "time_source", f"it is {row.time_source}, and there is no time", "Fill the time, or say none."
    yield from _times_beyond_limit(row)


def _times_beyond_limit(row: Observation) -> Iterator[tuple[str, str, str]]:
    if row.limit_s is None or row.time_s is None:
        return
    # A verdict may come a little after the limit that the work was in time for.
    allowed_s = row.limit_s + GRACE_S if row.time_source == TimeSource.CLOCK else row.limit_s * (1 + 1e-9)
    if row.time_s > allowed_s:
        what = "a pass" if row.passed else "a time"
        yield (
            "time_s",
            f"{what} after {row.time_s:g} s is beyond the limit of {row.limit_s:g} s",
            "Correct time or limit; who did not pass in time has the time limit, and did not pass.",
        )


def _with_derived_values(row: Observation, *, is_export_without_time_source: bool) -> Observation:
    """The row with what follows from its cells."""
    derived_values: dict[str, object] = {}
    if not row.final:
        derived_values["final"] = (Outcome.PASSED if row.passed else Outcome.FAILED).value
    if row.score is None:
        derived_values["score"] = float(row.passed)
    if not row.passed and not row.censored_by:
        at_limit = row.limit_s is not None and (row.time_s or 0.0) >= row.limit_s
        derived_values["censored_by"] = "timed_out" if at_limit else "gave_up"
    if is_export_without_time_source:
        # Earlier versions did not say it: only what nobody does without a clock shows that one ran.
        if row.edits or row.calls:
            derived_values["time_source"] = TimeSource.CLOCK.value
        else:
            derived_values |= dict.fromkeys(_MEASURED) | {"time_source": TimeSource.NONE.value}
    return row.model_copy(update=derived_values)


def _empty_value_by_column() -> dict[str, object]:
    """Every column without a value."""
    empty_values: dict[str, object] = {"censored_by": ""}
    for name, field in Observation.model_fields.items():
        if field.is_required() and name not in empty_values:
            empty_values[name] = _EMPTY.get(field.annotation) if isinstance(field.annotation, type) else None
    return empty_values


def _note_and_compare_minutes(
    minutes_and_position_by_problem: dict[str, tuple[float, str]],
    problem: str,
    stated_minutes: float,
    location: str,
    position: str,
    table_findings: _Findings,
) -> None:
    """Notes the minutes of a problem; a table may state them in every row of it, and has to agree with itself."""
    earlier_minutes, earlier_position = minutes_and_position_by_problem.setdefault(problem, (stated_minutes, position))
    if earlier_minutes != stated_minutes:
        rule = f"{problem} has {earlier_minutes:g} minutes in {earlier_position}, and {stated_minutes:g} here"
        table_findings.add(location, "human_minutes", rule, "Write the same in all rows of a problem.")


def _assumption_notes(
    present_columns: set[str], rows: Sequence[Observation], *, is_export_without_time_source: bool
) -> Iterator[str]:
    untimed = sum(row.time_source == TimeSource.NONE for row in rows)
    if is_export_without_time_source:
        yield (
            "The table is an export of an earlier version, which did not say where times come from: "
            f"{untimed} of {len(rows)} attempts show neither an edit nor a call of a model, so their times don't count."
        )
    elif "time_source" not in present_columns and untimed < len(rows):
        yield "No column says where times come from: they are taken as reported."
    if "passed" not in present_columns:
        yield "No column says which attempts passed: all are taken to have."
    if "solver" not in present_columns:
        yield "No column says who solved: conditions that are not called `model` or `agent` are taken for people's."
    if "family" not in present_columns:
        yield "No column says which problems belong together: each is taken to be a family of its own."
    if "forecast_blind_minutes" not in present_columns:
        yield "No column has forecasts that were made before the condition was known, so nothing is adjusted for them."
