"""Reads a study file: YAML whose every flaw is reported with file, line, field and what to do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError
from pydantic_core import ErrorDetails

from benchwright_attempts.errors import AttemptError
from benchwright_attempts.events.file_text import sha256
from benchwright_studies.plan.condition import Condition
from benchwright_studies.plan.people import EthicsReview, Organisers, Pay, Recruitment, TargetPopulation
from benchwright_studies.plan.study import (
    Analysis,
    ConsentText,
    DataHandling,
    Exclusion,
    Limits,
    Randomisation,
    Study,
    Task,
)
from benchwright_studies.plan.study_part import StudyPart
from benchwright_studies.plan.study_question import StudyQuestion

_SHOWN = 12
"""Flaws that one message names."""


@dataclass(frozen=True, slots=True)
class StudyFlaw:
    """One thing that is wrong with a study file."""

    line: int
    """From 1."""
    field: str
    """Such as `conditions[1].solver`; empty for the whole file."""
    message: str


class StudyFileError(AttemptError):
    """A study file that can't be used, with everything that is wrong with it."""

    def __init__(self, path: Path | str, flaws: Sequence[StudyFlaw]) -> None:
        """Takes the file and its flaws, in the order of their lines."""
        self.path = path
        self.flaws = tuple(flaws)
        lines = [
            f"{path}, line {flaw.line}{', ' if flaw.field else ''}{flaw.field}: {flaw.message}"
            for flaw in self.flaws[:_SHOWN]
        ]
        if len(self.flaws) > _SHOWN:
            lines.append(f"… and {len(self.flaws) - _SHOWN} more.")
        super().__init__("\n".join(lines))


@dataclass(frozen=True, slots=True)
class StudyFile:
    """A study and the text that describes it."""

    study: Study
    text: str
    """The file as it was read."""
    path: Path
    lines: Mapping[str, int]
    """Field → line, for checks that come later."""

    @property
    def sha256(self) -> str:
        """Digest of the file."""
        return sha256(self.text.encode())

    def line_of(self, field: str) -> int:
        """The line of a field, or of the nearest one around it."""
        return _line_of_field_or_parent(self.lines, field)

    def field_at(self, line: int) -> str:
        """The last field that begins on a line or above it."""
        return max((field for field in self.lines if self.lines[field] <= line), key=lambda field: self.lines[field])


def _line_of_field_or_parent(line_by_field: Mapping[str, int], field: str) -> int:
    while field and field not in line_by_field:
        field = field[: max(field.rfind("."), field.rfind("["), 0)]
    return line_by_field.get(field, 1)


def read_study(path: Path) -> StudyFile:
    """Reads a study file from disk.

    Raises:
        StudyFileError: The file can't be read, or something in it is wrong.
    """
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise StudyFileError(path, [StudyFlaw(1, "", f"the file can't be read ({error.strerror}).")]) from error
    except UnicodeDecodeError as error:
        raise StudyFileError(path, [StudyFlaw(1, "", "the file is not UTF-8. Save it as UTF-8.")]) from error
    return parse_study(text, path)


