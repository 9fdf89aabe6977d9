"""`benchwright serve` and `benchwright worker`; the other commands of who operates a bench service are beside it."""

from __future__ import annotations

import asyncio
import os
import socket
import tempfile
from pathlib import Path
from typing import Annotated

import typer

from benchwright_foundation.errors import explain_missing_extra
from benchwright_foundation.home import Home
from benchwright_foundation.operating_system import termination_event
from benchwright_remote.errors import ServiceError
from benchwright_service.command_line import course as course_cli
from benchwright_service.command_line import lab as lab_cli
from benchwright_service.command_line.options import DatabaseUrl, explain_errors, transport_remarks
from benchwright_service.courses.quotas import Quotas
from benchwright_service.errors import BenchServiceError

# How much one account may ask for.
RunsWaiting = Annotated[
    int,
    typer.Option(
        envvar="BENCHWRIGHT_SERVICE_RUNS_WAITING", min=1, help="The most runs of one person that wait at once."
    ),
]
RunsPerHour = Annotated[
    int,
    typer.Option(envvar="BENCHWRIGHT_SERVICE_RUNS_PER_HOUR", min=1, help="The most runs of one person in an hour."),
]
EventsPerDay = Annotated[
    int,
    typer.Option(
        envvar="BENCHWRIGHT_SERVICE_EVENTS_PER_DAY",
        min=5_000,
        help="The most events of one person in a day; what is more waits on the person's machine.",
    ),
]
AttemptsPerHour = Annotated[
    int,
    typer.Option(
        envvar="BENCHWRIGHT_SERVICE_ATTEMPTS_PER_HOUR", min=1, help="The most new attempts of one person in an hour."
    ),
]
StoredMb = Annotated[
    int,
    typer.Option(
        envvar="BENCHWRIGHT_SERVICE_STORED_MB",
        min=1,
        help="The most megabytes that the files of one person's runs take, compressed.",
    ),
]


def add_to(parent: typer.Typer) -> None:
    """Adds the commands."""
    parent.command("serve", help="Run a bench service for a course or a lab.")(serve)
    parent.command("worker", help="Run hidden tests for a bench service on another machine.")(worker)
    course_cli.add_to(parent)
    lab_cli.add_to(parent)


def serve(
    host: Annotated[str, typer.Option(envvar="BENCHWRIGHT_SERVICE_HOST", help="Where to listen.")] = "127.0.0.1",
    port: Annotated[
        int, typer.Option(envvar="BENCHWRIGHT_SERVICE_PORT", help="Where to listen; 0 for a free one.")
    ] = 8443,
    database: DatabaseUrl = "",
    address: Annotated[
        str,
        typer.Option(
            envvar="BENCHWRIGHT_SERVICE_ADDRESS",
            help="The service's address as its users have it, such as https://bench.example.org.",
        ),
    ] = "",
    workers: Annotated[
        int, typer.Option(envvar="BENCHWRIGHT_SERVICE_WORKERS", min=0, help="Runs at a time on this machine.")
    ] = os.cpu_count() or 1,
    sandbox: Annotated[
        str, typer.Option(envvar="BENCHWRIGHT_SERVICE_SANDBOX", help="Where hidden tests run.")
    ] = "bwrap",
    metrics_port: Annotated[
        int | None,
        typer.Option(
            envvar="BENCHWRIGHT_SERVICE_METRICS_PORT",
            min=0,
            max=65535,
            help="Where Prometheus reads metrics, on 127.0.0.1; 0 for a free one. Nowhere if not given.",
        ),
    ] = None,
    sign_in: Annotated[
        Path | None,
        typer.Option(
            envvar="BENCHWRIGHT_SERVICE_SIGN_IN",
            help="A sign-in.toml that names an OpenID Connect provider, such as a university's, or LTI platforms.",
            show_default=False,
        ),
    ] = None,
    question_models: Annotated[
        Path | None,
        typer.Option(
            envvar="BENCHWRIGHT_SERVICE_QUESTION_MODELS",
            help="A file with the models that people's questions are tried on: a [[model]] for each.",
            show_default=False,
        ),
    ] = None,
    runs_waiting: RunsWaiting = Quotas.runs_waiting,
    runs_per_hour: RunsPerHour = Quotas.runs_per_hour,
    events_per_day: EventsPerDay = Quotas.events_per_day,
    attempts_per_hour: AttemptsPerHour = Quotas.attempts_per_hour,
    stored_mb: StoredMb = Quotas.stored_mb,
    drain_s: Annotated[
        float,
        typer.Option(
            envvar="BENCHWRIGHT_SERVICE_DRAIN_S",
            min=0,
            max=300,
            help="Seconds for which it still takes requests after SIGTERM, until a load balancer asks another process.",
        ),
    ] = 0.0,
    allow_remote: Annotated[
        bool, typer.Option("--allow-remote", help="Listen to other machines without TLS: the network is trusted.")
    ] = False,
    demo: Annotated[
        bool,
        typer.Option(
            "--demo",
            help="Show a course with 20 invented students; nothing of it is kept.",
        ),
    ] = False,
) -> None:
    """Serves until it is interrupted."""
    if demo:
        _serve_demo(host=host, port=port, workers=workers, sandbox=sandbox, allow_remote=allow_remote)
        return
    with explain_errors(), explain_missing_extra("The bench service", "service"):
        from benchwright_judges.service.server import refuse_remote_host_unless_allowed
        from benchwright_service import server
        from benchwright_service.content_free_log import log_without_contents
        from benchwright_service.questions.trying import read_question_models
        from benchwright_service.sign_in.sign_in_file import read_sign_in_settings

        log_without_contents()
        refuse_remote_host_unless_allowed(host, allow_remote=allow_remote)
        sign_in_settings = read_sign_in_settings(sign_in) if sign_in is not None else None
        models = read_question_models(question_models) if question_models is not None else None
        for sentence in transport_remarks(host, address):
            typer.echo(sentence, err=True)
        asyncio.run(
            server.serve(
                Home.from_environment(),
                database_url=database or None,
                host=host,
                port=port,
                service_address=address or None,
                worker_count=workers,
                sandbox_name=sandbox,
                metrics_port=metrics_port,
                sign_in_settings=sign_in_settings,
                quotas=Quotas(runs_waiting, runs_per_hour, events_per_day, attempts_per_hour, stored_mb),
                question_models=models,
                drain_s=drain_s,
            )
        )


