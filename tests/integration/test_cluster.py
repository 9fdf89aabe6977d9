"""Many runs at once: here, on Dask's own processes, and on the node of a real Slurm queue."""

from __future__ import annotations

import asyncio
import contextlib
import re
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import aclosing, asynccontextmanager
from functools import partial
from pathlib import Path

import psutil
import pytest

from benchwright_foundation.home import Home
from benchwright_harness.cluster import ClusterOptions, Executor
from benchwright_harness.cluster.dask import LOCAL, SCHEDULER
from benchwright_harness.cluster.local import LocalExecutor
from benchwright_harness.cluster.queues import SLURM
from benchwright_harness.cluster.task import ClusterTask, code_digest
from benchwright_harness.errors import ClusterError
from benchwright_harness.execution.run import reference_solution_files, starting_solution_files
from benchwright_harness.sandbox.bwrap import BwrapSandbox
from benchwright_harness.toolchain import Toolchain
from benchwright_problems.problem import ProblemKind
from benchwright_problems.storage.pack_folder import read_built_in
from benchwright_problems.verdict import Reason, Verdict

from ..support.machine.sandbox_run import is_alive
from ..support.machine.slurm import Slurm, SlurmMissingError, slurm
from ..support.machine.waiting import wait_until

pytestmark = pytest.mark.alone

STARTER = [problem for problem in read_built_in("starter").problems if problem.kind is ProblemKind.DESIGN]
WORKER = "dask_worker|spawn_main|forkserver"


@pytest.fixture(scope="session")
def cache() -> Path:
    return Home.from_environment().cache


@pytest.fixture(scope="module")
def queue() -> Iterator[Slurm]:
    try:
        with slurm() as running, pytest.MonkeyPatch.context() as patch:
            patch.setenv("SLURM_CONF", str(running.configuration))
            yield running
    except SlurmMissingError as error:
        pytest.skip(str(error))


def some_tasks(toolchain: Toolchain, count: int) -> list[ClusterTask]:
    """Different tasks, of which every second one fails."""
    tasks = []
    for number in range(count):
        problem = STARTER[number % len(STARTER)]
        files = starting_solution_files(problem) if number % 2 else reference_solution_files(problem)
        marked = {path: text + f"\n// {number}\n".encode() for path, text in files.items()}
        tasks.append(ClusterTask.of(problem, marked, BwrapSandbox(), toolchain))
    return tasks


def decided(verdict: Verdict) -> object:
    return verdict.reason, verdict.tests, verdict.digests


async def all_of(executor: Executor, tasks: list[ClusterTask]) -> list[tuple[ClusterTask, Verdict]]:
    async with aclosing(executor.run(tasks)) as finished:
        return [result async for result in finished]


@asynccontextmanager
async def on_slurm(cache: Path, logs: Path) -> AsyncIterator[Executor]:
    queue_options = {"queue": "debug", "cores": 1, "memory": "1GB", "walltime": "01:00:00", "log_directory": str(logs)}
    async with SLURM.open("slurm", cache, ClusterOptions(jobs=2, queue=queue_options)) as executor:
        yield executor


def workers() -> list[psutil.Process]:
    """The processes in which tasks of this test run."""
    return [
        process
        for process in psutil.process_iter(["cmdline"])
        if re.search(WORKER, " ".join(process.info["cmdline"] or ()))
        and any(name_of(child) in {"bwrap", "python3"} for child in children_of(process))
    ]


def simulations_of(processes: list[psutil.Process]) -> list[psutil.Process]:
    return [
        child
        for process in processes
        for child in children_of(process, recursive=True)
        if name_of(child) == "bwrap" and is_alive(child)
    ]


def children_of(process: psutil.Process, *, recursive: bool = False) -> list[psutil.Process]:
    # What runs here comes and goes.
    with contextlib.suppress(psutil.NoSuchProcess):
        return process.children(recursive=recursive)
    return []


def name_of(process: psutil.Process) -> str:
    with contextlib.suppress(psutil.NoSuchProcess):
        return process.name()
    return ""


async def test_a_killed_worker_of_a_queue_loses_nothing_and_doubles_nothing(
    queue: Slurm, cache: Path, toolchain: Toolchain, tmp_path: Path
) -> None:
    tasks = some_tasks(toolchain, 8)
    expected_verdicts = {task.key: decided(verdict) for task, verdict in await all_of(LocalExecutor(cache, 2), tasks)}
    task_verdicts: list[tuple[ClusterTask, Verdict]] = []
    killed = 0
    async with on_slurm(cache, tmp_path) as executor, aclosing(executor.run(tasks)) as finished:
        async for result in finished:
            task_verdicts.append(result)
            if len(task_verdicts) == 2:
                own_workers = [process for process in workers() if in_slurm(process)]
                assert {address for process in own_workers for address in listens_on(process)} <= {"127.0.0.1"}
                victim, orphans = await first_with_simulations()
                victim.kill()
                killed = len(orphans)
                await wait_until(partial(none_alive, orphans))
    assert killed
    assert Counter(task.key for task, _ in task_verdicts) == Counter(task.key for task in tasks)
    assert {task.key: decided(verdict) for task, verdict in task_verdicts} == expected_verdicts
    log_text = "".join(path.read_text(errors="replace") for path in tmp_path.rglob("*") if path.is_file())
    assert "cocotb.test" not in log_text


