"""The bridge as a web server on a Unix socket, which is shown in the sandbox. Nobody else can connect to it."""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator, MutableMapping
from pathlib import Path
from typing import Any

import anyio
import uvicorn

from benchwright_subjects.bridge.dialect import BridgeDialect, Json
from benchwright_subjects.bridge.model_bridge import BridgeRefusalError, ModelBridge
from benchwright_subjects.bridge.private_socket import private_socket
from benchwright_subjects.bridge.routes import MODELS, Route, is_model_list_path, refusal_dialect, route_of_post

MOST_BYTES = 64 << 20
"""Of one request: a conversation with images."""
MOST_CONNECTIONS = 64
WAITING_S = 15.0
"""Seconds a streamed reply waits for the model before it begins without it, and then between its notices: programs
give up on a connection that says nothing for some minutes."""
_WAITING = b": waiting for the model\n\n"
_LARGEST_HEADERS = 1 << 16
_HALF = re.compile(r"\\u[dD][89a-fA-F]")

_Scope = MutableMapping[str, Any]
_Message = MutableMapping[str, Any]
_Receive = Callable[[], Awaitable[_Message]]
_Send = Callable[[_Message], Awaitable[None]]


@contextlib.asynccontextmanager
async def serve_bridge(bridge: ModelBridge, address: Path, user_id: int | None) -> AsyncIterator[None]:
    """Serve a bridge while the block lasts; requests that are under way then are cancelled.

    Args:
        bridge: Answers.
        address: Path at which the socket is made.
        user_id: User who may connect besides this process; None if that is who it runs as.
    """
    with private_socket(address, user_id) as listener:
        server = _BridgeServer(_server_config(_BridgeApplication(bridge)))
        serving_task = asyncio.create_task(server.serve(sockets=[listener]))
        try:
            await _wait_until_serving(server, serving_task)
            yield
        finally:
            server.should_exit = server.force_exit = True
            # Whatever is cancelled around it: no connection may outlive the block.
            with anyio.CancelScope(shield=True):
                await asyncio.wait({serving_task})


async def _wait_until_serving(server: _BridgeServer, serving_task: asyncio.Task[None]) -> None:
    """Wait until a server serves.

    Raises:
        Exception: Why it can't.
    """
    ready = asyncio.create_task(server.ready.wait())
    await asyncio.wait({ready, serving_task}, return_when=asyncio.FIRST_COMPLETED)
    ready.cancel()
    if serving_task.done():
        serving_task.result()


def _server_config(application: Any) -> uvicorn.Config:
    return uvicorn.Config(
        application,
        log_config=None,
        access_log=False,
        log_level="critical",
        proxy_headers=False,
        server_header=False,
        lifespan="off",
        ws="none",
        http="h11",
        h11_max_incomplete_event_size=_LARGEST_HEADERS,
        limit_concurrency=MOST_CONNECTIONS,
    )


