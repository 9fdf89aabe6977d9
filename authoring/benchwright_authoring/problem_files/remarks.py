"""Remarks on what is wrong with the files of a problem, each with its place."""

from __future__ import annotations

import re
import tomllib
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from pydantic import ValidationError

from benchwright_authoring.problem_files.contents import content_remarks
from benchwright_authoring.problem_files.problem_folder import PROBLEM_FILE, ProblemFolder
from benchwright_authoring.problem_files.remark import Remark
from benchwright_authoring.problem_files.toml_places import TomlPlaces, TomlSpan
from benchwright_foundation.model import Model
from benchwright_problems.errors import DatasetError
from benchwright_problems.storage.pack_files_schema import PackToml, ProblemToml
from benchwright_problems.storage.pack_folder import PACK_FILE, read_problem

_LINE = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)$")
_File = TypeVar("_File", bound=Model)


def remarks_on_problem(problem_folder: ProblemFolder) -> list[Remark]:
    """Everything that is wrong with a problem's files."""
    text = problem_folder.text(PROBLEM_FILE)
    toml_places = TomlPlaces(text)
    spec, problem_remarks = parse_toml_or_remarks(PROBLEM_FILE, text, ProblemToml, toml_places)
    if spec is None:
        return problem_remarks
    if spec.id != problem_folder.folder.name:
        message = f"The id is {spec.id!r}, but the folder is called {problem_folder.folder.name!r}."
        problem_remarks.append(Remark(PROBLEM_FILE, toml_places.nearest_span(("id",)), message, True))
    pack, _ = parse_toml_or_remarks(PACK_FILE, problem_folder.pack_text(PACK_FILE), PackToml, TomlPlaces(""))
    if pack is not None and problem_folder.folder.name not in pack.order:
        message = f"The order of {PACK_FILE} does not name this problem, so it is no part of the pack."
        problem_remarks.append(Remark(PROBLEM_FILE, toml_places.nearest_span(("id",)), message, False))
    problem_remarks += content_remarks(problem_folder, spec, toml_places)
    if pack is not None and problem_folder.is_saved and not any(remark.is_error for remark in problem_remarks):
        problem_remarks += _pack_reader_remarks(problem_folder, pack, toml_places)
    return problem_remarks


def pack_remarks(pack_toml_text: str, pack_folder: Path) -> list[Remark]:
    """Everything that is wrong with a `pack.toml`.

    Args:
        pack_toml_text: Text of the file.
        pack_folder: Folder of the pack.
    """
    toml_places = TomlPlaces(pack_toml_text)
    spec, toml_remarks = parse_toml_or_remarks(PACK_FILE, pack_toml_text, PackToml, toml_places)
    order = spec.order if spec is not None else []
    for index, name in enumerate(order):
        span = toml_places.nearest_span(("order", index))
        if name in order[:index]:
            toml_remarks.append(Remark(PACK_FILE, span, f"{name!r} is named twice.", True))
        elif "/" in name or not (pack_folder / name / PROBLEM_FILE).is_file():
            toml_remarks.append(Remark(PACK_FILE, span, f"There is no {name}/{PROBLEM_FILE}.", True))
    return toml_remarks


def parse_toml_or_remarks(
    file_name: str, toml_text: str, model: type[_File], toml_places: TomlPlaces
) -> tuple[_File | None, list[Remark]]:
    """The contents of a file, or the reasons for which it can't be read.

    Args:
        file_name: Its name.
        toml_text: Text of the file.
        model: Pydantic model of the file.
        toml_places: Places of the text.
    """
    try:
        return model.model_validate(tomllib.loads(toml_text)), []
    except tomllib.TOMLDecodeError as error:
        return None, [
            Remark(
                file_name,
                _toml_error_span(toml_text, str(error)),
                f"This is not TOML: {_LINE.sub('', str(error))}.",
                True,
            )
        ]
    except ValidationError as error:
        toml_remarks, error_details = [], error.errors(include_url=False)
        for detail in error_details:
            if any(
                other_detail is not detail and other_detail["loc"][: len(detail["loc"])] == detail["loc"]
                for other_detail in error_details
            ):
                # Of a list with an invalid item, pydantic also says that the valid ones are too few.
                continue
            path = tuple(part for part in detail["loc"] if part != "[key]")
            span = (
                toml_places.key_or_nearest_span(path)
                if detail["type"] == "extra_forbidden"
                else toml_places.nearest_span(path)
            )
            message = detail["msg"].removeprefix("Value error, ")
            if detail["type"] == "extra_forbidden":
                message = "there is no such field"
            elif detail["type"] == "missing":
                message = "is missing"
            toml_remarks.append(Remark(file_name, span, f"{'.'.join(map(str, path))}: {message}.", True, path))
        return None, toml_remarks


def field_remark(
    file: str, toml_places: TomlPlaces, dotted_field: str, reason: str, *, is_error: bool = True
) -> Remark:
    """A remark on what is wrong with a field, such as `choices.A`."""
    path = tuple(int(part) if part.isdigit() else part for part in dotted_field.split("."))
    return Remark(file, toml_places.nearest_span(path), f"{dotted_field}: {reason}.", is_error, path)


def _toml_error_span(toml_text: str, error_message: str) -> TomlSpan:
    match = _LINE.search(error_message)
    if match is None or match[1] is None:
        return TomlSpan(max(0, len(toml_text) - 1), len(toml_text))
    lines = toml_text.splitlines(keepends=True)
    line_start = sum(map(len, lines[: int(match[1]) - 1]))
    start = min(line_start + int(match[2]) - 1, max(0, len(toml_text) - 1))
    return TomlSpan(start, min(start + 1, len(toml_text)))


def _pack_reader_remarks(problem_folder: ProblemFolder, pack_toml: PackToml, toml_places: TomlPlaces) -> list[Remark]:
    """Remarks on what else a reader of the folder refuses, such as a picture that is none."""
    try:
        read_problem(problem_folder.folder, pack_toml)
    except DatasetError as error:
        if error.file == problem_folder.folder / PROBLEM_FILE and error.field:
            return [field_remark(PROBLEM_FILE, toml_places, error.field, error.reason)]
        name = (
            error.file.relative_to(problem_folder.folder).as_posix()
            if error.file != problem_folder.folder
            else PROBLEM_FILE
        )
        message = f"{error.reason[:1].upper()}{error.reason[1:]}."
        remark = Remark(PROBLEM_FILE, TomlSpan(0, 0), message, True)
        return [remark if name == PROBLEM_FILE else replace(remark, message=f"{name}: {error.reason}.")]
    return []
