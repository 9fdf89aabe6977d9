"""Answers to the problems of a pack, read from JSON Lines.

A line is a CVDP record with its solution (`output.context`, `output.response` or `patch`), or {`id`, and one of
`files` (path → text), `completion`, `response` (a text)}. Several lines with one id are several samples. Lines that
`benchwright eval` writes say as well whose answer it is, how it was asked for, and which attempt it is. `seconds`,
`minutes` or `hours` says how long it took to give.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, Field, JsonValue, StrictBool, StrictInt, TypeAdapter, ValidationError

from benchwright_foundation.model import Model
from benchwright_problems.datasets.invalid_records import InvalidRecords
from benchwright_problems.datasets.jsonl import read_records
from benchwright_problems.errors import DatasetError, PatchError
from benchwright_problems.patch import apply_patch
from benchwright_problems.problem import Problem
from benchwright_problems.relative_path import RelativePath
from benchwright_problems.repository.changes import CHANGES
from benchwright_problems.storage.reply_code import CodeChoice, ReplyBlock, choose_code, reply_blocks

_BODY = re.compile(r"\b(?:assign|always\w*|initial|endmodule|reg|wire|logic)\b")
_DIFF = re.compile(r"(?:diff --git|---) ")
_END = re.compile(r"\bendmodule\b")
_DESIGN_SUFFIXES = (".v", ".sv", ".vh", ".svh")
_FILES: TypeAdapter[dict[str, str | None]] = TypeAdapter(dict[RelativePath, str | None])
_SECONDS_PER_UNIT = {"seconds": 1.0, "minutes": 60.0, "hours": 3600.0}


def _require_printable(field_text: str) -> str:
    if not field_text.isprintable():
        raise ValueError("holds characters that can't be printed")
    return field_text


_Word = Annotated[str, Field(max_length=300), AfterValidator(_require_printable)]


class ResponseOrigin(Model):
    """The origin of an answer as its line states it; empty where it says nothing."""

    attempt: _Word = ""
    """The attempt that it is, in the log of the machine where it was given."""
    solver: _Word = ""
    condition: _Word = ""
    """The kind of solver, such as `model`."""
    prompts: _Word = ""
    """The set of prompts that were sent."""
    shots: Annotated[StrictInt, Field(ge=0)] | None = None
    """Solved questions that were shown before; None if it does not say."""
    steps: StrictBool = False
    """True if steps were asked for before the answer."""


@dataclass(frozen=True)
class Response:
    """One answer to one problem."""

    problem: Problem
    sample: int
    """The index of this answer among those to the problem, from 0."""
    files: Mapping[str, bytes]
    """Of a design problem, by path, if the answer gives files."""
    text: str
    """Any other answer."""
    gives_files: bool = False
    origin: ResponseOrigin = field(default_factory=ResponseOrigin)
    reported_s: float | None = None
    """How long it took to give, in seconds, as its line states it; None if it does not."""


def read_responses(
    responses_file: Path, problem_by_id: Mapping[str, Problem], invalid: InvalidRecords | None = None
) -> list[Response]:
    """Read all answers of a file.

    Args:
        responses_file: JSON Lines.
        problem_by_id: The problems by id; their public parts are enough.
        invalid: Collects lines that can't be read; without it, the file is refused.

    Raises:
        DatasetError: Names line and field of the first thing that is wrong, and says how many lines are fine.
    """
    invalid = invalid or InvalidRecords()
    responses: list[Response] = []
    samples: Counter[str] = Counter()
    for line, record in read_records(responses_file, invalid):
        with invalid.collecting_record_error():
            responses.append(_read_response(responses_file, line, record, problem_by_id, samples))
    invalid.require_importable(len(responses))
    if not responses:
        raise DatasetError(responses_file, "", "holds no answer")
    return responses


def _read_response(
    responses_file: Path,
    line_number: int,
    record: Mapping[str, JsonValue],
    problem_by_id: Mapping[str, Problem],
    sample_count_by_id: Counter[str],
) -> Response:
    name = record.get("id")
    if not isinstance(name, str) or name not in problem_by_id:
        raise DatasetError(responses_file, "id", f"the pack has no problem {name!r}", line_number)
    # Counted before it is read: a line that is left out does not renumber the samples after it.
    sample = sample_count_by_id[name]
    sample_count_by_id[name] += 1
    field_name, answer = _answer_field_name_and_value(record)
    try:
        files, text = _files_or_text(problem_by_id[name], field_name, answer)
    except (ValueError, PatchError) as error:
        reason = error.errors()[0]["msg"] if isinstance(error, ValidationError) else str(error)
        raise DatasetError(responses_file, field_name, reason, line_number) from error
    try:
        origin = ResponseOrigin.model_validate(
            {key: record[key] for key in ResponseOrigin.model_fields if record.get(key) is not None}
        )
    except ValidationError as error:
        flaw = error.errors()[0]
        raise DatasetError(responses_file, str(flaw["loc"][0]), flaw["msg"], line_number) from error
    return Response(
        problem_by_id[name],
        sample,
        files,
        text or "",
        gives_files=text is None,
        origin=origin,
        reported_s=_reported_seconds(responses_file, line_number, record),
    )


def _reported_seconds(responses_file: Path, line_number: int, record: Mapping[str, JsonValue]) -> float | None:
    """The time that a line states, in seconds; None if it states none."""
    stated_times = {unit: record[unit] for unit in _SECONDS_PER_UNIT if record.get(unit) is not None}
    if not stated_times:
        return None
    unit, *other_units = stated_times
    if other_units:
        raise DatasetError(
            responses_file, other_units[0], f"the line states its time in {unit} as well; keep one of them", line_number
        )
    value = stated_times[unit]
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise DatasetError(
            responses_file, unit, f"{value!r} is not a number; leave it out if the time is unknown", line_number
        )
    try:
        seconds = value * _SECONDS_PER_UNIT[unit]
    except OverflowError:
        seconds = math.inf
    if not (math.isfinite(seconds) and seconds > 0):
        raise DatasetError(
            responses_file, unit, f"{value} is not above 0; leave it out if the time is unknown", line_number
        )
    return seconds


def _answer_field_name_and_value(record: Mapping[str, JsonValue]) -> tuple[str, JsonValue]:
    output = record.get("output")
    if isinstance(output, dict):
        # Without files, the answer is the text itself.
        return ("output.context", output["context"]) if output.get("context") else ("response", output.get("response"))
    for name in ("files", "patch", "completion", "response"):
        if name in record:
            return name, record[name]
    return "", None


def _files_or_text(problem: Problem, answer_field: str, answer: JsonValue) -> tuple[dict[str, bytes], str | None]:
    """The files of an answer, or its text if it gives none."""
    if answer is None or isinstance(answer, str):
        return {}, answer or ""
    texts = {path: text for path, text in _FILES.validate_python(answer).items() if text}
    if answer_field == "patch":
        given_files = problem.public.files
        texts = {path: apply_patch(given_files.get(path, ""), patch) for path, patch in texts.items()}
    if unexpected := sorted(set(texts) - set(problem.public.expected)):
        expected_names = ", ".join(problem.public.expected)
        raise ValueError(f"{unexpected[0]!r} is not a file that the problem expects, which are: {expected_names}")
    start = {path: problem.public.files[path] for path in problem.public.expected if path in problem.public.files}
    return {path: text.encode() for path, text in (start | texts).items()}, None


@dataclass(frozen=True)
class AnswerFiles:
    """The files in a model's answer, and what of it they are."""

    files: Mapping[str, str]
    """By path; not all need be files that the problem expects."""
    code_choice: CodeChoice | None = None
    """The part of the answer that is the only file; None if the answer names its files."""


