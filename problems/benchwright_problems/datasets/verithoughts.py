"""VeriThoughts: specifications whose solutions are proved to be equivalent to a reference.

Format: https://github.com/wilyub/VeriThoughts. Rows of {`question`, `ground_truth` (Verilog), `verified`}; those that
are not verified have no proof that the question describes the reference, and the set's own script leaves them out.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pydantic import ConfigDict, JsonValue, ValidationError

from benchwright_problems.category import Category
from benchwright_problems.datasets.dataset_format import DatasetExcerpt, DatasetFormat
from benchwright_problems.datasets.invalid_records import InvalidRecords
from benchwright_problems.datasets.jsonl import read_array_or_lines
from benchwright_problems.datasets.naming import require_pack_name
from benchwright_problems.datasets.proof_harness import PROOF_LIMITS, proof_harness, top_modules
from benchwright_problems.datasets.record import (
    Record,
    RecordLocation,
    RecordModel,
    restored_record,
    with_record_patch,
)
from benchwright_problems.errors import DatasetError
from benchwright_problems.problem import Difficulty, Hidden, Pack, Problem, ProblemKind, Provenance, Public

SOURCE = "https://github.com/wilyub/VeriThoughts"
# The repository names none.
LICENSE = "NOASSERTION"
# The month of arXiv:2505.20302.
_PUBLISHED = "2025-05"
RECORD = "verithoughts"


class _Row(RecordModel):
    model_config = ConfigDict(strict=True)

    question: str
    ground_truth: str
    verified: bool


def import_verithoughts(dataset_files: Sequence[Path], pack_name: str, invalid: InvalidRecords | None = None) -> Pack:
    """Import rows as one pack; a problem is called by the number of its row, such as `row-12`.

    Args:
        dataset_files: JSON Lines, a JSON array or Parquet.
        pack_name: Name of the new pack.
        invalid: Collects rows that can't be read or are not verified; without it, the data set is refused.

    Raises:
        DatasetError: Names file, row and field of the first thing that is wrong.
        BadPackNameError: No pack can be called so.
    """
    require_pack_name(pack_name)
    invalid = invalid or InvalidRecords()
    problems: list[Problem] = []
    row_number = 0
    for file in dataset_files:
        for prefix, line, record in read_array_or_lines(file, invalid):
            row_number += 1
            with invalid.collecting_record_error():
                problems.append(_problem_of_row(RecordLocation(file, prefix, line), row_number, record, invalid))
    invalid.require_importable(len(problems))
    if not problems:
        raise DatasetError(dataset_files[0], "", "holds no problem of VeriThoughts")
    return Pack(
        name=pack_name,
        title="VeriThoughts",
        version="unknown",
        license=LICENSE,
        source=SOURCE,
        description="Specifications whose solutions a proof compares with a reference",
        published=_PUBLISHED,
        problems=tuple(problems),
    )


def export_verithoughts(problem: Problem) -> Record:
    """Return the row that a problem was imported from.

    Raises:
        ValueError: The problem does not come from VeriThoughts.
    """
    return restored_record(problem, _row_without_patch(problem))


def _problem_of_row(location: RecordLocation, row_number: int, record_json: Record, invalid: InvalidRecords) -> Problem:
    try:
        dataset_row = _Row.model_validate(record_json)
    except ValidationError as error:
        raise DatasetError.from_validation(location.file, error, location.line) from error
    invalid.require_known_fields(location, dataset_row)
    if not dataset_row.verified:
        raise location.error("verified", "is false: nothing shows that the question describes the reference")
    tops = top_modules({"ground_truth": dataset_row.ground_truth})
    if len(tops) != 1:
        described = f"the top modules {', '.join(tops)}" if tops else "no module"
        raise location.error("ground_truth", f"has {described}, where a proof needs one")
    path = f"rtl/{tops[0]}.v"
    try:
        problem = Problem(
            id=f"row-{row_number}",
            kind=ProblemKind.DESIGN,
            title=tops[0].replace("_", " "),
            category=Category.SPEC_TO_RTL,
            difficulty=Difficulty.MEDIUM,
            limits=PROOF_LIMITS,
            provenance=Provenance(source=SOURCE, license=LICENSE, version="unknown"),
            public=Public(statement=dataset_row.question, expected=(path,)),
            hidden=Hidden(
                harness=proof_harness(tops[0]), reference={path: dataset_row.ground_truth}, dataset_format=RECORD
            ),
        )
    except ValidationError as error:
        raise DatasetError.from_validation(location.file, error, location.line) from error
    return with_record_patch(problem, _row_without_patch(problem), record_json, location)


def _row_without_patch(problem: Problem) -> dict[str, JsonValue]:
    if problem.hidden.dataset_format != RECORD:
        raise ValueError(f"{problem.id} does not come from VeriThoughts")
    (reference,) = problem.hidden.reference.values()
    return {"question": problem.public.statement, "ground_truth": reference, "verified": True}


def _is_verithoughts(excerpt: DatasetExcerpt) -> bool:
    return {"ground_truth", "verified"} <= excerpt.fields


FORMAT = DatasetFormat(
    name="verithoughts",
    source=SOURCE,
    reads="rows of the verified benchmark",
    importer=import_verithoughts,
    export=export_verithoughts,
    recognise=_is_verithoughts,
)