# A registered study is read again for every page, request and step of a participant.
@lru_cache(maxsize=64)
def parse_study(study_text: str, path: Path) -> StudyFile:
    """Reads a study from its text.

    Raises:
        StudyFileError: Something in it is wrong.
    """
    try:
        node = yaml.compose(study_text, Loader=yaml.SafeLoader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        message = error.problem or error.context or "it is not YAML"
        raise StudyFileError(
            path, [StudyFlaw(mark.line + 1 if mark else 1, "", f"{message}. Fix the YAML.")]
        ) from error
    except RecursionError as error:
        raise StudyFileError(path, [StudyFlaw(1, "", "it is nested too deeply. Write it flatter.")]) from error
    except yaml.YAMLError as error:
        line = study_text[: getattr(error, "position", 0)].count("\n") + 1
        raise StudyFileError(path, [StudyFlaw(line, "", "it is not YAML. Remove what no text file holds.")]) from error
    if not isinstance(node, yaml.MappingNode):
        raise StudyFileError(path, [StudyFlaw(1, "", "a study file is a list of `field: value`. Begin with `study:`.")])
    lines: dict[str, int] = {}
    flaws: list[StudyFlaw] = []
    _add_lines_and_flaws(node, "", lines, flaws, [])
    if flaws:
        raise StudyFileError(path, sorted(flaws, key=lambda flaw: flaw.line))
    loader = yaml.SafeLoader("")
    try:
        value: Any = loader.construct_document(node)
    except (yaml.MarkedYAMLError, ValueError) as error:
        mark = getattr(error, "problem_mark", None)
        message = getattr(error, "problem", None) or str(error)
        raise StudyFileError(
            path, [StudyFlaw(mark.line + 1 if mark else 1, "", f"{message}. Write it differently.")]
        ) from error
    try:
        study = Study.model_validate(value)
    except ValidationError as error:
        flaws = [_study_flaw(lines, details, value) for details in error.errors(include_url=False)]
        raise StudyFileError(path, sorted(_first_flaw_of_each_place(flaws), key=lambda flaw: flaw.line)) from error
    return StudyFile(study, study_text, path, lines)


_MOST_FIELDS = 100_000
"""A few lines of aliases within aliases can stand for more than any memory holds."""


def _add_lines_and_flaws(
    node: yaml.Node, field: str, line_by_field: dict[str, int], flaws: list[StudyFlaw], ancestors: list[yaml.Node]
) -> None:
    if len(line_by_field) > _MOST_FIELDS:
        flaws[:] = [StudyFlaw(1, "", f"aliases repeat more than {_MOST_FIELDS:,} fields. Write it without them.")]
        return
    line_by_field.setdefault(field, node.start_mark.line + 1)
    if node in ancestors:
        flaws.append(StudyFlaw(node.start_mark.line + 1, field, "an alias points to what it is part of. Write it out."))
        return
    ancestors = [*ancestors, node]
    if isinstance(node, yaml.SequenceNode):
        for index, item in enumerate(node.value):
            _add_lines_and_flaws(item, f"{field}[{index}]", line_by_field, flaws, ancestors)
    elif isinstance(node, yaml.MappingNode):
        seen_names: set[str] = set()
        for key, item in node.value:
            name = str(key.value)
            inner_field = f"{field}.{name}" if field else name
            if name in seen_names:
                flaws.append(StudyFlaw(key.start_mark.line + 1, inner_field, "it is given twice. Remove one."))
            seen_names.add(name)
            line_by_field[inner_field] = key.start_mark.line + 1
            _add_lines_and_flaws(item, inner_field, line_by_field, flaws, ancestors)


def _study_flaw(line_by_field: Mapping[str, int], error_details: ErrorDetails, file_value: object) -> StudyFlaw:
    field = _field_path(error_details["loc"], file_value)
    message = error_details["msg"].removeprefix("Value error, ")
    match error_details["type"]:
        case "missing":
            message = "it is missing. Add it."
        case "extra_forbidden":
            known_fields = _known_fields(error_details["loc"])
            message = (
                f"there is no such field. Known here: {', '.join(known_fields)}."
                if known_fields
                else "there is no such field."
            )
        case "enum" | "literal_error" if "expected" in error_details.get("ctx", {}):
            expected = error_details.get("ctx", {}).get("expected", "known")
            message = f"{error_details['input']!r} is not {expected}. Write one of these."
        case "string_pattern_mismatch" if field.split("[")[0] in _FORMS:
            form = _FORMS.get(field.split("[")[0], "see the reference")
            message = f"{error_details['input']!r} has the wrong form ({form})."
        case kind if kind in _KINDS:
            given_input = error_details["input"]
            shown_input = repr(given_input) if isinstance(given_input, str | int | float) else "the value"
            message = f"{shown_input} is not {_KINDS[kind]}."
        case _:
            message = f"{message[:1].lower()}{message[1:]}{'' if message.endswith('.') else '.'}"
    # What is about several fields begins with the name of one.
    field = field or (first if (first := message.split()[0]) in line_by_field else "")
    return StudyFlaw(_line_of_field_or_parent(line_by_field, field), field, message)


_KINDS = (
    dict.fromkeys(("int_type", "int_parsing", "int_from_float"), "a whole number. Write one, such as 20")
    | dict.fromkeys(("float_type", "float_parsing"), "a number. Write one, such as 1.5")
    | dict.fromkeys(("bool_type", "bool_parsing"), "true or false. Write one of these")
    | dict.fromkeys(("tuple_type", "list_type"), "a list. Write it as [first, second]")
    | dict.fromkeys(("model_type", "dict_type"), "a group of fields. Write each as `field: value`")
    | {"string_type": "text. Put it between quotation marks"}
)
"""Pydantic's errors for a value of the wrong kind, in words of a study file."""

_FORMS = {
    "study": "small letters, digits, dots, dashes",
    "problems": "PACK/ID, such as starter/sync-fifo",
    "practice": "PACK/ID, such as starter/sync-fifo",
    "conditions": "small letters, digits, dots, dashes",
    "participants": "letters, digits, dots, dashes; no spaces, no @",
    "questionnaire": "small letters, digits, dots, dashes",
}


def _field_path(error_location: tuple[int | str, ...], file_value: object) -> str:
    """The path of a field as in the file; parts that pydantic adds for choices between types are left out."""
    field = ""
    for location_part in error_location:
        if isinstance(location_part, int) and isinstance(file_value, list) and location_part < len(file_value):
            field, file_value = f"{field}[{location_part}]", file_value[location_part]
        elif isinstance(location_part, str) and isinstance(file_value, dict) and location_part in file_value:
            field, file_value = (f"{field}.{location_part}" if field else location_part), file_value[location_part]
        elif isinstance(location_part, str) and isinstance(file_value, dict) and location_part == error_location[-1]:
            field = f"{field}.{location_part}" if field else location_part
    return field


def _known_fields(error_location: tuple[int | str, ...]) -> list[str]:
    """Fields that there are at the place of an unknown one."""
    study_part = _PARTS.get(str(error_location[0]), Study) if len(error_location) > 1 else Study
    return [info.alias or name for name, info in study_part.model_fields.items()]


_PARTS: Mapping[str, type[StudyPart]] = {
    "problems": Task,
    "conditions": Condition,
    "randomisation": Randomisation,
    "limits": Limits,
    "questionnaire": StudyQuestion,
    "exclusions": Exclusion,
    "analysis": Analysis,
    "consent": ConsentText,
    "data": DataHandling,
    "organisers": Organisers,
    "population": TargetPopulation,
    "recruitment": Recruitment,
    "pay": Pay,
    "ethics": EthicsReview,
}


def _first_flaw_of_each_place(flaws: Sequence[StudyFlaw]) -> list[StudyFlaw]:
    """One flaw for each place: for a union, pydantic reports what is wrong with each type."""
    first_flaws: dict[tuple[int, str], StudyFlaw] = {}
    for flaw in flaws:
        first_flaws.setdefault((flaw.line, flaw.field), flaw)
    return list(first_flaws.values())
