"""The process: opens the database, listens, and shuts down without losing accepted answers."""

from __future__ import annotations

import ipaddress
import logging
import signal
import socket
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from types import FrameType

import uvicorn
from starlette.types import ASGIApp

from benchwright_foundation.rate import RateLimits
from benchwright_judges.errors import JudgesError
from benchwright_judges.models.panel import Panel
from benchwright_judges.records.records import Records

# Its tables have to be known before a database is opened.
from benchwright_judges.service import tables as _tables  # noqa: F401
from benchwright_judges.service.admission import LARGEST_HEADERS
from benchwright_judges.service.app import make_app
from benchwright_judges.service.judging import JudgingPace, SubmissionJudging
from benchwright_judges.service.tokens import AccessTokens
from benchwright_problems.storage.store import Store

MOST_CONNECTIONS = 1_000
_KEEP_ALIVE_S = 30
"""Time that a connection may be idle, in seconds: longer than a client that sends every few seconds pauses."""


class JudgeServiceError(JudgesError):
    """The service can't be started with these options."""


def refuse_remote_host_unless_allowed(host: str, *, allow_remote: bool) -> None:
    """Refuse to listen to other machines by accident.

    Raises:
        ServiceError: `host` can be reached from other machines, and that was not requested.
    """
    try:
        local = ipaddress.ip_address(host).is_loopback
    except ValueError:
        local = host == "localhost"
    if not local and not allow_remote:
        raise JudgeServiceError(
            f"{host} can be reached from other machines, and the service speaks plain HTTP: tokens and answers could be"
            " read in transit. Listen on 127.0.0.1 behind a TLS proxy (Caddy, nginx), or give --allow-remote if the"
            " network itself is trusted"
        )


async def serve(
    store: Store,
    records_location: str | Path,
    panel: Panel | None,
    *,
    host: str,
    port: int,
    pace: JudgingPace | None = None,
) -> None:
    """Serve until SIGINT or SIGTERM; prints `Listening on http://…` when it is ready.

    Raises:
        StorageError: The database can't be opened.
        ServiceError: The port can't be opened.
    """
    pace = pace or JudgingPace()
    listener = open_listener(host, port)
    try:
        async with open_app_and_refuse_new_work(store, records_location, panel, pace) as (app, closing):
            await serve_app(app, listener, grace_s=pace.grace_s, on_closing=closing)
    finally:
        listener.close()


@asynccontextmanager
async def open_app_and_refuse_new_work(
    store: Store,
    records_location: str | Path,
    panel: Panel | None,
    pace: JudgingPace,
    rate_limits: RateLimits | None = None,
) -> AsyncIterator[tuple[ASGIApp, Callable[[], None]]]:
    """The service as an ASGI application, and what wakes its clients before it ends.

    It judges from the application's start to its end; `panel` is closed in the end. Where several processes have common
    limits, `rate_limits` count the requests of tokens.

    Raises:
        StorageError: The database can't be opened.
    """
    try:
        records = await Records.open(records_location)
        try:
            judging = SubmissionJudging(store, records, panel, pace)
            yield make_app(judging, AccessTokens(records), rate_limits), judging.refuse_new_work
        finally:
            await records.close()
    finally:
        if panel is not None:
            await panel.close()


async def serve_app(
    app: ASGIApp,
    listener: socket.socket,
    *,
    grace_s: float,
    on_closing: Callable[[], None],
    connection_limit: int = MOST_CONNECTIONS,
    drain_s: float = 0.0,
    on_draining: Callable[[], None] = lambda: None,
) -> None:
    """Serve an application until SIGINT or SIGTERM; prints `Listening on http://…` when it is ready.

    Args:
        app: The application.
        listener: Socket to which clients connect.
        grace_s: Time that requests may take to end, in seconds.
        on_closing: Wakes clients that wait, before their connections are closed.
        connection_limit: Connections at a time.
        drain_s: Time for which requests are still taken after the signal, in seconds: until nobody sends new ones.
        on_draining: Is called when that time begins.
    """
    config = uvicorn.Config(
        app,
        log_config=None,
        # Tokens identify clients, so a proxy's headers change only log lines.
        proxy_headers=False,
        server_header=False,
        limit_concurrency=connection_limit,
        h11_max_incomplete_event_size=LARGEST_HEADERS,
        timeout_keep_alive=_KEEP_ALIVE_S,
        timeout_graceful_shutdown=int(grace_s),
        ws="none",
        http="h11",
    )
    await _JudgeServer(config, on_closing, drain_s, on_draining).serve(sockets=[listener])


class _JudgeServer(uvicorn.Server):
    """Wakes clients that wait for results before it waits for their connections to close."""

    def __init__(
        self, config: uvicorn.Config, on_closing: Callable[[], None], drain_s: float, on_draining: Callable[[], None]
    ) -> None:
        super().__init__(config)
        self._closing = on_closing
        self._drain_s = drain_s
        self._draining = on_draining
        self._signal_count = 0
        self._end_time: float | None = None

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            for listener in sockets or []:
                host, port = listener.getsockname()[:2]
                host_text = f"[{host}]" if ":" in host else host
                logging.getLogger(__name__).warning("Listening on http://%s:%s", host_text, port)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        # The default handler raises the signal again at the end, while the database is being closed.
        self.force_exit = self.should_exit and sig == signal.SIGINT
        self._signal_count += 1
        # Whoever asks twice does not want to wait.
        if not self._drain_s or self._signal_count > 1:
            self.should_exit = True

    async def on_tick(self, counter: int) -> bool:
        if self._signal_count and self._drain_s:
            if self._end_time is None:
                self._end_time = time.monotonic() + self._drain_s
                self._draining()
            self.should_exit = self.should_exit or time.monotonic() >= self._end_time
        return await super().on_tick(counter)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._closing()
        await super().shutdown(sockets)


def open_listener(host: str, port: int) -> socket.socket:
    """A socket at this address; port 0 takes a free one.

    Raises:
        ServiceError: The port can't be opened.
    """
    try:
        family, socket_kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, proto=socket.IPPROTO_TCP
        )[0]
        # Only of sockets that name TCP asyncio turns Nagle's algorithm off, which delays the end of answers by 40 ms.
        listener = socket.socket(family, socket_kind, protocol)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
    except OSError as error:
        raise JudgeServiceError(f"{host}:{port} can't be opened: {error.strerror}; choose another --port") from error
    return listener
