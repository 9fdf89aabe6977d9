"""Answers to the problems of a pack, read from JSON Lines.

A line is a CVDP record with its solution (`output.context`, `output.response` or `patch`), or {`id`, and one of
`files` (path → text), `completion`, `response` (a text)}. Several lines with one id are several samples. Lines that
`benchwright eval` writes say as well whose answer it is, how it was asked for, and which attempt it is.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping
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

_FENCE = re.compile(r"^[ \t]*```[^\n]*\n(.*?)^[ \t]*```", re.MULTILINE | re.DOTALL)
_MODULE = re.compile(r"^\s*(?:module|macromodule|package|interface|`timescale)\b", re.MULTILINE)
_END = re.compile(r"\bendmodule\b")
_FILES: TypeAdapter[dict[str, str | None]] = TypeAdapter(dict[RelativePath, str | None])


def _require_printable(text: str) -> str:
    if not text.isprintable():
        raise ValueError("holds characters that can't be printed")
    return text


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


def read_responses(
    file: Path, problems: Mapping[str, Problem], invalid: InvalidRecords | None = None
) -> list[Response]:
    """Read all answers of a file.

    Args:
        file: JSON Lines.
        problems: The problems by id; their public parts are enough.
        invalid: Collects lines that can't be read; without it, the file is refused.

    Raises:
        DatasetError: Names line and field of the first thing that is wrong, and says how many lines are fine.
    """
    invalid = invalid or InvalidRecords()
    responses: list[Response] = []
    samples: Counter[str] = Counter()
    for line, record in read_records(file, invalid):
        with invalid.collecting_record_error():
            responses.append(_read_response(file, line, record, problems, samples))
    invalid.finish_import(len(responses))
    if not responses:
        raise DatasetError(file, "", "holds no answer")
    return responses


def _read_response(
    file: Path, line: int, record: Mapping[str, JsonValue], problems: Mapping[str, Problem], samples: Counter[str]
) -> Response:
    name = record.get("id")
    if not isinstance(name, str) or name not in problems:
        raise DatasetError(file, "id", f"the pack has no problem {name!r}", line)
    # Counted before it is read: a line that is left out does not renumber the samples after it.
    sample = samples[name]
    samples[name] += 1
    field_name, answer = _answer_field(record)
    try:
        files, text = _files_or_text(problems[name], field_name, answer)
    except (ValueError, PatchError) as error:
        reason = error.errors()[0]["msg"] if isinstance(error, ValidationError) else str(error)
        raise DatasetError(file, field_name, reason, line) from error
    try:
        origin = ResponseOrigin.model_validate(
            {key: record[key] for key in ResponseOrigin.model_fields if record.get(key) is not None}
        )
    except ValidationError as error:
        flaw = error.errors()[0]
        raise DatasetError(file, str(flaw["loc"][0]), flaw["msg"], line) from error
    return Response(problems[name], sample, files, text or "", gives_files=text is None, origin=origin)


def _answer_field(record: Mapping[str, JsonValue]) -> tuple[str, JsonValue]:
    output = record.get("output")
    if isinstance(output, dict):
        # Without files, the answer is the text itself.
        return ("output.context", output["context"]) if output.get("context") else ("response", output.get("response"))
    for name in ("files", "patch", "completion", "response"):
        if name in record:
            return name, record[name]
    return "", None


def _files_or_text(problem: Problem, field: str, answer: JsonValue) -> tuple[dict[str, bytes], str | None]:
    """The files of an answer, or its text if it gives none."""
    if answer is None or isinstance(answer, str):
        return {}, answer or ""
    texts = {path: text for path, text in _FILES.validate_python(answer).items() if text}
    if field == "patch":
        given_files = problem.public.files
        texts = {path: apply_patch(given_files.get(path, ""), patch) for path, patch in texts.items()}
    if unexpected := sorted(set(texts) - set(problem.public.expected)):
        expected_names = ", ".join(problem.public.expected)
        raise ValueError(f"{unexpected[0]!r} is not a file that the problem expects, which are: {expected_names}")
    start = {path: problem.public.files[path] for path in problem.public.expected if path in problem.public.files}
    return {path: text.encode() for path, text in (start | texts).items()}, None


def files_in_answer(problem: Problem, answer: str) -> dict[str, str]:
    """The files in a model's answer: JSON as CVDP asks for it, or the code of the only file.

    Raises:
        ValueError: The answer is neither.
    """
    try:
        code = json.loads(answer)["code"]
        files_by_path = {path: text for part in code for path, text in part.items()}
        return {path: text for path, text in _FILES.validate_python(files_by_path).items() if text is not None}
    except (ValueError, KeyError, TypeError, AttributeError):
        pass
    if len(problem.public.expected) != 1:
        raise ValueError("is one text, and the problem expects several files; give `files`")
    (path,) = problem.public.expected
    blocks = [match[1] for match in _FENCE.finditer(answer)]
    text = next((block for block in blocks if _MODULE.search(block)), blocks[0] if blocks else answer)
    starting_text = problem.public.files.get(path, "")
    if path.endswith((".v", ".sv")) and not _MODULE.search(text) and _MODULE.search(starting_text):
        # The rest of a module whose header was given.
        header = _END.split(starting_text)[0].rstrip()
        text = f"{header}\n{text.rstrip()}\n" + ("" if _END.search(text) else "endmodule\n")
    return {path: text}
