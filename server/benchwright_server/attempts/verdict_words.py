"""A verdict in words: the lens, the status bar and the results view show the same ones."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from benchwright_attempts.grading.reveal import Revealed
from benchwright_problems.problem import ProblemKind
from benchwright_problems.verdict import WAITING, Reason


@dataclass(frozen=True)
class VerdictWords:
    """The same verdict twice."""

    short: str
    """A few words, such as `3/5 passed`."""
    headline: str
    """A sentence without its full stop."""


_FAILURES: Mapping[str, VerdictWords] = {
    Reason.BUILD_FAILED: VerdictWords("build failed", "The design does not build"),
    Reason.NO_RESULTS: VerdictWords("no results", "The simulation ended before its tests"),
    Reason.TIMEOUT: VerdictWords("time limit", "The run reached its time limit"),
    Reason.MEMORY: VerdictWords("memory limit", "The run used too much memory"),
    Reason.FOLDER_QUOTA: VerdictWords("file quota exceeded", "The run wrote too much"),
    Reason.OUTPUT_QUOTA: VerdictWords("too much output", "The run printed too much"),
    Reason.EMPTY: VerdictWords("empty", "There is no answer"),
    Reason.DECLINED: VerdictWords("no answer", "The answer declines to solve the problem"),
    Reason.UNREADABLE: VerdictWords("unreadable", "The answer can't be read"),
    Reason.REFUSED: VerdictWords("refused", "The design was not run because it uses a forbidden construct"),
    Reason.TAMPERED: VerdictWords("results not credible", "The results of the run contradict each other"),
}
"""Failures that are not about single tests."""
_UNDECIDED: Mapping[str, str] = {
    Reason.MACHINE_BUSY: "machine overloaded",
    Reason.SANDBOX_UNAVAILABLE: "no sandbox",
    Reason.TOOLS_DISAGREE: "tools read different designs",
    Reason.BAD_HARNESS: "tests can't run",
}
"""Words for reasons whose own name says too little."""
_WAITS = frozenset(reason.value for reason in Reason if reason.waits_for_judge)


def verdict_words_for(revealed_verdict: Revealed, kind: ProblemKind) -> VerdictWords:
    """The words for what a solver may see of a verdict."""
    if revealed_verdict.outcome == "recorded":
        return VerdictWords("recorded", "The run was recorded")
    if revealed_verdict.reason in _WAITS:
        return VerdictWords(WAITING, "The answer is waiting for a judge")
    if revealed_verdict.outcome == "error":
        words = _UNDECIDED.get(revealed_verdict.reason) or revealed_verdict.reason.replace("_", " ")
        return VerdictWords(words, f"Undecided: {words}")
    if revealed_verdict.outcome == "failed" and revealed_verdict.reason in _FAILURES:
        return _FAILURES[revealed_verdict.reason]
    if kind is not ProblemKind.DESIGN:
        word = "correct" if revealed_verdict.outcome == "passed" else "incorrect"
        return VerdictWords(word, f"The answer is {word}")
    has_counts = revealed_verdict.total is not None
    short = (
        f"{revealed_verdict.passed_count}/{revealed_verdict.total} passed" if has_counts else revealed_verdict.outcome
    )
    headline = f"Hidden tests {revealed_verdict.outcome}"
    if revealed_verdict.outcome == "passed":
        return VerdictWords(
            short, headline + (f": {revealed_verdict.passed_count} of {revealed_verdict.total}" if has_counts else "")
        )
    if has_counts and revealed_verdict.passed_count == revealed_verdict.total:
        short += ", but failed"
    return VerdictWords(
        short,
        headline + (f": {revealed_verdict.passed_count} of {revealed_verdict.total} passed" if has_counts else ""),
    )
