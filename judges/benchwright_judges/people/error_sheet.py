"""Sheets of wrong answers with the labels that judges gave, in which a person corrects them."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from pathlib import Path

from benchwright_foundation.atomic import write_atomically
from benchwright_foundation.model import Model
from benchwright_judges.agreement.error_labels import ErrorLabels
from benchwright_judges.errors import VotesFileError
from benchwright_judges.people.grading_sheet import without_formula

_SEPARATOR = ";"


class ErrorSheetRow(Model):
    """A wrong answer in a sheet."""

    attempt: str
    problem: str
    question: str
    reference: str
    reply: str
    types: tuple[str, ...]
    """Labels that count now; none if there are none."""


def write_error_sheet(file: Path, sheet_rows: Sequence[ErrorSheetRow]) -> None:
    """Write wrong answers as CSV, with an empty column `corrected`. It contains answer keys: mode 0600.

    Raises:
        OSError: The file can't be written.
    """
    stream = io.StringIO()
    writer = csv.DictWriter(stream, [*ErrorSheetRow.model_fields, "corrected"])
    writer.writeheader()
    for sheet_row in sheet_rows:
        cells = {**sheet_row.model_dump(), "types": f"{_SEPARATOR} ".join(sheet_row.types), "corrected": ""}
        writer.writerow({name: without_formula(text) for name, text in cells.items()})
    write_atomically(file.absolute(), stream.getvalue().encode("utf-8", "replace"), 0o600)


def read_error_sheet(file: Path, labels: ErrorLabels) -> Mapping[str, tuple[str, ...]]:
    """Attempt → the labels of the column `corrected`; rows in which it is empty are left out.

    Raises:
        VotesFileError: The sheet can't be read, or names what is no label; says in which row.
    """
    try:
        rows = list(csv.DictReader(io.StringIO(file.read_bytes().decode("utf-8-sig"))))
    except OSError as error:
        raise VotesFileError(f"{file} can't be read: {error.strerror}") from error
    except (ValueError, csv.Error) as error:
        raise VotesFileError(f"{file} is not a sheet of errors: it must be CSV in UTF-8") from error
    if rows and not {"attempt", "corrected"} <= rows[0].keys():
        raise VotesFileError(f"{file} lacks the column attempt or corrected: `--sheet` writes one that has them")
    corrections = {}
    for number, row in enumerate(rows, start=2):
        names = [name.strip() for name in (row["corrected"] or "").split(_SEPARATOR) if name.strip()]
        if not names:
            continue
        try:
            corrections[row["attempt"]] = labels.checked_names_in_order(names)
        except ValueError as error:
            listing = ", ".join(labels.names)
            raise VotesFileError(f"{file}: line {number}: corrected: {error}; the labels are {listing}") from error
    return corrections
