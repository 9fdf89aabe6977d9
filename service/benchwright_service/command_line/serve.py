"""`benchwright serve`, `benchwright course` and `benchwright worker`: for who operates a bench service."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import tempfile
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from benchwright_foundation.errors import needs
from benchwright_foundation.home import Home
from benchwright_problems.aids import Aid
from benchwright_problems.assistance import Allowed
from benchwright_problems.problem import Reveal
from benchwright_remote.errors import ServiceError
from benchwright_remote.messages import Role
from benchwright_service.command_line import keys as keys_cli
from benchwright_service.command_line import lab as lab_cli
from benchwright_service.command_line import people as people_cli
from benchwright_service.command_line import questions as questions_cli
from benchwright_service.command_line.options import DatabaseUrl, explained, said_of_transport
from benchwright_service.command_line.quota_options import (
    AttemptsPerHour,
    EventsPerDay,
    RunsPerHour,
    RunsWaiting,
    StoredMb,
)
from benchwright_service.courses.assistance_rule import assistance_of
from benchwright_service.courses.quotas import Quotas
from benchwright_service.errors import BenchServiceError

if TYPE_CHECKING:
    from benchwright_service.bench import Administration

T = TypeVar("T")

Course = Annotated[str, typer.Argument(help="The course's short name.")]


def add_to(parent: typer.Typer) -> None:
    """Adds the commands."""
    parent.command("serve", help="Run a bench service for a course or a lab.")(serve)
    parent.command("worker", help="Run hidden tests for a bench service on another machine.")(worker)
    course = typer.Typer(no_args_is_help=True, help="Set up the courses of the bench service on this machine.")
    course.command("create", help="Make a course.")(create)
    course.command("invite", help="Print an invitation to a course.")(invite)
    course.command("roster", help="Make an invitation for each row of a CSV file.")(roster)
    course.command("assign", help="Give a course a pack, or some of its problems, to work on.")(assign)
    course.command("archive", help="End a course: it can be read, and nothing of it changes.")(archive)
    course.command("token", help="Print a token for somebody whom another program has signed in.")(token)
    course.command("worker-token", help="Print a token for workers on other machines.")(worker_token)
    course.command("backup", help="Pack all that the service keeps into one file, while it may run.")(backup)
    course.command("restore", help="Unpack such a file where there is nothing yet.")(restore)
    keys_cli.add_to(course)
    people_cli.add_to(course)
    questions_cli.add_to(course)
    parent.add_typer(course, name="course")
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
    with explained(), needs("The bench service", "service"):
        from benchwright_judges.service.server import check_host
        from benchwright_service import server
        from benchwright_service.plain_log import log_plainly
        from benchwright_service.questions.trying import read_question_models
        from benchwright_service.sign_in.sign_in_file import read_sign_in

        log_plainly()
        check_host(host, allow_remote=allow_remote)
        others = read_sign_in(sign_in) if sign_in is not None else None
        models = read_question_models(question_models) if question_models is not None else None
        for sentence in said_of_transport(host, address):
            typer.echo(sentence, err=True)
        asyncio.run(
            server.serve(
                Home.find(),
                database_url=database or None,
                host=host,
                port=port,
                address=address or None,
                workers=workers,
                sandbox=sandbox,
                metrics_port=metrics_port,
                others=others,
                quotas=Quotas(runs_waiting, runs_per_hour, events_per_day, attempts_per_hour, stored_mb),
                question_models=models,
            )
        )


def _serve_demo(*, host: str, port: int, workers: int, sandbox: str, allow_remote: bool) -> None:
    with explained(), needs("The bench service", "service"), tempfile.TemporaryDirectory("-benchwright-demo") as folder:
        from benchwright_judges.service.server import check_host
        from benchwright_service import server
        from benchwright_service.bench import open_administration
        from benchwright_service.command_line import demo
        from benchwright_service.plain_log import log_plainly

        log_plainly()
        check_host(host, allow_remote=allow_remote)
        # For the workers too.
        os.environ["BENCHWRIGHT_HOME"] = folder
        home = Home.find()

        async def served() -> None:
            async with open_administration(home, None) as parts:
                course = await demo.set_up(parts)

            async def play(url: str) -> None:
                typer.echo(
                    f"A course with 20 invented students: {url}/sign-in\nSign in as its teacher with {course.staff}"
                )
                try:
                    await demo.play(url, course, home, Path(folder))
                    typer.echo("All students have worked. Interrupt this to end it; nothing of it stays.")
                except* ServiceError as group:
                    typer.echo(f"The students have stopped: {group.exceptions[0]}", err=True)

            await server.serve(
                home,
                database_url=None,
                host=host,
                port=port,
                address=None,
                workers=workers,
                sandbox=sandbox,
                beside=play,
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
    with explained(), needs("A worker", "judges"):
        from benchwright_service.plain_log import log_plainly
        from benchwright_service.runs.work import work

        log_plainly()
        try:
            token = token_file.read_text().strip()
        except OSError as error:
            raise BenchServiceError(f"{token_file} can't be read: {error.strerror}") from error

        async def until_stopped() -> None:
            end = asyncio.Event()
            for number in (signal.SIGTERM, signal.SIGINT):
                asyncio.get_running_loop().add_signal_handler(number, end.set)
            await work(url, name or f"{socket.gethostname()}-{os.getpid()}", sandbox, token, end)

        asyncio.run(until_stopped())


def create(course: Course, title: Annotated[str, typer.Option(help="For people.")], database: DatabaseUrl = "") -> None:
    """Makes a course."""
    _with_parts(database, lambda parts: parts.courses.create(course, title))
    typer.echo(f"Made. Next: benchwright course assign {course} starter, and benchwright course invite {course}")


def invite(
    course: Course,
    role: Annotated[Role, typer.Option(help="What who joins will be.")] = Role.PARTICIPANT,
    section: Annotated[str, typer.Option(help="Of the course.")] = "",
    uses: Annotated[int, typer.Option(min=1, help="How many people can join with it.")] = 1,
    expires: Annotated[datetime | None, typer.Option(help="Until when, in UTC.")] = None,
    database: DatabaseUrl = "",
) -> None:
    """Prints a code; it can't be shown again."""
    until = expires.replace(tzinfo=UTC).timestamp() if expires else None
    typer.echo(
        _with_parts(
            database,
            lambda parts: parts.accounts.invite(course, role, section=section, uses=uses, expires=until),
        )
    )


