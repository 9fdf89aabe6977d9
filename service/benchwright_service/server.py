"""The process of a service: opens what it works with, starts its workers, listens, and ends without losing anything."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from benchwright_foundation.home import Home
from benchwright_judges.models.configuration import open_panel_if_any, read_settings, records_location
from benchwright_judges.service.judging import JudgingPace
from benchwright_judges.service.server import open_app_and_refuse_new_work, open_listener, serve_app
from benchwright_problems.storage.store import Store
from benchwright_service.app import combined_app, make_app
from benchwright_service.bench import open_bench
from benchwright_service.courses.quotas import USUAL, Quotas
from benchwright_service.health import Health
from benchwright_service.metrics import with_request_metrics
from benchwright_service.pages.app import make_pages
from benchwright_service.questions.trying import QuestionModels
from benchwright_service.runs.local_workers import running_local_workers
from benchwright_service.sign_in.sign_in_file import SignInSettings

MOST_CONNECTIONS = 4_000
MOST_WAITING = 64
"""Threads that wait for disk and database."""
JUDGES_PACE = JudgingPace()


async def serve(
    home: Home,
    *,
    database_url: str | None,
    host: str,
    port: int,
    service_address: str | None,
    worker_count: int,
    sandbox_name: str,
    metrics_port: int | None = None,
    sign_in_settings: SignInSettings | None = None,
    quotas: Quotas = USUAL,
    question_models: QuestionModels | None = None,
    drain_s: float = 0.0,
    local_work: Callable[[str], Awaitable[None]] | None = None,
) -> None:
    """Serves until SIGINT or SIGTERM; prints `Listening on http://…` when it is ready.

    Args:
        home: The folders of the service's user.
        database_url: A PostgreSQL database. None for SQLite files in `home`.
        host: Host at which to listen.
        port: The same; 0 for a free one.
        service_address: The service's address as its users have it, as receipts name it. None for where it listens.
        worker_count: Number of runs that this machine does at a time.
        sandbox_name: Name of the sandbox that they use.
        metrics_port: Port at which Prometheus reads metrics, on the loopback interface. None for no metrics.
        sign_in_settings: Settings of other services that say who somebody is.
        quotas: Limits on the requests of one account.
        question_models: Models on which questions are tried while they are written.
        drain_s: Time for which it still takes requests after the signal, in seconds.
        local_work: Runs while it serves, at this address; serving goes on when it ends.

    Raises:
        BenchServiceError: Tables or key can't be opened.
        ConfigurationError: `judges.toml` does not describe judges, or a key that it names is not set.
        StorageError: The judgements can't be opened.
        LogError: The log can't be opened.
        ServiceError: The port can't be opened.
    """
    settings = read_settings()
    # What waits for disk and database waits in threads; the usual number is made for work that needs a core.
    asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(MOST_WAITING, "service"))
    listener = open_listener(host, port)
    try:
        local_url = f"http://{host}:{listener.getsockname()[1]}"
        async with (
            open_bench(
                home, database_url, service_address or local_url, sign_in_settings, quotas, question_models
            ) as bench,
            open_app_and_refuse_new_work(
                Store(home),
                records_location(settings, home),
                open_panel_if_any(settings),
                JUDGES_PACE,
                bench.rates("judge_token"),
            ) as judges,
        ):
            judge_app, wake_judges_clients = judges
            pages = make_pages(bench, https_only=(service_address or local_url).startswith("https:"))
            app = with_request_metrics(combined_app(make_app(bench), judge_app, pages), bench.metrics)
            app = _closing_connections_at_the_end(app, bench.health)

            def wake_all() -> None:
                bench.runs.begin_closing_and_wake_all()
                wake_judges_clients()

            # The next process at this address has the same workers, and what they had is given to others at once.
            token = bench.accounts.new_local_worker_token(f"{socket.gethostname()}:{listener.getsockname()[1]}")
            with bench.metrics.counting_database_errors(), bench.metrics.serving_metrics(metrics_port):
                async with (
                    running_local_workers(local_url, token, worker_count, sandbox_name),
                    _running_local_work(local_work, local_url),
                ):
                    await serve_app(
                        app,
                        listener,
                        grace_s=JUDGES_PACE.grace_s,
                        on_closing=wake_all,
                        connection_limit=MOST_CONNECTIONS,
                        drain_s=drain_s,
                        on_draining=lambda: setattr(bench.health, "is_ending", True),
                    )
    finally:
        listener.close()


def _closing_connections_at_the_end(app: ASGIApp, health: Health) -> ASGIApp:
    """The application; once it is about to end, each answer closes its connection, so that the next takes another."""

    async def closing(scope: Scope, receive: Receive, send: Send) -> None:
        async def watched(message: Message) -> None:
            if message["type"] == "http.response.start" and health.is_ending:
                message = {**message, "headers": [*message.get("headers", ()), (b"connection", b"close")]}
            await send(message)

        await app(scope, receive, watched)

    return closing


@contextlib.asynccontextmanager
async def _running_local_work(
    local_work: Callable[[str], Awaitable[None]] | None, local_url: str
) -> AsyncIterator[None]:
    task = asyncio.ensure_future(local_work(local_url)) if local_work is not None else None
    try:
        yield
    finally:
        if task is not None:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
