"""RTL-BenchLS: parts of designs to fill in again, which a proof compares with the design as it was.

Format: https://github.com/SebastianWANG2024/RTL-BenchLS, of which `masked_designs.jsonl` has tasks for everybody:
records {`task_id`, `top_module`, `design_type`, `mask_type`, `golden_rtl_key`, `masked_rtl_key`, `files` (name → text)}
with fields that say where they come from. The scripts among the files are for commercial provers.
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
from benchwright_problems.datasets.proof_harness import PROOF_LIMITS, proof_harness
from benchwright_problems.datasets.record import (
    Record,
    RecordLocation,
    RecordModel,
    restored_record,
    with_record_patch,
)
from benchwright_problems.errors import DatasetError
from benchwright_problems.problem import Difficulty, Hidden, Pack, Problem, ProblemKind, Provenance, Public
from benchwright_problems.verilog import modules

SOURCE = "https://github.com/SebastianWANG2024/RTL-BenchLS"
LICENSE = "CC-BY-4.0"
RECORD = "rtl-benchls"

_MASK = "[MASKED]"
_LIBRARY = "lib.v"


class _Record(RecordModel):
    model_config = ConfigDict(strict=True)

    task_id: str
    top_module: str
    golden_rtl_key: str
    masked_rtl_key: str
    files: dict[str, str]
    mask_type: str
    design_type: str
    parent_design: str = ""
    origin: str = ""
    origin_bucket: str = ""
    loc: int | None = None
    mask_index: int | None = None
    mask_target_module: str | None = None
    verification_tool: str = ""
    verification_type: str = ""
    primary_script_key: str = ""
    ref_rtl: str = ""


def import_rtl_benchls(dataset_files: Sequence[Path], pack_name: str, invalid: InvalidRecords | None = None) -> Pack:
    """Import masked designs as one pack.

    Args:
        dataset_files: JSON Lines, a JSON array or Parquet.
        pack_name: Name of the new pack.
        invalid: Collects records that can't be read; without it, the data set is refused.

    Raises:
        DatasetError: Names file, record and field of the first thing that is wrong.
        BadPackNameError: No pack can be called so.
    """
    require_pack_name(pack_name)
    invalid = invalid or InvalidRecords()
    problems: dict[str, Problem] = {}
    for file in dataset_files:
        for prefix, line, record in read_array_or_lines(file, invalid):
            location = RecordLocation(file, prefix, line)
            with invalid.collecting_record_error():
                problem = _problem_of_record(location, record, invalid)
                if problem.id.lower() in problems:
                    raise location.error("task_id", f"a problem called {problem.id!r} was already there")
                problems[problem.id.lower()] = problem
    invalid.require_importable(len(problems))
    if not problems:
        raise DatasetError(dataset_files[0], "", "holds no problem of RTL-BenchLS")
    return Pack(
        name=pack_name,
        title="RTL-BenchLS",
        version="unknown",
        license=LICENSE,
        source=SOURCE,
        description="Parts of designs to fill in again, decided by a proof",
        problems=tuple(problems.values()),
    )


def export_rtl_benchls(problem: Problem) -> Record:
    """Return the record that a problem was imported from.

    Raises:
        ValueError: The problem does not come from RTL-BenchLS.
    """
    return restored_record(problem, _record_without_patch(problem))


def _problem_of_record(location: RecordLocation, record_json: Record, invalid: InvalidRecords) -> Problem:
    try:
        masked_design = _Record.model_validate(record_json)
    except ValidationError as error:
        raise DatasetError.from_validation(location.file, error, location.line) from error
    invalid.require_known_fields(location, masked_design)
    texts = masked_design.files
    for field, name in (
        ("golden_rtl_key", masked_design.golden_rtl_key),
        ("masked_rtl_key", masked_design.masked_rtl_key),
    ):
        if name not in texts:
            raise location.error(field, f"names {name!r}, which is not among the files")
    golden, masked = texts[masked_design.golden_rtl_key], texts[masked_design.masked_rtl_key]
    if _MASK not in masked:
        raise location.error("masked_rtl_key", f"names a file without {_MASK}")
    if masked_design.top_module not in {module.name for module in modules(golden)}:
        raise location.error("top_module", f"{masked_design.top_module!r} is not a module of the design")
    path = f"rtl/{masked_design.top_module}.v"
    library = texts.get(_LIBRARY, "")
    # A library may hold the design, or modules that it declares itself.
    declared = {module.name for module in modules(golden)}
    is_needed = bool(library.strip()) and not declared & {module.name for module in modules(library)}
    given_files = {f"rtl/{_LIBRARY}": library} if is_needed else {}
    part = "module" if masked_design.mask_type == "module" else "part"
    try:
        problem = Problem(
            id=masked_design.task_id,
            kind=ProblemKind.DESIGN,
            title=masked_design.task_id.replace("_", " "),
            category=Category.COMPLETION,
            difficulty=Difficulty.MEDIUM,
            limits=PROOF_LIMITS,
            provenance=Provenance(source=SOURCE, license=LICENSE, version="unknown"),
            public=Public(
                statement=f"In `{path}`, `{_MASK}` stands for a {part} of the {masked_design.design_type} design "
                f"`{masked_design.top_module}`. Write that {part}, so that the design does again what it did before.\n",
                files={path: masked, **given_files},
                expected=(path,),
            ),
            hidden=Hidden(
                harness=proof_harness(masked_design.top_module), reference={path: golden}, dataset_format=RECORD
            ),
        )
    except ValidationError as error:
        raise DatasetError.from_validation(location.file, error, location.line) from error
    return with_record_patch(problem, _record_without_patch(problem), record_json, location)


def _record_without_patch(problem: Problem) -> dict[str, JsonValue]:
    if problem.hidden.dataset_format != RECORD:
        raise ValueError(f"{problem.id} does not come from RTL-BenchLS")
    return {"task_id": problem.id, "files": {}}


def _is_rtl_benchls(excerpt: DatasetExcerpt) -> bool:
    return {"masked_rtl_key", "golden_rtl_key"} <= excerpt.fields


FORMAT = DatasetFormat(
    name="rtl-benchls",
    source=SOURCE,
    reads="masked designs, JSON Lines",
    importer=import_rtl_benchls,
    export=export_rtl_benchls,
    recognise=_is_rtl_benchls,
)
