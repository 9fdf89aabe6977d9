"""The outcome of one run."""

from __future__ import annotations

from enum import StrEnum

from pydantic import BaseModel, ConfigDict


class Model(BaseModel):
    """Base of this package's values: immutable, refuses unknown fields."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)


class Outcome(StrEnum):
    """`error` means that nothing could be decided about the solution."""

    PASSED = "passed"
    FAILED = "failed"
    ERROR = "error"


class Reason(StrEnum):
    """The reason for a verdict. Stable identifiers: programs may depend on them."""

    PASSED = "passed"
    TESTS_FAILED = "tests_failed"
    BUILD_FAILED = "build_failed"
    """The harness ended without a simulation: most often the design does not compile."""
    REFUSED = "refused"
    """The submission uses what is forbidden to solutions, such as opening files; it was not run."""
    TAMPERED = "tampered"
    """The run left results that contradict each other or were not written by our part of the simulator."""
    WRONG_ANSWER = "wrong_answer"
    TIMEOUT = "timeout"
    MEMORY = "memory"
    FOLDER_QUOTA = "folder_quota"
    OUTPUT_QUOTA = "output_quota"
    TOOL_MISSING = "tool_missing"
    SANDBOX_UNAVAILABLE = "sandbox_unavailable"
    BAD_HARNESS = "bad_harness"
    NO_RESULTS = "no_results"
    """The harness claims success but left no test results."""
    NO_REFERENCE = "no_reference"
    NO_ANSWER = "no_answer"
    """No answer could be read from the reply."""
    JUDGE_UNAVAILABLE = "judge_unavailable"
    JUDGE_ERROR = "judge_error"
    """A judge was asked, and its reply could not be parsed."""
    CANCELLED = "cancelled"

    @property
    def outcome(self) -> Outcome:
        """The outcome that follows from this reason."""
        if self is Reason.PASSED:
            return Outcome.PASSED
        failed = {
            Reason.TESTS_FAILED,
            Reason.BUILD_FAILED,
            Reason.REFUSED,
            Reason.TAMPERED,
            Reason.WRONG_ANSWER,
        }
        return Outcome.FAILED if self in failed else Outcome.ERROR

    @property
    def is_worth_a_retry(self) -> bool:
        """Whether nothing was decided and the same files may be decided later: not answers, which are kept."""
        kept = {Reason.NO_ANSWER, Reason.JUDGE_UNAVAILABLE, Reason.JUDGE_ERROR}
        return self.outcome is Outcome.ERROR and self not in kept


class TestResult(Model):
    """One hidden test."""

    name: str
    passed: bool
    message: str = ""


class Digests(Model):
    """The inputs of a verdict; the same four give the same verdict."""

    problem: str = ""
    harness: str = ""
    toolchain: str = ""
    sandbox: str = ""


class Usage(Model):
    """Resources that a run used, besides time."""

    folder_bytes: int = 0
    """Size of its folder after the last step; counting stops once the limit is exceeded."""
    memory_bytes: int | None = None
    """Peak resident memory: of the largest process, or of all together as sampled a few times a second, whichever is
    more. None if it could not be measured."""
    cpu_s: float | None = None
    """Processor time in seconds; None if it could not be measured."""


class Verdict(Model):
    """The outcome of one run or judgement. Contains hidden facts: show it through a reveal policy."""

    reason: Reason
    detail: str = ""
    """What happened, in one sentence for people; reveals nothing hidden."""
    hint: str = ""
    """The next step, if there is one."""
    tests: tuple[TestResult, ...] = ()
    wall_s: float = 0.0
    """Duration in seconds."""
    digests: Digests = Digests()
    tools: dict[str, str] = {}
    """Version of each tool chosen for the run, such as `icarus` → `13.0`."""
    seed: int | None = None
    """Seed of random tests."""
    usage: Usage | None = None
    remarks: tuple[str, ...] = ()
    """Caveats for readers, such as a coverage target that was calibrated with another tool."""

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
        """How many hidden tests passed."""
        return sum(test.passed for test in self.tests)
