"""The verdicts of an attempt, in order; a late judgement counts for the moment in which the answer was given."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from benchwright_attempts.grading.verdict_sequence import VerdictSequence
from benchwright_problems.verdict import Outcome, present_outcome_of_recorded

_NS = 1_000_000_000


@dataclass(slots=True)
class TimedVerdict:
    """One verdict."""

    number: int
    """Number of the submission, from 1."""
    active_ns: int
    """Analysed time up to it."""
    clock_ns: int
    """Time of the clock."""
    outcome: Outcome = Outcome.ERROR
    score: float | None = None
    """0 to 1; `None` if nothing was decided."""
    message: str = ""
    reason: str = ""

    def set_from_event(self, event_fields: dict[str, Any]) -> None:
        """Takes what an event says of it."""
        self.outcome = present_outcome_of_recorded(event_fields["reason"], event_fields["outcome"])
        self.message, self.reason = event_fields.get("message", ""), event_fields["reason"]
        judged = (event_fields.get("judged_by") or {}).get("score")
        self.score = _score_if_decided(self.outcome, judged, event_fields.get("passed"), event_fields.get("total"))


@dataclass(frozen=True, slots=True)
class NewestJudgement:
    """Judgement of an attempt's newest answer."""

    method: str
    """`deterministic`, `model` or `person`."""
    label: str
    """The winning label on the rubric's scale; empty if there is none."""
    votes: tuple[str, ...]
    """The labels of the usable votes, in the order in which they were cast."""
    judges: tuple[str, ...] = ()
    """Judge that cast each of them."""


class VerdictFold:
    """Takes the verdicts of an attempt, as JSON has them."""

    __slots__ = ("_verdicts", "digests", "judge_cost_usd", "judged_by", "sequence", "test_counts")

    def __init__(self) -> None:
        self.sequence: VerdictSequence[TimedVerdict] = VerdictSequence()
        """The outcome of the verdicts."""
        self._verdicts: list[TimedVerdict] = []
        self.test_counts: tuple[int | None, int | None] = (None, None)
        """Hidden tests passed and in total, of the newest run that counted them."""
        self.digests: dict[str, str] = {}
        self.judged_by: dict[str, Any] = {}
        self.judge_cost_usd = 0.0

    def add_verdict(self, event_fields: dict[str, Any], *, active_ns: int, clock_ns: int) -> None:
        """A run or an answer got a verdict."""
        verdict = TimedVerdict(number=event_fields["number"], active_ns=active_ns, clock_ns=clock_ns)
        verdict.set_from_event(event_fields)
        self._verdicts.append(verdict)
        self.sequence = self.sequence.with_verdict(verdict)
        self._keep_tests_and_judgement(event_fields)

    def add_late_verdict(self, event_fields: dict[str, Any]) -> None:
        """A verdict came later than its try."""

        def revise(verdict: TimedVerdict) -> TimedVerdict:
            verdict.set_from_event(event_fields)
            return verdict

        self.sequence = self.sequence.with_late_verdict(
            event_fields["number"], revise, replaces_decided=event_fields.get("replaces", False)
        )
        self._keep_tests_and_judgement(event_fields)

    def _keep_tests_and_judgement(self, event_fields: dict[str, Any]) -> None:
        if event_fields.get("total") is not None:
            self.test_counts = (event_fields["passed"], event_fields["total"])
        self.digests = event_fields.get("digests") or self.digests
        if judged := event_fields.get("judged_by"):
            self.judged_by = judged
            self.judge_cost_usd += judged.get("cost_usd", 0.0)

    @property
    def newest_judgement(self) -> NewestJudgement | None:
        """Judgement of the newest answer; `None` if no answer was judged."""
        if not (judgement := self.judged_by):
            return None
        usable = [(vote["judge"], vote["label"]) for vote in judgement.get("votes", ()) if vote["label"]]
        judges, labels = tuple(judge for judge, _ in usable), tuple(label for _, label in usable)
        return NewestJudgement(judgement.get("method", ""), judgement.get("label", ""), labels, judges)

    @property
    def scores_over_time(self) -> tuple[tuple[float, float], ...]:
        """(analysed seconds, score) of every decided verdict, in order."""
        return tuple(
            (verdict.active_ns / _NS, verdict.score) for verdict in self._verdicts if verdict.score is not None
        )

    @property
    def failure_message(self) -> str:
        """The part of the newest verdict that the solver saw, if no submission passed."""
        newest_verdict = self.sequence.newest_verdict
        return newest_verdict.message if newest_verdict is not None and self.sequence.first_pass is None else ""


def _score_if_decided(
    outcome: Outcome, judged_score: float | None, passed_tests: int | None, total_tests: int | None
) -> float | None:
    if outcome is Outcome.ERROR:
        return None
    if judged_score is not None:
        return min(1.0, max(0.0, judged_score))
    if outcome is Outcome.PASSED:
        return 1.0
    return passed_tests / total_tests if passed_tests is not None and total_tests else 0.0
