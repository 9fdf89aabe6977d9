"""The verdicts of an attempt, in order; a late judgement counts for the moment in which the answer was given."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from benchwright_problems.verdict import Outcome, outcome_of

_NS = 1_000_000_000


@dataclass(slots=True)
class AttemptVerdict:
    """One verdict."""

    number: int
    """Number of the submission, from 1."""
    outcome: str
    score: float | None
    """0 to 1; `None` if nothing was decided."""
    message: str
    reason: str
    active_ns: int
    """Analysed time up to it."""
    clock_ns: int
    """Time of the clock."""


class Verdicts:
    """Takes the verdicts of an attempt, as JSON has them."""

    __slots__ = ("_undecided", "all", "digests", "judge_cost_usd", "judged_by", "tests")

    def __init__(self) -> None:
        self.all: list[AttemptVerdict] = []
        self._undecided: dict[int, AttemptVerdict] = {}
        self.tests: tuple[int | None, int | None] = (None, None)
        """Hidden tests passed and in total, of the newest run that counted them."""
        self.digests: dict[str, str] = {}
        self.judged_by: dict[str, Any] = {}
        self.judge_cost_usd = 0.0

    def add(self, value: dict[str, Any], *, active_ns: int, clock_ns: int) -> None:
        """A run or an answer got a verdict."""
        judged = value.get("judged_by") or {}
        passed, total = value.get("passed"), value.get("total")
        outcome = outcome_of(value["reason"], value["outcome"])
        verdict = AttemptVerdict(
            value["number"],
            outcome,
            _score(outcome, judged.get("score"), passed, total),
            value.get("message", ""),
            value["reason"],
            active_ns,
            clock_ns,
        )
        self.all.append(verdict)
        if value["type"] == "answered" and verdict.outcome == Outcome.ERROR.value:
            self._undecided[verdict.number] = verdict
        if total is not None:
            self.tests = (passed, total)
        self.digests = value.get("digests") or self.digests
        self._judgement(judged)

    def judge(self, value: dict[str, Any]) -> None:
        """A stored answer was judged."""
        verdict = self._undecided.get(value["number"])
        if verdict is not None:
            verdict.reason, verdict.message = value["reason"], value.get("message", "")
            verdict.outcome = outcome_of(verdict.reason, value["outcome"])
            verdict.score = _score(verdict.outcome, value["judged_by"].get("score"), None, None)
            if verdict.outcome != Outcome.ERROR.value:
                del self._undecided[verdict.number]
        self._judgement(value["judged_by"])

    def _judgement(self, judged: dict[str, Any]) -> None:
        if judged:
            self.judged_by = judged
            self.judge_cost_usd += judged.get("cost_usd", 0.0)

    @property
    def newest(self) -> AttemptVerdict | None:
        """The newest verdict."""
        return self.all[-1] if self.all else None

    @property
    def first_pass(self) -> AttemptVerdict | None:
        """The passed submission with the lowest number."""
        passed = (one for one in self.all if one.outcome == Outcome.PASSED.value)
        return min(passed, key=lambda one: one.number, default=None)

    @property
    def scores(self) -> tuple[tuple[float, float], ...]:
        """(analysed seconds, score) of every decided verdict, in order."""
        return tuple((one.active_ns / _NS, one.score) for one in self.all if one.score is not None)

    @property
    def undecided(self) -> int:
        """Verdicts that ended in an error."""
        return sum(one.outcome == Outcome.ERROR.value for one in self.all)

    @property
    def failure(self) -> str:
        """What the solver saw of the newest verdict, if no submission passed."""
        newest = self.newest
        return newest.message if newest is not None and self.first_pass is None else ""


def _score(outcome: str, judged: float | None, passed: int | None, total: int | None) -> float | None:
    if outcome == Outcome.ERROR.value:
        return None
    if judged is not None:
        return min(1.0, max(0.0, judged))
    if outcome == Outcome.PASSED.value:
        return 1.0
    return passed / total if passed is not None and total else 0.0