class _BridgeServer(uvicorn.Server):
    """Leaves signals to Inspect."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.ready = asyncio.Event()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.ready.set()

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        for task in list(self.server_state.tasks):
            task.cancel()
        await super().shutdown(sockets)


class _BridgeApplication:
    def __init__(self, bridge: ModelBridge) -> None:
        self._bridge = bridge

    async def __call__(self, scope: _Scope, receive: _Receive, send: _Send) -> None:
        path = scope["path"]
        matched_route = route_of_post(path, scope["query_string"].decode("latin-1"))
        dialect = matched_route.dialect if matched_route else refusal_dialect(path)
        try:
            if scope["method"] == "GET" and is_model_list_path(path):
                await _send_json(send, 200, MODELS)
            elif matched_route is None or scope["method"] != "POST":
                raise BridgeRefusalError(404, f"There is no {scope['method']} {path} here.")
            else:
                await self._answer_request(
                    matched_route, _parse_body(await _read_request_body(scope, receive)), receive, send
                )
        except BridgeRefusalError as error:
            await _send_json(send, error.status, dialect.error(error.status, str(error)))

    async def _answer_request(self, asked_route: Route, request: Json, receive: _Receive, send: _Send) -> None:
        streams = bool(request.get("stream")) if asked_route.streams is None else asked_route.streams
        answer_task = self._bridge.start_answer(asked_route, request)
        disconnection = asyncio.create_task(_wait_for_disconnect(receive))
        try:
            has_begun = False
            while not answer_task.done():
                await asyncio.wait(
                    {answer_task, disconnection},
                    timeout=WAITING_S if streams else None,
                    return_when=asyncio.FIRST_COMPLETED,
                )
                if disconnection.done():
                    return
                if not answer_task.done():
                    await _begin_stream_unless_begun(send, has_begun)
                    await send({"type": "http.response.body", "body": _WAITING, "more_body": True})
                    has_begun = True
            if not streams or asked_route.as_list:
                reply = await answer_task
                await _send_json(send, 200, [reply] if asked_route.as_list else reply)
                return
            answer_events = await _answer_or_refusal_events(asked_route.dialect, request, answer_task, has_begun)
            await _begin_stream_unless_begun(send, has_begun)
            for chunk in answer_events:
                await send({"type": "http.response.body", "body": chunk, "more_body": True})
            await send({"type": "http.response.body", "body": b""})
        finally:
            disconnection.cancel()
            answer_task.cancel()


async def _answer_or_refusal_events(
    dialect: BridgeDialect, request: Json, answer_task: asyncio.Task[Json], has_begun: bool
) -> Iterable[bytes]:
    """A streamed answer; once the stream has begun, a refusal is a part of it."""
    try:
        return list(dialect.stream_events(request, await answer_task))
    except BridgeRefusalError as error:
        if not has_begun:
            raise
        return [f"event: error\ndata: {json.dumps(dialect.error(error.status, str(error)))}\n\n".encode()]


async def _read_request_body(scope: _Scope, receive: _Receive) -> bytes:
    request_headers = dict(scope["headers"])
    if request_headers.get(b"content-encoding", b"identity") != b"identity":
        raise BridgeRefusalError(415, "Compressed requests are not read.")
    body_bytes = bytearray()
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise BridgeRefusalError(400, "The request ended early.")
        body_bytes += message.get("body", b"")
        if len(body_bytes) > MOST_BYTES:
            raise BridgeRefusalError(413, f"A request can have {MOST_BYTES} bytes at most.")
        if not message.get("more_body"):
            return bytes(body_bytes)


def _parse_body(body: bytes) -> Json:
    text = body.decode("utf-8", "replace")
    try:
        request = json.loads(text)
        if _HALF.search(text):
            request = _without_surrogates(request)
    except (ValueError, RecursionError):
        raise BridgeRefusalError(400, "The request is not JSON.") from None
    if not isinstance(request, dict):
        raise BridgeRefusalError(400, "The request is not a JSON object.")
    return request


def _without_surrogates(value: Any) -> Any:
    """A JSON value without halves of characters, which Inspect could not write into its log."""
    match value:
        case str():
            return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        case list():
            return [_without_surrogates(part) for part in value]
        case dict():
            return {_without_surrogates(name): _without_surrogates(part) for name, part in value.items()}
        case _:
            return value


async def _wait_for_disconnect(receive: _Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


async def _begin_stream_unless_begun(send: _Send, has_begun: bool) -> None:
    if not has_begun:
        await _start_response(send, 200, b"text/event-stream", (b"cache-control", b"no-cache"))


async def _send_json(send: _Send, status: int, reply_value: object) -> None:
    body = json.dumps(reply_value).encode()
    await _start_response(send, status, b"application/json", (b"content-length", str(len(body)).encode()))
    await send({"type": "http.response.body", "body": body})


async def _start_response(send: _Send, status: int, content_type: bytes, *extra_headers: tuple[bytes, bytes]) -> None:
    headers = [(b"content-type", content_type), *extra_headers]
    await send({"type": "http.response.start", "status": status, "headers": headers})
