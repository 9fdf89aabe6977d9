"""Problems that a filter kept or dropped, from the table that `benchwright problems filter` writes."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from pathlib import Path

from benchwright_attempts.errors import AttemptError

_LARGEST = 100_000_000
_IS_KEPT = {"yes": True, "no": False}


class FilteredProblemsError(AttemptError):
    """The file is not as the filter writes it; the message names file, line, field and what to do."""


def read_is_kept_by_problem(file: Path) -> Mapping[str, bool]:
    """Problem (`pack/id`) → whether it was kept, from CSV (UTF-8) with the columns `problem` and `kept`.

    Raises:
        FilteredProblemsError: The file can't be read, or a field is wrong.
    """
    next_step = "Give the table that `benchwright problems filter` writes beside its file."
    try:
        if file.stat().st_size > _LARGEST:
            raise FilteredProblemsError(f"{file} is larger than {_LARGEST:,} bytes. {next_step}")
        text = file.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise FilteredProblemsError(f"{file} can't be read: {error.strerror}. {next_step}") from error
    except UnicodeDecodeError as error:
        raise FilteredProblemsError(f"{file} is not UTF-8. {next_step}") from error
    is_kept: dict[str, bool] = {}
    csv_reader = csv.DictReader(io.StringIO(text, newline=""), strict=True)
    try:
        if missing := {"problem", "kept"} - set(csv_reader.fieldnames or ()):
            raise FilteredProblemsError(f"{file}, line 1: there is no column {min(missing)!r}. {next_step}")
        for row in csv_reader:
            location = f"{file}, line {csv_reader.line_num}"
            problem, answer = (row["problem"] or "").strip(), (row["kept"] or "").strip()
            if not problem or problem in is_kept:
                reason = f"{problem!r} has a row already" if problem else "is empty"
                raise FilteredProblemsError(f"{location}, problem: {reason}. Keep one row for each problem.")
            if answer not in _IS_KEPT:
                raise FilteredProblemsError(f"{location}, kept: is {answer[:40]!r}. Write yes or no.")
            is_kept[problem] = _IS_KEPT[answer]
    except csv.Error as error:
        raise FilteredProblemsError(f"{file}, line {csv_reader.line_num}: {error}. {next_step}") from error
    if not is_kept:
        raise FilteredProblemsError(f"{file} has no rows below the line of names. {next_step}")
    return is_kept
