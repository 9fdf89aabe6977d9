"""The outcome of one run."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

from benchwright_foundation.model import Model


class Outcome(StrEnum):
    """The outcome that a reason amounts to: see `docs/reference/outcomes.md`, which has the whole rule."""

    PASSED = "passed"
    FAILED = "failed"
    ERROR = "error"
    """Undecided: the machinery failed, not the solver. Counted and named, and the only outcome that is tried again."""


class Reason(StrEnum):
    """The reason for a verdict. Stable identifiers: programs may depend on them."""

    PASSED = "passed"
    TESTS_FAILED = "tests_failed"
    BUILD_FAILED = "build_failed"
    """The harness ended without a simulation: most often the design does not compile, or lacks a module or port."""
    NO_RESULTS = "no_results"
    """The harness claims success but left no test results: a design can end the simulation before its tests."""
    TIMEOUT = "timeout"
    """The run had its time, by the processor or waiting for nothing: most often the design hangs."""
    MEMORY = "memory"
    FOLDER_QUOTA = "folder_quota"
    OUTPUT_QUOTA = "output_quota"
    REFUSED = "refused"
    """The submission uses what is forbidden to solutions, such as opening files; it was not run."""
    TAMPERED = "tampered"
    """The run left results that contradict each other or were not written by our part of the simulator."""
    WRONG_ANSWER = "wrong_answer"
    EMPTY = "empty"
    """The reply or the answer is empty."""
    DECLINED = "declined"
    """The reply or the answer declines to solve the problem."""
    UNREADABLE = "unreadable"
    """The reply holds no files in the form that was asked for, or no value can be read in the answer."""
    NO_ANSWER = "no_answer"
    """There is no answer at all. Records of earlier versions have this also for `declined` and `unreadable`."""
    TOOL_MISSING = "tool_missing"
    TOOL_FAILED = "tool_failed"
    """A tool of the harness crashed, or refused an option or command that the harness gives it."""
    SANDBOX_UNAVAILABLE = "sandbox_unavailable"
    """The sandbox, its machine or the cluster could not run the harness."""
    MACHINE_BUSY = "machine_busy"
    """Other programs kept the run from the processor for ten times its limit."""
    TOOLS_DISAGREE = "tools_disagree"
    """The tests passed, but the tools that decided together read different designs in the same text."""
    NOT_PROVED = "not_proved"
    """A proof decides, and it shows neither that the design is equivalent to the reference nor that it differs."""
    BAD_HARNESS = "bad_harness"
    NO_REFERENCE = "no_reference"
    JUDGE_UNAVAILABLE = "judge_unavailable"
    JUDGE_ERROR = "judge_error"
    """A judge was asked, and its reply could not be parsed."""
    CANCELLED = "cancelled"

    @property
    def outcome(self) -> Outcome:
        """The outcome that follows from this reason, for every solver alike."""
        if self is Reason.PASSED:
            return Outcome.PASSED
        return Outcome.ERROR if self in _INFRASTRUCTURE else Outcome.FAILED

    @property
    def waits_for_judge(self) -> bool:
        """True if the answer is kept until a judge decides it, so that no run has to be made again."""
        return self in (Reason.JUDGE_UNAVAILABLE, Reason.JUDGE_ERROR)

    @property
    def is_worth_a_retry(self) -> bool:
        """True if nothing was decided and another run of the same files may decide."""
        return self.outcome is Outcome.ERROR and not self.waits_for_judge and self not in _SETTLED


_INFRASTRUCTURE = frozenset(
    {
        Reason.TOOL_MISSING,
        Reason.TOOL_FAILED,
        Reason.SANDBOX_UNAVAILABLE,
        Reason.MACHINE_BUSY,
        Reason.TOOLS_DISAGREE,
        Reason.NOT_PROVED,
        Reason.BAD_HARNESS,
        Reason.NO_REFERENCE,
        Reason.JUDGE_UNAVAILABLE,
        Reason.JUDGE_ERROR,
        Reason.CANCELLED,
    }
)
"""The reasons for which nothing was decided. Whatever is not here is the solver's, and counts."""

_SETTLED = frozenset({Reason.TOOLS_DISAGREE, Reason.NOT_PROVED})
"""Those among them that the same files would meet again."""


def present_outcome_of_recorded(recorded_reason: str, recorded_outcome: str) -> Outcome:
    """The outcome of a recorded verdict by the present rule, which counts some as failed that once were undecided.

    Args:
        recorded_reason: As recorded; one of a newer version is possible.
        recorded_outcome: The outcome that was recorded with it.
    """
    outcome = Outcome(recorded_outcome)
    if outcome is Outcome.ERROR and recorded_reason in _REASONS and Reason(recorded_reason).outcome is Outcome.FAILED:
        return Outcome.FAILED
    return outcome