def _serve_demo(*, host: str, port: int, workers: int, sandbox: str, allow_remote: bool) -> None:
    with (
        explain_errors(),
        explain_missing_extra("The bench service", "service"),
        tempfile.TemporaryDirectory("-benchwright-demo") as folder,
    ):
        from benchwright_judges.service.server import refuse_remote_host_unless_allowed
        from benchwright_service import server
        from benchwright_service.bench import open_administration
        from benchwright_service.command_line import demo
        from benchwright_service.content_free_log import log_without_contents

        log_without_contents()
        refuse_remote_host_unless_allowed(host, allow_remote=allow_remote)
        # For the workers too.
        os.environ["BENCHWRIGHT_HOME"] = folder
        home = Home.from_environment()

        async def served() -> None:
            async with open_administration(home, None) as parts:
                course = await demo.set_up_course(parts)

            async def play(url: str) -> None:
                typer.echo(
                    f"A course with 20 invented students: {url}/sign-in\nSign in as its teacher with {course.staff}"
                )
                try:
                    await demo.play_students(url, course, home, Path(folder))
                    typer.echo("All students have worked. Interrupt this to end it; nothing of it stays.")
                except* ServiceError as service_errors:
                    typer.echo(f"The students have stopped: {service_errors.exceptions[0]}", err=True)

            await server.serve(
                home,
                database_url=None,
                host=host,
                port=port,
                service_address=None,
                worker_count=workers,
                sandbox_name=sandbox,
                local_work=play,
            )

        asyncio.run(served())


def worker(
    url: Annotated[str, typer.Argument(help="The service's address.")],
    token_file: Annotated[Path, typer.Option(help="Holds the token of `benchwright course worker-token`.")],
    name: Annotated[
        str, typer.Option(help="Told apart by it from other workers; this machine and process if not given.")
    ] = "",
    sandbox: Annotated[str, typer.Option(help="Where hidden tests run.")] = "bwrap",
) -> None:
    """Works until it is interrupted."""
    with explain_errors(), explain_missing_extra("A worker", "judges"):
        from benchwright_service.content_free_log import log_without_contents
        from benchwright_service.runs.worker_process import run_worker

        log_without_contents()
        try:
            token = token_file.read_text().strip()
        except OSError as error:
            raise BenchServiceError(f"{token_file} can't be read: {error.strerror}") from error

        async def until_stopped() -> None:
            await run_worker(url, name or f"{socket.gethostname()}-{os.getpid()}", sandbox, token, termination_event())

        asyncio.run(until_stopped())
