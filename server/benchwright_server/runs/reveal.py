"""What a solver may see of a verdict."""

from __future__ import annotations

from collections.abc import Callable

from benchwright_problems.problem import Reveal
from benchwright_problems.verdict import Verdict
from benchwright_server.protocol import TestCount, TestLine, VerdictView


def reveal(verdict: Verdict, policy: Reveal, log: Callable[[], str], number: int, finished_at: str) -> VerdictView:
    """Shape a verdict by a problem's reveal policy.

    Args:
        verdict: The whole verdict.
        policy: The problem's policy.
        log: Reads the run's raw log; called only where the policy is `full`.
        number: Which try it was.
        finished_at: ISO 8601.
    """
    lines = None
    if policy.includes(Reveal.NAMES):
        with_messages = policy.includes(Reveal.MESSAGES)
        lines = [
            TestLine(name=test.name, passed=test.passed, message=(test.message or None) if with_messages else None)
            for test in verdict.tests
        ]
    return VerdictView(
        outcome=verdict.outcome.value,
        reason=verdict.reason.value,
        message=" ".join(filter(None, (verdict.detail, verdict.hint))),
        tests=TestCount(passed=verdict.passed_tests, total=len(verdict.tests)) if verdict.tests else None,
        lines=lines or None,
        log=log() if policy.includes(Reveal.FULL) else None,
        reveal=policy.value,
        wall_s=verdict.wall_s,
        number=number,
        finished_at=finished_at,
    )


def unrevealed(number: int, finished_at: str) -> VerdictView:
    """A verdict of which nothing is shown but that there is one."""
    return VerdictView(
        outcome="recorded",
        reason="recorded",
        message="The run was recorded. This study does not show results.",
        reveal="none",
        wall_s=0.0,
        number=number,
        finished_at=finished_at,
    )
