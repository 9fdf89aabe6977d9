"""The first exchange with an editor: `initialize` is answered before the server is loaded.

Loading takes most of a second (`lsprotocol.types` alone a third), and an answer to `initialize` needs none of it: the
server's capabilities follow from the registry. Everything after `initialize` is left unread for the server.
Imports nothing heavy.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, BinaryIO

from benchwright_foundation.distribution import version
from benchwright_server import feature_registry
from benchwright_server.client import Client
from benchwright_server.feature_registry import Feature
from benchwright_server.settings import ServerSettings, read_settings

# JSON-RPC 2.0, and LSP 3.18, `ErrorCodes`.
_PARSE_ERROR = -32700
_INVALID_REQUEST = -32600
_INVALID_PARAMS = -32602
_SERVER_NOT_INITIALIZED = -32002

_WARNING = 2
"""LSP 3.18, `MessageType`."""

_LONGEST_HEADER = 4096


@dataclass(frozen=True)
class InitializeExchange:
    """A client's `initialize` and the answer to it."""

    params: dict[str, Any]
    """LSP 3.18, `InitializeParams`, as received."""
    client: Client
    settings: ServerSettings
    features: tuple[Feature, ...]
    capabilities: dict[str, Any]
    """LSP 3.18, `ServerCapabilities`, as sent."""
    complaints: tuple[str, ...] = ()
    """Settings that can't be used, a sentence each."""

    @classmethod
    def from_params(cls, params: dict[str, Any]) -> InitializeExchange:
        """The answer to a client."""
        client = Client(params.get("capabilities"))
        settings, complaints = read_settings(params.get("initializationOptions"))
        capabilities = server_capabilities(client, settings)
        return cls(params, client, settings, wanted_features(client, settings), capabilities, tuple(complaints))

    @property
    def result(self) -> dict[str, Any]:
        """LSP 3.18, `InitializeResult`."""
        return {"capabilities": self.capabilities, "serverInfo": {"name": "benchwright", "version": version()}}


def wanted_features(client: Client, settings: ServerSettings) -> tuple[Feature, ...]:
    """The features that a client gets."""
    return tuple(
        feature
        for feature in feature_registry.FEATURES
        if feature.is_wanted(client) and attrgetter(feature.switch)(settings)
    )


def server_capabilities(client: Client, settings: ServerSettings) -> dict[str, Any]:
    """The capabilities in the answer to `initialize` (LSP 3.18, `ServerCapabilities`)."""
    saves_with_fixes = settings.code_actions.fix_all_on_save and settings.features.code_actions
    features = wanted_features(client, settings)
    commands = [*feature_registry.COMMANDS, *(name for feature in features for name in feature.commands)]
    capabilities: dict[str, Any] = {
        "positionEncoding": client.encoding,
        "textDocumentSync": {
            "openClose": True,
            "change": 2,
            "save": True,
            "willSaveWaitUntil": saves_with_fixes and client.supports("textDocument.synchronization.willSaveWaitUntil"),
        },
        "executeCommandProvider": {"commands": [f"benchwright.{name}" for name in commands]},
        "workspace": {"workspaceFolders": {"supported": True, "changeNotifications": True}},
    }
    for feature in features:
        added_capabilities = dict(feature.capability(client))
        capabilities["workspace"] |= added_capabilities.pop("workspace", {})
        capabilities |= added_capabilities
    return capabilities


def read_and_answer_initialize(input_stream: BinaryIO, output_stream: BinaryIO) -> InitializeExchange | None:
    """Wait for `initialize`, and answer it.

    Args:
        input_stream: Stream from the editor; nothing after the end of `initialize` is read.
        output_stream: Stream to the editor.

    Returns:
        The exchange; `None` if the editor disconnected before it.
    """
    for body in _message_bodies(input_stream):
        try:
            message = json.loads(body)
        except ValueError:
            _send_message(
                output_stream, {"id": None, "error": {"code": _PARSE_ERROR, "message": "The message is not JSON."}}
            )
            continue
        if not isinstance(message, dict) or not isinstance(message.get("method"), str):
            error = {"code": _INVALID_REQUEST, "message": "The message is neither a request nor a notification."}
            _send_message(output_stream, {"id": None, "error": error})
        elif message["method"] == "exit":
            return None
        elif message["method"] == "initialize" and "id" in message:
            if (exchange := _answer_initialize(output_stream, message)) is not None:
                return exchange
        elif "id" in message:
            error = {"code": _SERVER_NOT_INITIALIZED, "message": "Send `initialize` first."}
            _send_message(output_stream, {"id": message["id"], "error": error})
    return None


def _answer_initialize(output_stream: BinaryIO, message: dict[str, Any]) -> InitializeExchange | None:
    params = message.get("params")
    if not isinstance(params, dict) or not isinstance(params.get("capabilities"), dict):
        error = {"code": _INVALID_PARAMS, "message": "`initialize` needs `params.capabilities`, an object."}
        _send_message(output_stream, {"id": message["id"], "error": error})
        return None
    exchange = InitializeExchange.from_params(params)
    _send_message(output_stream, {"id": message["id"], "result": exchange.result})
    for complaint in exchange.complaints:
        _show_message(output_stream, _WARNING, complaint)
    return exchange


def _show_message(output_stream: BinaryIO, message_type: int, sentence: str) -> None:
    _send_message(
        output_stream, {"method": "window/showMessage", "params": {"type": message_type, "message": sentence}}
    )


def _message_bodies(input_stream: BinaryIO) -> Iterator[bytes]:
    """The content of each message (LSP 3.18, base protocol); lines that are not headers are ignored."""
    length = 0
    while line := input_stream.readline(_LONGEST_HEADER):
        name, _, header_value = line.partition(b":")
        if name.strip().lower() == b"content-length" and header_value.strip().isdigit():
            length = int(header_value)
        elif not line.strip() and length:
            body = b""
            # A pipe may return less than was asked for.
            while len(body) < length:
                chunk = input_stream.read(length - len(body))
                if not chunk:
                    return
                body += chunk
            yield body
            length = 0


def _send_message(output_stream: BinaryIO, message: dict[str, Any]) -> None:
    body = json.dumps({"jsonrpc": "2.0", **message}, separators=(",", ":")).encode()
    output_stream.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
    output_stream.flush()