def roster(
    course: Course,
    file: Annotated[Path, typer.Argument(help="CSV with the columns email, name, section, role.")],
    output: Annotated[Path, typer.Argument(help="CSV to write: the same with an invitation in each row.")],
    address: Annotated[
        str, typer.Option(envvar="BENCHWRIGHT_SERVICE_ADDRESS", help="The service's, as its users have it.")
    ] = "",
    expires: Annotated[datetime | None, typer.Option(help="Until when, in UTC.")] = None,
    database: DatabaseUrl = "",
) -> None:
    """Each invitation is for one person; it can't be shown again."""
    with explained():
        from benchwright_foundation.atomic import write_atomically
        from benchwright_service.accounts.roster import read_roster, with_invitations

        seats = read_roster(file)
        if output.exists():
            raise BenchServiceError(f"{output} is there already; choose another name")
        if not os.access(output.absolute().parent, os.W_OK):
            raise BenchServiceError(f"{output} can't be written; choose another folder")
        until = expires.replace(tzinfo=UTC).timestamp() if expires else None
        wanted = [(seat.role, seat.section) for seat in seats]
        codes = _with_parts(database, lambda parts: parts.accounts.invite_each(course, wanted, expires=until))
        sign_in = f"{address.rstrip('/')}/sign-in" if address else ""
        write_atomically(output.absolute(), with_invitations(seats, codes, sign_in), 0o600)
    typer.echo(f"{output} has {len(seats)} invitations. Send each to its person only; only you can read the file.")


