"""Fields of every event that brings the verdict of hidden tests."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Self

from pydantic import Field, FiniteFloat

from benchwright_attempts.events.event_body import Count, EventBody
from benchwright_attempts.events.file_text import Text
from benchwright_problems.verdict import Outcome, Verdict


class TestsVerdict(EventBody):
    """Base of such events."""

    __test__ = False
    columns: ClassVar[Mapping[str, str]] = {
        "outcome": "outcome",
        "reason": "reason",
        "passed": "tests_passed",
        "total": "tests_total",
    }

    number: int = Field(ge=1)
    """Number of the submission within the attempt, from 1."""
    outcome: Outcome
    reason: str
    """A stable word: `passed`, `tests_failed`, `timeout` ..."""
    message: Text = ""
    passed: Count | None = None
    """Hidden tests that passed; `None` if they could not be counted."""
    total: Count | None = None
    wall_s: FiniteFloat = Field(ge=0)
    """Duration of the run in seconds."""
    digests: Mapping[str, str] = Field(default_factory=dict)
    """Digests of what produced the verdict: problem, harness, toolchain, sandbox."""

    @classmethod
    def of(cls, run_number: int, verdict: Verdict, **extra_fields: str | bool) -> Self:
        """The event of a verdict.

        Args:
            run_number: Number of the submission.
            verdict: As it was found.
            extra_fields: The fields that a subclass adds.
        """
        verdict_fields = {
            "number": run_number,
            "outcome": verdict.outcome,
            "reason": verdict.reason.value,
            "message": verdict.detail,
            "passed": verdict.passed_tests if verdict.tests else None,
            "total": len(verdict.tests) or None,
            "wall_s": verdict.wall_s,
            "digests": verdict.digests.model_dump(),
        }
        return cls.model_validate({**verdict_fields, **extra_fields})
