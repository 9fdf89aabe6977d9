"""Result of the two-sided proof of a problem."""

from __future__ import annotations

from enum import StrEnum

from pydantic import Field

from benchwright_foundation.model import Model
from benchwright_harness.plan.selection import ToolSelection
from benchwright_problems.verdict import Outcome, Reason, Verdict


class ProofSide(StrEnum):
    """Side that is run to prove a problem."""

    REFERENCE = "reference"
    STARTING = "starting"
    """The files as a solver finds them."""
    EMPTY = "empty"
    """Modules with the reference's ports and nothing in them, where a solver finds no files. Of a problem without a
    reference: the starting files' modules, or ones of the names that the harness uses."""


class ProofState(StrEnum):
    """State of a problem's proof after its sides have run."""

    PROVED = "proved"
    """The reference passes, the unsolved files fail."""
    EXECUTES = "executes"
    """There is no reference; the harness runs its tests, and the unsolved files fail."""
    WRONG = "wrong"
    UNDECIDED = "undecided"


_RAN = frozenset({Reason.PASSED, Reason.TESTS_FAILED})


class TwoSidedProof(Model):
    """The verdicts of one problem."""

    reference: Verdict
    starting: Verdict
    empty: Verdict | None = None
    wrong: dict[str, Verdict] = Field(default_factory=dict)
    """Of the solutions that its author says are wrong, by name."""
    right: dict[str, Verdict] = Field(default_factory=dict)
    """Of the solutions beside the reference that its author says are right, by name."""
    selection: ToolSelection | None = None
    """Selection that they were run with."""
    tools: tuple[str, ...] = ()
    """Programs that the harness calls."""
    limit_s: float | None = None
    """Wall time that a step of the unsolved files had, in seconds."""
    proposed_criterion: str = ""
    """A `[criterion]` of TOML by which the sides differ in what they print, where they don't by the testbench's own."""
    misnamed_tests: tuple[str, ...] = ()
    """Named tests that the starting files pass though they should fail, or the other way round: a sentence each."""
    unmentioned_names: tuple[str, ...] = ()
    """Names that the harness connects, and neither statement nor public files name."""
    runs: dict[ProofSide, str] = Field(default_factory=dict)
    """Key of each side's run in the verdict store."""

    @property
    def verdict_by_side(self) -> dict[ProofSide, Verdict]:
        """The verdicts by side."""
        all_sides = {
            ProofSide.REFERENCE: self.reference,
            ProofSide.STARTING: self.starting,
            ProofSide.EMPTY: self.empty,
        }
        return {side: verdict for side, verdict in all_sides.items() if verdict is not None}

    @property
    def proof_state(self) -> ProofState:
        """State of the proof: it says if the problem can be trusted."""
        unsolved = [verdict for side, verdict in self.verdict_by_side.items() if side is not ProofSide.REFERENCE]
        unsolved += self.wrong.values()
        if self.misnamed_tests or any(verdict.outcome is Outcome.PASSED for verdict in unsolved):
            return ProofState.WRONG
        if self.reference.reason is Reason.NO_REFERENCE:
            return ProofState.EXECUTES if self.has_reached_tests else ProofState.UNDECIDED
        if self.reference.outcome is Outcome.ERROR:
            return ProofState.UNDECIDED
        solved = [self.reference, *self.right.values()]
        if any(verdict.outcome is Outcome.FAILED for verdict in solved):
            return ProofState.WRONG
        has_undecided = any(verdict.outcome is Outcome.ERROR for verdict in (*solved, *unsolved))
        return ProofState.UNDECIDED if has_undecided else ProofState.PROVED

    @property
    def is_proved(self) -> bool:
        """True if the solved problem passes and the unsolved one fails."""
        return self.proof_state is ProofState.PROVED

    @property
    def has_reached_tests(self) -> bool:
        """True if the harness came as far as its tests on any side."""
        return any(verdict.reason in _RAN or verdict.tests for verdict in self.verdict_by_side.values())

    @property
    def most_tests_run(self) -> int:
        """Number of tests that ran at most."""
        return max(len(verdict.tests) for verdict in self.verdict_by_side.values())

    @property
    def passes_without_solution(self) -> bool:
        """True if files that solve nothing pass."""
        passed_outcome = Outcome.PASSED
        return self.starting.outcome is passed_outcome or (
            self.empty is not None and self.empty.outcome is passed_outcome
        )

    @property
    def reason(self) -> str:
        """First reason why it is not proved; empty where it is."""
        return next(iter(self.reasons), "")

    @property
    def reasons(self) -> tuple[str, ...]:
        """Everything that keeps it from being proved, what to fix first comes first."""
        reasons = []
        if self.passes_without_solution:
            passing_text = (
                "the starting files pass" if self.starting.outcome is Outcome.PASSED else "an empty module passes"
            )
            reasons.append(f"{passing_text}: the tests prove nothing")
        reasons += self.misnamed_tests
        if self.reference.reason is Reason.NO_REFERENCE:
            return (*reasons, f"no reference: {self._execution_text}")
        if self.reference.outcome is Outcome.FAILED:
            reasons.append(f"the reference fails: {self.reference.detail}")
        reasons += [
            f"the solution in hidden/right/{name} fails: {verdict.detail}"
            for name, verdict in self.right.items()
            if verdict.outcome is Outcome.FAILED
        ]
        reasons += [
            f"the solution in hidden/wrong/{name} passes: the tests don't find what is wrong with it"
            for name, verdict in self.wrong.items()
            if verdict.outcome is Outcome.PASSED
        ]
        all_verdicts = (*self.verdict_by_side.values(), *self.right.values(), *self.wrong.values())
        reasons += [side.summary for side in all_verdicts if side.outcome is Outcome.ERROR]
        return tuple(dict.fromkeys(reasons))

    @property
    def remarks(self) -> tuple[str, ...]:
        """Caveats of all runs, each once."""
        stopped = [
            f"The {run_side.value} files were stopped after {self.limit_s:g} s."
            for run_side, verdict in self.verdict_by_side.items()
            if verdict.reason is Reason.TIMEOUT and run_side is not ProofSide.REFERENCE and self.limit_s is not None
        ]
        proposed = [f"Proposed for problem.toml:\n{self.proposed_criterion}"] if self.proposed_criterion else []
        names = ", ".join(self.unmentioned_names)
        unmentioned = [f"The harness connects what the statement never mentions: {names}."] if names else []
        of_runs = (remark for side in self.verdict_by_side.values() for remark in side.remarks)
        return tuple(dict.fromkeys([*stopped, *unmentioned, *proposed, *of_runs]))

    @property
    def wall_s(self) -> float:
        """Seconds of all runs together."""
        all_verdicts = (*self.verdict_by_side.values(), *self.right.values(), *self.wrong.values())
        return round(sum(verdict.wall_s for verdict in all_verdicts), 3)

    @property
    def _execution_text(self) -> str:
        if self.has_reached_tests:
            return f"the harness executes (tests ran: {self.most_tests_run})"
        # The empty side has come further, if it is there: it has files.
        return f"no test ran: {(self.empty or self.starting).detail}"
