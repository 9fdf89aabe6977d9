"""Reading untrusted JSON Lines, or the same rows as Parquet: strict, and precise about what is wrong and where."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path

from pydantic import JsonValue

from benchwright_foundation.json_text import is_nested_deeper_than, parse_finite_number, refuse_nan_and_infinity
from benchwright_problems.datasets.invalid_records import InvalidRecords
from benchwright_problems.datasets.parquet import MAGIC, read_parquet_rows, record_of_row
from benchwright_problems.errors import DatasetError

MAX_FILE_BYTES = 2 * 1024**3
MAX_DEPTH = 64

_VALUE = re.compile(r"[^ \t\n\r]")
_NO_OBJECT = "is not a JSON object"
_OVER_LINES = "holds a JSON object over several lines; write each record in one line"
_TOO_DEEP = f"is nested more than {MAX_DEPTH} deep"


def read_records(
    records_file: Path, invalid: InvalidRecords | None = None
) -> Iterator[tuple[int, dict[str, JsonValue]]]:
    """Yield (line number from 1, record) of a JSON Lines file; blank lines are skipped. Of Parquet, rows are counted.

    Args:
        records_file: The file to read.
        invalid: Collects the errors of single lines. Without it, the first is raised.

    Raises:
        DatasetError: The file can't be read, is not UTF-8, or a line is not a JSON object;
            also for what JSON and UTF-8 do not allow: NaN, one name twice in an
            object, and lone surrogates.
    """
    content = _read_bytes(records_file)
    if content.startswith(MAGIC):
        for number, row in enumerate(read_parquet_rows(records_file, MAX_FILE_BYTES), 1):
            with invalid.collecting_record_error() if invalid else nullcontext():
                yield number, record_of_row(row, records_file, number)
        return
    lines = content.split(b"\n")
    filled_lines = [raw for raw in lines if raw.strip()]
    if len(filled_lines) > 1 and filled_lines[0].strip() == b"{":
        raise DatasetError(records_file, "", _OVER_LINES)
    for number, raw in enumerate(lines, 1):
        if raw.strip():
            with invalid.collecting_record_error() if invalid else nullcontext():
                yield (
                    number,
                    _require_object(
                        _parse_json(raw, records_file, number), DatasetError(records_file, "", _NO_OBJECT, number)
                    ),
                )


def read_array_or_lines(
    records_file: Path, invalid: InvalidRecords | None = None
) -> Iterator[tuple[str, int | None, dict[str, JsonValue]]]:
    """Yield the records of a JSON array, of JSON Lines or of Parquet, whichever the content is.

    Each comes with a prefix for the names of its fields, such as `[3].` in an array, and with its line in JSON Lines.

    Args:
        records_file: The file to read.
        invalid: Collects the errors of single records. Without it, the first is raised.

    Raises:
        DatasetError: As `read_records` does.
    """
    content = _read_bytes(records_file)
    if not content.lstrip().startswith(b"["):
        yield from (("", line, record) for line, record in read_records(records_file, invalid))
        return
    # As a whole first: an array that breaks off is refused, not read half.
    records = _parse_json(content, records_file, None)
    lines = _line_numbers_of_elements(content.decode())
    for number, record in enumerate(records if isinstance(records, list) else [records]):
        line = next(lines)
        with invalid.collecting_record_error() if invalid else nullcontext():
            yield (
                f"[{number}].",
                line,
                _require_object(record, DatasetError(records_file, f"[{number}]", _NO_OBJECT, line)),
            )


def _require_object(json_value: JsonValue, error_if_no_object: DatasetError) -> dict[str, JsonValue]:
    if not isinstance(json_value, dict):
        raise error_if_no_object
    return json_value


def _line_numbers_of_elements(array_text: str) -> Iterator[int]:
    """The line, from 1, at which each element of a well-formed array begins."""
    decoder = json.JSONDecoder()
    line, counted_offset, offset = 1, 0, array_text.index("[") + 1
    while offset < len(array_text):
        match = _VALUE.search(array_text, offset)
        element_start = match.start() if match else len(array_text)
        line += array_text.count("\n", counted_offset, element_start)
        counted_offset = element_start
        yield line
        _, end = decoder.raw_decode(array_text, element_start)
        comma = array_text.find(",", end)
        offset = comma + 1 if comma >= 0 else len(array_text)


def _read_bytes(file: Path) -> bytes:
    try:
        if file.stat().st_size > MAX_FILE_BYTES:
            raise DatasetError(file, "", f"larger than {MAX_FILE_BYTES >> 30} GiB; split it first")
        return file.read_bytes().removeprefix(b"\xef\xbb\xbf")
    except OSError as error:
        raise DatasetError(file, "", f"can't be read: {error.strerror}") from error


def _parse_json(json_bytes: bytes, file: Path, line_number: int | None) -> JsonValue:
    try:
        value: JsonValue = json.loads(
            json_bytes.decode(),
            object_pairs_hook=_object_with_unique_names,
            parse_constant=refuse_nan_and_infinity,
            parse_float=parse_finite_number,
        )
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeDecodeError as error:
        raise DatasetError(file, "", f"byte {error.start + 1} is not UTF-8", line_number) from error
    except UnicodeEncodeError as error:
        raise DatasetError(
            file, "", "contains half of a surrogate pair, which is not valid text", line_number
        ) from error
    except RecursionError as error:
        raise DatasetError(file, "", _TOO_DEEP, line_number) from error
    except ValueError as error:
        raise DatasetError(file, "", f"is not JSON: {error}", line_number) from error
    if is_nested_deeper_than(value, MAX_DEPTH):
        raise DatasetError(file, "", _TOO_DEEP, line_number)
    return value


def _object_with_unique_names(names_and_values: list[tuple[str, JsonValue]]) -> dict[str, JsonValue]:
    record = dict(names_and_values)
    if len(record) != len(names_and_values):
        names = [name for name, _ in names_and_values]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"the name {twice!r} appears twice in one object")
    return record
