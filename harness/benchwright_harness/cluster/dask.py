"""Tasks on a cluster, with Dask distributed.

Tasks hold hidden parts. They travel over the cluster's own connections, and are in the memory of
its processes, but in no file and no log.
"""

from __future__ import annotations

import asyncio
import logging
import sys
import time
import uuid
from collections.abc import AsyncGenerator, Sequence
from contextlib import AsyncExitStack
from functools import lru_cache
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, NamedTuple, Protocol, Self

from benchwright_foundation.distribution import install_command
from benchwright_foundation.home import Home
from benchwright_harness.cluster import ClusterOptions
from benchwright_harness.cluster.local import usable_core_count
from benchwright_harness.cluster.task import ClusterTask, TaskRunner, code_digest, discard_output
from benchwright_harness.errors import ClusterError, HarnessError
from benchwright_harness.toolchain import Toolchain
from benchwright_problems.verdict import Digests, Reason, Verdict

if TYPE_CHECKING:
    from distributed import Client

_CONNECT_S = 5
_LOOK_S = 2.0
_WANTED_S = 0.1
_PER_THREAD = 2


class DaskCluster(Protocol):
    """Source of a Dask cluster's workers."""

    @property
    def no_worker_hint(self) -> str:
        """The next step if no worker comes."""
        ...

    async def connect(self, name_or_address: str, options: ClusterOptions, exit_stack: AsyncExitStack) -> Client:
        """A client of its scheduler.

        Args:
            name_or_address: The kind's name, or the scheduler's address.
            options: Options of the site.
            exit_stack: Closes what has to be closed with the executor.
        """
        ...

    def open(self, name_or_address: str, toolchain_cache: Path, options: ClusterOptions) -> DaskExecutor:
        """See `ClusterKind`."""
        return DaskExecutor(self, name_or_address, toolchain_cache, options, workers_toolchain_cache=toolchain_cache)


class _LocalWorkers(DaskCluster):
    """Worker processes on this machine."""

    no_worker_hint = "check the messages above and the free memory; wait_s gives the workers more time"

    async def connect(self, name_or_address: str, options: ClusterOptions, exit_stack: AsyncExitStack) -> Client:
        from distributed import Client, LocalCluster

        cluster = await exit_stack.enter_async_context(
            LocalCluster(
                n_workers=options.jobs or usable_core_count(),
                threads_per_worker=1,
                processes=True,
                host="127.0.0.1",
                dashboard_address=None,
                worker_dashboard_address=None,
                silence_logs=logging.CRITICAL,
                asynchronous=True,
            )
        )
        client: Client = await Client(cluster, asynchronous=True)
        return client


class _RunningScheduler(DaskCluster):
    """A scheduler that runs already, with workers that use the cache folders of their own machines."""

    no_worker_hint = "start workers (`dask worker ADDRESS --nthreads 1 --nworkers auto`), then the same command again"

    async def connect(self, name_or_address: str, options: ClusterOptions, exit_stack: AsyncExitStack) -> Client:
        from distributed import Client

        try:
            client: Client = await Client(name_or_address, asynchronous=True, timeout=_CONNECT_S)
        except (OSError, ValueError, TypeError) as error:
            raise ClusterError(
                f"no Dask scheduler answers at {name_or_address}: {error}",
                "check that `dask scheduler` runs there and that no firewall is in between; for tls:// the"
                " certificates have to be in Dask's configuration",
            ) from error
        return client

    def open(self, name_or_address: str, toolchain_cache: Path, options: ClusterOptions) -> DaskExecutor:
        return DaskExecutor(self, name_or_address, toolchain_cache, options, workers_toolchain_cache=None)


LOCAL = _LocalWorkers()
SCHEDULER = _RunningScheduler()


