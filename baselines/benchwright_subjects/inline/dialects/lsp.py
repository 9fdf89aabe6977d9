"""`textDocument/inlineCompletion` of LSP 3.18: the standard, from which the other dialects differ."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import TypeVar

from pydantic import Field, JsonValue, ValidationError

from benchwright_subjects.inline.failure import ServerFailure, SubjectError
from benchwright_subjects.inline.offer import (
    MAX_OFFERS,
    NextEdit,
    NextEdits,
    Offer,
    ReceivedCommand,
    ReceivedMessage,
    ReceivedRange,
    checked_offer,
    plain_text_of_snippet,
)
from benchwright_subjects.inline.policies import AcceptedPart
from benchwright_subjects.inline.server.connection import RequestTimeoutError, ServerConnection, ServerResponse
from benchwright_subjects.inline.text.document import DocumentVersion

COMMAND_S = 10.0
_Read = TypeVar("_Read", bound=ReceivedMessage)


class Trigger(IntEnum):
    """LSP's `InlineCompletionTriggerKind`."""

    INVOKED = 1
    AUTOMATIC = 2


@dataclass(frozen=True)
class AcceptOutcome:
    """Result of taking an offer, or its beginning."""

    document: DocumentVersion
    text: str
    """Text that is new in it."""
    deleted: str
    """Text that is no longer in it."""


@dataclass(frozen=True)
class Latency:
    """Time that an answer took, in milliseconds."""

    answer_ms: float | None
    """None if it was given up."""
    drawn_ms: float | None = None
    """Until the offer was drawn; None if nothing was, or nothing draws."""


class _Snippet(ReceivedMessage):
    kind: str
    value: str


class _Item(ReceivedMessage):
    text: str | _Snippet = Field(alias="insertText")
    range: ReceivedRange | None = None
    command: ReceivedCommand | None = None


class StandardDialect:
    """Messages of a client of the standard.

    Args:
        options: The user's `initializationOptions`.
    """

    name = "lsp"
    method = "textDocument/inlineCompletion"
    draws = False
    """True if an editor draws what is offered."""
    start_limit_s = 60.0
    """After which a server that has not answered `initialize` is given up."""
    request_overhead_s = 0.0
    """Seconds that a request may take besides what is measured."""

    def __init__(self, options: JsonValue = None) -> None:
        self._options = options

    @property
    def initialization_options(self) -> JsonValue:
        """For `initialize`."""
        return self._options

    @property
    def capabilities(self) -> dict[str, JsonValue]:
        """The client's, for text documents."""
        return {"inlineCompletion": {"dynamicRegistration": True}, "synchronization": {"didSave": False}}

    @property
    def reply_functions_by_method(self) -> Mapping[str, Callable[[JsonValue], JsonValue]]:
        """By method, what requests of the server are answered with."""
        return {
            "workspace/configuration": lambda params: [None] * _requested_item_count(params),
            "workspace/workspaceFolders": lambda params: None,
            # Only an accepted offer may change the document.
            "workspace/applyEdit": lambda params: {"applied": False},
            "client/registerCapability": lambda params: None,
            "client/unregisterCapability": lambda params: None,
            "window/workDoneProgress/create": lambda params: None,
            "window/showMessageRequest": lambda params: None,
            "window/showDocument": lambda params: {"success": False},
        }

    async def prepare_server(self, connection: ServerConnection) -> None:
        """Does what comes between `initialized` and the first document."""

    def report_focus(self, connection: ServerConnection, document: DocumentVersion) -> None:
        """Say that the user has a document in front."""

    def request_params(self, document: DocumentVersion, trigger: Trigger, timeout_s: float) -> dict[str, JsonValue]:
        """The parameters of a request that is given up after some seconds."""
        return {
            "textDocument": document.identifier,
            "position": document.position,
            "context": {"triggerKind": int(trigger)},
        }

    def offers_in_result(self, result: JsonValue, document: DocumentVersion) -> Sequence[Offer]:
        """Offers in an answer.

        Raises:
            SubjectError: `BAD_OFFER` or `OUT_OF_RANGE`.
        """
        inline_items = [parse_item(_Item, item) for item in items_in_answer(result)]
        return [
            checked_offer(
                document,
                inline_item.text
                if isinstance(inline_item.text, str)
                else plain_text_of_snippet(inline_item.text.value),
                inline_item.range,
                command=inline_item.command,
                server_item=answer_item,
            )
            for inline_item, answer_item in zip(inline_items, items_in_answer(result), strict=True)
        ]

    def latency(self, timed_answer: ServerResponse) -> Latency:
        """Time that an answer took."""
        return Latency(timed_answer.latency_ms)

    def send_text(self, connection: ServerConnection, document: DocumentVersion) -> None:
        """Bring the server's copy to this version, as a whole: that works whatever way of syncing it asked for."""
        identifier: JsonValue = {**document.identifier, "version": document.version}
        changes: JsonValue = [{"text": document.text}]
        connection.notify("textDocument/didChange", {"textDocument": identifier, "contentChanges": changes})

    async def accept_offer(
        self, connection: ServerConnection, document: DocumentVersion, offer: Offer, accepted_part: AcceptedPart
    ) -> AcceptOutcome:
        """Write an offer, or its beginning, into the document, and say so.

        Args:
            connection: Connection to the server.
            document: Document in which it was offered.
            offer: The offer.
            accepted_part: The part of it that is taken.
        """
        if accepted_part.is_whole:
            changed_document = document.replace_and_move_cursor(offer.start, offer.end, offer.text)
            self.send_text(connection, changed_document)
            await self.report_accepted(connection, offer)
            deleted = "" if offer.keeps_text_after else offer.text_after
            return AcceptOutcome(
                changed_document, accepted_part.text, deleted + (offer.text_before if offer.insertion is None else "")
            )
        changed_document = document.type_text(accepted_part.text)
        self.send_text(connection, changed_document)
        self.report_partly_accepted(
            connection, offer, len((offer.text_before + accepted_part.text).encode("utf-16-le")) // 2
        )
        return AcceptOutcome(changed_document, accepted_part.text, "")

    def report_shown(self, connection: ServerConnection, offer: Offer) -> None:
        """Say that the user sees an offer."""

    def report_partly_accepted(self, connection: ServerConnection, offer: Offer, utf16_length: int) -> None:
        """Say that the user took the beginning of an offer.

        Args:
            connection: Connection to the server.
            offer: The offer.
            utf16_length: UTF-16 code units of the offer's text that are in the document now.
        """

    async def report_accepted(self, connection: ServerConnection, offer: Offer) -> None:
        """Say that the user took an offer, which is in the document now: by its command, if it has one."""
        await self._execute_command(connection, offer.command)

    async def request_next_edits(
        self, connection: ServerConnection, document: DocumentVersion, timeout_s: float
    ) -> NextEdits | None:
        """Edits that the server proposes after an offer was accepted; None if the dialect has no such thing.

        Raises:
            SubjectError: `BAD_OFFER` or `OUT_OF_RANGE`.
        """
        return None

    async def make_edit(
        self, connection: ServerConnection, document: DocumentVersion, edit: NextEdit
    ) -> DocumentVersion:
        """Make an edit, and say so by its command, if it has one."""
        changed_document = document.edit_keeping_cursor(edit.start, edit.end, edit.text)
        self.send_text(connection, changed_document)
        await self._execute_command(connection, edit.command)
        return changed_document

    async def _execute_command(self, connection: ServerConnection, command: ReceivedCommand | None) -> None:
        if command is None:
            return
        params: JsonValue = {"command": command.command, "arguments": command.arguments or []}
        try:
            await connection.request("workspace/executeCommand", params, COMMAND_S)
        except RequestTimeoutError:
            raise SubjectError(
                ServerFailure.NO_ANSWER,
                "The server did not answer its own command.",
                limit=f"{COMMAND_S:g} s for its own command",
            ) from None


