"""The event of a verdict on a run that had decided nothing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Literal

from pydantic import Field, FiniteFloat

from benchwright_attempts.event_body import Count, EventBody
from benchwright_attempts.file_text import Text
from benchwright_attempts.state import AttemptState, unchanged_in
from benchwright_problems.verdict import Outcome


class Regraded(EventBody):
    """A run that had decided nothing was made again on the same files, possibly long after the attempt ended."""

    transitions = unchanged_in(*(state for state in AttemptState if state is not AttemptState.OPEN))
    columns: ClassVar[Mapping[str, str]] = {
        "outcome": "outcome",
        "reason": "reason",
        "passed": "tests_passed",
        "total": "tests_total",
    }

    type: Literal["regraded"] = "regraded"
    number: int = Field(ge=1)
    """Number of the submission within the attempt, from 1."""
    outcome: Outcome
    reason: str
    message: Text = ""
    passed: Count | None = None
    """Hidden tests that passed; `None` if they could not be counted."""
    total: Count | None = None
    wall_s: FiniteFloat = Field(ge=0)
    """Duration of the run in seconds."""
    digests: Mapping[str, str] = Field(default_factory=dict)
    """Digests of what produced the verdict: problem, harness, toolchain, sandbox."""
