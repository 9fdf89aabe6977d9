"""The verdicts of one attempt: the first pass, the one that counts at the end, and those that come late.

The log's summary and the report's rows have different facts beside a verdict, and this one rule.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Generic, Protocol, TypeVar

from benchwright_attempts.state import AttemptState
from benchwright_problems.verdict import Outcome


class _NumberedVerdict(Protocol):
    @property
    def number(self) -> int: ...

    @property
    def outcome(self) -> Outcome: ...


V = TypeVar("V", bound=_NumberedVerdict)


@dataclass(frozen=True, slots=True)
class VerdictSequence(Generic[V]):
    """Sequence of an attempt's verdicts, and what they come to."""

    count: int = 0
    """Verdicts so far, of runs and of judged answers."""
    newest_verdict: V | None = None
    """The verdict of the last try."""
    first_pass: V | None = None
    """The first try that passed: whether the problem was ever solved."""
    undecided: Mapping[int, V] = field(default_factory=dict)
    """Verdicts that are still undecided, by the number of the try."""

    def with_verdict(self, verdict: V) -> VerdictSequence[V]:
        """With the verdict of one more try."""
        undecided = self.undecided
        if verdict.outcome is Outcome.ERROR:
            undecided = {**undecided, verdict.number: verdict}
        first_pass = _earlier_pass(self.first_pass, verdict)
        return VerdictSequence(self.count + 1, verdict, first_pass, undecided)

    def with_late_verdict(
        self, try_number: int, revise_verdict: Callable[[V], V], *, replaces_decided: bool = False
    ) -> VerdictSequence[V]:
        """With a verdict that came later than its try, and still counts for that try.

        What was decided once is not decided again, unless the late verdict replaces it.

        Args:
            try_number: Number of the try.
            revise_verdict: Makes the verdict from the earlier one.
            replaces_decided: True if it takes the place of the newest verdict, though that was decided.
        """
        earlier_verdict, first_pass = self.undecided.get(try_number), self.first_pass
        if (
            earlier_verdict is None
            and replaces_decided
            and self.newest_verdict is not None
            and self.newest_verdict.number == try_number
        ):
            earlier_verdict = self.newest_verdict
            first_pass = None if first_pass is not None and first_pass.number == try_number else first_pass
        if earlier_verdict is None:
            return self
        verdict = revise_verdict(earlier_verdict)
        undecided = {
            number: undecided_verdict for number, undecided_verdict in self.undecided.items() if number != try_number
        }
        if verdict.outcome is Outcome.ERROR:
            undecided[try_number] = verdict
        newest_verdict = (
            verdict
            if self.newest_verdict is not None and self.newest_verdict.number == try_number
            else self.newest_verdict
        )
        return replace(
            self, newest_verdict=newest_verdict, first_pass=_earlier_pass(first_pass, verdict), undecided=undecided
        )

    @property
    def tries_to_pass(self) -> int | None:
        """Number of decided verdicts up to the first pass; None without one."""
        first_pass = self.first_pass
        return (
            None
            if first_pass is None
            else first_pass.number - sum(number < first_pass.number for number in self.undecided)
        )

    def final_outcome(self, state: AttemptState) -> Outcome | None:
        """The verdict on the work as submitted, or as it was at a limit; none if nothing was submitted.

        Args:
            state: The attempt's.
        """
        handed_in = state in (AttemptState.SUBMITTED, AttemptState.TIMED_OUT)
        return self.newest_verdict.outcome if handed_in and self.newest_verdict is not None else None


def _earlier_pass(first_pass: V | None, verdict: V) -> V | None:
    if verdict.outcome is not Outcome.PASSED or (first_pass is not None and first_pass.number <= verdict.number):
        return first_pass
    return verdict
