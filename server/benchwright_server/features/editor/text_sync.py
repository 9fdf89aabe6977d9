"""Opening, changing, saving and closing documents."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable
from functools import partial
from typing import TYPE_CHECKING

from lsprotocol import types

from benchwright_verilog.syntax.documents import Replacement
from benchwright_verilog.syntax.uri import local_path_of

if TYPE_CHECKING:
    from benchwright_server.attempts.session import EditorSession
    from benchwright_server.editor_server import EditorServer

Work = Callable[[], Awaitable[None]]

logger = logging.getLogger(__name__)

_LOOK_AGAIN_S = 1.0
"""Seconds for which a file is assumed to be outside workspaces after a lookup while it is being edited."""


class TextSync:
    """Follows the client's documents.

    A document changes at once, in the order of the client's messages. What takes longer
    (recording, linting, starting runs) is done by one worker, in the same order.

    Args:
        server: The server of the client.
    """

    def __init__(self, server: EditorServer) -> None:
        self._server = server
        self._work: asyncio.Queue[Work] = asyncio.Queue()
        self._worker: asyncio.Task[None] | None = None
        self._lints: set[asyncio.Task[None]] = set()
        self._outside: dict[str, float] = {}
        # pygls sets an attribute on what it registers, and methods don't allow that.
        server.feature(types.TEXT_DOCUMENT_DID_OPEN)(partial(self._did_open))
        server.feature(types.TEXT_DOCUMENT_DID_CHANGE)(partial(self._did_change))
        server.feature(types.TEXT_DOCUMENT_DID_SAVE)(partial(self._did_save))
        server.feature(types.TEXT_DOCUMENT_DID_CLOSE)(partial(self._did_close))

    async def wait_until_recorded(self) -> None:
        """Wait until everything the client has sent so far is recorded."""
        await self._work.join()
        if self._server.has_sessions:
            await self._server.sessions.wait_until_written()

    def _did_open(self, params: types.DidOpenTextDocumentParams) -> None:
        text_item = params.text_document
        document = self._server.documents.open(text_item.uri, text_item.version, text_item.text, text_item.language_id)
        self._server.live.analyse_opened(document.uri)
        self._server.pack_files.check_opened(document.uri)
        self.run_in_order(lambda: self._record_open_if_in_attempt(document.uri, document.text))

    def _did_change(self, params: types.DidChangeTextDocumentParams) -> None:
        uri, version = params.text_document.uri, params.text_document.version
        if self._server.documents.get(uri) is None:
            logger.warning("a document that is not open was changed")
            return
        document, replacements = self._server.documents.change(uri, version, params.content_changes)
        self._server.live.analyse_changed_later(uri)
        self._server.pack_files.check_changed_later(uri)
        self.run_in_order(lambda: self._record_change_if_in_attempt(uri, version, replacements, document.text))

    def _did_save(self, params: types.DidSaveTextDocumentParams) -> None:
        self._server.pack_files.check_folders_around_saved(params.text_document.uri)
        if self._server.proofs is not None and params.text_document.uri.startswith("file:"):
            self._server.proofs.schedule_proofs_of_changed([local_path_of(params.text_document.uri)])
        self.run_in_order(lambda: self._lint_record_and_score(params.text_document.uri))

    def _did_close(self, params: types.DidCloseTextDocumentParams) -> None:
        uri = params.text_document.uri
        self._server.documents.close(uri)
        self._server.live.clear_closed(uri)
        self._server.pack_files.forget_closed(uri)
        self._server.projects.forget_closed(uri)
        self.run_in_order(lambda: self._record_close_if_in_attempt(uri))

    async def _record_open_if_in_attempt(self, uri: str, opened_text: str) -> None:
        session, path = await self._session_and_workspace_path(uri)
        if session is not None and not session.ended:
            session.recorder.record_opened(path, opened_text)

    async def _record_change_if_in_attempt(
        self, uri: str, version: int, replacements: list[Replacement], new_text: str
    ) -> None:
        # Searching for a workspace on disk needs a thread, which is too expensive at every keystroke.
        if time.monotonic() - self._outside.get(uri, -_LOOK_AGAIN_S) < _LOOK_AGAIN_S:
            return
        session, path = await self._session_and_workspace_path(uri)
        if session is not None and not session.ended:
            session.recorder.record_changed(path, version, replacements, new_text)

    async def _record_close_if_in_attempt(self, uri: str) -> None:
        session, path = await self._session_and_workspace_path(uri)
        self._outside.pop(uri, None)
        if session is not None and not session.ended:
            session.recorder.record_closed(path, await asyncio.to_thread(session.workspace.read, path))

    async def _lint_record_and_score(self, uri: str) -> None:
        session, path = await self._session_and_workspace_path(uri)
        self._server.lenses.forget_sizes_after_save()
        self._start_lint(uri, session, path)
        if session is None or session.ended:
            return
        content = await asyncio.to_thread(session.workspace.read, path)
        if content is not None:
            await session.record_saved(path, content)
        if not session.is_judged_path(path):
            return
        if session.is_scored_on_save and await session.is_clock_running():
            await session.attempt.start_run("newer_save")
        elif session.problem.public.tree is not None:
            # Only then the log has what changed since the last run.
            session.on_files_taken_for_run(await asyncio.to_thread(session.current_judged_files))

    def _start_lint(self, uri: str, session: EditorSession | None, workspace_path: str) -> None:
        async def lint() -> None:
            try:
                counts = await self._server.live.lint_saved_file(uri)
                if session is not None and counts is not None:
                    await session.record_lint_counts(workspace_path, counts)
            except Exception as error:
                self._server.report_failure(error)

        task = asyncio.create_task(lint())
        self._lints.add(task)
        task.add_done_callback(self._lints.discard)

    async def _session_and_workspace_path(self, file_uri: str) -> tuple[EditorSession | None, str]:
        if not file_uri.startswith("file:"):
            return None, ""
        file = local_path_of(file_uri)
        session = await self._server.find_or_open_session(file)
        if session is None:
            self._outside[file_uri] = time.monotonic()
        else:
            self._outside.pop(file_uri, None)
        path = session.workspace.relative(file) if session is not None else None
        return (session, path) if path is not None else (None, "")

    def run_in_order(self, action: Work) -> None:
        """Do something after everything that the client sent before it, and before what it sends later."""
        self._work.put_nowait(action)
        if self._worker is None:
            self._worker = asyncio.get_running_loop().create_task(self._run_queued_actions_forever())

    async def _run_queued_actions_forever(self) -> None:
        while True:
            action = await self._work.get()
            try:
                await action()
            except Exception as error:
                # A failure in one file must not stop the processing of the others.
                self._server.report_failure(error)
            finally:
                self._work.task_done()
