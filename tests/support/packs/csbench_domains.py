"""Fixtures and helpers of the tests of csbench domains."""

from __future__ import annotations

from benchwright_analysis.report.fold import FoldedAttempt

from .report_codebook import observation


def reply(number: int, score: float | None, **changes: object) -> FoldedAttempt:
    """A model's answer to a question of its own."""
    row = {
        "attempt": f"a{number}",
        "participant": "m",
        "problem": f"cs/en-{number}",
        "family": f"cs/en-{number}",
        "kind": "question",
        "condition": "model",
        "solver": "model",
        "language": "en",
        "domain": "Computer Network",
        "subdomain": "Bus",
        "tag": "Knowledge",
        "format": "multiple-choice",
        "shots": 0,
        "steps": False,
        "score": score,
        "passed": score == 1,
    }
    return FoldedAttempt(observation(**(row | changes)), (), {}, "")
