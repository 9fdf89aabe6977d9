"""NVIDIA CVDP's JSON Lines, non-agentic and agentic, with and without solutions.

Format: https://github.com/NVlabs/cvdp_benchmark, README_NONAGENTIC.md and README_AGENTIC.md.
A non-agentic record has `input` {prompt, context}, `output` {response, context} and
`harness.files`; an agentic one has `prompt`, `system_message`, `context`, `patch` and
`harness`. Contexts, patches and harnesses map a relative path to a file's content; any of them may be
missing or null. Template variables such as `__OSS_SIM_IMAGE__` stay as they are: what they
stand for is decided when a harness runs.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TypeVar

from pydantic import ConfigDict, JsonValue, ValidationError

from benchwright_problems.category import Category
from benchwright_problems.datasets.dataset_format import DatasetExcerpt, DatasetFormat
from benchwright_problems.datasets.invalid_records import InvalidRecords
from benchwright_problems.datasets.jsonl import read_records
from benchwright_problems.datasets.naming import require_pack_name
from benchwright_problems.datasets.record import RecordLocation, RecordModel, restored_record, with_record_patch
from benchwright_problems.datasets.repositories import REPOSITORIES, RepositoryFolder
from benchwright_problems.errors import DatasetError, PatchError
from benchwright_problems.patch import apply_patch
from benchwright_problems.problem import (
    Answer,
    Difficulty,
    Hidden,
    Pack,
    Problem,
    ProblemKind,
    Provenance,
    Public,
    Question,
    QuestionFormat,
)
from benchwright_problems.relative_path import RelativePath
from benchwright_problems.repository.changes import CHANGES
from benchwright_problems.repository.tree import TreeError

SOURCE = "https://github.com/NVlabs/cvdp_benchmark"
LICENSE = "CC-BY-4.0 AND Apache-2.0"
# The month of arXiv:2506.14074, which the first release came with.
_PUBLISHED = "2025-06"

AGENTIC = "cvdp-agentic"
NONAGENTIC = "cvdp-nonagentic"

_HEAVY = "agentic_heavy"
"""Part of the ids of records whose workspace is a repository at a commit."""
_REPOSITORY_FIELDS = frozenset({"repo", "commit"})
_HEAVY_MB = 200
"""MiB of the folder of such a record, by default of NVIDIA's runner."""
_EXTERNAL = "external/"
"""The folder that is the workspace, of repositories whose name says that the rest is NVIDIA's own."""

Texts = dict[RelativePath, str | None]
_Word = TypeVar("_Word", Category, Difficulty)

_KINDS = {
    Category.RTL_CORRESPONDENCE: ProblemKind.TEXT,
    Category.TESTBENCH_CORRESPONDENCE: ProblemKind.TEXT,
    Category.RTL_QUESTION: ProblemKind.QUESTION,
    Category.TESTBENCH_QUESTION: ProblemKind.QUESTION,
}


class _CvdpRecord(RecordModel):
    model_config = ConfigDict(strict=True)


class _Input(_CvdpRecord):
    prompt: str
    context: Texts | None = None


class _Output(_CvdpRecord):
    response: str | None = None
    context: Texts | None = None


class _Harness(_CvdpRecord):
    files: Texts | None = None


class _WholeRecord(_CvdpRecord):
    id: str
    categories: list[str]
    system_message: str | None = None
    converted: JsonValue = None
    """Of a record that `benchwright_problems.storage.conversion` brought into its other form."""


class _NonagenticRecord(_WholeRecord):
    input: _Input
    output: _Output | None = None
    harness: _Harness | None = None


class _AgenticRecord(_WholeRecord):
    prompt: str
    context: Texts | None = None
    patch: Texts | None = None
    harness: Texts | None = None
    response: str | None = None


def import_cvdp(
    dataset_files: Sequence[Path],
    pack_name: str,
    invalid: InvalidRecords | None = None,
    repositories: Path | None = None,
) -> Pack:
    """Import data files as one pack.

    One problem in two files, with and without its solution, becomes one with it.

    Args:
        dataset_files: JSON Lines.
        pack_name: Name of the new pack.
        invalid: Collects records that can't be read; without it, the data set is refused.
        repositories: The folder of the repositories that context-heavy records name.

    Raises:
        DatasetError: Names file, line and field of the first thing that is wrong.
        BadPackNameError: No pack can be called so.
    """
    require_pack_name(pack_name)
    problems: dict[str, Problem] = {}
    locations: dict[str, str] = {}
    versions: set[str] = set()
    invalid = invalid or InvalidRecords()
    folder = RepositoryFolder(repositories)
    for file in dataset_files:
        version = _dataset_version(file)
        versions.add(version)
        for line, record in read_records(file, invalid):
            with invalid.collecting_record_error():
                problem = _problem_of_record(RecordLocation(file, "", line), record, version, invalid, folder)
                # A file system may not tell cases apart.
                key = problem.id.lower()
                twin = problems.get(key)
                if twin is None or _is_solved_version_of(problem, twin):
                    problems[key] = problem
                    locations.setdefault(key, f"{file}:{line}")
                elif not _is_solved_version_of(twin, problem) and problem != twin:
                    reason = f"{problem.id!r} is another problem at {locations[key]}"
                    raise DatasetError(file, "id", reason, line)
    invalid.require_importable(len(problems))
    if not problems:
        raise DatasetError(dataset_files[0], "", "holds no problem")
    return Pack(
        name=pack_name,
        title="CVDP",
        version=", ".join(sorted(versions)),
        license=LICENSE,
        source=SOURCE,
        description="Comprehensive Verilog Design Problems",
        published=_PUBLISHED,
        problems=tuple(problems.values()),
    )


