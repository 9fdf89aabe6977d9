"""Sets of labels for what went wrong in an answer: CS-Bench's types of error, or those of a file."""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Sequence
from enum import StrEnum
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable
from itertools import groupby
from pathlib import Path
from typing import Annotated, Self

from pydantic import Field, ValidationError, model_validator

from benchwright_foundation.model import Model
from benchwright_judges.errors import ConfigurationError

OTHER = "other"
"""The label that every set has: something else, or a reply that does not tell."""


class LabelledAnswers(StrEnum):
    """Wrong answers that a set is for."""

    CHOICES = "choices"
    """Choices, after steps."""
    ALL = "all"
    """Choices after steps, and answers in words."""


class ErrorLabel(Model):
    """One label."""

    name: Annotated[str, Field(pattern=r"^[^;\"\n]{1,60}$")]
    kind: str = ""
    """Labels of a kind are also counted together."""
    meaning: Annotated[str, Field(min_length=1)]


class ErrorLabels(Model):
    """A set of labels. A judge names one or more for a wrong answer, or `other` alone."""

    name: Annotated[str, Field(pattern=r"^[a-z][a-z0-9-]*$")]
    answers: LabelledAnswers = LabelledAnswers.ALL
    labels: Annotated[tuple[ErrorLabel, ...], Field(alias="label", min_length=2)]

    @model_validator(mode="after")
    def _names_differ(self) -> Self:
        names = self.names
        if repeated := next((name for name in names if names.count(name) > 1), None):
            raise ValueError(f"the label {repeated!r} is there twice, or is “{OTHER}”, which every set has")
        return self

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all labels, `other` last."""
        return (*(label.name for label in self.labels), OTHER)

    @property
    def instructions(self) -> str:
        """The instructions to judges."""
        parts = []
        for kind, labels in groupby(self.labels, lambda label: label.kind):
            listing = "".join(f'- "{label.name}": {label.meaning.rstrip(".")}.\n' for label in labels)
            parts.append(f"{f'Errors of {kind}:' if kind else 'Errors:'}\n{listing}")
        frame = (resources.files("benchwright_judges") / "rubrics" / "error-types.txt").read_text(encoding="utf-8")
        return frame.replace("{labels}", "\n".join(parts))

    @property
    def reference(self) -> str:
        """Name, `@`, and the beginning of the digest of the instructions."""
        return f"{self.name}@{hashlib.sha256(self.instructions.encode()).hexdigest()[:12]}"

    def checked_names_in_order(self, names: Sequence[str]) -> tuple[str, ...]:
        """Names in the order of the set, each once.

        Raises:
            ValueError: One of them is not of the set, there are none, or `other` is beside another one.
        """
        if unknown := [name for name in names if name not in self.names]:
            raise ValueError(f"{len(unknown)} of the names are not in the set")
        ordered = tuple(name for name in self.names if name in names)
        if not ordered:
            raise ValueError("there is no label")
        if OTHER in ordered and len(ordered) > 1:
            raise ValueError(f"“{OTHER}” is beside another label")
        return ordered


@cache
def csbench_error_labels() -> ErrorLabels:
    """The types of error of CS-Bench's figure 7."""
    return read_error_labels(resources.files("benchwright_judges") / "rubrics" / "error-types.toml")


def read_error_labels(file: Path | Traversable) -> ErrorLabels:
    """The set of a file.

    Raises:
        ConfigurationError: The file can't be read, or is not a set of labels; names file and field.
    """
    try:
        return ErrorLabels.model_validate(tomllib.loads(file.read_text(encoding="utf-8")))
    except OSError as error:
        raise ConfigurationError(f"{file} can't be read: {error.strerror}") from error
    except ValidationError as error:
        detail = error.errors()[0]
        field = ".".join(str(part) for part in detail["loc"])
        message = detail["msg"].removeprefix("Value error, ")
        raise ConfigurationError(
            f"{file}: {f'field {field}: ' if field else ''}{message}; docs/reference/judging.md shows such a file"
        ) from None
    except ValueError as error:
        raise ConfigurationError(f"{file} is not TOML: {error}") from error
