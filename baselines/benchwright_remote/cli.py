"""`benchwright login`, `logout` and `assignments`: the bench services that somebody works for."""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from benchwright_foundation.errors import BenchwrightError, explain_missing_extra
from benchwright_foundation.home import Home
from benchwright_foundation.number_text import counted
from benchwright_problems.storage.store import Store
from benchwright_remote.connections import Connection, Connections
from benchwright_remote.errors import ServiceError

if TYPE_CHECKING:
    from benchwright_remote.messages import Me

TOKEN = "BENCHWRIGHT_TOKEN"  # noqa: S105 - the name of a variable
"""Variable with the token of somebody who has signed in elsewhere."""

Url = Annotated[str, typer.Argument(help="The service's address, such as https://bench.example.org.")]


def add_to(parent: typer.Typer) -> None:
    """Adds the commands."""
    parent.command("login", help="Join a course at a bench service, and get its assignments.")(login)
    parent.command("logout", help="Forget the token for a bench service.")(logout)
    parent.command("assignments", help="Show the assignments of all services, after bringing them up to date.")(
        assignments
    )


def login(
    url: Url,
    code: Annotated[str, typer.Option(help="The invitation; asked for if not given.", show_default=False)] = "",
    name: Annotated[str, typer.Option(help="What the course's staff call you.", show_default=False)] = "",
    browser: Annotated[
        bool, typer.Option("--browser", help="Confirm a code in a browser that is signed in at the service.")
    ] = False,
) -> None:
    """Joins a course; a token for it is kept in the key store of the operating system.

    If there is no key store, it is kept in the data folder, readable by this user only. If `BENCHWRIGHT_TOKEN` has a
    token, such as the hub of a class sets it, that is kept and nothing is asked.
    """
    with _exiting_on_errors():
        from benchwright_remote.joining import checked_service_address
        from benchwright_remote.messages import LINK_PREFIX

        address = checked_service_address(url)
        if token := os.environ.get(TOKEN):
            asyncio.run(_keep_token_and_show_account(Home.from_environment(), address, token))
            return
        if browser:
            asyncio.run(_sign_in_by_browser_and_show(Home.from_environment(), address))
            return
        code = code or typer.prompt("Invitation", hide_input=True)
        is_link = code.strip().startswith(LINK_PREFIX)
        if not is_link and Connections(Home.from_environment()).find_connection(address) is None:
            name = name or typer.prompt("Your name, as the course's staff know it")
        asyncio.run(_join_course_and_show(Home.from_environment(), address, code, name))


def logout(url: Url) -> None:
    """Forgets the token; packs and attempts stay."""
    with _exiting_on_errors():
        address, connections = url.rstrip("/"), Connections(Home.from_environment())
        if connections.find_connection(address) is None:
            known_urls = ", ".join(connection.url for connection in connections.list_all()) or "none"
            raise ServiceError(f"You have not signed in to {address}. Services with a token here: {known_urls}.")
        connections.remove(address)
        typer.echo(f"Signed out of {address}. Attempts stay here; the next login delivers the rest.")


def assignments() -> None:
    """A line for each."""
    with _exiting_on_errors():
        home = Home.from_environment()
        connections = Connections(home).list_all()
        if not connections:
            raise ServiceError("You have not signed in anywhere. Sign in with `benchwright login URL`.")
        for connection in connections:
            asyncio.run(_refresh_and_list_assignments(home, connection))


async def _keep_token_and_show_account(home: Home, url: str, token: str) -> None:
    from benchwright_remote.joining import keep_given_token

    await _show_account_and_refresh(home, url, await keep_given_token(home, url, token))


async def _sign_in_by_browser_and_show(home: Home, url: str) -> None:
    from benchwright_remote.joining import await_browser_sign_in, begin_browser_sign_in

    device = await begin_browser_sign_in(url)
    minutes = round(device.expires_s / 60)
    typer.echo(f"Open {device.address}?code={device.code} and confirm the code {device.code} within {minutes} minutes.")
    await _show_account_and_refresh(home, url, await await_browser_sign_in(home, url, device))


async def _join_course_and_show(home: Home, url: str, invitation_code: str, new_account_name: str) -> None:
    from benchwright_remote.joining import join_course

    await _show_account_and_refresh(home, url, await join_course(home, url, invitation_code, new_account_name))


async def _show_account_and_refresh(home: Home, url: str, me: Me) -> None:
    typer.echo(f"Signed in to {url} as {me.name}: {', '.join(course.title for course in me.courses)}.")
    connection = Connections(home).find_connection(url)
    if connection is not None:
        key_location = "in the key store of this computer" if connection.key else "in a file that only you can read"
        typer.echo(f"Your token is kept {key_location}.")
        await _refresh_and_list_assignments(home, connection)
    typer.echo("Next step: open one in the Benchwright view of your editor, or with `benchwright open PACK/PROBLEM`.")


async def _refresh_and_list_assignments(home: Home, connection: Connection) -> None:
    from benchwright_remote.assigned_packs import store_assigned_packs
    from benchwright_remote.service_client import ServiceClient

    store, token = Store(home), Connections(home).token(connection)
    async with ServiceClient(connection.url, token) as client:
        names, studies = await store_assigned_packs(store, client), await client.enrol_and_list_studies()
    for study in studies:
        availability = (
            "it is at the top of the problem list of your editor" if study.file is not None else "no place is left"
        )
        typer.echo(f"{study.study}\t{study.title}: {availability}")
    if not names and not studies:
        typer.echo(f"{connection.url} has nothing for you to do yet.")
    for name in names:
        assignment, problems = store.assignment_if_any(name), store.public_pack(name).problems
        due = f", due {assignment.due:%Y-%m-%d %H:%M %Z}" if assignment is not None and assignment.due else ""
        title = assignment.title if assignment is not None else ""
        typer.echo(f"{name}\t{title}: {counted(len(problems), 'problem')}{due}")
        if assignment is not None and assignment.assistance is not None:
            typer.echo(f"  {assignment.assistance.rule}")


@contextlib.contextmanager
def _exiting_on_errors() -> Iterator[None]:
    try:
        with explain_missing_extra("Signing in to a bench service", "judges"):
            yield
    except BenchwrightError as error:
        typer.echo(f"benchwright: {error}", err=True)
        sys.exit(1)
