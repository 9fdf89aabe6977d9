"""The form of one question, `review.toml`: what its author decides beside the text."""

from __future__ import annotations

import tomllib
from enum import StrEnum
from pathlib import Path
from typing import Annotated, TypeVar

from pydantic import Field, ValidationError

from benchwright_foundation.model import Model
from benchwright_problems.errors import DatasetError
from benchwright_problems.problem import Difficulty, Letter, QuestionFormat, Skill
from benchwright_problems.rubric_points import RubricItem

EXAM_FILE = "exam.toml"
FORM_FILE = "review.toml"
_M = TypeVar("_M", bound=Model)


class ReviewDecision(StrEnum):
    """Decision of the author on a question."""

    OPEN = "open"
    """Not reviewed yet; no pack is made while there is one."""
    ACCEPTED = "accepted"
    LEFT_OUT = "left out"


class ReviewForm(Model):
    """`review.toml` of a question."""

    decision: ReviewDecision = ReviewDecision.OPEN
    findings: tuple[str, ...] = ()
    """Points to check; read by nobody but the author."""
    format: QuestionFormat
    difficulty: Difficulty = Difficulty.MEDIUM
    domain: str = ""
    topic: str = ""
    skill: Skill | None = None
    answer: str = ""
    """The letter of a choice, or letters such as `AC`, or `true` or `false`.

    For other formats `solution/solution.md` has the answer.
    """
    points: Annotated[float, Field(ge=0, allow_inf_nan=False)] | None = None
    """Of the whole answer."""
    rubric: tuple[RubricItem, ...] = ()
    """Items that a part of the points is given for; `points` for all of it if empty."""
    choices: dict[Letter, str] = Field(default_factory=dict)
    """Markdown."""


class ExamForm(Model):
    """`exam.toml`: what the pack says of itself."""

    title: str
    version: str = "1.0.0"
    license: str = ""
    source: str
    description: str = ""


def read_review_form(form_file: Path) -> ReviewForm:
    """The form of a question.

    Raises:
        DatasetError: Names the file and the field.
    """
    return _read_toml_model(form_file, ReviewForm)


def read_exam_form(form_file: Path) -> ExamForm:
    """The pack's statements on itself.

    Raises:
        DatasetError: Names the file and the field.
    """
    return _read_toml_model(form_file, ExamForm)


def _read_toml_model(toml_file: Path, model: type[_M]) -> _M:
    try:
        return model.model_validate(tomllib.loads(toml_file.read_text("utf-8")))
    except OSError as error:
        raise DatasetError(toml_file, "", f"can't be read: {error.strerror}") from error
    except ValidationError as error:
        raise DatasetError.from_validation(toml_file, error) from error
    except ValueError as error:
        raise DatasetError(toml_file, "", f"is not TOML: {error}") from error
