"""A machine with a toolchain's tools on its PATH, for the native sandbox.

It is this one, with the tree's `/usr`, `/etc` and `/opt` in place of its own: the tools of a tree are built for
these paths. Nothing else of a sandbox is there: the native one runs as it does anywhere.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from pydantic import TypeAdapter

from benchwright_harness.cluster.local import LocalExecutor
from benchwright_harness.grading.check import ProblemChecker
from benchwright_harness.grading.two_sided import TwoSidedProof
from benchwright_harness.grading.verdict_store import VerdictStore
from benchwright_harness.plan.selection import ToolSelection
from benchwright_harness.sandbox.native import NativeSandbox
from benchwright_harness.sandbox.registry import toolchain_for
from benchwright_harness.toolchain import Toolchain
from benchwright_harness.toolchain.tree import INSIDE
from benchwright_problems.problem import Problem

_PROBLEMS = TypeAdapter(list[Problem])
_PROOFS = TypeAdapter(list[TwoSidedProof])


def proofs_without_sandbox(
    selected_problems: Sequence[tuple[Problem, ToolSelection]], toolchain: Toolchain, cache: Path
) -> list[TwoSidedProof]:
    """Prove problems natively, each on a machine whose PATH has the versions selected for it."""
    proved: dict[str, TwoSidedProof] = {}
    environments = [toolchain.environment(selection) for _, selection in selected_problems]
    # A machine has one version of each tool.
    for path, verilator_root in {(tools["PATH"], tools["VERILATOR_ROOT"]) for tools in environments}:
        problem_batch = [
            problem
            for (problem, _), tools in zip(selected_problems, environments, strict=True)
            if (tools["PATH"], tools["VERILATOR_ROOT"]) == (path, verilator_root)
        ]
        command = [*_bwrap_words_of_machine(toolchain), "--", sys.executable, "-m", __name__, str(cache)]
        environment = {**os.environ, "PATH": path, "VERILATOR_ROOT": verilator_root}
        proof_run = subprocess.run(
            command, input=_PROBLEMS.dump_json(problem_batch), stdout=subprocess.PIPE, env=environment
        )
        proof_run.check_returncode()
        proved |= {
            problem.id: proof
            for problem, proof in zip(problem_batch, _PROOFS.validate_json(proof_run.stdout), strict=True)
        }
    return [proved[problem.id] for problem, _ in selected_problems]


def _bwrap_words_of_machine(toolchain: Toolchain) -> list[str]:
    program = shutil.which("bwrap")
    assert program is not None
    options = [program, "--dev-bind", "/", "/"]
    for name in ("usr", "etc", "opt"):
        options += ["--ro-bind", str(toolchain.root / name), f"/{name}"]
    return [*options, "--ro-bind", str(toolchain.own_programs_folder), INSIDE, "--die-with-parent"]


def _check_problems(problems: Sequence[Problem], cache: Path) -> list[TwoSidedProof]:
    with tempfile.TemporaryDirectory() as folder:
        executor = LocalExecutor(cache, 2)
        native_toolchain = toolchain_for(NativeSandbox.name, cache)
        checker = ProblemChecker(executor, NativeSandbox(), native_toolchain, VerdictStore(Path(folder)))
        return asyncio.run(checker.check_problems(problems))


if __name__ == "__main__":
    sys.stdout.buffer.write(
        _PROOFS.dump_json(_check_problems(_PROBLEMS.validate_json(sys.stdin.buffer.read()), Path(sys.argv[1])))
    )
