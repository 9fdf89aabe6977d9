"""NVIDIA's VerilogEval, version 2 as folders and version 1 as JSON Lines.

Format: https://github.com/NVlabs/verilog-eval. Version 2 has, per problem, `ProbNNN_name_prompt.txt`, `_ref.sv` with
`RefModule`, `_test.sv` with the testbench `tb`, and for code completion `_ifc.txt` with the header of `TopModule`.
Version 1 has records {`task_id`, `prompt` (the header of `top_module`), `canonical_solution` (the rest), `test`} and
apart from them descriptions {`task_id`, `detail_description`}.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from pydantic import ConfigDict, JsonValue, ValidationError

from benchwright_problems.category import Category
from benchwright_problems.datasets.dataset_format import DatasetExcerpt, DatasetFormat
from benchwright_problems.datasets.folder import files_below, read_text
from benchwright_problems.datasets.invalid_records import InvalidRecords
from benchwright_problems.datasets.jsonl import read_records
from benchwright_problems.datasets.naming import require_pack_name
from benchwright_problems.datasets.record import RecordLocation, RecordModel, restored_record, with_record_patch
from benchwright_problems.errors import DatasetError
from benchwright_problems.problem import (
    Difficulty,
    Hidden,
    Pack,
    Problem,
    ProblemKind,
    Provenance,
    Public,
    RunLimits,
)
from benchwright_problems.verilog import modules, rename_identifier

SOURCE = "https://github.com/NVlabs/verilog-eval"
LICENSE = "MIT"
# The month of version 1 by its authors (arXiv:2408.11053); version 2 asks the same problems in other words.
_PUBLISHED = "2023-11"

FOLDER = "verilogeval-folder"
RECORD = "verilogeval-jsonl"

_SPEC_TO_RTL = "spec-to-rtl"
_CODE_COMPLETE = "code-complete"
_FILE = re.compile(r"^(Prob[A-Za-z0-9._-]+)_(prompt\.txt|ref\.sv|test\.sv|ifc\.txt)$")
_NEEDED = ("prompt.txt", "ref.sv", "test.sv")
_REFERENCE = "RefModule"
# The authors' own limit is on simulated time; this one also has to hold a compiler.
_LIMITS = RunLimits(wall_s=120)


class _Row(RecordModel):
    model_config = ConfigDict(strict=True)


class _TaskRecord(_Row):
    task_id: str
    prompt: str
    canonical_solution: str
    test: str


class _DescriptionRecord(_Row):
    task_id: str
    detail_description: str
    simple_description: JsonValue = None


@dataclass(frozen=True)
class ProblemSource:
    """One problem as it was found, whatever its layout."""

    location: Path
    line: int | None
    name: str
    task: str
    version: str
    statement: str
    category: Category
    starting_text: str
    """The solver's file at the start; empty where the solver writes all of it."""
    top_module: str
    """The module to write."""
    reference: str
    harness: dict[str, str]
    """Files that are compiled with the design, in order."""
    record: dict[str, JsonValue]


def import_verilogeval(dataset_paths: Sequence[Path], pack_name: str, invalid: InvalidRecords | None = None) -> Pack:
    """Import folders of version 2 and JSON Lines of version 1 as one pack.

    Args:
        dataset_paths: The folders and files.
        pack_name: Name of the new pack.
        invalid: Collects problems that can't be read; without it, the data set is refused.

    Raises:
        DatasetError: Names file, line and field of the first thing that is wrong.
        BadPackNameError: No pack can be called so.
    """
    require_pack_name(pack_name)
    invalid = invalid or InvalidRecords()
    found_sources = [
        problem_source
        for path in dataset_paths
        if path.is_dir()
        for problem_source in problem_sources_in_folder(path, invalid)
    ]
    found_sources += _problem_sources_in_files([path for path in dataset_paths if not path.is_dir()], invalid)
    if not found_sources and not invalid.record_errors:
        raise DatasetError(dataset_paths[0], "", "holds no problem of VerilogEval")
    # The two tasks of version 2 name their problems alike.
    has_several = len({(problem_source.version, problem_source.task) for problem_source in found_sources}) > 1
    problems: dict[str, Problem] = {}
    for problem_source in found_sources:
        name = f"{problem_source.task}.{problem_source.name}" if has_several else problem_source.name
        with invalid.collecting_record_error():
            if name.lower() in problems:
                raise DatasetError(
                    problem_source.location, "", f"a problem called {name!r} was already there", problem_source.line
                )
            problems[name.lower()] = problem_of_source(problem_source, name, SOURCE)
    invalid.require_importable(len(problems))
    return Pack(
        name=pack_name,
        title="VerilogEval",
        version=", ".join(sorted({problem_source.version for problem_source in found_sources})),
        license=LICENSE,
        source=SOURCE,
        description="Problems of HDLBits with a testbench that compares with a reference",
        published=_PUBLISHED,
        problems=tuple(problems.values()),
    )


