"""A worker's process: `python -m benchwright_service.runs.worker_process URL NAME SANDBOX`.

Its token is the first line of stdin. It ends when stdin does, or with SIGTERM; the run that it was at is given to
another worker.
"""

from __future__ import annotations

import asyncio
import contextlib
import sys

from benchwright_foundation.home import Home
from benchwright_foundation.operating_system import termination_event
from benchwright_harness.sandbox.registry import open_sandbox
from benchwright_service.content_free_log import log_without_contents
from benchwright_service.errors import BenchServiceError
from benchwright_service.runs.niceness import lower_own_priority
from benchwright_service.runs.worker import Worker, service_client


async def run_worker(url: str, worker_name: str, sandbox_name: str, token: str, end_event: asyncio.Event) -> None:
    """Works until `end_event` is set.

    Raises:
        BenchServiceError: The service refuses the token.
    """
    async with service_client(url, token) as client:
        working = asyncio.create_task(
            Worker(client, worker_name, Home.from_environment(), open_sandbox(sandbox_name)).work()
        )
        ending = asyncio.create_task(end_event.wait())
        await asyncio.wait({working, ending}, return_when=asyncio.FIRST_COMPLETED)
        ending.cancel()
        if not working.done():
            working.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await working


async def _main(url: str, worker_name: str, sandbox: str) -> None:
    loop = asyncio.get_running_loop()
    stdin_reader = asyncio.StreamReader()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(stdin_reader), sys.stdin)
    token = (await stdin_reader.readline()).decode().strip()
    end_event = termination_event()

    async def until_closed() -> None:
        await stdin_reader.read()
        end_event.set()

    watch = asyncio.create_task(until_closed())
    try:
        await run_worker(url, worker_name, sandbox, token, end_event)
    finally:
        watch.cancel()


if __name__ == "__main__":
    log_without_contents()
    # The service answers first; what its machine has left is for runs.
    lower_own_priority()
    try:
        asyncio.run(_main(*sys.argv[1:4]))
    except BenchServiceError as error:
        sys.exit(f"benchwright: {error}")
