from __future__ import annotations

import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import pytest_lsp
from lsprotocol import converters, types
from pygls.capabilities import ServerCapabilitiesBuilder

from benchwright_foundation.home import Home
from benchwright_harness.sandbox.native import NativeSandbox
from benchwright_server.feature_registry import COMMANDS
from benchwright_server.initialize_exchange import InitializeExchange, read_and_answer_initialize
from benchwright_server.operations.catalogue import OPERATIONS
from benchwright_server.server import BenchwrightServer

CONVERTER = converters.get_converter()

ALL = {
    name: {"dynamicRegistration": True}
    for name in (
        *("hover", "completion", "signatureHelp", "definition", "declaration", "typeDefinition", "implementation"),
        *("references", "documentHighlight", "documentSymbol", "rename", "callHierarchy", "foldingRange"),
        *("selectionRange", "documentLink", "semanticTokens", "inlayHint", "formatting", "rangeFormatting"),
        *("onTypeFormatting", "codeLens", "inlineCompletion", "diagnostic"),
    )
}
EVERYTHING: dict[str, Any] = {
    "general": {"positionEncodings": ["utf-32", "utf-16"]},
    "workspace": {"symbol": {}, "configuration": True, "diagnostics": {"refreshSupport": True}},
    "textDocument": ALL
    | {
        "rename": {"prepareSupport": True},
        "semanticTokens": {"requests": {"full": True}, "tokenTypes": [], "tokenModifiers": [], "formats": []},
        "codeAction": {
            "codeActionLiteralSupport": {"codeActionKind": {"valueSet": ["quickfix"]}},
            "resolveSupport": {"properties": ["edit"]},
            "dataSupport": True,
        },
        "synchronization": {"willSaveWaitUntil": True},
    },
}
NEEDS_OPTIONS = {"semanticTokensProvider", "documentOnTypeFormattingProvider", "inlineCompletionProvider"}
"""Capabilities that pygls does not tell of without options, which stand in the registry."""

OPTIONS = {"assistant": {"enabled": True}, "codeActions": {"fixAllOnSave": True}}


def _client_capabilities(editor: str) -> dict[str, Any]:
    capabilities: dict[str, Any] = CONVERTER.unstructure(pytest_lsp.client_capabilities(editor))
    return capabilities


CLIENTS: dict[str, tuple[dict[str, Any], Any]] = {
    "none": ({}, None),
    "everything": (EVERYTHING, OPTIONS),
    "everything but what is off": (EVERYTHING, {"features": {"hover": False, "rename": False, "diagnostics": False}}),
    "unknown encodings": ({"general": {"positionEncodings": ["utf-7", 3, "utf-8"]}}, None),
    "Visual Studio Code": (_client_capabilities("visual-studio-code"), None),
    "Neovim": (_client_capabilities("neovim"), OPTIONS),
    "Emacs": (_client_capabilities("emacs"), None),
}


@pytest.fixture(params=CLIENTS)
def greeting(request: pytest.FixtureRequest) -> InitializeExchange:
    capabilities, options = CLIENTS[request.param]
    return InitializeExchange.from_params({"capabilities": capabilities, "initializationOptions": options})


def served(greeting: InitializeExchange, home: Path) -> BenchwrightServer:
    server = BenchwrightServer(Home.from_environment({"BENCHWRIGHT_HOME": str(home)}), NativeSandbox, greeting)
    server.register_all_features()
    return server


def test_what_is_answered_is_what_is_served(greeting: InitializeExchange, tmp_path: Path) -> None:
    server = served(greeting, tmp_path)
    protocol = server.protocol
    client_capabilities = CONVERTER.structure(greeting.params["capabilities"], types.ClientCapabilities)
    of_pygls = ServerCapabilitiesBuilder(
        client_capabilities,
        {*protocol.fm.features, *protocol.fm.builtin_features},
        protocol.fm.feature_options,
        list(protocol.fm.commands),
        types.TextDocumentSyncKind.Incremental,
        None,
        ServerCapabilitiesBuilder.choose_position_encoding(client_capabilities),
    ).build()  # type: ignore[no-untyped-call]
    theirs, own_capabilities = CONVERTER.unstructure(of_pygls), greeting.capabilities
    assert _provided(own_capabilities) - NEEDS_OPTIONS == _provided(theirs) - NEEDS_OPTIONS
    for exact in ("positionEncoding", "executeCommandProvider"):
        assert own_capabilities[exact] == theirs[exact]
    # What was sent can be read back as what LSP says it is.
    read_back = CONVERTER.structure(own_capabilities, types.ServerCapabilities)
    assert CONVERTER.unstructure(read_back).keys() == own_capabilities.keys()


