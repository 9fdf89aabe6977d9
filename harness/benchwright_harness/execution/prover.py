"""The prover, for harnesses that are a proof: a package above this one, installed as an entry point."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from importlib.metadata import entry_points
from typing import Protocol

from benchwright_harness.errors import ToolMissingError
from benchwright_harness.execution.process import OutputReceiver
from benchwright_harness.sandbox import Sandbox
from benchwright_harness.toolchain import Toolchain
from benchwright_problems.problem import Problem
from benchwright_problems.verdict import Verdict

GROUP, NAME = "benchwright.provers", "equivalence"


class Prover(Protocol):
    """Decides whether a design does what the reference does.

    Raises HarnessError if the sandbox or the tools do not work on this machine.
    """

    digest: str
    """sha256 of its program: verdicts of two versions are not the same verdicts."""

    async def __call__(
        self,
        problem: Problem,
        reference: Mapping[str, bytes],
        candidate: Mapping[str, bytes],
        module_name: str,
        *,
        sandbox: Sandbox,
        toolchain: Toolchain,
        log: OutputReceiver,
    ) -> Verdict:
        """The verdict on a candidate.

        Args:
            problem: Problem with its hidden part.
            reference: Path → content of all files of the reference design.
            candidate: The same of the design to decide about.
            module_name: The module to compare.
            sandbox: Sandbox in which the tools run.
            toolchain: Toolchain that has the tools.
            log: Receives what the tools find: it may hold hidden text.
        """


@lru_cache
def loaded_prover() -> Prover:
    """The installed prover.

    Raises:
        ToolMissingError: There is none.
    """
    for entry_point in entry_points(group=GROUP, name=NAME):
        prover: Prover = entry_point.load()
        return prover
    raise ToolMissingError("the prover", "install Benchwright again: its entry points are missing")
