"""`$/progress` while the files of a large folder are read for the first time."""

from __future__ import annotations

import asyncio
import uuid
from pathlib import Path
from typing import TYPE_CHECKING

from lsprotocol.types import WorkDoneProgressBegin, WorkDoneProgressEnd, WorkDoneProgressReport

from benchwright_server.features.editor.run_progress import create_progress_if_supported

if TYPE_CHECKING:
    from benchwright_server.editor_server import EditorServer


class IndexProgress:
    """Shows how far reading is, if the client can; then has everything shown again.

    Args:
        server: The server of the client.
    """

    def __init__(self, server: EditorServer) -> None:
        self._server = server
        self._loop: asyncio.AbstractEventLoop | None = None
        self._tokens: dict[Path, str] = {}
        self._begun: set[str] = set()
        self._beginning: set[asyncio.Task[None]] = set()

    def remember_running_loop(self) -> None:
        """Remember the loop that messages are sent from; files are read in threads."""
        self._loop = asyncio.get_running_loop()

    def show_from_any_thread(self, folder: Path, read_count: int, file_count: int) -> None:
        """Shows the number of a folder's files that have been read, of all of them. May be called in any thread."""
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._show_or_end_and_analyse, folder, read_count, file_count)

    def _show_or_end_and_analyse(self, folder: Path, read_count: int, file_count: int) -> None:
        if read_count == file_count:
            token = self._tokens.pop(folder, None)
            if token in self._begun:
                self._begun.discard(token)
                self._server.work_done_progress.tokens.pop(token, None)
                self._server.work_done_progress.end(token, WorkDoneProgressEnd())
            self._server.live.analyse_after_indexing()
            return
        token = self._tokens.get(folder)
        if token is None:
            token = self._tokens[folder] = str(uuid.uuid4())
            task = asyncio.get_running_loop().create_task(self._begin_if_accepted(folder, token))
            self._beginning.add(task)
            task.add_done_callback(self._beginning.discard)
        elif token in self._begun:
            progress_report = WorkDoneProgressReport(
                message=f"{read_count:,} of {file_count:,} files", percentage=100 * read_count // file_count
            )
            self._server.work_done_progress.report(token, progress_report)

    async def _begin_if_accepted(self, folder: Path, token: str) -> None:
        if await create_progress_if_supported(self._server, token) and self._tokens.get(folder) == token:
            self._begun.add(token)
            progress_begin = WorkDoneProgressBegin(title=f"Reading {folder.name}", percentage=0)
            self._server.work_done_progress.begin(token, progress_begin)
