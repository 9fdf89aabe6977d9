"""Records that an import can't take: refused all together, or left out and reported."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from contextlib import contextmanager
from io import StringIO

from benchwright_problems.errors import DatasetError

_FIELDS = ("file", "line", "field", "reason")


class InvalidRecords:
    """Collects what is wrong with single records, so that an error can say how many others are fine.

    Args:
        skip: Import the others. Otherwise, `finish_import` refuses the data set.
    """

    def __init__(self, *, skip: bool = False) -> None:
        self.record_errors: list[DatasetError] = []
        """In the order of the records."""
        self._skip = skip

    @contextmanager
    def collecting_record_error(self) -> Iterator[None]:
        """Read one record in this block; its DatasetError is collected."""
        try:
            yield
        except DatasetError as error:
            self.record_errors.append(error)

    def finish_import(self, read_count: int) -> None:
        """Finish an import.

        Args:
            read_count: The number of records that are fine.

        Raises:
            DatasetError: The first that was collected, if records may not be left out or none is fine.
        """
        if self.record_errors and not (self._skip and read_count):
            raise self.record_errors[0].with_counts(read_count, len(self.record_errors))

    def csv_table(self) -> str:
        """The records that were left out, as CSV with the columns file, line, field and reason."""
        buffer = StringIO()
        csv_writer = csv.writer(buffer, lineterminator="\n")
        csv_writer.writerow(_FIELDS)
        csv_writer.writerows((error.file, error.line or "", error.field, error.reason) for error in self.record_errors)
        return buffer.getvalue()
