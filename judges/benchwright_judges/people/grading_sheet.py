"""Grading sheets, CSV or JSON, written and read back: for people who grade in a spreadsheet."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated

from pydantic import Field, JsonValue, TypeAdapter, ValidationError

from benchwright_foundation.atomic import write_atomically
from benchwright_foundation.model import Model
from benchwright_judges.errors import VotesFileError
from benchwright_judges.people.human_grading import GradableAnswer

_SHOWN = ("item", "problem", "question", "reference", "notes", "answer", "scale")
_FILLED = ("label", "difficulty", "comment")
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


class GradingRow(Model):
    """A grader's entries."""

    item: str
    label: str
    difficulty: Annotated[int, Field(ge=1, le=5)]
    comment: str = ""


_ROWS = TypeAdapter(list[dict[str, JsonValue]])


def write_grading_sheet(sheet_file: Path, gradable_answers: Sequence[GradableAnswer]) -> None:
    """Write answers with room for grades; JSON if the name ends in .json, else CSV. It contains answer keys: mode 0600.

    Raises:
        OSError: The file can't be written.
    """
    rows = [_sheet_row(item) for item in gradable_answers]
    if sheet_file.suffix.lower() == ".json":
        text = json.dumps(rows, ensure_ascii=False, indent=1)
    else:
        stream = io.StringIO()
        writer = csv.DictWriter(stream, [*_SHOWN, *_FILLED])
        writer.writeheader()
        writer.writerows({name: without_formula(text) for name, text in row.items()} for row in rows)
        text = stream.getvalue()
    write_atomically(sheet_file.absolute(), text.encode("utf-8", "replace"), 0o600)


def read_grading_sheet(sheet_file: Path) -> Sequence[GradingRow]:
    """The grades of a sheet; rows without a label are left out.

    Raises:
        VotesFileError: The sheet can't be read, or a grade is not valid; names the row and field.
    """
    try:
        text = sheet_file.read_bytes().decode("utf-8-sig")
        if sheet_file.suffix.lower() == ".json":
            rows: Sequence[Mapping[str, JsonValue]] = _ROWS.validate_json(text)
        else:
            rows = [{**row} for row in csv.DictReader(io.StringIO(text))]
    except OSError as error:
        raise VotesFileError(f"{sheet_file} can't be read: {error.strerror}") from error
    except (ValueError, csv.Error) as error:
        raise VotesFileError(f"{sheet_file} is not a grading sheet: it must be UTF-8, CSV or a JSON array") from error
    graded_rows = []
    for number, row in enumerate(rows, start=1):
        label = str(row.get("label") or "").strip()
        if not label:
            continue
        try:
            comment = str(row.get("comment") or "").removeprefix("'")
            graded_rows.append(
                GradingRow(
                    item=str(row.get("item") or ""), label=label, difficulty=_difficulty_or_0(row), comment=comment
                )
            )
        except ValidationError as error:
            first_error = error.errors(include_url=False, include_input=False)[0]
            field = ".".join(str(part) for part in first_error["loc"])
            raise VotesFileError(f"{sheet_file}: row {number}: field {field}: {first_error['msg']}") from error
    return graded_rows


def _difficulty_or_0(sheet_row: Mapping[str, JsonValue]) -> int:
    text = str(sheet_row.get("difficulty") or "").strip()
    return int(text) if text.isascii() and text.isdigit() else 0


def _sheet_row(gradable_answer: GradableAnswer) -> dict[str, str]:
    key = gradable_answer.problem.hidden.answer
    shown_values = (
        gradable_answer.id,
        gradable_answer.ref,
        gradable_answer.problem.public.statement,
        "\n".join((key.value, *key.alternatives)) if key else "",
        key.rubric if key else "",
        gradable_answer.answer,
        " | ".join(gradable_answer.rubric.scale.labels),
    )
    return dict(zip(_SHOWN, shown_values, strict=True)) | dict.fromkeys(_FILLED, "")


def without_formula(cell_text: str) -> str:
    """Text that no spreadsheet takes for a formula."""
    # A spreadsheet evaluates cells that begin like a formula, and answers are untrusted.
    return f"'{cell_text}" if cell_text.startswith(_FORMULA) else cell_text
