"""One server with one document open, from its start to its end."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

from pydantic import JsonValue

from benchwright_subjects.inline.dialects.lsp import AcceptOutcome, StandardDialect, Trigger, initialize_params
from benchwright_subjects.inline.failure import ServerFailure, SubjectError, printable_words
from benchwright_subjects.inline.offer import NextEdit, NextEdits, Offer
from benchwright_subjects.inline.policies import AcceptedPart
from benchwright_subjects.inline.server.connection import RequestTimeoutError, ServerConnection
from benchwright_subjects.inline.server.server_process import ServerLaunch, ServerProcess, start_server
from benchwright_subjects.inline.text.document import DocumentVersion
from benchwright_subjects.inline.workplace import Workplace

_STOP_S = 5.0
_MOST_NAME = 80


@dataclass(frozen=True)
class RequestOutcome:
    """Result of one request."""

    offers: Sequence[Offer]
    latency_ms: float | None
    """None if there was no answer in time."""
    drawn_ms: float | None = None
    """Until the first offer was drawn; None if nothing was drawn."""


@dataclass(frozen=True)
class ServerName:
    """Name and version that a server reports."""

    name: str = ""
    version: str = ""


class UserSession:
    """Actions of the user of one server.

    Args:
        connection: Connection to the initialised server.
        dialect: Dialect in which the server is addressed.
        server_name: Name that the server reports.
        timeout_s: After which a request is given up.
    """

    def __init__(
        self, connection: ServerConnection, dialect: StandardDialect, server_name: ServerName, timeout_s: float
    ) -> None:
        self.connection = connection
        self.name = server_name
        self._dialect = dialect
        self._timeout_s = timeout_s

    @property
    def has_drawing_editor(self) -> bool:
        """True if there is an editor that draws what is offered."""
        return self._dialect.draws

    def open_document(self, document: DocumentVersion) -> None:
        """Open a document and focus it."""
        document_item: JsonValue = {
            **document.identifier,
            "languageId": "systemverilog",
            "version": document.version,
            "text": document.text,
        }
        self.connection.notify("textDocument/didOpen", {"textDocument": document_item})
        self._dialect.report_focus(self.connection, document)

    def send_text(self, document: DocumentVersion) -> None:
        """Bring the server's copy to this version."""
        self._dialect.send_text(self.connection, document)

    async def request_completions(self, document: DocumentVersion, trigger: Trigger) -> RequestOutcome:
        """Ask for completions at the cursor.

        Raises:
            SubjectError: The server failed.
        """
        question = self._dialect.request_params(document, trigger, self._timeout_s)
        patience_s = self._timeout_s + self._dialect.request_overhead_s
        try:
            timed_answer = await self.connection.request(self._dialect.method, question, patience_s)
        except RequestTimeoutError:
            return RequestOutcome((), None)
        latency = self._dialect.latency(timed_answer)
        return RequestOutcome(
            self._dialect.offers_in_result(timed_answer.result, document), latency.answer_ms, latency.drawn_ms
        )

    def report_shown(self, offer: Offer) -> None:
        """Say that an offer is seen."""
        self._dialect.report_shown(self.connection, offer)

    async def accept_offer(self, document: DocumentVersion, offer: Offer, accepted_part: AcceptedPart) -> AcceptOutcome:
        """Write an offer, or its beginning, into the document, and say so.

        Raises:
            SubjectError: The server failed.
        """
        return await self._dialect.accept_offer(self.connection, document, offer, accepted_part)

    async def request_next_edits(self, document: DocumentVersion) -> NextEdits | None:
        """The next edits that the server proposes; None if it does not do that."""
        return await self._dialect.request_next_edits(self.connection, document, self._timeout_s)

    async def make_edit(self, document: DocumentVersion, edit: NextEdit) -> DocumentVersion:
        """Make an edit, and say so."""
        return await self._dialect.make_edit(self.connection, document, edit)


@asynccontextmanager
async def open_session(
    launch: ServerLaunch, dialect: StandardDialect, workplace: Workplace, environ: Mapping[str, str], timeout_s: float
) -> AsyncIterator[UserSession]:
    """A server, started and initialised, and ended with all that it started.

    Raises:
        SubjectError: The server failed.
    """
    async with open_connection(launch, dialect, workplace, environ) as (connection, name):
        await dialect.prepare_server(connection)
        yield UserSession(connection, dialect, name, timeout_s)


@asynccontextmanager
async def open_connection(
    launch: ServerLaunch, dialect: StandardDialect, workplace: Workplace, environ: Mapping[str, str]
) -> AsyncIterator[tuple[ServerConnection, ServerName]]:
    """A connection to a server that is initialised; see `open_session`.

    Raises:
        SubjectError: The server failed; its `end` says who ended it.
    """
    async with start_server(launch, workplace, environ) as process:
        connection = ServerConnection(process, dialect.reply_functions_by_method)
        try:
            name = await _initialize_and_name(connection, process, dialect, workplace)
            yield connection, name
            with contextlib.suppress(SubjectError, RequestTimeoutError):
                await connection.request("shutdown", None, _STOP_S)
                connection.notify("exit", None)
        except SubjectError as error:
            error.end = await process.end_after_failure(error.limit)
            raise
        finally:
            await connection.close()


async def _initialize_and_name(
    connection: ServerConnection, process: ServerProcess, dialect: StandardDialect, workplace: Workplace
) -> ServerName:
    params = initialize_params(dialect, workplace.workspace.as_uri())
    try:
        result = (await connection.request("initialize", params, dialect.start_limit_s)).result
    except RequestTimeoutError:
        raise SubjectError(
            ServerFailure.NO_ANSWER,
            f"The server did not answer `initialize` in {dialect.start_limit_s:.0f} s.",
            limit=f"{dialect.start_limit_s:g} s for `initialize`",
        ) from None
    except SubjectError as error:
        if error.failure is ServerFailure.ERROR_ANSWER:
            raise SubjectError(ServerFailure.NOT_STARTED, f"The server does not start. {error}") from None
        if error.failure is not ServerFailure.ENDED:
            raise
        last_words = process.stderr_tail
        raise SubjectError(
            ServerFailure.NOT_STARTED,
            "The server ended before it answered `initialize`. "
            f"{f'It said: {last_words}' if last_words else 'Check --server.'}",
        ) from None
    connection.notify("initialized", {})
    info = result.get("serverInfo") if isinstance(result, dict) else None
    told_info = info if isinstance(info, dict) else {}
    return ServerName(*(printable_words(str(told_info.get(key, "")))[:_MOST_NAME] for key in ("name", "version")))
