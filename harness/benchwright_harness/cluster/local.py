"""Tasks on the cores of this machine."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path

from benchwright_harness.cluster.task import ClusterTask, TaskRunner, discard_output
from benchwright_harness.execution.process import OutputReceiver
from benchwright_problems.verdict import Verdict


def usable_core_count() -> int:
    """The number of cores that this process may use."""
    if sys.platform == "linux":
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class LocalExecutor:
    """Runs tasks here, some at a time, in one event loop: the work is done by the tools they start.

    Args:
        toolchain_cache: The folder that holds the toolchain.
        jobs: Tasks at a time.
        open_log: Opens where a task's raw output goes.
        before_folder_removal: Called with a task and its run's folder before that is removed.
    """

    def __init__(
        self,
        toolchain_cache: Path,
        jobs: int | None = None,
        *,
        open_log: Callable[[ClusterTask], AbstractContextManager[OutputReceiver]] = discard_output,
        before_folder_removal: Callable[[ClusterTask, Path], None] = lambda task, folder: None,
    ) -> None:
        self._runner = TaskRunner(toolchain_cache)
        self._jobs = jobs or usable_core_count()
        self._log = open_log
        self._before_folder_removal = before_folder_removal

    async def run(self, tasks: Sequence[ClusterTask]) -> AsyncGenerator[tuple[ClusterTask, Verdict], None]:
        """See `Executor.run`."""
        remaining_tasks = iter(tasks)
        finished_runs: asyncio.Queue[tuple[ClusterTask, Verdict] | BaseException | None] = asyncio.Queue()

        # Its own pace, not the consumer's: a core must not wait until somebody has shown a result.
        async def work() -> None:
            try:
                for task in remaining_tasks:
                    with self._log(task) as log:
                        verdict = await self._runner.run(task, log, partial(self._before_folder_removal, task))
                        finished_runs.put_nowait((task, verdict))
            except Exception as error:
                finished_runs.put_nowait(error)
            finally:
                finished_runs.put_nowait(None)

        workers = [asyncio.create_task(work()) for _ in range(min(self._jobs, len(tasks)))]
        try:
            active_workers = len(workers)
            while active_workers:
                match await finished_runs.get():
                    case None:
                        active_workers -= 1
                    case BaseException() as error:
                        raise error
                    case result:
                        yield result
        finally:
            for worker in workers:
                worker.cancel()
            await asyncio.gather(*workers, return_exceptions=True)
