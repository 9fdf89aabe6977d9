"""One run that can happen anywhere: all it needs is in it, but the toolchain."""

from __future__ import annotations

import hashlib
import os
import platform
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from functools import lru_cache
from pathlib import Path

from pydantic import JsonValue

from benchwright_foundation.model import Model
from benchwright_harness.errors import HarnessError, ToolMissingError
from benchwright_harness.execution.process import OutputReceiver
from benchwright_harness.execution.prover import loaded_prover
from benchwright_harness.execution.run import run_harness
from benchwright_harness.plan.selection import ToolSelection, selections
from benchwright_harness.sandbox import Sandbox
from benchwright_harness.sandbox.registry import open_sandbox, toolchain_for
from benchwright_harness.toolchain import Toolchain
from benchwright_problems.equivalence import PROOF_FILE
from benchwright_problems.problem import Problem, digest
from benchwright_problems.verdict import Digests, Verdict


class ClusterTask(Model):
    """A solution to a design problem, to be run."""

    problem: Problem
    """With its hidden part: whoever sees a task sees that."""
    solution: dict[str, bytes]
    """Path → content."""
    sandbox: str
    """Name of the sandbox, such as `bwrap`; the version is the one where the task runs."""
    toolchain: str
    """Digest."""
    selection: ToolSelection
    """Selection of the toolchain's versions."""
    limit_s: float
    """Wall time of one step in seconds: the problem's, or less."""
    code: str
    """`code_digest` of who made the task."""
    key: str
    """Tasks with the same key have the same verdict, unless their time is up: sha256 over problem, harness,
    solution, toolchain, selection, sandbox and our own code."""

    def __repr__(self) -> str:
        # Schedulers and tracebacks print what they could not run.
        return f"Task({self.key[:12]})"

    __str__ = __repr__

    @classmethod
    def of(
        cls,
        problem: Problem,
        solution: Mapping[str, bytes],
        sandbox: Sandbox,
        toolchain: Toolchain,
        selection: ToolSelection | None = None,
        limit_s: float | None = None,
    ) -> ClusterTask:
        """The task of running a solution with this toolchain in such a sandbox.

        Args:
            problem: Problem with its hidden part.
            solution: Path → content; what the problem does not expect is left out.
            sandbox: Sandbox in which to run it.
            toolchain: Toolchain to run it with.
            selection: Versions of the toolchain to use; the first that fits the problem, if not said.
            limit_s: Wall time of one step in seconds, if less than the problem's.
        """
        selection = selection or selections(problem)[0]
        solution = {path: text for path, text in solution.items() if path in problem.public.expected}
        content: dict[str, JsonValue] = {path: hashlib.sha256(text).hexdigest() for path, text in solution.items()}
        digest_parts = (
            *(problem.public_digest, problem.harness_digest, toolchain.digest, sandbox.digest, code_digest()),
            selection.model_dump_json(exclude={"reason"}),
            *((loaded_prover().digest,) if PROOF_FILE in problem.hidden.harness else ()),
        )
        return cls(
            problem=problem,
            solution=solution,
            sandbox=sandbox.name,
            toolchain=toolchain.digest,
            selection=selection,
            limit_s=min(problem.limits.wall_s, limit_s or problem.limits.wall_s),
            code=code_digest(),
            key=digest([*digest_parts, content]),
        )


class TaskRunner:
    """Runs tasks with what this machine has; keeps its sandboxes between them.

    Args:
        toolchain_cache: The folder that holds the toolchain.
    """

    def __init__(self, toolchain_cache: Path) -> None:
        self._cache = toolchain_cache
        self._sandboxes: dict[str, Sandbox] = {}
        self._toolchains: dict[str, Toolchain] = {}

    async def run(
        self,
        task: ClusterTask,
        log: OutputReceiver,
        before_folder_removal: Callable[[Path], None] = lambda folder: None,
    ) -> Verdict:
        """Run a task; as often as wanted, for it leaves nothing behind.

        Args:
            task: Task to run.
            log: Raw output of the run: it may hold hidden text.
            before_folder_removal: See `run_harness`.
        """
        try:
            if task.code != code_digest():
                raise ToolMissingError(
                    f"Benchwright {task.code[:12]}",
                    f"{platform.node()} has another version of it; install the same version on every node",
                )
            toolchain = self._toolchains.get(task.sandbox) or toolchain_for(task.sandbox, self._cache)
            self._toolchains[task.sandbox] = toolchain
            if task.toolchain != toolchain.digest:
                raise ToolMissingError(
                    f"toolchain {task.toolchain[:12]}",
                    f"{platform.node()} has toolchain {toolchain.digest[:12]} in {self._cache};"
                    " let all nodes share one cache folder (BENCHWRIGHT_CACHE), or set up the same version on each",
                )
            sandbox = self._sandboxes.get(task.sandbox) or open_sandbox(task.sandbox)
            self._sandboxes[task.sandbox] = sandbox
            return await run_harness(
                task.problem,
                task.solution,
                sandbox=sandbox,
                toolchain=toolchain,
                selection=task.selection,
                limit_s=task.limit_s,
                log=log,
                before_folder_removal=before_folder_removal,
            )
        except HarnessError as error:
            digests = Digests(problem=task.problem.public_digest, harness=task.problem.harness_digest)
            return Verdict(reason=error.reason, detail=str(error), hint=error.hint, digests=digests)


def discard_output(task: ClusterTask) -> AbstractContextManager[OutputReceiver]:
    """Drops what a task's run prints."""
    return Path(os.devnull).open("wb")


@lru_cache
def code_digest(package_folder: Path = Path(__file__).parent.parent) -> str:
    """sha256 of a package's files, by default this one's: verdicts of two versions are not the same verdicts."""
    total = hashlib.sha256()
    for file in sorted(package_folder.rglob("*")):
        if file.is_file() and "__pycache__" not in file.parts:
            total.update(f"{file.relative_to(package_folder)}\0{file.stat().st_size}\0".encode() + file.read_bytes())
    return total.hexdigest()
