"""Number of runs of VerilogEval's testbenches that a machine does a second, and where the time of one goes.

Run as `.venv/bin/python tests/benchmarks/testbenches.py [ROUNDS]`; needs the sample beside the project. *Bare* is
compiler and simulator in a shell in the toolchain's tree, *sandbox* a run that only starts and ends, *run* everything
from the snapshot to the verdict; rounds alternate. Then all problems are checked, two runs at a time: each problem with
its reference and with an empty file.
"""

from __future__ import annotations

import asyncio
import io
import json
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path

from save_to_verdict import bare  # type: ignore[import-not-found]

from benchwright_foundation.home import Home
from benchwright_harness.execution.run import run_harness
from benchwright_harness.execution.run_folder import filled_run_folder, new_run_folder
from benchwright_harness.plan.plan import WORKDIR
from benchwright_harness.plan.selection import ToolSelection
from benchwright_harness.sandbox import SandboxJob
from benchwright_harness.sandbox.bwrap import BwrapSandbox
from benchwright_harness.toolchain import Toolchain
from benchwright_problems.datasets.verilogeval import import_verilogeval
from benchwright_problems.problem import Problem

ROUNDS = 9
JOBS = 2
SAMPLE = Path(__file__).parents[3] / "shared" / "data" / "verilogeval" / "verilogeval_sample.json"
LONGEST_S = 1.0
"""Problems that simulate longer are left out: they measure the simulator."""
SELECTION = ToolSelection(icarus="12", simulator="icarus")


def problems() -> list[Problem]:
    """Those of the sample."""
    with tempfile.TemporaryDirectory() as name:
        for path, text in json.loads(SAMPLE.read_text(encoding="utf-8")).items():
            file = Path(name, path)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
        return list(import_verilogeval([Path(name)], "sample").problems)


async def run(problem: Problem, files: dict[str, bytes], sandbox: BwrapSandbox, toolchain: Toolchain) -> float:
    """Seconds from the snapshot to the verdict."""
    start = time.monotonic()
    await run_harness(problem, files, sandbox=sandbox, toolchain=toolchain, selection=SELECTION, log=io.BytesIO())
    return time.monotonic() - start


async def empty_run(problem: Problem, sandbox: BwrapSandbox, toolchain: Toolchain) -> float:
    """Seconds of a sandbox that does nothing."""
    start = time.monotonic()
    code, user = new_run_folder(), sandbox.new_user()
    with filled_run_folder(code, {}, user):
        env = {**toolchain.environment(SELECTION), "HOME": WORKDIR}
        job = SandboxJob(
            argv=("/bin/true",),
            env=env,
            code=code,
            hidden_files={"/src/x": ""},
            limits=problem.limits,
            toolchain=toolchain,
            user=user,
        )
        await sandbox.run(job, io.BytesIO())
    return time.monotonic() - start


def solution(problem: Problem) -> dict[str, bytes]:
    """Its reference."""
    return {path: text.encode() for path, text in problem.hidden.reference.items()}


async def main(rounds: int) -> None:
    """Measure and print."""
    toolchain, sandbox = Toolchain.find(Home.from_environment().cache), BwrapSandbox()
    fast_problems = [
        problem for problem in problems() if await run(problem, solution(problem), sandbox, toolchain) < LONGEST_S
    ]
    times_by_kind: dict[str, list[float]] = {"bare": [], "sandbox": [], "run": []}
    for _ in range(rounds):
        for fast_problem in fast_problems:
            times_by_kind["bare"].append(await asyncio.to_thread(bare, fast_problem, SELECTION, toolchain))
            times_by_kind["sandbox"].append(await empty_run(fast_problem, sandbox, toolchain))
            times_by_kind["run"].append(await run(fast_problem, solution(fast_problem), sandbox, toolchain))
    print("| | median s | ratio |\n| --- | --- | --- |")
    for name, seconds in times_by_kind.items():
        median = statistics.median(seconds)
        print(f"| {name} | {median:.3f} | {median / statistics.median(times_by_kind['bare']):.2f} |")
    slots = asyncio.Semaphore(JOBS)

    async def checked(problem: Problem, files: dict[str, bytes]) -> None:
        async with slots:
            await run(problem, files, sandbox, toolchain)

    start, times_before = time.monotonic(), os.times()
    submissions = [
        (problem, files)
        for problem in fast_problems
        for files in (solution(problem), dict.fromkeys(solution(problem), b""))
    ]
    await asyncio.gather(*(checked(problem, files) for problem, files in submissions * rounds))
    took, times_after = time.monotonic() - start, os.times()
    spent = times_after.user + times_after.system - times_before.user - times_before.system
    print(
        f"\n{len(fast_problems) * rounds / took:.1f} problems a second, {JOBS} runs at a time, two runs each;", end=" "
    )
    print(f"this process used {1000 * spent / len(submissions) / rounds:.0f} ms of processor time for a run.")


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]) if len(sys.argv) > 1 else ROUNDS))
