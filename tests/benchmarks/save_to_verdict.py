"""How much the sandbox and the bookkeeping add to a run, as a ratio within one session.

Run as `.venv/bin/python tests/benchmarks/save_to_verdict.py`; prints a Markdown table. `bare` is
the harness's own command started without a sandbox; `bwrap` is what a save starts, from the
snapshot to the verdict.
"""

from __future__ import annotations

import asyncio
import io
import statistics
import sys

from benchwright_harness.run import run_harness
from benchwright_harness.sandbox import Sandbox
from benchwright_harness.sandbox.bwrap import BwrapSandbox
from benchwright_harness.sandbox.native import NativeSandbox
from benchwright_harness.toolchain import Toolchain
from benchwright_problems.home import Home
from benchwright_problems.problem import Kind, Problem
from benchwright_problems.store import Store

ROUNDS = 7


async def _seconds(problem: Problem, sandbox: Sandbox, toolchain: Toolchain) -> float:
    reference = {path: text.encode() for path, text in problem.hidden.reference.items()}
    verdict = await run_harness(problem, reference, sandbox=sandbox, toolchain=toolchain, log=io.BytesIO())
    if not verdict.tests or verdict.passed_tests < len(verdict.tests):
        raise SystemExit(f"{problem.id}: {verdict.summary}")
    return verdict.wall_s


async def main() -> None:
    home = Home.find()
    store, toolchain = Store(home), Toolchain.find(home.cache)
    bare, bwrap = NativeSandbox(), BwrapSandbox()
    print("| problem | bare, median s | bwrap, median s | ratio |")
    print("| --- | --- | --- | --- |")
    for summary in store.public("starter").problems:
        if summary.kind is not Kind.DESIGN:
            continue
        problem = store.unseal(f"starter/{summary.id}")
        times: dict[str, list[float]] = {bare.name: [], bwrap.name: []}
        # Alternating, so that a busy moment of the machine hits both.
        for _ in range(ROUNDS):
            for sandbox in (bare, bwrap):
                times[sandbox.name].append(await _seconds(problem, sandbox, toolchain))
        slow, fast = statistics.median(times[bwrap.name]), statistics.median(times[bare.name])
        print(f"| {problem.id} | {fast:.2f} | {slow:.2f} | {slow / fast:.2f} |")
        sys.stdout.flush()


if __name__ == "__main__":
    asyncio.run(main())
