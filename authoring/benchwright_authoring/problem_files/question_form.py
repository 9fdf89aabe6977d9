"""The fields of a question as a form has them, and where they are in its `problem.toml`."""

from __future__ import annotations

import copy
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from benchwright_authoring.problem_files.problem_folder import PROBLEM_FILE, STATEMENT, ProblemFolder
from benchwright_authoring.problem_files.remark import Remark
from benchwright_authoring.problem_files.remarks import remarks_on_problem
from benchwright_authoring.problem_files.toml_edit import TomlEditError, with_toml_values
from benchwright_authoring.problem_files.toml_places import TomlPath, TomlPlaces

_PLACES: Mapping[str, tuple[str, ...]] = {
    "difficulty": ("difficulty",),
    "domain": ("domain",),
    "format": ("question", "format"),
    "topic": ("question", "topic"),
    "skill": ("question", "skill"),
    "choices": ("question", "choices"),
    "answer": ("answer", "value"),
    "alternatives": ("answer", "alternatives"),
    "closed": ("answer", "closed"),
    "unit": ("answer", "unit"),
    "tolerance": ("answer", "tolerance"),
    "explanation": ("answer", "explanation"),
    "rubric": ("answer", "rubric"),
    "points": ("answer", "points", "items"),
    "enough": ("answer", "points", "enough"),
}
_ALWAYS = frozenset({"difficulty", "format", "answer"})
"""Written even where nothing was typed."""
_EMPTY: tuple[object, ...] = ("", None, False, [], {})


def form_values(problem_toml_text: str) -> dict[str, Any]:
    """The values that a form shows of a `problem.toml`; fields that it does not have are missing.

    Raises:
        tomllib.TOMLDecodeError: The text is not TOML.
    """
    document, values = tomllib.loads(problem_toml_text), {}
    for name, key_path in _PLACES.items():
        value: Any = document
        for key in key_path:
            value = value.get(key) if isinstance(value, dict) else None
        if value is not None:
            values[name] = value
    return values


def with_form_values(problem_toml_text: str, value_by_form_field: Mapping[str, Any]) -> str:
    """A `problem.toml` with what a form says; everything else in it stays.

    Args:
        problem_toml_text: Is TOML.
        value_by_form_field: Form's field → its value; what is empty is removed, unless written as empty.

    Raises:
        TomlEditError: Names a key that can't be changed.
        tomllib.TOMLDecodeError: The text is not TOML.
    """
    old_document, old_values = tomllib.loads(problem_toml_text), form_values(problem_toml_text)
    changed_document = copy.deepcopy(old_document)
    for name, key_path in _PLACES.items():
        value = _with_whole_numbers_as_integers(value_by_form_field.get(name))
        if value != old_values.get(name) and not (
            name == "points" and value == _with_default_points(old_values.get(name, []))
        ):
            _set_or_remove_value_at_path(
                changed_document, key_path, None if value in _EMPTY and name not in _ALWAYS else value
            )
    answer = changed_document.get("answer")
    if isinstance(answer, dict) and answer.get("points") == {} != old_document.get("answer", {}).get("points"):
        del answer["points"]
    return with_toml_values(
        problem_toml_text,
        {name: changed_document.get(name) for name in dict.fromkeys(key_path[0] for key_path in _PLACES.values())},
    )


def remarks_with_form_field(problem_folder: Path, problem_toml_text: str, statement: str) -> list[tuple[str, Remark]]:
    """The remarks that an editor marks in a question's files, each with the form's field or an empty string.

    Args:
        problem_folder: Folder of the problem.
        problem_toml_text: Text of its `problem.toml`, as it is or would be.
        statement: The same of `statement.md`.
    """
    files = {
        f"{problem_folder.name}/{PROBLEM_FILE}": problem_toml_text,
        f"{problem_folder.name}/{STATEMENT}": statement,
    }
    toml_places = TomlPlaces(problem_toml_text)
    return [
        (
            STATEMENT.removesuffix(".md")
            if remark.file == STATEMENT
            else _form_field_of_key(remark.path or toml_places.key_path_of_span(remark.span)),
            remark,
        )
        for remark in remarks_on_problem(ProblemFolder(problem_folder, files))
    ]


def _with_whole_numbers_as_integers(toml_value: Any) -> Any:
    """A value of a form, whose numbers all are floating-point, as a person writes it."""
    if isinstance(toml_value, list):
        return [_with_whole_numbers_as_integers(member) for member in toml_value]
    if isinstance(toml_value, dict):
        return {name: _with_whole_numbers_as_integers(member) for name, member in toml_value.items()}
    return int(toml_value) if isinstance(toml_value, float) and toml_value.is_integer() else toml_value


def _with_default_points(rubric_points: Any) -> Any:
    """Rubric points as a form has them, where nothing is left out."""
    return [
        {"points": 1, **point} if isinstance(point, dict) else point
        for point in (rubric_points if isinstance(rubric_points, list) else ())
    ]


def _set_or_remove_value_at_path(toml_table: dict[str, Any], key_path: tuple[str, ...], toml_value: object) -> None:
    for key in key_path[:-1]:
        toml_table = toml_table.setdefault(key, {})
        if not isinstance(toml_table, dict):
            raise TomlEditError(f"{key} is no table: open the file and edit it there")
    if toml_value is None:
        toml_table.pop(key_path[-1], None)
    else:
        toml_table[key_path[-1]] = toml_value


def _form_field_of_key(key_path: TomlPath | None) -> str:
    for name, start in _PLACES.items():
        if key_path is not None and key_path[: len(start)] == start:
            return ".".join((name, *map(str, key_path[len(start) :])))
    return ""
