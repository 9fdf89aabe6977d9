"""Responses of a client that come when nobody waits for them any more."""

from __future__ import annotations

from concurrent.futures import Future
from typing import Any

from pygls.lsp.server import LanguageServer
from pygls.protocol import JsonRPCResponseMessage

from benchwright_server.server import BenchwrightProtocol


def respond(to: Future[Any]) -> None:
    protocol = LanguageServer("test", "1", protocol_cls=BenchwrightProtocol).protocol
    assert isinstance(protocol, BenchwrightProtocol)
    protocol._request_futures["7"] = to
    protocol.handle_message(JsonRPCResponseMessage(id="7", jsonrpc="2.0", result="shown"))
    assert protocol._request_futures == {}


def test_a_response_goes_to_what_waits_for_it() -> None:
    request_future: Future[Any] = Future()
    respond(request_future)
    assert request_future.result() == "shown"


def test_a_response_to_what_was_cancelled_is_dropped() -> None:
    cancelled: Future[Any] = Future()
    cancelled.cancel()
    respond(cancelled)
