"""GitHub's `copilot-language-server`, as the README of the npm package @github/copilot-language-server has it.

It works for signed-in users only. Signing in is its own device flow: it shows a code that the user enters in a browser.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from pydantic import Field, JsonValue

from benchwright_subjects.inline.dialects.lsp import COMMAND_S, StandardDialect, Trigger, items_in_answer, parse_item
from benchwright_subjects.inline.failure import ServerFailure, SubjectError, printable_words
from benchwright_subjects.inline.offer import (
    NextEdits,
    Offer,
    ReceivedCommand,
    ReceivedMessage,
    ReceivedRange,
    checked_next_edit,
)
from benchwright_subjects.inline.server.connection import RequestTimeoutError, ServerConnection
from benchwright_subjects.inline.text.document import DocumentVersion

_SIGNED_IN = frozenset({"OK", "MaybeOK"})
_SIGN_IN_S = 900.0
"""As long as GitHub's device codes hold."""
_NOT_SIGNED_IN_CODE = 1000


class _EditedDocument(ReceivedMessage):
    uri: str


class _Edit(ReceivedMessage):
    text: str
    range: ReceivedRange
    document: _EditedDocument = Field(alias="textDocument")
    command: ReceivedCommand | None = None


@dataclass(frozen=True)
class DeviceCode:
    """Code that the user has to enter, and the address for it."""

    code: str
    address: str


class CopilotDialect(StandardDialect):
    """Additions of this server to the standard."""

    name = "copilot"

    @property
    def initialization_options(self) -> JsonValue:
        """Identity of the one who asks, and the user's options."""
        info: JsonValue = {"name": "Benchwright", "version": "1"}
        plugin: JsonValue = {"name": "benchwright-completion", "version": "1"}
        user_options = self._options if isinstance(self._options, dict) else {}
        return {**user_options, "editorInfo": info, "editorPluginInfo": plugin}

    async def prepare_server(self, connection: ServerConnection) -> None:
        """Tell it to send nothing that it need not, and make sure that somebody is signed in.

        Raises:
            SubjectError: `NOT_SIGNED_IN`.
        """
        connection.notify("workspace/didChangeConfiguration", {"settings": {"telemetry": {"telemetryLevel": "off"}}})
        status = await _reply_fields(connection, "checkStatus", {}, COMMAND_S)
        if status.get("status") not in _SIGNED_IN:
            raise SubjectError(
                ServerFailure.NOT_SIGNED_IN,
                f"The server says {str(status.get('status'))[:40]!r}: sign in with `benchwright completion sign-in`, "
                "and give the folder that it names as --profile.",
            )

    def report_focus(self, connection: ServerConnection, document: DocumentVersion) -> None:
        """It completes in the document that has the focus."""
        connection.notify("textDocument/didFocus", {"textDocument": document.identifier})

    def request_params(self, document: DocumentVersion, trigger: Trigger, timeout_s: float) -> dict[str, JsonValue]:
        """With the version and the indentation."""
        return {
            **super().request_params(document, trigger, timeout_s),
            "textDocument": {**document.identifier, "version": document.version},
            "formattingOptions": {"tabSize": 4, "insertSpaces": True},
        }

    def report_shown(self, connection: ServerConnection, offer: Offer) -> None:
        """By the item."""
        connection.notify("textDocument/didShowCompletion", {"item": offer.server_item})

    def report_partly_accepted(self, connection: ServerConnection, offer: Offer, utf16_length: int) -> None:
        """By the item and the length."""
        connection.notify(
            "textDocument/didPartiallyAcceptCompletion", {"item": offer.server_item, "acceptedLength": utf16_length}
        )

    async def request_next_edits(
        self, connection: ServerConnection, document: DocumentVersion, timeout_s: float
    ) -> NextEdits | None:
        """By `textDocument/copilotInlineEdit`; the first is reported as shown.

        Raises:
            SubjectError: `BAD_OFFER` or `OUT_OF_RANGE`.
        """
        document_id: JsonValue = {"uri": document.uri, "version": document.version}
        params: JsonValue = {"textDocument": document_id, "position": document.position}
        try:
            result = (await connection.request("textDocument/copilotInlineEdit", params, timeout_s)).result
        except RequestTimeoutError:
            return NextEdits(0)
        except SubjectError as error:
            # Accounts may lack it.
            if error.failure in (ServerFailure.NOT_SUPPORTED, ServerFailure.ERROR_ANSWER):
                return None
            raise
        edit_items = items_in_answer(result.get("edits") if isinstance(result, dict) else None)
        if not edit_items:
            return NextEdits(0)
        first_edit = parse_item(_Edit, edit_items[0])
        command: JsonValue = edit_items[0].get("command") if isinstance(edit_items[0], dict) else None
        connection.notify("textDocument/didShowInlineEdit", {"item": {"command": command}})
        if first_edit.document.uri != document.uri:
            return NextEdits(len(edit_items))
        return NextEdits(
            len(edit_items), checked_next_edit(document, first_edit.text, first_edit.range, first_edit.command)
        )


async def sign_in_and_get_user_name(
    connection: ServerConnection, show_device_code: Callable[[DeviceCode], None]
) -> str:
    """Let the user sign in by the server's device flow, and wait.

    Args:
        connection: Connection to an initialised server.
        show_device_code: Called with what the user has to do.

    Returns:
        The user's name, as the server has it.

    Raises:
        SubjectError: Nobody signed in.
    """
    sign_in_reply = await _reply_fields(connection, "signIn", {}, COMMAND_S * 3)
    if sign_in_reply.get("status") == "AlreadySignedIn":
        return str(sign_in_reply.get("user", ""))
    code, address, command = (
        sign_in_reply.get("userCode"),
        sign_in_reply.get("verificationUri"),
        sign_in_reply.get("command"),
    )
    if not (isinstance(code, str) and isinstance(address, str) and isinstance(command, dict)):
        raise SubjectError(
            ServerFailure.NOT_SIGNED_IN, "The server offers no code to sign in with; is the network there?"
        )
    show_device_code(DeviceCode(printable_words(code), printable_words(address)))
    finish: JsonValue = {"command": command.get("command"), "arguments": command.get("arguments") or []}
    outcome = await _reply_fields(connection, "workspace/executeCommand", finish, _SIGN_IN_S)
    if outcome.get("status") not in _SIGNED_IN | {"AlreadySignedIn"}:
        raise SubjectError(ServerFailure.NOT_SIGNED_IN, "Nobody signed in with the code. Run the command again.")
    return str(outcome.get("user", ""))


async def _reply_fields(
    connection: ServerConnection, method: str, params: JsonValue, timeout_s: float
) -> dict[str, JsonValue]:
    try:
        result = (await connection.request(method, params, timeout_s)).result
    except RequestTimeoutError:
        raise SubjectError(
            ServerFailure.NO_ANSWER, f"The server did not answer {method}.", limit=f"{timeout_s:g} s for `{method}`"
        ) from None
    except SubjectError as error:
        if error.code == _NOT_SIGNED_IN_CODE:
            raise SubjectError(ServerFailure.NOT_SIGNED_IN, str(error), error.code) from None
        raise
    return result if isinstance(result, dict) else {}
