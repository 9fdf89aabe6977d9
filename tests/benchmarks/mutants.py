"""How long mutation analysis takes for 500 mutants of published problems, proofs included.

Run as `.venv/bin/python -m tests.benchmarks.mutants [MUTANTS]`; prints a Markdown table and the total. No verdict is
known before; two runs, then two proofs, are made at a time. The ratio is what a mutant takes of one core, to what the
run of an unchanged reference takes alone.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

from benchwright_authoring.mutation.analysis import Analyser, Candidates, candidates
from benchwright_authoring.mutation.findings import ProblemFindings, Status
from benchwright_formal.opinion import prover
from benchwright_foundation.home import Home
from benchwright_harness.cluster.configuration import open_executor
from benchwright_harness.grading.verdict_store import VerdictStore
from benchwright_harness.sandbox.registry import open_sandbox
from benchwright_harness.toolchain import Toolchain

from ..support.designs.formal_exhaustive import published

MUTANTS = 500
CORES = 2


def sample(folder: Path, mutants: int) -> list[Candidates]:
    """As many mutants, the same number of each problem that has so many."""
    problems, chosen, left = published(folder), [], mutants
    problems.sort(key=lambda one: len(candidates(one, seed=0, limit=None).chosen))
    for number, problem in enumerate(problems):
        one = candidates(problem, seed=0, limit=max(1, left // (len(problems) - number)))
        chosen.append(one)
        left -= len(one.chosen)
    return chosen


async def timed(folder: Path, wanted: list[Candidates]) -> tuple[float, list[ProblemFindings]]:
    """Seconds, and what was found."""
    home = Home.find({"BENCHWRIGHT_HOME": str(folder), "BENCHWRIGHT_CACHE": str(Home.find().cache)})
    box, toolchain = open_sandbox("bwrap"), Toolchain.find(home.cache)

    async with open_executor(home, jobs=CORES, cluster=None, options=()) as runs:
        analyser = Analyser(runs, box, toolchain, VerdictStore.of(home), False, on_progress=lambda now: None)
        started = time.perf_counter()
        found = await analyser.analyse(wanted, prover(box, toolchain), CORES)
        return time.perf_counter() - started, found


def main(mutants: int) -> None:
    """Measures, and prints."""
    with tempfile.TemporaryDirectory() as temporary:
        wanted = sample(Path(temporary, "sets"), mutants)
        alone_s = 0.0
        for number, one in enumerate(wanted):
            took_s, _ = asyncio.run(timed(Path(temporary, f"alone-{number}"), [replace(one, chosen=())]))
            alone_s += took_s * len(one.chosen)
        whole_s, found = asyncio.run(timed(Path(temporary, "all"), wanted))
    total = sum(len(one.chosen) for one in wanted)
    print("| problem | mutants | killed | survived | equivalent |\n| --- | ---: | ---: | ---: | ---: |")
    for one, of_problem in zip(wanted, found, strict=True):
        counts = (of_problem.count(status) for status in (Status.KILLED, Status.SURVIVED, Status.EQUIVALENT))
        print(f"| `{of_problem.id}` | {len(one.chosen)} | {' | '.join(map(str, counts))} |")
    print(f"\n{total} mutants on {CORES} cores: {whole_s:.0f} s, ratio {CORES * whole_s / alone_s:.2f}")
    print(f"500 mutants: {whole_s / total * 500 / 60:.1f} min")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else MUTANTS)
