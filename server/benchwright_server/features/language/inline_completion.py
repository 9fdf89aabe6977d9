"""`textDocument/inlineCompletion` (LSP 3.18): what the assistant's model would write at the cursor.

Off by default, and off in attempts whose condition does not allow help. In an attempt, every suggestion is recorded,
and whether it was accepted.
"""

from __future__ import annotations

import os
import time
import uuid
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lsprotocol import types

from benchwright_attempts.events.events import AssistAsked
from benchwright_attempts.events.evidence import AssistAccepted, AssistRejected, AssistShown
from benchwright_server.assistant.endpoint import request_reply_text
from benchwright_server.assistant.prompt import completion_messages, text_to_insert
from benchwright_verilog.syntax.uri import local_path_of

if TYPE_CHECKING:
    from benchwright_server.attempts.session import EditorSession
    from benchwright_server.editor_server import EditorServer
    from benchwright_verilog.syntax.documents import Document

ACCEPTED_COMMAND = "benchwright.assistAccepted"
"""The command that a client runs after it has inserted a suggestion."""
_PROVIDER = "benchwright"


def register(server: EditorServer) -> None:
    """Serve `textDocument/inlineCompletion`."""
    suggestions = AssistantSuggestions(server)
    server.feature(types.TEXT_DOCUMENT_INLINE_COMPLETION)(partial(suggestions.suggest_if_allowed))

    async def on_accepted(*arguments: Any) -> None:
        await suggestions.record_accepted_suggestion(str(arguments[0]) if arguments else "")

    server.command(ACCEPTED_COMMAND)(on_accepted)


@dataclass(frozen=True)
class _ShownSuggestion:
    """The last suggestion in a document of an attempt."""

    id: str
    session: EditorSession
    workspace_path: str
    insertion_offset: int
    suggested_text: str


class AssistantSuggestions:
    """The assistant's suggestions to one client.

    Args:
        server: The server of the client.
    """

    def __init__(self, server: EditorServer) -> None:
        self._server = server
        self._last_suggestion_by_uri: dict[str, _ShownSuggestion] = {}

    async def suggest_if_allowed(self, params: types.InlineCompletionParams) -> types.InlineCompletionList:
        """The model's suggestion here; nothing if it must not help."""
        no_suggestion = types.InlineCompletionList([])
        document = self._server.documents.get(params.text_document.uri)
        assistant = self._server.settings.assistant
        if document is None or not document.uri.startswith("file:") or not (assistant.enabled and assistant.url):
            return no_suggestion
        file = local_path_of(document.uri)
        session = await self._server.find_or_open_session(file)
        await self._record_whether_last_accepted(document)
        if session is not None and not session.terms.allows_own_assistant:
            return no_suggestion
        offset = document.lines.code_point_at(params.position)
        start = time.monotonic()
        reply = await request_reply_text(assistant, completion_messages(file.name, document.text, offset), os.environ)
        latency_ms = round((time.monotonic() - start) * 1000, 3)
        text = text_to_insert(reply, document.text, offset)
        is_late = self._server.documents.get(document.uri) is not document
        outcome = "superseded" if is_late else "shown" if text else "nothing"
        await self._record_request_if_in_attempt(document, session, file, outcome, latency_ms)
        if outcome != "shown":
            return no_suggestion
        insertion_range = types.Range(params.position, params.position)
        suggestion = await self._record_shown_if_in_attempt(params, document, session, file, offset, text)
        command = (
            types.Command("Accepted", ACCEPTED_COMMAND, arguments=[suggestion.id]) if suggestion is not None else None
        )
        return types.InlineCompletionList([types.InlineCompletionItem(text, range=insertion_range, command=command)])

    async def record_accepted_suggestion(self, suggestion_id: str) -> None:
        """The client has inserted a suggestion."""
        for uri, suggestion in list(self._last_suggestion_by_uri.items()):
            if suggestion.id == suggestion_id:
                del self._last_suggestion_by_uri[uri]
                await self._record_accepted(suggestion, self._server.documents.get(uri))

    async def _record_request_if_in_attempt(
        self, document: Document, session: EditorSession | None, file: Path, outcome: str, latency_ms: float
    ) -> None:
        path = session.workspace.relative(file) if session is not None else None
        if session is None or path is None:
            return
        event = AssistAsked(
            provider=_PROVIDER, path=path, version=document.version, outcome=outcome, latency_ms=latency_ms
        )
        await session.attempt.writer.record_event_and_flag_violations(event)

    async def _record_shown_if_in_attempt(
        self,
        params: types.InlineCompletionParams,
        document: Document,
        session: EditorSession | None,
        file: Path,
        offset: int,
        suggested_text: str,
    ) -> _ShownSuggestion | None:
        path = session.workspace.relative(file) if session is not None else None
        if session is None or path is None:
            return None
        suggestion = _ShownSuggestion(uuid.uuid4().hex, session, path, offset, suggested_text)
        automatic = params.context.trigger_kind is types.InlineCompletionTriggerKind.Automatic
        event = AssistShown(
            assist=suggestion.id,
            provider=_PROVIDER,
            path=path,
            version=document.version,
            offset=offset,
            length=len(suggested_text),
            text=suggested_text,
            trigger="automatic" if automatic else "invoked",
            model=self._server.settings.assistant.model,
        )
        await session.attempt.writer.record_event_and_flag_violations(event)
        self._last_suggestion_by_uri[document.uri] = suggestion
        return suggestion

    async def _record_whether_last_accepted(self, document: Document) -> None:
        """Record whether the last suggestion was accepted: not every client runs the command."""
        offer = self._last_suggestion_by_uri.pop(document.uri, None)
        if offer is None:
            return
        if document.text.startswith(offer.suggested_text, offer.insertion_offset):
            await self._record_accepted(offer, document)
        else:
            event = AssistRejected(assist=offer.id, provider=_PROVIDER, path=offer.workspace_path, reason="superseded")
            await offer.session.attempt.writer.record_event_and_flag_violations(event)

    async def _record_accepted(self, suggestion: _ShownSuggestion, document: Document | None) -> None:
        event = AssistAccepted(
            assist=suggestion.id,
            provider=_PROVIDER,
            path=suggestion.workspace_path,
            version=document.version if document is not None else None,
            length=len(suggestion.suggested_text),
        )
        await suggestion.session.attempt.writer.record_event_and_flag_violations(event)