def export_verilogeval(problem: Problem) -> dict[str, JsonValue]:
    """Return what a problem was imported from: a record, or the contents of its files by name.

    Raises:
        ValueError: The problem does not come from VerilogEval.
    """
    return restored_record(problem, _source_without_patch(problem))


def problem_sources_in_folder(dataset_folder: Path, invalid: InvalidRecords) -> list[ProblemSource]:
    """The problems of version 2 below a folder.

    Args:
        dataset_folder: The folder.
        invalid: Collects problems that can't be read.
    """
    paths_by_problem: dict[tuple[str, str], dict[str, str]] = {}
    for path in files_below(dataset_folder):
        parent, _, name = path.rpartition("/")
        if matched := _FILE.match(name):
            paths_by_problem.setdefault((parent, matched[1]), {})[matched[2]] = path
    folder_sources = []
    for (parent, name), paths in sorted(paths_by_problem.items()):
        with invalid.collecting_record_error():
            folder_sources.append(_problem_source_of_files(dataset_folder, parent, name, paths))
    return folder_sources


def _problem_source_of_files(
    dataset_folder: Path, task_folder: str, problem_name: str, path_by_suffix: Mapping[str, str]
) -> ProblemSource:
    location = dataset_folder / task_folder / problem_name
    for needed_suffix in _NEEDED:
        if needed_suffix not in path_by_suffix:
            raise DatasetError(location.with_name(f"{problem_name}_{needed_suffix}"), "", "is missing")
    texts = {part: read_text(dataset_folder, path) for part, path in path_by_suffix.items()}
    if not any(declared_module.name == _REFERENCE for declared_module in modules(texts["ref.sv"])):
        raise DatasetError(dataset_folder / path_by_suffix["ref.sv"], "", f"declares no module {_REFERENCE}")
    header = texts.get("ifc.txt", "")
    completes = "ifc.txt" in texts or _CODE_COMPLETE in f"{dataset_folder.name}/{task_folder}"
    record: dict[str, JsonValue] = {f"{problem_name}_{part}": text for part, text in texts.items()}
    return ProblemSource(
        location=dataset_folder / path_by_suffix["test.sv"],
        line=None,
        name=problem_name,
        task=_CODE_COMPLETE if completes else _SPEC_TO_RTL,
        version="2",
        statement=texts["prompt.txt"],
        category=Category.COMPLETION if header else Category.SPEC_TO_RTL,
        starting_text=_empty_module_with_header(header),
        top_module="TopModule",
        reference=rename_identifier(texts["ref.sv"], _REFERENCE, "TopModule"),
        harness={"test.sv": texts["test.sv"], "ref.sv": texts["ref.sv"]},
        record=record,
    )


def _problem_sources_in_files(dataset_files: Sequence[Path], invalid: InvalidRecords) -> list[ProblemSource]:
    descriptions: dict[str, dict[str, str]] = {}
    task_records: list[tuple[Path, int, _TaskRecord, dict[str, JsonValue]]] = []
    for file in dataset_files:
        for line, record in read_records(file, invalid):
            with invalid.collecting_record_error(), _validation_error_as_dataset_error(file, line):
                if "test" in record:
                    task_row = _TaskRecord.model_validate(record)
                    invalid.require_known_fields(RecordLocation(file, "", line), task_row)
                    task_records.append((file, line, task_row, record))
                else:
                    description_row = _DescriptionRecord.model_validate(record)
                    invalid.require_known_fields(RecordLocation(file, "", line), description_row)
                    if descriptions.setdefault(_variant_in_file_name(file), {}).setdefault(
                        description_row.task_id, description_row.detail_description
                    ) != (description_row.detail_description):
                        raise DatasetError(
                            file, "task_id", f"{description_row.task_id!r} is described in two ways", line
                        )
    # Where only one file describes, it is meant for all, whatever it is called.
    only = next(iter(descriptions.values())) if len(descriptions) == 1 else {}
    record_sources = []
    for file, line, task_row, record in task_records:
        with invalid.collecting_record_error():
            record_sources.append(
                _problem_source_of_record(
                    file, line, task_row, record, descriptions.get(_variant_in_file_name(file), only)
                )
            )
    return record_sources


@contextmanager
def _validation_error_as_dataset_error(dataset_file: Path, line_number: int) -> Iterator[None]:
    try:
        yield
    except ValidationError as error:
        raise DatasetError.from_validation(dataset_file, error, line_number) from error


def _variant_in_file_name(dataset_file: Path) -> str:
    """`human` or `machine`: the same problems, described by people or by a model."""
    return dataset_file.stem.partition("_")[2].lower() or "v1"