class DaskExecutor:
    """Runs tasks on a Dask cluster, for as long as it is entered (`async with`).

    A task whose worker is lost is run again elsewhere; as tasks leave nothing behind, that harms nothing.

    Args:
        cluster: Source of its workers.
        name_or_address: The name of that, or the scheduler's address.
        toolchain_cache: The folder that holds the toolchain on this machine.
        options: Options of the site.
        workers_toolchain_cache: The same folder on the workers' machines; `None` if each has its own.
    """

    def __init__(
        self,
        cluster: DaskCluster,
        name_or_address: str,
        toolchain_cache: Path,
        options: ClusterOptions,
        workers_toolchain_cache: Path | None,
    ) -> None:
        self._cluster = cluster
        self._address = name_or_address
        self._cache = toolchain_cache
        self._workers_cache = workers_toolchain_cache
        self._options = options
        self._open = AsyncExitStack()

    async def __aenter__(self) -> Self:
        # What a lost worker means is for us to say, not for a log between the lines of a progress bar.
        logging.getLogger("distributed").setLevel(logging.CRITICAL)
        async with AsyncExitStack() as opening:
            self._client = await self._connect(opening)
            await self._await_first_worker()
            await self._require_matching_workers()
            self._open = opening.pop_all()
        return self

    async def __aexit__(
        self, error_class: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._open.aclose()

    async def run(self, tasks: Sequence[ClusterTask]) -> AsyncGenerator[tuple[ClusterTask, Verdict], None]:
        """See `Executor.run`."""
        remaining_tasks = iter(tasks)
        running_tasks: set[asyncio.Task[tuple[ClusterTask, Verdict]]] = set()
        threads, last_seen = 1, time.monotonic()
        looked = 0.0
        try:
            while True:
                if time.monotonic() - looked > _LOOK_S:
                    looked = time.monotonic()
                    threads = await self._worker_thread_count()
                    last_seen = looked if threads else last_seen
                    if looked - last_seen > self._options.wait_s:
                        raise ClusterError("the cluster has lost all its workers", self._cluster.no_worker_hint)
                # No more than keeps the workers busy: a task is as large as its problem.
                while (
                    len(running_tasks) < max(1, threads * _PER_THREAD)
                    and (task := next(remaining_tasks, None)) is not None
                ):
                    running_tasks.add(asyncio.create_task(self._run_task(task)))
                if not running_tasks:
                    return
                finished_tasks, running_tasks = await asyncio.wait(
                    running_tasks, timeout=_LOOK_S, return_when=asyncio.FIRST_COMPLETED
                )
                for finished_task in finished_tasks:
                    yield finished_task.result()
        finally:
            for finished_task in running_tasks:
                finished_task.cancel()
            await asyncio.gather(*running_tasks, return_exceptions=True)

    async def _run_task(self, task: ClusterTask) -> tuple[ClusterTask, Verdict]:
        from distributed.scheduler import KilledWorker

        # The scheduler's answer to a cancellation would end a later submission of the same key as well.
        key = f"benchwright-{task.key}-{uuid.uuid4().hex}"
        future = self._client.submit(_run_until_released, task, self._workers_cache, key, key=key)
        try:
            return task, await future
        except KilledWorker:
            detail = "the workers that ran it died, one after the other"
            hint = "check the workers' logs and the memory that a worker may use"
            digests = Digests(problem=task.problem.public_digest, harness=task.problem.harness_digest)
            return task, Verdict(reason=Reason.SANDBOX_UNAVAILABLE, detail=detail, hint=hint, digests=digests)
        except asyncio.CancelledError:
            current = asyncio.current_task()
            if current is None or current.cancelling():
                await self._client.cancel([future], force=True)
                raise
            # Dask says so where the scheduler has forgotten a task, as it has after its own end.
            raise ClusterError(
                f"the connection to the scheduler {self._address} was lost",
                "start the same command again: what has been decided is kept",
            ) from None

    async def _connect(self, exit_stack: AsyncExitStack) -> Client:
        try:
            import distributed  # noqa: F401
        except ImportError as error:
            raise ClusterError(
                "Dask is not installed", f"install Benchwright with its extra: {install_command('harness')}"
            ) from error
        return await exit_stack.enter_async_context(
            await self._cluster.connect(self._address, self._options, exit_stack)
        )

    async def _await_first_worker(self) -> None:
        deadline = time.monotonic() + self._options.wait_s
        while not await self._worker_thread_count():
            if time.monotonic() > deadline:
                raise ClusterError(f"no worker came within {self._options.wait_s:g} s", self._cluster.no_worker_hint)
            await asyncio.sleep(_WANTED_S)

    async def _require_matching_workers(self) -> None:
        """Check the workers.

        Raises:
            ClusterError: A worker could not do the work, with the next step.
        """
        answers = await self._client.run(_equipment_of_this_machine, self._workers_cache, on_error="return")
        own_equipment = _equipment_of_this_machine(self._cache)
        for worker, equipment in answers.items():
            if isinstance(equipment, ModuleNotFoundError):
                raise ClusterError(
                    f"the worker {worker} has no Benchwright ({equipment})",
                    f"install the same version there: {install_command('harness')}",
                )
            if isinstance(equipment, BaseException):
                raise ClusterError(f"the worker {worker} can't be used: {equipment}", "check its log")
            for name, own_version, worker_version in zip(_Equipment._fields, own_equipment, equipment, strict=True):
                if own_version != worker_version:
                    part_name = name.replace("_", " ")
                    raise ClusterError(
                        f"the worker {worker} has another {part_name} ({worker_version}) than this machine "
                        f"({own_version})",
                        "install the same version on all machines; for the toolchain, let them share one folder"
                        " (BENCHWRIGHT_CACHE) or set up the same version on each",
                    )

    async def _worker_thread_count(self) -> int:
        return sum((await self._client.nthreads()).values())


class _Equipment(NamedTuple):
    """Properties that must be the same on all machines of a cluster."""

    version_of_benchwright: str
    toolchain: str
    version_of_python: str


def _equipment_of_this_machine(toolchain_cache: Path | None) -> _Equipment:
    try:
        toolchain = Toolchain.find(toolchain_cache or Home.from_environment().cache).digest[:12]
    except HarnessError as error:
        toolchain = f"none: {error.hint or error}"
    return _Equipment(code_digest()[:12], toolchain, "{}.{}".format(*sys.version_info))


@lru_cache
def _cached_task_runner(toolchain_cache: Path) -> TaskRunner:
    # One for each worker process: it keeps its sandboxes.
    return TaskRunner(toolchain_cache)


async def _run_until_released(task: ClusterTask, toolchain_cache: Path | None, submission_key: str) -> Verdict:
    """Run a task on a worker, for as long as somebody wants it.

    Args:
        task: Task to run.
        toolchain_cache: Folder of the worker's toolchains.
        submission_key: Dask's name of this submission.
    """
    from distributed import get_worker

    tasks = get_worker().state.tasks
    with discard_output(task) as log:
        verdict_job = asyncio.create_task(
            _cached_task_runner(toolchain_cache or Home.from_environment().cache).run(task, log)
        )
        while not verdict_job.done():
            await asyncio.wait({verdict_job}, timeout=_WANTED_S)
            # Dask forgets a task that is cancelled, but lets it go on.
            task_state = tasks.get(submission_key)
            if task_state is None or task_state.state != "executing":
                verdict_job.cancel()
                await asyncio.wait({verdict_job})
                return Verdict(reason=Reason.CANCELLED)
        return verdict_job.result()
