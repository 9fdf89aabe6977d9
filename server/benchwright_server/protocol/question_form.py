"""The `benchwright/*` messages of the form in which somebody writes a question of a pack's folder; see `protocol`."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from benchwright_server.protocol.messages import Wire

Text = Annotated[str, Field(max_length=1_000_000)]
Short = Annotated[str, Field(max_length=20_000)]
Finite = Annotated[float, Field(allow_inf_nan=False)]
Choices = Annotated[dict[str, Short], Field(max_length=26)]
"""Markdown by letter."""


class FieldError(Wire):
    """A fault in a field of a form."""

    field: str
    """Such as `answer`, `choices.A` or `rubric.0.points`; empty if it is in none, or in several."""
    reason: str


class PointsFor(Wire):
    """A part of the points, and what it is given for."""

    text: Short
    points: Finite = 1.0


PointsList = Annotated[list[PointsFor], Field(max_length=50)]


class QuestionForm(Wire):
    """The fields of `problem.toml` that the form has; empty where the file has none."""

    difficulty: Short = ""
    domain: Short = ""
    format: Short = ""
    topic: Short = ""
    skill: Short = ""
    choices: Choices = Field(default_factory=dict)
    answer: Short = ""
    alternatives: Annotated[list[Short], Field(default_factory=list, max_length=50)]
    closed: bool = False
    unit: Short = ""
    tolerance: Finite | None = None
    explanation: Text = ""
    rubric: Text = ""
    points: PointsList = Field(default_factory=list)
    enough: Finite | None = None


class FormRemark(Wire):
    """A mark of an editor in the files of the question."""

    field: str
    """As in `FieldError`."""
    reason: str
    is_error: bool
    """True if the pack can't be used as it is."""


class ShownQuestion(Wire):
    """Result of `benchwright/questionForm`."""

    uri: str
    """The problem's folder."""
    id: str
    digest: str
    """Of the files that the form changes."""
    statement: str
    """Markdown, with its title."""
    form: QuestionForm
    remarks: list[FormRemark]
    figures: dict[str, str]
    """URIs of pictures by their path in the statement."""
    answer_figures: dict[str, str]
    """URIs of pictures by their path in the answer and its explanation."""


class CheckQuestionFormParams(Wire):
    """Parameters of `benchwright/checkQuestionForm`."""

    uri: str
    """The problem's folder or a file in it."""
    statement: Text
    form: QuestionForm


class CheckedQuestionForm(Wire):
    """Result of `benchwright/checkQuestionForm`."""

    remarks: list[FormRemark]
    """Those of the files if this were written."""


class SaveQuestionFormParams(CheckQuestionFormParams):
    """Parameters of `benchwright/saveQuestionForm`."""

    digest: str
    """Of the files that were changed; see `ShownQuestion`."""


class SavedQuestionForm(Wire):
    """Result of `benchwright/saveQuestionForm`."""

    is_saved: bool
    changed_on_disk: bool
    """Nothing was written, because the files are others than the form shows."""
    digest: str
    """Of the files as they are now."""
    remarks: list[FormRemark]


class AddFigureParams(Wire):
    """Parameters of `benchwright/addFigure`."""

    uri: str
    """The problem's folder or a file in it."""
    picture: str
    """URI of a PNG, JPEG, GIF, WebP or SVG of at most 8 MiB, which is copied."""
    of_answer: bool = False
    """True if only who sees the answer may see it."""


class AddedFigure(Wire):
    """Result of `benchwright/addFigure`."""

    path: str
    """To be shown as `![what it shows](path)`."""
    uri: str


class QuestionTwinParams(Wire):
    """Parameters of `benchwright/questionTwin`."""

    uri: str
    """The multiple-choice question's folder or a file in it."""
    id: str
    """The new question's name."""


class QuestionModels(Wire):
    """Result of `benchwright/questionModels`."""

    models: list[str]
    """Empty if none is configured, or none may be asked."""


class TryQuestionParams(Wire):
    """Parameters of `benchwright/tryQuestion`."""

    uri: str
    """The question's folder or a file in it."""
    models: list[str]
    """Their names in `judges.toml`."""


class ModelReply(Wire):
    """The reply of a model to a question."""

    model: str
    said: str
    """Its whole reply; empty if there is none."""
    answer: str
    """The letter, truth or words that fill the blank; empty if none can be read, and for answers in words."""
    is_right: bool | None
    """By rule; null for answers in words, and where there is no answer."""
    why: str
    """The reason why there is no reply; empty if there is one."""


class TriedQuestion(Wire):
    """Result of `benchwright/tryQuestion`."""

    answers: list[ModelReply]
    """In the order of the models."""