def initialize_params(dialect: StandardDialect, workspace_uri: str) -> dict[str, JsonValue]:
    """Parameters of `initialize`.

    Args:
        dialect: Dialect of the server.
        workspace_uri: URI of the folder that is open.
    """
    return {
        # The server may have a PID namespace of its own, in which our number is nobody's or another process's; many
        # servers end when there is no such process. The sandbox already ends it with us.
        "processId": None,
        "clientInfo": {"name": "benchwright-completion"},
        "rootUri": workspace_uri,
        "workspaceFolders": [{"uri": workspace_uri, "name": "workspace"}],
        "initializationOptions": dialect.initialization_options,
        "capabilities": {
            "general": {"positionEncodings": ["utf-16"]},
            "textDocument": dialect.capabilities,
            "workspace": {"workspaceFolders": True, "configuration": True, "executeCommand": {}},
        },
    }


def items_in_answer(answer_result: JsonValue) -> Sequence[JsonValue]:
    """The items of an answer: null, a list, or a list in an object.

    Raises:
        SubjectError: `BAD_OFFER`.
    """
    items = answer_result.get("items") if isinstance(answer_result, dict) else answer_result
    if items is None and not isinstance(answer_result, dict):
        return []
    if not isinstance(items, list) or len(items) > MAX_OFFERS:
        raise SubjectError(ServerFailure.BAD_OFFER, "The server's answer is no list of items, or too long a one.")
    return items


def parse_item(item_type: type[_Read], answer_item: JsonValue) -> _Read:
    """An item of this kind.

    Raises:
        SubjectError: `BAD_OFFER`.
    """
    try:
        return item_type.model_validate(answer_item)
    except ValidationError as error:
        field_path = ".".join(str(part) for part in error.errors()[0]["loc"])
        raise SubjectError(
            ServerFailure.BAD_OFFER, f"An item of the server is not what LSP says, at {field_path!r}."
        ) from None


def _requested_item_count(params: JsonValue) -> int:
    items = params.get("items") if isinstance(params, dict) else None
    return min(len(items), 1000) if isinstance(items, list) else 0
