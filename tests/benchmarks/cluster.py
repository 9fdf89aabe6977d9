"""Share of a machine that runs of many problems use, and the cost of Dask on top.

    .venv/bin/python tests/benchmarks/cluster.py [--tasks N] [--rounds N]

Runs the same tasks in this process and on Dask's local cluster, in turn, and prints medians and
their ratio; beside them the share of the cores that was busy, and the processor time that this
process itself took per task. A cluster's client and scheduler take some also while they wait, so
that of the local executor is measured before there is one.
"""

from __future__ import annotations

import argparse
import asyncio
import resource
import statistics
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import aclosing, asynccontextmanager
from pathlib import Path

import psutil

from benchwright_foundation.home import Home
from benchwright_harness.cluster import ClusterOptions, Executor
from benchwright_harness.cluster.dask import LOCAL
from benchwright_harness.cluster.local import LocalExecutor, usable_core_count
from benchwright_harness.cluster.task import ClusterTask
from benchwright_harness.execution.run import reference_solution_files
from benchwright_harness.sandbox.bwrap import BwrapSandbox
from benchwright_harness.toolchain import Toolchain
from benchwright_problems.problem import ProblemKind
from benchwright_problems.storage.pack_folder import read_built_in


def tasks_of_the_starter_pack(count: int, toolchain: Toolchain) -> list[ClusterTask]:
    """Different tasks, in turn over the design problems."""
    designs = [problem for problem in read_built_in("starter").problems if problem.kind is ProblemKind.DESIGN]
    tasks = []
    for number in range(count):
        problem = designs[number % len(designs)]
        marked = {path: text + f"\n// {number}\n".encode() for path, text in reference_solution_files(problem).items()}
        tasks.append(ClusterTask.of(problem, marked, BwrapSandbox(), toolchain))
    return tasks


@asynccontextmanager
async def executors(cache: Path) -> AsyncIterator[dict[str, Executor]]:
    """Both, ready, with as many tasks at a time as there are cores."""
    jobs = usable_core_count()
    async with LOCAL.open("local", cache, ClusterOptions(jobs=jobs)) as dask:
        yield {"local": LocalExecutor(cache, jobs), "dask": dask}


async def seconds(executor: Executor, tasks: Sequence[ClusterTask]) -> tuple[float, float, float]:
    """Wall time, share of the cores that was busy with anything, and processor time of this process per task."""
    cpu_before, usage_before, start = psutil.cpu_times(), resource.getrusage(resource.RUSAGE_SELF), time.monotonic()
    async with aclosing(executor.run(tasks)) as finished:
        count = len([result async for result in finished])
    wall = time.monotonic() - start
    assert count == len(tasks)
    cpu_after, usage_after = psutil.cpu_times(), resource.getrusage(resource.RUSAGE_SELF)
    idle = (cpu_after.idle - cpu_before.idle) + (cpu_after.iowait - cpu_before.iowait)
    busy = 1 - idle / (wall * (psutil.cpu_count() or 1))
    own_cpu_s = (usage_after.ru_utime + usage_after.ru_stime) - (usage_before.ru_utime + usage_before.ru_stime)
    return wall, busy, own_cpu_s / len(tasks)


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tasks", type=int, default=24)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    cache = Home.from_environment().cache
    tasks = tasks_of_the_starter_pack(options.tasks, Toolchain.find(cache))
    measured: dict[str, list[tuple[float, float, float]]] = {}
    single_rounds = [await seconds(LocalExecutor(cache, usable_core_count()), tasks) for _ in range(options.rounds + 1)]
    async with executors(cache) as named_executors:
        for _ in range(options.rounds + 1):
            for name, executor in named_executors.items():
                measured.setdefault(name, []).append(await seconds(executor, tasks))
    # The first round fills caches.
    measure_columns = {name: list(zip(*rounds[1:], strict=True)) for name, rounds in measured.items()}
    medians = {name: [statistics.median(column) for column in rounds] for name, rounds in measure_columns.items()}
    medians["local"][-1] = statistics.median(ours for *_, ours in single_rounds[1:])
    print(f"{options.tasks} tasks, {usable_core_count()} at a time, median of {options.rounds} rounds\n")
    print("| executor | seconds | tasks per core and hour | cores busy | our processor time per task, ms |")
    print("| --- | --- | --- | --- | --- |")
    for name, (wall, busy, ours) in medians.items():
        rate = options.tasks / wall / usable_core_count() * 3600
        print(f"| {name} | {wall:.2f} | {rate:.0f} | {busy:.0%} | {ours * 1000:.1f} |")
    ratios = [dask[0] / local[0] for local, dask in zip(measured["local"][1:], measured["dask"][1:], strict=True)]
    print(f"\nDask takes {statistics.median(ratios):.2f} times as long as the local executor.")


if __name__ == "__main__":
    asyncio.run(main())
