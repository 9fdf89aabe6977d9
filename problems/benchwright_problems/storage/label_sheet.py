"""Sheets on which people correct labels, CSV: one row per question and kind."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path

from benchwright_foundation.atomic import write_atomically
from benchwright_problems.errors import DatasetError
from benchwright_problems.problem import Problem
from benchwright_problems.storage.labels import LabelKind, LabelSource, PackLabels, QuestionLabel

_SHOWN = ("problem", "kind", "question", "label", "by", "votes")
_FILLED = ("corrected", "reason")
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def write_label_sheet(sheet_file: Path, problems: Sequence[Problem], labels: PackLabels) -> int:
    """Write every label that counts, with room for another; returns the number of rows.

    Raises:
        OSError: The file can't be written.
    """
    stream = io.StringIO()
    csv_writer = csv.writer(stream)
    csv_writer.writerow((*_SHOWN, *_FILLED))
    count = 0
    for problem in problems:
        for kind in LabelKind:
            settled = labels.settled_label(problem, kind)
            if settled is None:
                continue
            machine = labels.newest_machine_label(problem, kind)
            vote_list = "; ".join(f"{vote.judge}={vote.value}" for vote in machine.votes) if machine is not None else ""
            row_cells = (problem.id, kind.value, problem.public.statement, settled.value, settled.by, vote_list)
            csv_writer.writerow([*(_cell_without_formula(text) for text in row_cells), "", ""])
            count += 1
    # A byte order mark, without which spreadsheets don't take it for UTF-8.
    write_atomically(sheet_file.absolute(), b"\xef\xbb\xbf" + stream.getvalue().encode("utf-8", "replace"))
    return count


def read_label_sheet(
    sheet_file: Path, problem_by_id: Mapping[str, Problem], labelling_person: str, correction_time: datetime
) -> list[QuestionLabel]:
    """The corrections of a sheet; rows without one are left out.

    Args:
        sheet_file: CSV with the columns `problem`, `kind`, `corrected` and `reason`; others don't matter.
        problem_by_id: The problems by id.
        labelling_person: The person who corrected.
        correction_time: Time of the corrections.

    Raises:
        DatasetError: Names line and field of the first thing that is wrong; nothing is to be kept then.
    """
    try:
        rows = csv.DictReader(io.StringIO(sheet_file.read_bytes().decode("utf-8-sig")), strict=True)
        missing = [name for name in ("problem", "kind", *_FILLED) if name not in (rows.fieldnames or ())]
        if missing:
            raise DatasetError(
                sheet_file, missing[0], "is not among the columns; `--export` writes a sheet that has it", 1
            )
        return [
            _corrected_label(sheet_file, rows.line_num, row, problem_by_id, labelling_person, correction_time)
            for row in rows
            if (row["corrected"] or "").strip()
        ]
    except OSError as error:
        raise DatasetError(sheet_file, "", f"can't be read: {error.strerror}") from error
    except (UnicodeDecodeError, csv.Error) as error:
        raise DatasetError(sheet_file, "", f"is not CSV in UTF-8: {error}") from error


def _corrected_label(
    sheet_file: Path,
    line_number: int,
    sheet_row: Mapping[str, str | None],
    problem_by_id: Mapping[str, Problem],
    labelling_person: str,
    correction_time: datetime,
) -> QuestionLabel:
    def cell(name: str) -> str:
        return (sheet_row[name] or "").strip().removeprefix("'")

    problem = problem_by_id.get(cell("problem").rpartition("/")[2])
    if problem is None:
        raise DatasetError(
            sheet_file, "problem", f"is {cell('problem')!r}, and the pack has no such question", line_number
        )
    if cell("kind") not in (*LabelKind,):
        raise DatasetError(sheet_file, "kind", f"is {cell('kind')!r}; known are {', '.join(LabelKind)}", line_number)
    kind = LabelKind(cell("kind"))
    value = cell("corrected") if kind is LabelKind.TOPIC else cell("corrected").lower()
    try:
        kind.require_value(value)
    except ValueError as error:
        raise DatasetError(sheet_file, "corrected", str(error), line_number) from error
    if not cell("reason"):
        raise DatasetError(
            sheet_file, "reason", "is empty; say why, so that others can follow the correction", line_number
        )
    return QuestionLabel(
        problem=problem.id,
        public_digest=problem.public_digest,
        kind=kind,
        value=value,
        source=LabelSource.PERSON,
        by=labelling_person,
        reason=cell("reason"),
        made=correction_time.isoformat(timespec="seconds"),
    )


def _cell_without_formula(cell_text: str) -> str:
    # A spreadsheet evaluates cells that begin like a formula, and questions are a stranger's.
    return f"'{cell_text}" if cell_text.startswith(_FORMULA) else cell_text
