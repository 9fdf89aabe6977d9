"""Errors of exams; each message names the next step."""

from __future__ import annotations

from benchwright_problems.errors import ProblemsError


class ExamError(ProblemsError):
    """An exam can't be read, or its questions can't become a pack."""
