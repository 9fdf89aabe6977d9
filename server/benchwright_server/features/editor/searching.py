"""Searches through many files: in a thread, with the progress and the partial results that the client asked for.

Cancelling the request or its progress ends the search.
"""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from lsprotocol import types

from benchwright_server.errors import ServerError
from benchwright_verilog.syntax.json_form import JsonText

if TYPE_CHECKING:
    from benchwright_server.editor_server import EditorServer

_REPORT_S = 0.1
"""Time between two messages on progress, in seconds."""
_SENT_TOGETHER = 500

Found = TypeVar("Found")


class SearchEndedError(ServerError):
    """The client cancelled a search."""


class HasTokens(Protocol):
    """The parameters of a request that can show progress."""

    work_done_token: int | str | None


class SearchRequest:
    """One request.

    Args:
        server: The server of the client.
        request_params: The request.
        title: Title that the client shows.
        min_batch_size: Least number of partial results that are sent together.
        wrap_batch: Makes JSON of a message of that of a list of results.
    """

    def __init__(
        self,
        server: EditorServer,
        request_params: HasTokens,
        title: str,
        *,
        min_batch_size: int = _SENT_TOGETHER,
        wrap_batch: Callable[[str], str] = str,
    ) -> None:
        self._together = min_batch_size
        self._wrap = wrap_batch
        self._server = server
        self._token = request_params.work_done_token
        self._partial: int | str | None = getattr(request_params, "partial_result_token", None)
        self._title = title
        self._loop = asyncio.get_running_loop()
        self._is_ended = threading.Event()
        self._reported = 0.0
        self._unsent_results: list[str] = []

    async def run_in_thread(self, search: Callable[[], Found]) -> Found:
        """Search in a thread; cancelling the task ends the search as soon as it calls `report_searched_or_stop`."""
        self._begin_progress_if_asked()
        try:
            return await asyncio.to_thread(search)
        finally:
            self._is_ended.set()
            self._end_progress()

    def report_searched_or_stop(self, searched_count: int, file_count: int) -> None:
        """This many of that many files have been searched; called in the search's thread.

        Raises:
            SearchEndedError: The client has cancelled the search.
        """
        if self._is_ended.is_set():
            raise SearchEndedError("The search was cancelled.")
        current_time = time.monotonic()
        if self._token is not None and current_time - self._reported >= _REPORT_S:
            self._reported = current_time
            progress = types.WorkDoneProgressReport(
                message=f"{searched_count:,} of {file_count:,} files",
                percentage=100 * searched_count // max(1, file_count),
                cancellable=True,
            )
            self._call_in_loop(self._server.work_done_progress.report, self._token, progress)

    def add_results(self, json_results: Iterable[str]) -> None:
        """Results, each as JSON; called in the search's thread."""
        self._unsent_results += json_results
        if self._partial is not None and len(self._unsent_results) >= self._together:
            self._send_partial_results()

    def send_rest_and_make_response(self) -> JsonText:
        """The response; no results are in it if the client takes partial results (LSP 3.18, `partialResultParams`)."""
        if self._partial is not None and self._unsent_results:
            self._send_partial_results()
        return self._wrapped(self._unsent_results)

    def _wrapped(self, json_results: list[str]) -> JsonText:
        return JsonText(self._wrap(JsonText.of_list(json_results).text))

    def _send_partial_results(self) -> None:
        result_batch, self._unsent_results = self._unsent_results, []
        progress = f'{{"token":{json.dumps(self._partial)},"value":{self._wrapped(result_batch).text}}}'
        self._call_in_loop(self._server.notify_json, types.PROGRESS, JsonText(progress))

    def _begin_progress_if_asked(self) -> None:
        if self._token is None:
            return
        task = asyncio.current_task()
        progress = self._server.work_done_progress
        progress.begin(self._token, types.WorkDoneProgressBegin(self._title, cancellable=True, percentage=0))
        if task is not None:
            progress.tokens[self._token].add_done_callback(
                lambda future: self._call_in_loop(task.cancel) if future.cancelled() else None
            )

    def _end_progress(self) -> None:
        if self._token is not None:
            self._server.work_done_progress.tokens.pop(self._token, None)
            self._server.work_done_progress.end(self._token, types.WorkDoneProgressEnd())

    def _call_in_loop(self, function: Callable[..., Any], *arguments: Any) -> None:
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(function, *arguments)
