"""Messages to a client about an error that nobody foresaw."""

from __future__ import annotations

import json
import sys

from pygls.exceptions import JsonRpcInternalError, JsonRpcInvalidParams
from pygls.lsp.server import LanguageServer

from benchwright_server.errors import ServerError
from benchwright_server.server import BenchwrightProtocol


class ServerOutput:
    """Output that a server writes."""

    def __init__(self) -> None:
        self.data = b""

    def write(self, data: bytes) -> None:
        self.data += data


def answer_to(error: JsonRpcInternalError | JsonRpcInvalidParams) -> dict[str, object]:
    server = LanguageServer("test", "1", protocol_cls=BenchwrightProtocol)
    server.protocol.writer = server_output = ServerOutput()  # type: ignore[assignment]
    server.protocol._send_response(1, None, error.to_response_error())
    error_answer: dict[str, object] = json.loads(server_output.data[server_output.data.index(b"{") :])["error"]
    return error_answer


def test_neither_the_data_nor_the_servers_files_are_named() -> None:
    try:
        raise KeyError("assign secret = 1;")
    except KeyError:
        error_answer = answer_to(JsonRpcInternalError.of(sys.exc_info()))  # type: ignore[no-untyped-call]
    assert error_answer["code"] == -32603
    assert str(error_answer["message"]).startswith("Unexpected error (KeyError).")
    assert "secret" not in json.dumps(error_answer)
    assert __file__ not in json.dumps(error_answer)


def test_other_errors_go_as_they_are() -> None:
    error_answer = answer_to(JsonRpcInvalidParams("position: must be there"))
    assert (error_answer["code"], error_answer["message"]) == (-32602, "position: must be there")


def test_what_a_foreseen_error_says_is_for_the_user() -> None:
    try:
        raise ServerError("The model can't be reached: check benchwright.assistant.url.")
    except ServerError:
        error_answer = answer_to(JsonRpcInternalError.of(sys.exc_info()))  # type: ignore[no-untyped-call]
    assert error_answer["message"] == "The model can't be reached: check benchwright.assistant.url."
    assert "data" not in error_answer or error_answer["data"] is None