def _provided(capabilities: dict[str, Any]) -> set[str]:
    return {name for name, value in capabilities.items() if name.endswith("Provider") and value is not False}


def test_every_method_of_a_feature_is_served_and_no_other(greeting: InitializeExchange, tmp_path: Path) -> None:
    features = served(greeting, tmp_path).protocol.fm.features
    promised = {method for feature in greeting.features for method in feature.methods}
    if not greeting.client.supports("textDocument.rename.prepareSupport"):
        promised.discard("textDocument/prepareRename")
    assert promised <= features.keys()
    about_text = {name for name in features if name.startswith(("textDocument/", "completionItem/", "codeAction/"))}
    sync = {"textDocument/didOpen", "textDocument/didChange", "textDocument/didSave", "textDocument/didClose"}
    assert about_text - promised - sync <= {"textDocument/willSaveWaitUntil"}


def test_the_commands_are_the_operations() -> None:
    assert [operation.name for operation in OPERATIONS if operation.is_request] == list(COMMANDS)


def framed(*messages: Any) -> bytes:
    bodies = [message if isinstance(message, bytes) else json.dumps(message).encode() for message in messages]
    return b"".join(b"Content-Length: %d\r\n\r\n%s" % (len(body), body) for body in bodies)


def answers(written_bytes: io.BytesIO) -> Iterator[dict[str, Any]]:
    written_bytes.seek(0)
    while header := written_bytes.readline():
        written_bytes.readline()
        yield json.loads(written_bytes.read(int(header.split(b":")[1])))


def initialize(**parameters: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": 7, "method": "initialize", "params": {"capabilities": {}, **parameters}}


def test_what_comes_after_the_greeting_is_left_for_the_server() -> None:
    remainder = framed({"jsonrpc": "2.0", "method": "initialized", "params": {}})
    client_bytes, writer = io.BytesIO(framed(initialize()) + remainder), io.BytesIO()
    assert read_and_answer_initialize(client_bytes, writer) is not None
    assert client_bytes.read() == remainder
    (initialize_answer,) = answers(writer)
    assert (initialize_answer["id"], initialize_answer["result"]["serverInfo"]["name"]) == (7, "benchwright")


def test_what_comes_before_the_greeting_is_refused_and_forgotten() -> None:
    early_messages = framed(
        b"{nonsense}",
        b"[]",
        {"jsonrpc": "2.0", "id": 1, "method": "shutdown"},
        {"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": {}},
        {"jsonrpc": "2.0", "id": 2, "method": "initialize", "params": None},
    )
    client_bytes, writer = io.BytesIO(b"Nonsense: 1\r\n" + early_messages + framed(initialize())), io.BytesIO()
    assert read_and_answer_initialize(client_bytes, writer) is not None
    codes = [(answer["id"], answer.get("error", {}).get("code")) for answer in answers(writer)]
    assert codes == [(None, -32700), (None, -32600), (1, -32002), (2, -32602), (7, None)]


@pytest.mark.parametrize(
    "input_bytes", [b"", framed({"jsonrpc": "2.0", "method": "exit"}), b"Content-Length: 100\r\n\r\n{"]
)
def test_a_client_that_leaves_is_let_go(input_bytes: bytes) -> None:
    writer = io.BytesIO()
    assert read_and_answer_initialize(io.BytesIO(input_bytes), writer) is None
    assert writer.getvalue() == b""


def test_a_setting_that_cannot_be_used_is_told_after_the_answer() -> None:
    writer = io.BytesIO()
    client_bytes = io.BytesIO(framed(initialize(initializationOptions={"features": {"hover": "on"}})))
    greeting = read_and_answer_initialize(client_bytes, writer)
    assert greeting is not None
    assert greeting.settings.features.hover
    initialize_answer, message = answers(writer)
    assert initialize_answer["id"] == 7
    assert message["method"] == "window/showMessage"
    assert "benchwright.features.hover" in message["params"]["message"]


def test_capabilities_that_make_no_sense_are_capabilities_that_are_not_there(tmp_path: Path) -> None:
    odd = {"general": "?", "textDocument": {"hover": 3, "definition": []}, "workspace": None, "window": 1}
    greeting = InitializeExchange.from_params({"capabilities": odd, "processId": "no number"})
    # What needs no capability is there for everybody.
    always = [
        "instances",
        "agent_tools",
        "design_views",
        "explanations",
        "macro_expansion",
        "project_lists",
        "own_tests",
        "waveforms",
        "authoring",
    ]
    assert [feature.name for feature in greeting.features] == always
    served(greeting, tmp_path)
