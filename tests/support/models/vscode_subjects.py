"""Fixtures and helpers of the tests of vscode subjects."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchwright_attempts.errors import EvaluationError
from benchwright_foundation.home import Home
from benchwright_subjects.inline.vscode.editor_launch import DriverPrograms, find_programs

EXTENSION = Path(__file__).with_name("vscode_subject")


def programs() -> DriverPrograms:
    try:
        return find_programs((), Home.from_environment().cache)
    except EvaluationError as error:
        pytest.skip(str(error))