def export_cvdp(problem: Problem) -> dict[str, JsonValue]:
    """The record a problem was imported from, as an equal JSON value.

    Raises:
        ValueError: The problem does not come from CVDP.
    """
    return restored_record(problem, _record_without_patch(problem))


def _problem_of_record(
    location: RecordLocation,
    record_json: dict[str, JsonValue],
    dataset_version: str,
    invalid: InvalidRecords,
    repository_folder: RepositoryFolder,
) -> Problem:
    file, line = location.file, location.line or 0
    agentic = "prompt" in record_json
    try:
        parsed = (
            _AgenticRecord.model_validate(record_json) if agentic else _NonagenticRecord.model_validate(record_json)
        )
        problem = (
            _problem_of_agentic_record(parsed, file, line, repository_folder)
            if isinstance(parsed, _AgenticRecord)
            else _problem_of_nonagentic_record(parsed, file, line)
        )
        invalid.require_known_fields(location, parsed)
    except ValidationError as error:
        raise DatasetError.from_validation(file, error, line) from error
    provenance = Provenance(source=SOURCE, license=LICENSE, version=dataset_version)
    return with_record_patch(
        problem.model_copy(update={"provenance": provenance}),
        _record_without_patch(problem),
        record_json,
        location,
    )


def _problem_of_nonagentic_record(record: _NonagenticRecord, dataset_file: Path, line_number: int) -> Problem:
    output_fields = record.output or _Output()
    outputs = output_fields.context or {}
    return _build_problem(
        dataset_file,
        line_number,
        record,
        prompt=record.input.prompt,
        context_files=_texts_or_empty(record.input.context),
        expected_files=tuple(outputs),
        harness=_texts_or_empty(record.harness.files if record.harness else None),
        reference={path: text for path, text in outputs.items() if text},
        patches={},
        sample_response=output_fields.response,
        dataset_format=NONAGENTIC,
    )


def _problem_of_agentic_record(
    record: _AgenticRecord, dataset_file: Path, line_number: int, repository_folder: RepositoryFolder
) -> Problem:
    if _HEAVY in record.id or (record.context and record.context.keys() <= _REPOSITORY_FIELDS):
        return _problem_of_repository_record(record, dataset_file, line_number, repository_folder)
    context_files = _texts_or_empty(record.context)
    patches = {path: text for path, text in (record.patch or {}).items() if text}
    reference = {}
    for path, patch in patches.items():
        try:
            reference[path] = apply_patch(context_files.get(path, ""), patch)
        except PatchError as error:
            raise DatasetError(dataset_file, f"patch.{path}", str(error), line_number) from error
    return _build_problem(
        dataset_file,
        line_number,
        record,
        prompt=record.prompt,
        context_files=context_files,
        expected_files=tuple(record.patch or {}),
        harness=_texts_or_empty(record.harness),
        reference=reference,
        patches=patches,
        sample_response=record.response,
        dataset_format=AGENTIC,
    )


def _problem_of_repository_record(
    record: _AgenticRecord, dataset_file: Path, line_number: int, repository_folder: RepositoryFolder
) -> Problem:
    """A problem whose workspace is a repository at a commit; `patch` is what it starts with, not what solves it."""
    context = record.context or {}
    if context.keys() != _REPOSITORY_FIELDS or not all(context.values()):
        raise DatasetError(dataset_file, "context", "needs repo and commit, and nothing else", line_number)
    name = context["repo"] or ""
    try:
        files = repository_folder.files(name, context["commit"] or "")
        base_name = name.rstrip("/").rpartition("/")[2]
        if re.search(r"cvdp[_-]", base_name) and "_ext_" not in base_name:
            files = {path.removeprefix(_EXTERNAL): text for path, text in files.items() if path.startswith(_EXTERNAL)}
        for path, patch in (record.patch or {}).items():
            files = files | {path: apply_patch(files.get(path, b"").decode(), patch or "").encode()}
        tree = repository_folder.trees.add(files)
    except TreeError as error:
        raise DatasetError(dataset_file, "context.repo", str(error), line_number) from error
    except (PatchError, UnicodeDecodeError) as error:
        raise DatasetError(dataset_file, f"patch.{path}", str(error), line_number) from error
    problem = _build_problem(
        dataset_file,
        line_number,
        record,
        prompt=record.prompt,
        context_files={},
        expected_files=(CHANGES,),
        harness=_texts_or_empty(record.harness),
        reference={},
        patches={},
        sample_response=record.response,
        dataset_format=AGENTIC,
    )
    if problem.kind is not ProblemKind.DESIGN:
        raise DatasetError(dataset_file, "categories", "asks no design of a whole repository", line_number)
    limits = problem.limits.model_copy(update={"folder_mb": _HEAVY_MB})
    return problem.model_copy(update={"public": problem.public.model_copy(update={"tree": tree}), "limits": limits})


