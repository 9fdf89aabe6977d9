"""From a save to its verdict, against the same harness started by hand; ratios within one session.

Run as `.venv/bin/python tests/benchmarks/save_to_verdict.py [ROUNDS]`; prints a Markdown table. *Bare* is the
harness's own command, such as `pytest /src/test_runner.py`, in a shell in the toolchain's tree, with the
design and the harness in place: no guard, no limits, no verdict. *Cold* and *warm* are everything from the
snapshot to the verdict, without and with a sandbox that was started ahead, as an editor's server does.
"""

from __future__ import annotations

import asyncio
import io
import itertools
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchwright_foundation.home import Home
from benchwright_foundation.untrusted_folder import remove_folder_if_possible
from benchwright_harness.errors import HarnessError
from benchwright_harness.execution.run import reference_solution_files, run_harness, warm_up_sandbox
from benchwright_harness.execution.run_folder import filled_run_folder
from benchwright_harness.plan.plan import make_plan
from benchwright_harness.plan.selection import ToolSelection, selections
from benchwright_harness.sandbox.bwrap import BwrapSandbox
from benchwright_harness.toolchain import Toolchain
from benchwright_harness.toolchain.tree import INSIDE
from benchwright_problems.datasets.cvdp import import_cvdp
from benchwright_problems.problem import Problem, ProblemKind
from benchwright_problems.storage.store import Store
from benchwright_problems.verdict import Outcome

ROUNDS = 7
EXAMPLES = Path(__file__).parents[3] / "shared" / "data" / "cvdp"


class HarnessFailed(Exception):
    """By hand, the reference does not pass."""


def problems(home: Home) -> list[Problem]:
    """The starter pack's designs, and NVIDIA's examples where they are at hand."""
    store = Store(home)
    designs = [
        store.unseal(f"starter/{problem.id}")
        for problem in store.public_pack("starter").problems
        if problem.kind is ProblemKind.DESIGN
    ]
    for file in sorted(EXAMPLES.glob("*generation*with_solutions.jsonl")):
        designs += [
            problem for problem in import_cvdp([file], "examples").problems if problem.kind is ProblemKind.DESIGN
        ]
    return designs


