"""The `benchwright/*` messages for those who review the questions of an exam; see `protocol`."""

from __future__ import annotations

from benchwright_server.protocol.messages import Wire
from benchwright_server.protocol.question_form import Choices, FieldError, PointsList, Short, Text


class ExamParams(Wire):
    """Parameters of `benchwright/examQuestions`."""

    uri: str
    """The folder that `benchwright questions from-exam` wrote, or a file in it."""


class ExamQuestionState(Wire):
    """Progress of the review of a question."""

    label: str
    decision: str
    """`open`, `accepted` or `left out`; empty if its form can't be read."""
    findings: int
    """Number of things to check."""
    trouble: str
    """The reason why its form can't be read; empty if it can."""


class ExamQuestions(Wire):
    """Result of `benchwright/examQuestions`."""

    uri: str
    """The folder."""
    title: str
    current: str
    """The question that the file belongs to; empty if none."""
    questions: list[ExamQuestionState]


class ExamQuestionParams(Wire):
    """Parameters of `benchwright/examQuestion`."""

    uri: str
    label: str


class ExamQuestionForm(Wire):
    """The author's entries for a question: the fields of `review.toml` that the form has."""

    decision: Short
    format: Short
    difficulty: Short
    domain: Short
    topic: Short
    answer: Short
    points: float | None = None
    choices: Choices
    rubric: PointsList


class ExamQuestion(Wire):
    """Result of `benchwright/examQuestion`."""

    label: str
    digest: str
    """Of the files that the form changes."""
    statement: str
    """Markdown."""
    solution: str
    """Markdown."""
    form: ExamQuestionForm
    findings: list[str]
    pages: list[str]
    """URIs of the pictures of its pages, on which its places are marked."""
    figures: dict[str, str]
    """URIs of pictures by their path in the statement."""
    solution_figures: dict[str, str]
    """URIs of pictures by their path in the solution."""


class SaveExamQuestionParams(Wire):
    """Parameters of `benchwright/saveExamQuestion`."""

    uri: str
    label: str
    digest: str
    """Of the files that were changed; see `ExamQuestion`."""
    statement: Text
    solution: Text
    form: ExamQuestionForm


class SavedExamQuestion(Wire):
    """Result of `benchwright/saveExamQuestion`."""

    digest: str
    """Of the files as they are now."""
    changed_on_disk: bool
    """Nothing was written, because the files are others than the form shows."""
    errors: list[FieldError]
    """The reasons why nothing was written."""


class MakeExamPackParams(Wire):
    """Parameters of `benchwright/makeExamPack`."""

    uri: str
    pack: str
    """Name of the new pack."""
    replace: bool = False
    """Replace a pack of this name."""


class MadeExamPack(Wire):
    """Result of `benchwright/makeExamPack`."""

    questions: list[str]
    """Their labels; empty if the pack is refused."""
    folder: str
    """URI of the pack's folder."""
    refused: str
    """The reason why there is no pack; empty if there is one."""
    label: str
    """The question that is refused; empty if it is none."""
    file: str
    """URI of the file that is refused; empty if it is none."""
    exists: bool
    """Refused only because there is a pack of this name."""
