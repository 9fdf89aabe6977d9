"""Findings on mutants and harnesses after an analysis; they quote references and name hidden tests."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

from pydantic import Field

from benchwright_authoring.mutation.mutant import Mutant
from benchwright_foundation.model import Model
from benchwright_problems.equivalence import parameter_text
from benchwright_problems.verdict import Reason


class MutantStatus(StrEnum):
    """Result of a mutant."""

    KILLED = "killed"
    """The harness fails it, or it reaches its limit of time, of memory or of the disk."""
    SURVIVED = "survived"
    """The harness passes it, and nothing has proved that it behaves as the reference does."""
    EQUIVALENT = "equivalent"
    """The harness passes it, and it is proved that it behaves as the reference does in all cycles."""
    NOT_COMPILED = "not compiled"
    """slang or the harness's own tools refuse it before a test has run."""
    UNDECIDED = "undecided"
    """The machinery failed: the same command tries it again."""


class Counterexample(Model):
    """Inputs for which a survivor differs from the reference, confirmed by a simulation of both."""

    cycle: int
    """The first cycle in which an output differs, from 0."""
    stimulus: tuple[dict[str, int], ...]
    """By cycle: input → value."""
    parameters: dict[str, int] = Field(default_factory=dict)
    """Of the top module; those that are not named have their defaults."""

    @property
    def cycle_and_parameters_text(self) -> str:
        """The cycle and the parameters, for people."""
        return f"in cycle {self.cycle}{f' with {parameter_text(self.parameters)}' if self.parameters else ''}"


class MutantFinding(Model):
    """One mutant, and what became of it."""

    mutant: Mutant
    is_scored: bool
    """True if its kind counts in the kill rate."""
    status: MutantStatus
    reason: Reason | None = None
    """Of the harness's verdict; None if it did not run."""
    tests: tuple[str, ...] = ()
    """The hidden tests that fail with it."""
    note: str = ""
    """Reason for which nothing is proved of a survivor."""
    counterexample: Counterexample | None = None
    diff: str = ""
    """Of survivors: the fault as a unified diff of the reference."""


class ProblemFindings(Model):
    """A problem's harness."""

    id: str
    left_out: str = ""
    """Reason for which nothing was tried; empty if it was."""
    possible: int = 0
    """Mutants that there are."""
    findings: tuple[MutantFinding, ...] = ()

    def scored_count(self, status: MutantStatus) -> int:
        """The number of scored mutants that have a status."""
        return sum(finding.status is status and finding.is_scored for finding in self.findings)

    @property
    def survivors(self) -> list[MutantFinding]:
        """The scored mutants that survived, in the order of the text."""
        survived = [
            finding for finding in self.findings if finding.status is MutantStatus.SURVIVED and finding.is_scored
        ]
        return sorted(survived, key=lambda finding: (finding.mutant.path, finding.mutant.start, finding.mutant.kind))


class PackFindings(Model):
    """A pack's harnesses."""

    format: Annotated[int, Field(ge=1, le=1)] = 1
    pack: str
    version: str
    seed: int
    limit: int | None
    """Mutants of each problem; None for all."""
    toolchain: str
    """Digest."""
    sandbox: str
    proofs: bool
    """True if survivors were compared with the reference."""
    problems: tuple[ProblemFindings, ...]

    @property
    def findings(self) -> list[MutantFinding]:
        """Of all problems."""
        return [finding for problem in self.problems for finding in problem.findings]