def bare(problem: Problem, selection: ToolSelection, toolchain: Toolchain) -> float:
    """Seconds of the harness's own command, as someone would type it."""
    step = make_plan(problem.hidden.harness, selection.simulator, is_supervised=False).for_one_run().steps[0]
    code, hidden_folder = (Path(tempfile.mkdtemp(prefix="benchwright-bench-")) for _ in range(2))
    try:
        with filled_run_folder(code, reference_solution_files(problem), None):
            for path, text in step.files.items():
                file = hidden_folder / path.removeprefix("/src/")
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(text)
            tools = toolchain.environment(selection)
            if not any("xrun" in text or "xcelium" in text for text in (*step.files.values(), *step.env.values())):
                # The guard's compilers, and our xrun; by hand one has the tree's.
                tools["PATH"] = tools["PATH"].removeprefix(f"{INSIDE}/bin:")
            env = {**step.env, **tools, "LANG": "C.UTF-8", "HOME": "/code/rundir"}
            python = ":".join(filter(None, (tools.get("PYTHONPATH"), step.env.get("PYTHONPATH"))))
            root = toolchain.root
            # The tree as the root folder, and nothing of what a sandbox does besides.
            view = ["bwrap", "--clearenv", "--dev-bind", "/dev", "/dev", "--proc", "/proc", "--tmpfs", "/tmp"]
            for name in ("usr", "etc", "opt", "bin", "sbin", "lib", "lib64"):
                folder = root / name
                link = ["--symlink", str(folder.readlink()), f"/{name}"] if folder.is_symlink() else None
                view += link or ["--ro-bind", str(folder), f"/{name}"]
            view += ["--ro-bind", str(toolchain.own_programs_folder), INSIDE, "--tmpfs", "/rundir"]
            view += ["--ro-bind", str(hidden_folder), "/src", "--bind", str(code), "/code", "--chdir", "/code/rundir"]
            for name, value in {**env, "PYTHONPATH": python}.items():
                view += ["--setenv", name, value]
            start = time.monotonic()
            process = subprocess.run([*view, "--", *step.argv], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            seconds = time.monotonic() - start
            if process.returncode != 0:
                raise HarnessFailed(process.stdout.decode(errors="replace")[-2000:])
            return seconds
    finally:
        remove_folder_if_possible(hidden_folder)


async def ours(
    problem: Problem, selection: ToolSelection, sandbox: BwrapSandbox, toolchain: Toolchain, *, warm: bool
) -> float:
    """Seconds from the snapshot to the verdict."""
    if warm:
        await warm_up_sandbox(problem, sandbox=sandbox, toolchain=toolchain, selection=selection)
        # Between two saves there is more time than this.
        await asyncio.sleep(1)
    start = time.monotonic()
    verdict = await run_harness(
        problem,
        reference_solution_files(problem),
        sandbox=sandbox,
        toolchain=toolchain,
        selection=selection,
        log=io.BytesIO(),
    )
    seconds = time.monotonic() - start
    if verdict.outcome is not Outcome.PASSED:
        raise SystemExit(f"{problem.id}: {verdict.summary}")
    return seconds


async def main(rounds: int) -> None:
    """Measure and print."""
    home = Home.from_environment()
    toolchain, sandbox = Toolchain.find(home.cache), BwrapSandbox()
    run_kinds = ("bare", "cold", "warm")
    per_problem: dict[str, list[float]] = {kind: [] for kind in run_kinds}
    per_run: dict[str, list[float]] = {kind: [] for kind in run_kinds}
    print("| problem | bare, median s | cold, ratio | warm, ratio |")
    print("| --- | --- | --- | --- |")
    for problem in problems(home):
        selection = selections(problem)[0]
        try:
            toolchain.require_tools(make_plan(problem.hidden.harness, selection.simulator).tools, selection)
            await asyncio.to_thread(bare, problem, selection, toolchain)
        except (HarnessError, HarnessFailed) as error:
            print(f"left out: {problem.id}: {error}", file=sys.stderr)
            continue
        times_by_kind: dict[str, list[float]] = {kind: [] for kind in run_kinds}
        # Alternating, so that a busy moment of the machine hits all.
        for _ in range(rounds):
            times_by_kind["bare"].append(await asyncio.to_thread(bare, problem, selection, toolchain))
            times_by_kind["cold"].append(await ours(problem, selection, sandbox, toolchain, warm=False))
            times_by_kind["warm"].append(await ours(problem, selection, sandbox, toolchain, warm=True))
        bare_median = statistics.median(times_by_kind["bare"])
        for kind, seconds in times_by_kind.items():
            # How much bare differs from its own median tells what the machine does to all of them.
            per_run[kind] += [duration / bare_median for duration in seconds]
            per_problem[kind].append(statistics.median(seconds) / bare_median)
        cold, warm = per_problem["cold"][-1], per_problem["warm"][-1]
        print(f"| {problem.id} | {bare_median:.2f} | {cold:.2f} | {warm:.2f} |", flush=True)
    for name, ratios in per_problem.items():
        print(f"\nOver the problems, {name}: {_spread(ratios)}.", end="")
    for name, ratios in per_run.items():
        print(f"\nOver all runs, {name}: {_spread(ratios)} of the problem's median of bare.", end="")
    print()


def _spread(ratios: list[float]) -> str:
    highest = statistics.quantiles(ratios, n=20, method="inclusive")[-1]
    return f"median {statistics.median(ratios):.2f}, 95th percentile {highest:.2f}"


if __name__ == "__main__":
    asyncio.run(main(int(next(itertools.islice(sys.argv, 1, None), ROUNDS))))
