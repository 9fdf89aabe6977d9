"""What a solver sees of what is hidden: the only gate between a verdict, or a reference, and a person or a model.

A policy is a function here, and a line in `Reveal`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Self

from benchwright_problems.verdict import ComparedQuality, CompilerMessage, Verdict

_FINEST_S = 0.5
_COARSER = 1.2

ReadLog = Callable[[], str]
"""Reads a run's raw log; it holds hidden text."""


@dataclass(frozen=True, slots=True)
class RevealedTest:
    """One hidden test as the solver sees it."""

    name: str
    passed: bool
    message: str | None
    """None if the policy hides it, or there is none."""
    sim_time: str | None = None
    """For how long of simulated time it ran until it failed, such as `1,230 ns`; shown with the message."""


@dataclass(frozen=True, slots=True)
class Revealed:
    """The part of a verdict that the solver sees."""

    outcome: str
    """A value of `Outcome`; `recorded` where a study shows nothing."""
    reason: str
    """A value of `Reason`, or `recorded`."""
    message: str
    """One sentence for people, with the next step where there is one."""
    policy: str = "none"
    """The policy that shaped this; `none` where a study shows nothing."""
    policy_sentence: str = "This study shows no results."
    """The part of a run that the policy shows, for people."""
    passed_count: int | None = None
    """Hidden tests that passed. None if none were counted."""
    total: int | None = None
    tests: tuple[RevealedTest, ...] = ()
    compiler: tuple[CompilerMessage, ...] = ()
    """Errors that keep the design from building; whatever shows the outcome shows these: they name nothing hidden."""
    quality: ComparedQuality | None = None
    """Of a design that passed. It is measured once the attempt has ended, and whatever shows the outcome shows it."""
    log: str | None = None
    wall_s: float = 0.0
    """Duration of the run in seconds; below `full` as `coarse` gives it."""

    def as_prompt_text(self) -> str:
        """The same for a model's prompt, without the raw log, which could fill its context."""
        counts = f" {self.passed_count} of {self.total} tests passed." if self.total is not None else ""
        lines = [f"{self.outcome}.{counts} {self.message}".rstrip()]
        # The message has the first.
        lines += [str(message) for message in self.compiler[1:]]
        for test in self.tests:
            message = f": {test.message}" if test.message else ""
            time = f" after {test.sim_time}" if test.sim_time else ""
            lines.append(f"{'passed' if test.passed else 'failed'} {test.name}{time}{message}")
        lines += [str(self.quality)] if self.quality is not None else []
        return "\n".join(lines)


def coarse_wall_s(wall_s: float) -> float:
    """A run's time for its solver: up to the next tenth of a second, from half a second on to the next fifth.

    How long hidden tests take says how far they came, so an exact time could be made to tell more than a verdict.
    """
    if wall_s <= _FINEST_S:
        return math.ceil(round(wall_s * 10, 6)) / 10
    steps = math.ceil(round(math.log(wall_s / _FINEST_S, _COARSER), 6))
    return round(_FINEST_S * _COARSER**steps, 1)


def _reveal_verdict(verdict: Verdict, read_log: ReadLog) -> Revealed:
    tests = verdict.tests
    return Revealed(
        outcome=verdict.outcome.value,
        reason=verdict.reason.value,
        message=" ".join(filter(None, (verdict.detail, verdict.hint))),
        passed_count=verdict.passed_tests if tests else None,
        total=len(tests) or None,
        compiler=verdict.compiler,
        quality=verdict.quality,
        wall_s=coarse_wall_s(verdict.wall_s),
    )


def _reveal_test_names(verdict: Verdict, read_log: ReadLog) -> Revealed:
    tests = tuple(RevealedTest(test.name, test.passed, None) for test in verdict.tests)
    return replace(_reveal_verdict(verdict, read_log), tests=tests)


def _reveal_messages(verdict: Verdict, read_log: ReadLog) -> Revealed:
    # A design could make passed tests take longer, and so reveal what they do.
    tests = tuple(
        RevealedTest(
            test.name, test.passed, test.message or None, None if test.passed else _sim_time_text(test.sim_time_ns)
        )
        for test in verdict.tests
    )
    return replace(_reveal_verdict(verdict, read_log), tests=tests)


