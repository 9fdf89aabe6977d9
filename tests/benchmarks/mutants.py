"""Time of mutation analysis for 500 mutants of published problems, proofs included.

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

from benchwright_authoring.mutation.analysis import MutantAnalyser, MutantCandidates, candidate_mutants
from benchwright_authoring.mutation.findings import MutantStatus, ProblemFindings
from benchwright_formal.opinion import sandboxed_prover
from benchwright_foundation.home import Home
from benchwright_harness.cluster.configuration import open_executor
from benchwright_harness.grading.verdict_store import VerdictStore
from benchwright_harness.sandbox.registry import open_sandbox
from benchwright_harness.toolchain import Toolchain

from ..support.designs.formal_exhaustive import published_designs

MUTANTS = 500
CORES = 2


def sample(folder: Path, mutants: int) -> list[MutantCandidates]:
    """As many mutants, the same number of each problem that has so many."""
    problems, chosen_sets, left_count = published_designs(folder), [], mutants
    problems.sort(key=lambda problem: len(candidate_mutants(problem, seed=0, most_mutants=None).chosen_mutants))
    for number, problem in enumerate(problems):
        candidate_set = candidate_mutants(problem, seed=0, most_mutants=max(1, left_count // (len(problems) - number)))
        chosen_sets.append(candidate_set)
        left_count -= len(candidate_set.chosen_mutants)
    return chosen_sets


async def timed(folder: Path, candidate_sets: list[MutantCandidates]) -> tuple[float, list[ProblemFindings]]:
    """Seconds, and what was found."""
    home = Home.from_environment(
        {"BENCHWRIGHT_HOME": str(folder), "BENCHWRIGHT_CACHE": str(Home.from_environment().cache)}
    )
    box, toolchain = open_sandbox("bwrap"), Toolchain.find(home.cache)

    async with open_executor(home, jobs=CORES, cluster_name_or_address=None, option_assignments=()) as runs:
        analyser = MutantAnalyser(
            runs, box, toolchain, VerdictStore.from_home(home), False, on_progress=lambda progress: None
        )
        start_s = time.perf_counter()
        findings = await analyser.analyse_mutants(candidate_sets, sandboxed_prover(box, toolchain), CORES)
        return time.perf_counter() - start_s, findings


def main(mutants: int) -> None:
    """Measures, and prints."""
    with tempfile.TemporaryDirectory() as temporary:
        candidate_sets = sample(Path(temporary, "sets"), mutants)
        alone_s = 0.0
        for number, candidate_set in enumerate(candidate_sets):
            took_s, _ = asyncio.run(
                timed(Path(temporary, f"alone-{number}"), [replace(candidate_set, chosen_mutants=())])
            )
            alone_s += took_s * len(candidate_set.chosen_mutants)
        whole_s, findings = asyncio.run(timed(Path(temporary, "all"), candidate_sets))
    total = sum(len(candidate_set.chosen_mutants) for candidate_set in candidate_sets)
    print("| problem | mutants | killed | survived | equivalent |\n| --- | ---: | ---: | ---: | ---: |")
    for candidate_set, of_problem in zip(candidate_sets, findings, strict=True):
        counts = (
            of_problem.scored_count(status)
            for status in (MutantStatus.KILLED, MutantStatus.SURVIVED, MutantStatus.EQUIVALENT)
        )
        print(f"| `{of_problem.id}` | {len(candidate_set.chosen_mutants)} | {' | '.join(map(str, counts))} |")
    print(f"\n{total} mutants on {CORES} cores: {whole_s:.0f} s, ratio {CORES * whole_s / alone_s:.2f}")
    print(f"500 mutants: {whole_s / total * 500 / 60:.1f} min")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else MUTANTS)