def assign(
    course: Course,
    pack: Annotated[str, typer.Argument(help="A pack of this machine.")],
    problem: Annotated[list[str] | None, typer.Option(help="A problem of it; all if none is named.")] = None,
    title: Annotated[str, typer.Option(help="For people; the pack's if not given.")] = "",
    opens: Annotated[datetime | None, typer.Option(help="When work on it may start, in UTC.")] = None,
    due: Annotated[datetime | None, typer.Option(help="When it is due, in UTC.")] = None,
    closes: Annotated[datetime | None, typer.Option(help="After this nothing is graded, in UTC.")] = None,
    runs: Annotated[int | None, typer.Option(min=1, help="How many runs an attempt may ask for.")] = None,
    reveal: Annotated[Reveal | None, typer.Option(help="The most that is shown of a verdict.")] = None,
    reveal_after_due: Annotated[Reveal | None, typer.Option(help="The same once it is due.")] = None,
    reveal_after_closing: Annotated[Reveal | None, typer.Option(help="The same once it is closed.")] = None,
    assistance: Annotated[
        Allowed | None, typer.Option(help="Which models may help; nothing is said, or checked, if not given.")
    ] = None,
    extension: Annotated[
        list[str] | None,
        typer.Option(help="With --assistance named: one that may help, such as github.copilot.", show_default=False),
    ] = None,
    aid: Annotated[
        list[Aid] | None, typer.Option(help="An aid that students may use; all if none is named.", show_default=False)
    ] = None,
    no_aids: Annotated[bool, typer.Option("--no-aids", help="Students may use no aid.")] = False,
    database: DatabaseUrl = "",
) -> None:
    """Makes an assignment; prints its id."""
    if no_aids and aid:
        raise typer.BadParameter("it can't be given with --aid", param_hint="--no-aids")
    with explained():
        rule = assistance_of(assistance, extension or ())
    typer.echo(
        _with_parts(
            database,
            lambda parts: parts.courses.assign(
                course,
                pack,
                title=title,
                problems=problem or None,
                opens=_utc(opens),
                due=_utc(due),
                closes=_utc(closes),
                most_runs=runs,
                reveal=reveal,
                reveal_after_due=reveal_after_due,
                reveal_after_closing=reveal_after_closing,
                assistance=rule,
                aids=() if no_aids else aid or None,
            ),
        )
    )


def archive(
    course: Course,
    restore: Annotated[bool, typer.Option("--restore", help="Have an archived course go on.")] = False,
    database: DatabaseUrl = "",
) -> None:
    """Nothing is deleted."""
    _with_parts(database, lambda parts: parts.courses.archive(course, restore=restore))
    typer.echo(f"{course} goes on." if restore else f"{course} is archived. --restore has it go on.")


def token(
    course: Course,
    person: Annotated[str, typer.Argument(help="Who they are there; the same one is the same account.")],
    name: Annotated[str, typer.Option(help="What the course's staff call them.", show_default=False)] = "",
    signed_in_by: Annotated[str, typer.Option(help="The program, such as a hub.")] = "hub",
    role: Annotated[Role, typer.Option(help="In the course, unless they have one.")] = Role.PARTICIPANT,
    database: DatabaseUrl = "",
) -> None:
    """Prints a token for `benchwright login`; it can't be shown again. They are in the course from now on."""
    typer.echo(
        _with_parts(database, lambda parts: parts.accounts.vouch(signed_in_by, person, name or person, course, role))
    )


def worker_token(
    name: Annotated[str, typer.Argument(help="For whom, such as the other machine.")], database: DatabaseUrl = ""
) -> None:
    """Prints a token; it can't be shown again."""
    typer.echo(_with_parts(database, lambda parts: parts.accounts.worker_token(name)))


def backup(file: Annotated[Path, typer.Argument(help="What to write, such as bench-2026-11-23.tar.gz.")]) -> None:
    """Of a PostgreSQL database make a dump before."""
    with explained():
        from benchwright_service.storage.backup import back_up

        count = back_up(Home.find(), file)
    typer.echo(f"{file} has {count} files: hidden parts, the signing key, what solvers did. Only you can read it.")


def restore(file: Annotated[Path, typer.Argument(help="What `benchwright course backup` has written.")]) -> None:
    """Of a PostgreSQL database restore the dump before."""
    with explained():
        from benchwright_service.storage import backup as backups

        count = backups.restore(Home.find(), file)
    typer.echo(f"{count} files are back. Next: benchwright serve")


def _utc(time: datetime | None) -> datetime | None:
    return time and time.replace(tzinfo=UTC)


def _with_parts(database_url: str, ask: Callable[[Administration], Awaitable[T]]) -> T:
    with explained(), needs("The bench service", "service"):
        from benchwright_service.bench import open_administration

        async def asked() -> T:
            async with open_administration(Home.find(), database_url or None) as parts:
                return await ask(parts)

        return asyncio.run(asked())