def files_in_answer(problem: Problem, answer: str) -> AnswerFiles:
    """The files in a model's answer: the last JSON as CVDP asks for it, or the code of the only file.

    Raises:
        ValueError: The answer is neither.
    """
    all_blocks = reply_blocks(answer)
    if problem.public.tree is not None:
        return _diff_in_answer(all_blocks, answer)
    for text in (answer, *(block.text for block in reversed(all_blocks) if block.language in ("", "json"))):
        if (named_files := _files_if_named_json(text)) is not None:
            return AnswerFiles(named_files)
    if len(problem.public.expected) != 1:
        raise ValueError("is one text, and the problem expects several files; give `files`")
    (path,) = problem.public.expected
    code_choice = _continued_module(problem, path, all_blocks, answer)
    if code_choice is None and path.endswith(_DESIGN_SUFFIXES):
        code_choice = choose_code(answer, path, problem.public.statement, problem.public.files)
    code_choice = code_choice or _code_of_first_block(all_blocks, answer)
    return AnswerFiles({path: code_choice.text}, code_choice)


def _diff_in_answer(all_blocks: Sequence[ReplyBlock], answer: str) -> AnswerFiles:
    """The diff that an answer is, or the last one in it, since models correct themselves."""
    fenced = [block for block in all_blocks if block.number and _DIFF.match(block.text.lstrip())]
    if _DIFF.match(answer.lstrip()) or not fenced:
        return AnswerFiles({CHANGES: f"{answer.strip()}\n"})
    return AnswerFiles({CHANGES: fenced[-1].text}, CodeChoice(fenced[-1].text, (fenced[-1].label,)))


def _files_if_named_json(answer_text: str) -> Mapping[str, str] | None:
    try:
        code = json.loads(answer_text)["code"]
        files_by_path = {path: file_text for part in code for path, file_text in part.items()}
        return {
            path: file_text
            for path, file_text in _FILES.validate_python(files_by_path).items()
            if file_text is not None
        }
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None


def _continued_module(
    problem: Problem, wanted_path: str, all_blocks: Sequence[ReplyBlock], answer: str
) -> CodeChoice | None:
    """The module whose header was given, with the rest from an answer that does not declare it again."""
    starting_text = problem.public.files.get(wanted_path, "")
    given_names = {unit.name for unit in ReplyBlock(0, "", starting_text).units}
    readable = [block for block in all_blocks if not block.is_of_other_language]
    if not given_names or any(unit.name in given_names for block in readable for unit in block.units):
        return None
    bodies = [block for block in readable if not block.units and _BODY.search(block.text)]
    fenced = [block for block in bodies if block.number]
    body = next(iter(fenced or bodies), None)
    if body is None:
        return None
    header = _END.split(starting_text)[0].rstrip()
    text = body.text if body.number else answer
    ending = "" if _END.search(text) else "endmodule\n"
    return CodeChoice(f"{header}\n{text.rstrip()}\n{ending}", (body.label,), tuple(sorted(given_names)))


def _code_of_first_block(all_blocks: Sequence[ReplyBlock], answer: str) -> CodeChoice:
    fenced = [block for block in all_blocks if block.number]
    readable = [block for block in fenced if not block.is_of_other_language]
    block = next(iter(readable or fenced), None)
    return CodeChoice(answer) if block is None else CodeChoice(block.text, (block.label,))