WAITING = "waiting for a judge"
"""The words that people read of an answer that is kept until a judge decides it."""


def verdict_word(present_outcome: Outcome, recorded_reason: str) -> str:
    """The name of a verdict, the same in every list: passed, failed, waiting for a judge, error.

    Args:
        present_outcome: Outcome by the present rule.
        recorded_reason: As recorded; one of a newer version is possible.
    """
    waits = recorded_reason in _REASONS and Reason(recorded_reason).waits_for_judge
    return WAITING if waits else present_outcome.value


_REASONS = frozenset(Reason)


class TestResult(Model):
    """One hidden test."""

    __test__ = False  # pytest collects classes of such a name.

    name: str
    passed: bool
    message: str = ""
    sim_time_ns: float | None = None
    """Simulated time that it ran, in nanoseconds; None if that is unknown."""


class CompilerMessage(Model):
    """A compiler's message about a fault in a file of the solver's; names nothing hidden."""

    path: str
    """Relative to the workspace."""
    line: int
    """From 1."""
    column: int | None = None
    """From 1; None if the compiler names none."""
    text: str

    def __str__(self) -> str:
        """In one line, as compilers write it."""
        return f"{self.path}:{self.line}: {self.text}"


class Digests(Model):
    """The inputs of a verdict; the same four give the same verdict."""

    problem: str = ""
    harness: str = ""
    toolchain: str = ""
    sandbox: str = ""


class RunUsage(Model):
    """Resources that a run used, besides time."""

    folder_bytes: int = 0
    """Size of its folder after the last step; counting stops once the limit is exceeded."""
    memory_bytes: int | None = None
    """Peak resident memory: of the largest process, or of all together as sampled a few times a second, whichever is
    more. None if it could not be measured."""
    cpu_s: float | None = None
    """Processor time in seconds; None if it could not be measured."""
    waited_s: float | None = None
    """Part of the wall time, in seconds, in which the run was kept from the processor by other programs. None if it was
    not measured."""


class Quality(Model):
    """A module with all below it and its parameters' defaults, mapped to gates of at most two inputs."""

    gates: int
    """Inverters, gates of two inputs and multiplexers of two."""
    flip_flops: int
    """Bits; those of memories too."""
    latches: int
    """Bits."""
    depth: int
    """Gates on the longest path without a flip-flop."""
    findings: int | None
    """Number of findings of Verilator's lint, with all warnings; None if it can't be run, or the design silences it."""


class ComparedQuality(Model):
    """The quality of a design that passed, beside its reference's."""

    solution: Quality
    reference: Quality

    @property
    def measures(self) -> Sequence[tuple[str, int | None, int | None]]:
        """Fields of `Quality` with the values of solution and reference; latches only where there are some."""
        compared_measures = [
            (field, getattr(self.solution, field), getattr(self.reference, field)) for field in MEASURES
        ]
        return [pair for pair in compared_measures if pair != ("latches", 0, 0)]

    def __str__(self) -> str:
        """In one sentence."""
        known_measures = [
            f"{MEASURES[field]} {own_value} ({reference_value})"
            for field, own_value, reference_value in self.measures
            if None not in (own_value, reference_value)
        ]
        return f"Beside the reference: {', '.join(known_measures)}."


MEASURES = {
    "gates": "gates",
    "flip_flops": "flip-flops",
    "latches": "latches",
    "depth": "longest path",
    "findings": "lint findings",
}
"""Fields of `Quality`, as people call them."""


class Verdict(Model):
    """The outcome of one run or judgement. Contains hidden facts: show it through a reveal policy."""

    reason: Reason
    detail: str = ""
    """The event in one sentence for people; reveals nothing hidden."""
    hint: str = ""
    """The next step, if there is one."""
    tests: tuple[TestResult, ...] = ()
    compiler: tuple[CompilerMessage, ...] = ()
    """The reasons why the design does not build, if compilers said them of the solver's own files."""
    wall_s: float = 0.0
    """Duration in seconds."""
    digests: Digests = Digests()
    tools: dict[str, str] = {}
    """Version of each tool chosen for the run, such as `icarus` → `13.0`."""
    seed: int | None = None
    """Seed of random tests."""
    usage: RunUsage | None = None
    remarks: tuple[str, ...] = ()
    """Caveats for readers, such as a coverage target that was calibrated with another tool."""
    quality: ComparedQuality | None = None
    """Of a design that passed, if it was measured; the verdict does not depend on it."""

    @property
    def outcome(self) -> Outcome:
        """Passed, failed or undecided."""
        return self.reason.outcome

    @property
    def summary(self) -> str:
        """Outcome and detail in one line, such as `error: tool missing (xrun)`."""
        return f"{self.outcome.value}: {self.detail}"

    @property
    def passed_tests(self) -> int:
        """Number of hidden tests that passed."""
        return sum(test.passed for test in self.tests)
