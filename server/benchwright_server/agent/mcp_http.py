"""The same server by streamable HTTP, for agents of this machine that know its token."""

from __future__ import annotations

import hmac
import socket
from collections.abc import Callable

import uvicorn
from mcp.server.transport_security import TransportSecuritySettings
from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from benchwright_server.agent.backend import Backend
from benchwright_server.agent.mcp_server import AttemptForAgents
from benchwright_server.errors import ServerError

_LOOPBACK = "127.0.0.1"
PATH = "/mcp"


class _TokenRequired:
    """Lets a request through that has the token; nobody else learns what is here.

    Args:
        app: What is behind it.
        token: Of `Authorization: Bearer TOKEN`.
    """

    def __init__(self, app: ASGIApp, token: str) -> None:
        self._app = app
        self._expected = f"Bearer {token}".encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            given = Headers(scope=scope).get("authorization", "").encode("utf-8", "surrogateescape")
            if not hmac.compare_digest(given, self._expected):
                refusal = PlainTextResponse(
                    "Give the token that `benchwright mcp --http` has printed: Authorization: Bearer TOKEN\n",
                    401,
                    {"WWW-Authenticate": "Bearer"},
                )
                await refusal(scope, receive, send)
                return
        await self._app(scope, receive, send)


async def serve_over_http(
    backend: Backend, port: int, token: str, *, asks_person: bool, on_ready: Callable[[str], None]
) -> None:
    """Serves agents until the process is interrupted.

    Args:
        backend: Answers.
        port: Of loopback; any that is free if 0.
        token: That each request has to have.
        asks_person: As of `AttemptForAgents`.
        on_ready: Called with the address.

    Raises:
        ServerError: The port is taken.
    """
    listener = socket.socket()
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((_LOOPBACK, port))
        except OSError as error:
            raise ServerError(f"Port {port} can't be used: {error.strerror}. Give another one, or 0.") from error
        port = listener.getsockname()[1]
        # A page of the web that has its name resolved to this machine sends its own name.
        names = (f"{_LOOPBACK}:{port}", f"localhost:{port}")
        security = TransportSecuritySettings(
            allowed_hosts=[*names], allowed_origins=[f"http://{name}" for name in names]
        )
        server = AttemptForAgents(backend, asks_person=asks_person).make_mcp_server()
        app = _TokenRequired(
            server.streamable_http_app(streamable_http_path=PATH, transport_security=security, host=_LOOPBACK), token
        )
        config = uvicorn.Config(app, log_level="warning", lifespan="on", access_log=False)
        on_ready(f"http://{_LOOPBACK}:{port}{PATH}")
        await uvicorn.Server(config).serve([listener])
    finally:
        listener.close()
        await backend.close()