def _problem_source_of_record(
    dataset_file: Path,
    line_number: int,
    task_row: _TaskRecord,
    record_json: dict[str, JsonValue],
    description_by_task_id: Mapping[str, str],
) -> ProblemSource:
    described = description_by_task_id.get(task_row.task_id)
    if description_by_task_id and described is None:
        raise DatasetError(
            dataset_file, "task_id", f"{task_row.task_id!r} has no description in the files given", line_number
        )
    description = (described or "Complete this module.").rstrip()
    return ProblemSource(
        location=dataset_file,
        line=line_number,
        name=task_row.task_id,
        task=_variant_in_file_name(dataset_file),
        version="1",
        statement=f"{description}\n\n```verilog\n{task_row.prompt.strip()}\n```\n",
        category=Category.COMPLETION if task_row.prompt else Category.SPEC_TO_RTL,
        starting_text=_empty_module_with_header(task_row.prompt),
        top_module="top_module",
        reference=_joined_source(task_row.prompt, task_row.canonical_solution),
        harness={"test.sv": task_row.test},
        record=record_json if described is None else record_json | {"detail_description": described},
    )


def _joined_source(module_header: str, module_body: str) -> str:
    return (
        f"{module_header}{module_body}"
        if module_header.endswith("\n") or module_body.startswith("\n")
        else f"{module_header}\n{module_body}"
    )


def _empty_module_with_header(module_header: str) -> str:
    return f"{module_header.strip()}\n\n\nendmodule\n" if module_header else ""


def problem_of_source(problem_source: ProblemSource, problem_id: str, dataset_address: str) -> Problem:
    """The problem that is called `problem_id`.

    Args:
        problem_source: What was read of it.
        problem_id: Its id.
        dataset_address: That of the data set.

    Raises:
        DatasetError: No such problem can be.
    """
    file = f"rtl/{problem_source.top_module}.sv"
    start = {file: problem_source.starting_text} if problem_source.starting_text else {}
    harness = {"testbench.json": _testbench_json(problem_source, file), **problem_source.harness}
    provenance = Provenance(source=dataset_address, license=LICENSE, version=problem_source.version)
    try:
        problem = Problem(
            id=problem_id,
            kind=ProblemKind.DESIGN,
            title=problem_source.name.replace("_", " "),
            category=problem_source.category,
            difficulty=Difficulty.MEDIUM,
            limits=_LIMITS,
            provenance=provenance,
            public=Public(statement=problem_source.statement, files=start, expected=(file,)),
            hidden=Hidden(
                harness=harness,
                reference={file: problem_source.reference},
                dataset_format=RECORD if problem_source.version == "1" else FOLDER,
            ),
        )
    except ValidationError as error:
        raise DatasetError.from_validation(problem_source.location, error, problem_source.line) from error
    return with_record_patch(
        problem,
        _source_without_patch(problem),
        problem_source.record,
        RecordLocation(problem_source.location, "", problem_source.line),
    )


def _testbench_json(problem_source: ProblemSource, design_path: str) -> str:
    """The harness's `testbench.json`."""
    declared_modules = [
        declared_module for text in problem_source.harness.values() for declared_module in modules(text)
    ]
    top_module = next(
        (
            declared_module
            for declared_module in declared_modules
            if any(kind == problem_source.top_module for kind, _ in declared_module.instances)
        ),
        None,
    )
    if top_module is None:
        field = "" if problem_source.line is None else "test"
        raise DatasetError(
            problem_source.location, field, f"has no instance of {problem_source.top_module}", problem_source.line
        )
    names = {declared_module.name for declared_module in declared_modules} | {
        name for declared_module in declared_modules for _, name in declared_module.instances
    }
    described = {
        "criterion": "verilogeval",
        "top": top_module.name,
        "design": [design_path],
        "testbench": list(problem_source.harness),
        "private": sorted(names),
    }
    return json.dumps(described, indent=2) + "\n"


def _source_without_patch(problem: Problem) -> dict[str, JsonValue]:
    """The source as far as the model holds it in the same words."""
    hidden_part = problem.hidden
    if hidden_part.dataset_format == RECORD:
        return {"task_id": problem.id.rpartition(".")[2], "test": hidden_part.harness["test.sv"]}
    if hidden_part.dataset_format == FOLDER:
        name = problem.id.rpartition(".")[2]
        return {
            f"{name}_prompt.txt": problem.public.statement,
            f"{name}_ref.sv": hidden_part.harness["ref.sv"],
            f"{name}_test.sv": hidden_part.harness["test.sv"],
        }
    raise ValueError(f"{problem.id} does not come from VerilogEval")


def _is_verilogeval(excerpt: DatasetExcerpt) -> bool:
    return "task_id" in excerpt.fields or any(_FILE.match(path.rpartition("/")[2]) for path in excerpt.files)


FORMAT = DatasetFormat(
    name="verilogeval",
    source=SOURCE,
    reads="folders of version 2, JSON Lines or Parquet of version 1",
    importer=import_verilogeval,
    export=export_verilogeval,
    recognise=_is_verilogeval,
)
