"""A question of a study to its participants, or to those who want to become some."""

from __future__ import annotations

from typing import Self

from pydantic import Field, model_validator

from benchwright_studies.plan.study_part import Id, StudyPart
from benchwright_studies.plan.vocabulary import QuestionKind


class StudyQuestion(StudyPart):
    """A question of the questionnaire, or of the screening before it."""

    id: Id
    ask: str = Field(min_length=1)
    kind: QuestionKind = QuestionKind.TEXT
    choices: tuple[str, ...] = ()
    """Only with kind `choice`."""
    required: bool = True
    expect: str | int | float | bool | None = None
    """In the questionnaire it makes the question an attention check: the answer that an attentive reader gives. In a \
screening, the answer that admits."""

    @model_validator(mode="after")
    def _check_choices(self) -> Self:
        if (self.kind is QuestionKind.CHOICE) != bool(self.choices):
            raise ValueError("choices go with kind choice, and only with it")
        if self.kind is QuestionKind.CHOICE and self.expect is not None and self.expect not in self.choices:
            raise ValueError(f"expect is {self.expect!r}, which is none of the choices")
        return self