async def first_with_simulations() -> tuple[psutil.Process, list[psutil.Process]]:
    """A worker of the queue, and what runs in it: a worker has nothing to run between two tasks."""
    busy_workers: list[tuple[psutil.Process, list[psutil.Process]]] = []

    def look() -> bool:
        busy_workers[:] = [
            (worker, running) for worker in workers() if in_slurm(worker) and (running := simulations_of([worker]))
        ]
        return bool(busy_workers)

    await wait_until(look)
    return busy_workers[0]


def none_alive(processes: list[psutil.Process]) -> bool:
    return not any(map(is_alive, processes))


def in_slurm(process: psutil.Process) -> bool:
    with contextlib.suppress(psutil.NoSuchProcess):
        return any(name_of(parent).startswith("slurmstepd") for parent in process.parents())
    return False


def listens_on(process: psutil.Process) -> set[str]:
    sockets = process.net_connections("tcp")
    return {socket.laddr.ip for socket in sockets if socket.status == psutil.CONN_LISTEN}


async def test_cancelling_on_a_cluster_kills_what_runs_there(cache: Path, toolchain: Toolchain) -> None:
    tasks = some_tasks(toolchain, 4)
    async with LOCAL.open("local", cache, ClusterOptions(jobs=1)) as executor:
        children = psutil.Process().children(recursive=True)
        pending_verdicts = asyncio.ensure_future(all_of(executor, tasks))
        await wait_until(lambda: bool(simulations_of(children)))
        pending_verdicts.cancel()
        with pytest.raises(asyncio.CancelledError):
            await pending_verdicts
        await wait_until(lambda: not simulations_of(children))
        # It is as good as new afterwards.
        assert len(await all_of(executor, tasks[:1])) == 1


async def test_cancelling_here_kills_what_runs_here(cache: Path, toolchain: Toolchain) -> None:
    async with aclosing(LocalExecutor(cache, 2).run(some_tasks(toolchain, 4))) as finished:
        await anext(finished)
        # The second one may just be between two steps.
        await wait_until(lambda: bool(simulations_of([psutil.Process()])))
    assert simulations_of([psutil.Process()]) == []


async def test_a_scheduler_that_is_not_there_is_told_at_once(cache: Path) -> None:
    with pytest.raises(ClusterError, match=r"no Dask scheduler answers at tcp://127\.0\.0\.1:9") as refused:
        async with SCHEDULER.open("tcp://127.0.0.1:9", cache, ClusterOptions()):
            pass
    assert "dask scheduler" in refused.value.hint


async def test_a_scheduler_without_workers_is_told_after_a_while(cache: Path) -> None:
    from distributed import LocalCluster

    async with LocalCluster(n_workers=0, host="127.0.0.1", dashboard_address=None, asynchronous=True) as cluster:
        with pytest.raises(ClusterError, match=r"no worker came within 0\.5 s") as refused:
            async with SCHEDULER.open(cluster.scheduler_address, cache, ClusterOptions(wait_s=0.5)):
                pass
    assert "dask worker" in refused.value.hint


async def test_a_worker_with_other_tools_is_told_before_anything_runs(cache: Path, tmp_path: Path) -> None:
    from distributed import LocalCluster

    async with LocalCluster(
        n_workers=1,
        threads_per_worker=1,
        host="127.0.0.1",
        dashboard_address=None,
        asynchronous=True,
        env={"BENCHWRIGHT_CACHE": str(tmp_path)},
    ) as cluster:
        with pytest.raises(ClusterError, match="has another toolchain") as refused:
            async with SCHEDULER.open(cluster.scheduler_address, cache, ClusterOptions(wait_s=120)):
                pass
    assert "BENCHWRIGHT_CACHE" in refused.value.hint


async def test_a_task_of_another_version_is_not_run(cache: Path, toolchain: Toolchain) -> None:
    (task,) = some_tasks(toolchain, 1)
    for changes in ({"code": "0" * 64}, {"toolchain": "0" * 64}):
        ((_, verdict),) = await all_of(LocalExecutor(cache, 1), [task.model_copy(update=changes)])
        assert verdict.reason is Reason.TOOL_MISSING
        assert "0" * 12 in verdict.detail
        assert verdict.hint


def test_a_task_names_everything_that_decides(toolchain: Toolchain) -> None:
    problem = STARTER[0]
    sandbox = BwrapSandbox()
    task = ClusterTask.of(problem, reference_solution_files(problem), sandbox, toolchain)
    assert task.key == ClusterTask.of(problem, reference_solution_files(problem), sandbox, toolchain).key
    assert task.key != ClusterTask.of(problem, starting_solution_files(problem), sandbox, toolchain).key
    assert task.code == code_digest()
    # Schedulers log what they could not run.
    assert repr(task) == str(task) == f"Task({task.key[:12]})"