def _sim_time_text(sim_time_ns: float | None) -> str | None:
    return None if sim_time_ns is None else f"{sim_time_ns:,.10g} ns"


def _reveal_all(verdict: Verdict, read_log: ReadLog) -> Revealed:
    return replace(_reveal_messages(verdict, read_log), log=read_log(), wall_s=verdict.wall_s)


class Reveal(StrEnum):
    """The part of a run that the solver gets to see. Each level includes the ones before it."""

    VERDICT = (
        "verdict",
        "outcome and counts",
        "This problem shows only whether the hidden tests pass.",
        _reveal_verdict,
    )
    NAMES = "names", "also test names", "This problem shows test names only.", _reveal_test_names
    MESSAGES = (
        "messages",
        "also failure messages",
        "This problem shows test names and failure messages, but no log.",
        _reveal_messages,
    )
    FULL = "full", "also the raw log", "This problem shows test names, failure messages and the log.", _reveal_all

    REFERENCE = (
        "reference",
        "also the reference solution, once the problem is solved",
        "This problem shows test names, failure messages and the log, and once it is solved its reference.",
        _reveal_all,
    )

    _value_: str
    addition: str
    """What it shows that the level before it hides, for authors."""
    sentence: str
    """The part of a run that a problem with this policy shows, for solvers."""
    shown_part: Callable[[Verdict, ReadLog], Revealed]

    # The defaults are never used: to type checkers, finding a member by its value looks like a call of this.
    def __new__(
        cls,
        value: str,
        addition: str = "",
        sentence: str = "",
        shown_part: Callable[[Verdict, ReadLog], Revealed] = _reveal_verdict,
    ) -> Self:
        """Its value as packs write it, and what it shows."""
        policy = str.__new__(cls, value)
        policy._value_, policy.addition, policy.sentence, policy.shown_part = value, addition, sentence, shown_part
        return policy

    def shows_all_of(self, other_policy: Reveal) -> bool:
        """True if this policy shows what `other_policy` shows."""
        policy_order = list(Reveal)
        return policy_order.index(self) >= policy_order.index(other_policy)

    def limited_to(self, assignment_policy: Reveal | None) -> Reveal:
        """This policy, or `assignment_policy` if that shows less; None limits nothing."""
        return assignment_policy if assignment_policy is not None and self.shows_all_of(assignment_policy) else self


_NOTHING = Revealed(
    outcome="recorded",
    reason="recorded",
    message="The run was recorded. This study does not show results.",
)


def reveal(verdict: Verdict, policy: Reveal | None, read_log: ReadLog) -> Revealed:
    """Shapes a verdict by a reveal policy.

    Args:
        verdict: The whole verdict.
        policy: The problem's, as far as a study narrows it. None shows nothing but that there was a run.
        read_log: Called only where the policy shows the log.
    """
    if policy is None:
        return _NOTHING
    return replace(policy.shown_part(verdict, read_log), policy=policy.value, policy_sentence=policy.sentence)


def reveal_reference(
    policy: Reveal, read_reference: Callable[[], Mapping[str, str]], *, is_solved: bool
) -> Mapping[str, str] | None:
    """The files of the reference solution; None if they stay hidden.

    Args:
        policy: The problem's, as far as an assignment narrows it.
        read_reference: Called only where the policy shows the reference.
        is_solved: True if who asks has solved the problem.
    """
    return read_reference() if is_solved and policy.shows_all_of(Reveal.REFERENCE) else None


def reveal_explanation(read_explanation: Callable[[], str], *, is_work_over: bool) -> str:
    """The author's explanation of the solution, which every policy shows once work is over; empty if it stays hidden.

    Args:
        read_explanation: Called only where it is shown.
        is_work_over: True if who asks can change nothing any more: the assignment has closed, or the problem is solved.
    """
    return read_explanation() if is_work_over else ""
