"""Records that an import can't take: refused all together, or left out and reported."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from contextlib import contextmanager
from io import StringIO

from benchwright_problems.datasets.record import RecordLocation, RecordModel
from benchwright_problems.errors import DatasetError

_FIELDS = ("file", "line", "field", "reason")


class InvalidRecords:
    """Collects what is wrong with single records, so that an error can say how many others are fine.

    Args:
        skip: Import the others. Otherwise, `require_importable` refuses the data set.
        keeps_unknown_fields: Take records with fields that the importer does not know; they are kept for the export.
    """

    def __init__(self, *, skip: bool = False, keeps_unknown_fields: bool = False) -> None:
        self.record_errors: list[DatasetError] = []
        """In the order of the records."""
        self._skip = skip
        self._keeps_unknown_fields = keeps_unknown_fields

    def require_known_fields(self, location: RecordLocation, record: RecordModel) -> None:
        """Refuse a record that says more than the importer understands: it may be another problem than it seems.

        Raises:
            DatasetError: Names the first field that is not known.
        """
        if not self._keeps_unknown_fields and (field := next(record.unknown_fields(), None)) is not None:
            raise location.error(
                field,
                "is not known to this importer, and may change what the problem is; with --keep-unknown-fields the "
                "record is imported without it",
            )

    @contextmanager
    def collecting_record_error(self) -> Iterator[None]:
        """Read one record in this block; its DatasetError is collected."""
        try:
            yield
        except DatasetError as error:
            self.record_errors.append(error)

    def require_importable(self, valid_count: int) -> None:
        """Finish an import.

        Args:
            valid_count: The number of records that are fine.

        Raises:
            DatasetError: The first that was collected, if records may not be left out or none is fine.
        """
        if self.record_errors and not (self._skip and valid_count):
            raise self.record_errors[0].with_counts(valid_count, len(self.record_errors))

    def csv_table(self) -> str:
        """The records that were left out, as CSV with the columns file, line, field and reason."""
        buffer = StringIO()
        csv_writer = csv.writer(buffer, lineterminator="\n")
        csv_writer.writerow(_FIELDS)
        csv_writer.writerows((error.file, error.line or "", error.field, error.reason) for error in self.record_errors)
        return buffer.getvalue()
