"""The lines that `benchwright judge desk` and an editor's grading view exchange, one JSON object each."""

from __future__ import annotations

from typing import Literal

from benchwright_server.protocol.messages import Wire


class GradingPicture(Wire):
    """A picture of the question or the reference."""

    path: str
    media_type: str
    data: str
    """Base64."""


class AnswerToGrade(Wire):
    """To the view: an answer to grade."""

    type: Literal["answer"]
    id: str
    title: str
    language: str
    """ISO 639."""
    question: str
    """Markdown."""
    reference: str
    """Markdown; empty if the pack has none."""
    notes: str
    """The author's notes for graders, Markdown."""
    guidance: str
    """The rubric."""
    answer: str
    labels: tuple[str, ...]
    """The scale, worst first."""
    pictures: tuple[GradingPicture, ...]
    left: int
    """Number of answers left, including this one."""


class GradingDone(Wire):
    """To the view: nothing is left to grade for this person."""

    type: Literal["done"]
    graded: int
    """In this session."""


class GradeRefused(Wire):
    """To the view: the last line was rejected; the same answer still needs a grade."""

    type: Literal["refused"]
    reason: str


class GradeGiven(Wire):
    """From the view: a person's grade."""

    type: Literal["grade"]
    id: str
    label: str
    difficulty: int
    """1 (easy to grade) to 5."""
    comment: str


class GradeSkipped(Wire):
    """From the view: show another answer first."""

    type: Literal["skip"]


LINES = (AnswerToGrade, GradingDone, GradeRefused, GradeGiven, GradeSkipped)
"""Every line that is exchanged."""