def _build_problem(
    dataset_file: Path,
    line_number: int,
    record: _AgenticRecord | _NonagenticRecord,
    *,
    prompt: str,
    context_files: dict[str, str],
    expected_files: tuple[str, ...],
    harness: dict[str, str],
    reference: dict[str, str],
    patches: dict[str, str],
    sample_response: str | None,
    dataset_format: str,
) -> Problem:
    category = _only_known_category_word(
        dataset_file, line_number, record.categories, Category, "a category such as cid003"
    )
    difficulty = _only_known_category_word(
        dataset_file, line_number, record.categories, Difficulty, "easy, medium or hard"
    )
    kind = _KINDS.get(category, ProblemKind.DESIGN)
    if kind is ProblemKind.DESIGN and not expected_files:
        field = "patch" if dataset_format == AGENTIC else "output.context"
        raise DatasetError(dataset_file, field, "names no file for the solver to write", line_number)
    question = Question(format=QuestionFormat.FREE_RESPONSE, domain="RTL") if kind is ProblemKind.QUESTION else None
    return Problem(
        id=record.id,
        kind=kind,
        title=re.sub(r"^cvdp_(copilot|agentic)_", "", record.id).replace("_", " "),
        category=category,
        difficulty=difficulty,
        provenance=Provenance(source="", license="", version=""),
        public=Public(
            statement=prompt,
            files=context_files,
            expected=expected_files,
            system_message=record.system_message,
            question=question,
        ),
        hidden=Hidden(
            harness=harness,
            reference=reference,
            patches=patches,
            answer=Answer(value=sample_response) if sample_response else None,
            dataset_format=dataset_format,
        ),
    )


def _record_without_patch(problem: Problem) -> dict[str, JsonValue]:
    """The record as most of the data set writes it, from the model alone."""
    if problem.category is None:
        raise ValueError(f"{problem.id} has no CVDP category and so no CVDP record")
    public, hidden_part = problem.public, problem.hidden
    record: dict[str, JsonValue] = {
        "id": problem.id,
        "categories": [problem.category.value, problem.difficulty.value],
    }
    if hidden_part.dataset_format == AGENTIC:
        if public.system_message is not None:
            record["system_message"] = public.system_message
        record["prompt"] = public.statement
        record["context"] = dict(public.files)
        record["patch"] = {path: hidden_part.patches.get(path, "") for path in public.expected}
        record["harness"] = dict(hidden_part.harness)
        if hidden_part.answer:
            record["response"] = hidden_part.answer.value
    elif hidden_part.dataset_format == NONAGENTIC:
        if public.system_message is not None:
            record["system_message"] = public.system_message
        record["input"] = {"prompt": public.statement, "context": dict(public.files)}
        record["output"] = {
            "response": hidden_part.answer.value if hidden_part.answer else "",
            "context": {path: hidden_part.reference.get(path, "") for path in public.expected},
        }
        record["harness"] = {"files": dict(hidden_part.harness)} if hidden_part.harness else {}
    else:
        raise ValueError(f"{problem.id} does not come from CVDP and has no CVDP record")
    return record


def _only_known_category_word(
    dataset_file: Path, line_number: int, category_words: list[str], word_enum: type[_Word], word_noun: str
) -> _Word:
    known_words = [word_enum(word) for word in category_words if word in set(word_enum)]
    if len(known_words) != 1:
        raise DatasetError(
            dataset_file, "categories", f"needs exactly one of {word_noun}, has {category_words}", line_number
        )
    return known_words[0]


def _texts_or_empty(text_by_path: Texts | None) -> dict[str, str]:
    return {path: text or "" for path, text in (text_by_path or {}).items()}


def _is_solved_version_of(solved_problem: Problem, unsolved_problem: Problem) -> bool:
    """True if `solved_problem` is `unsolved_problem` with its solution."""
    has_solution = (bool(solved_problem.hidden.reference) and not unsolved_problem.hidden.reference) or (
        solved_problem.hidden.answer is not None and unsolved_problem.hidden.answer is None
    )
    return (
        has_solution
        and solved_problem.public == unsolved_problem.public
        and solved_problem.hidden.harness == unsolved_problem.hidden.harness
    )


def _dataset_version(dataset_file: Path) -> str:
    match = re.search(r"v(\d+(?:\.\d+)+)", dataset_file.name)
    return match[1] if match else "unknown"


def _is_cvdp(excerpt: DatasetExcerpt) -> bool:
    return "categories" in excerpt.fields and bool({"prompt", "input"} & excerpt.fields)


FORMAT = DatasetFormat(
    name="cvdp",
    source=SOURCE,
    reads="JSON Lines, agentic or not",
    importer=import_cvdp,
    export=export_cvdp,
    recognise=_is_cvdp,
    file_options=(REPOSITORIES,),
)
