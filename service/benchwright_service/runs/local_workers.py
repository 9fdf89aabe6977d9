"""The workers that a service starts on its own machine: one process each, which ends with the service."""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
from asyncio.subprocess import DEVNULL, Process
from collections.abc import AsyncIterator

_RESTART_S = 5.0
_END_S = 20.0


@contextlib.asynccontextmanager
async def running_local_workers(url: str, token: str, worker_count: int, sandbox_name: str) -> AsyncIterator[None]:
    """Keeps so many workers running; one that ends is started again.

    Args:
        url: Address of the service.
        token: Token of a worker; it goes through a pipe, where no list of processes shows it.
        worker_count: Number of workers.
        sandbox_name: Name of the sandbox that they use.
    """
    keepers = [
        asyncio.create_task(_keep_worker_running(url, token, f"local-{index}", sandbox_name))
        for index in range(worker_count)
    ]
    try:
        yield
    finally:
        for keeper in keepers:
            keeper.cancel()
        await asyncio.gather(*keepers, return_exceptions=True)


async def _keep_worker_running(url: str, token: str, worker_name: str, sandbox_name: str) -> None:
    while True:
        read_handle, write = os.pipe()
        try:
            process = await asyncio.create_subprocess_exec(
                sys.executable,
                "-m",
                "benchwright_service.runs.worker_process",
                url,
                worker_name,
                sandbox_name,
                stdin=read_handle,
                stdout=DEVNULL,
            )
        finally:
            os.close(read_handle)
        # It stays open: its end is the service's end.
        with os.fdopen(write, "wb", buffering=0) as token_pipe:
            try:
                token_pipe.write(token.encode() + b"\n")
                await process.wait()
            finally:
                token_pipe.close()
                await _end_or_kill_worker(process)
        await asyncio.sleep(_RESTART_S)


async def _end_or_kill_worker(process: Process) -> None:
    if process.returncode is not None:
        return
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(_END_S):
            await process.wait()
            return
    process.kill()
    await process.wait()
