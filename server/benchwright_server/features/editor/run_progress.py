"""`$/progress` of a run, with a cancel button that ends the run."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from lsprotocol.types import WorkDoneProgressBegin, WorkDoneProgressEnd, WorkDoneProgressReport
from pygls.exceptions import JsonRpcException

if TYPE_CHECKING:
    from benchwright_attempts.adapter import ReportProgress
    from benchwright_server.attempts.session import EditorSession
    from benchwright_server.editor_server import EditorServer

_PATIENCE_S = 10.0
"""Seconds to wait for a busy client to accept its progress; after that the progress is not shown."""


class RunProgress:
    """Shows the progress of runs, if the client can.

    Args:
        server: The server of the client.
    """

    def __init__(self, server: EditorServer) -> None:
        self._server = server

    @asynccontextmanager
    async def cancellable_run_progress(self, session: EditorSession) -> AsyncIterator[ReportProgress]:
        """Show a run for the duration of the block; cancelling in the client cancels it."""
        cancels: set[asyncio.Task[None]] = set()

        def cancel() -> None:
            cancels.add(asyncio.ensure_future(session.attempt.runs.cancel("solver")))

        async with cancellable_progress(self._server, "Hidden tests", cancel) as report:
            yield report


@asynccontextmanager
async def cancellable_progress(
    server: EditorServer, title: str, on_cancel: Callable[[], object]
) -> AsyncIterator[ReportProgress]:
    """Shows progress for the duration of the block, if the client can.

    Args:
        server: The server of the client.
        title: Title of the progress.
        on_cancel: Called in the event loop when the client cancels.
    """
    progress, token = server.work_done_progress, str(uuid.uuid4())
    if not await create_progress_if_supported(server, token):
        yield lambda message, percent: None
        return
    loop = asyncio.get_running_loop()
    progress.begin(token, WorkDoneProgressBegin(title=title, cancellable=True, percentage=0))
    cancelled = progress.tokens[token]
    cancelled.add_done_callback(lambda future: loop.call_soon_threadsafe(on_cancel) if future.cancelled() else None)
    try:
        yield lambda message, percent: progress.report(
            token, WorkDoneProgressReport(message=message, percentage=percent)
        )
    finally:
        progress.tokens.pop(token, None)
        progress.end(token, WorkDoneProgressEnd())


async def create_progress_if_supported(server: EditorServer, token: str) -> bool:
    """Announce progress to the client (LSP 3.18, `window/workDoneProgress/create`).

    Returns:
        Whether the client shows it.
    """
    if not server.client.supports("window.workDoneProgress"):
        return False
    try:
        async with asyncio.timeout(_PATIENCE_S):
            await server.work_done_progress.create_async(token)
    except (TimeoutError, JsonRpcException):
        return False
    return True
