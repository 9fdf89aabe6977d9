"""The two-sided proof of a design problem: its reference passes, its starting files do not."""

from __future__ import annotations

from typing import BinaryIO

from benchwright_harness.errors import BadHarnessError
from benchwright_harness.plan import make_plan
from benchwright_harness.run import run_harness, starting_files
from benchwright_harness.sandbox import Sandbox
from benchwright_harness.toolchain import Toolchain
from benchwright_harness.verdict import Model, Outcome, Reason, Verdict
from benchwright_problems.problem import Problem


class TwoSided(Model):
    """Both verdicts of one problem."""

    reference: Verdict
    starting: Verdict

    @property
    def ok(self) -> bool:
        """Whether the problem can be trusted: the solved one passes, the unsolved one fails."""
        return self.reference.outcome is Outcome.PASSED and self.starting.outcome is Outcome.FAILED

    @property
    def reason(self) -> str:
        """Why it is not; empty where it is."""
        if self.ok:
            return ""
        for side in (self.reference, self.starting):
            if side.outcome is Outcome.ERROR:
                return side.summary
        if self.reference.outcome is Outcome.FAILED:
            return f"the reference fails: {self.reference.detail}"
        return "the starting files pass: the tests prove nothing"


async def check_design(problem: Problem, sandbox: Sandbox, toolchain: Toolchain, log: BinaryIO) -> TwoSided:
    """Run a design problem's harness on its reference and on its starting files."""
    if not problem.hidden.reference:
        nothing = Verdict(reason=Reason.NO_REFERENCE, detail="the pack has no reference solution")
        return TwoSided(reference=nothing, starting=nothing)
    try:
        make_plan(problem.hidden.harness)
    except BadHarnessError as error:
        # The author may know what the solver may not.
        broken = Verdict(reason=error.reason, detail=str(error))
        return TwoSided(reference=broken, starting=broken)
    starting = starting_files(problem)
    # What the reference leaves alone stays as it was.
    solved = starting | {path: text.encode() for path, text in problem.hidden.reference.items()}
    verdicts = [
        await run_harness(problem, files, sandbox=sandbox, toolchain=toolchain, log=log) for files in (solved, starting)
    ]
    return TwoSided(reference=verdicts[0], starting=verdicts[1])
