"""Rows of untrusted Parquet files, as data sets are published in beside JSON Lines."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from pathlib import Path

from pydantic import JsonValue

from benchwright_problems.errors import DatasetError

MAGIC = b"PAR1"
"""The first bytes of such a file."""

_BATCH_ROWS = 64


def read_parquet_rows(parquet_file: Path, most_bytes: int) -> Iterator[dict[str, object]]:
    """Yield the rows, each with all columns of the table.

    Args:
        parquet_file: The file to read.
        most_bytes: Most bytes that the rows may take when they are unpacked.

    Raises:
        DatasetError: The file can't be read, or unpacks to more.
    """
    import pyarrow
    from pyarrow.parquet import ParquetFile

    too_large = DatasetError(parquet_file, "", f"unpacks to more than {most_bytes >> 20} MiB; split it first")
    try:
        with ParquetFile(parquet_file) as table:
            row_groups = (table.metadata.row_group(index) for index in range(table.num_row_groups))
            if sum(group.total_byte_size for group in row_groups) > most_bytes:
                raise too_large
            names = table.schema_arrow.names
            if twice := next((name for name in names if names.count(name) > 1), None):
                raise DatasetError(parquet_file, twice, "is the name of two columns")
            unpacked_bytes = 0
            for record_batch in table.iter_batches(_BATCH_ROWS):
                unpacked_bytes += record_batch.nbytes
                if unpacked_bytes > most_bytes:
                    raise too_large
                yield from record_batch.to_pylist()
    except (pyarrow.ArrowException, UnicodeDecodeError, OSError) as error:
        raise DatasetError(parquet_file, "", f"can't be read as Parquet: {str(error).partition(chr(10))[0]}") from error


def record_of_row(parquet_row: Mapping[str, object], parquet_file: Path, row_number: int) -> dict[str, JsonValue]:
    """The JSON object that a row was made of.

    A table has every field in every row, where a record of the data set may have none: so what is null is left out.

    Raises:
        DatasetError: A value is none of JSON's, such as bytes or a date.
    """

    def json_object(fields: Mapping[str, object], prefix: str) -> dict[str, JsonValue]:
        return {name: json_value(value, prefix + name) for name, value in fields.items() if value is not None}

    def json_value(value: object, field: str) -> JsonValue:
        if isinstance(value, dict):
            return json_object(value, f"{field}.")
        if isinstance(value, list):
            return [json_value(item, f"{field}[{index}]") for index, item in enumerate(value)]
        if value is None or isinstance(value, (str, int)) or (isinstance(value, float) and math.isfinite(value)):
            return value
        raise DatasetError(parquet_file, field, f"is {type(value).__name__}, which is no value of JSON", row_number)

    return json_object(parquet_row, "")
