"""`benchwright completion sign-in`."""

from __future__ import annotations

import asyncio
import os
import shutil
from pathlib import Path
from typing import Annotated

import typer

from benchwright_problems.home import Home
from benchwright_server.cli.completion_server import DialectOption, Server
from benchwright_server.cli.interruption import interruptible
from benchwright_server.cli.output import out, plain_errors, writing
from benchwright_server.errors import ServerError
from benchwright_subjects.inline.confinement import places_in, secret_folders
from benchwright_subjects.inline.dialects.copilot import CopilotDialect, DeviceCode, sign_in
from benchwright_subjects.inline.session import connected
from benchwright_subjects.inline.workplace import workplace


def add_to(completion: typer.Typer) -> None:
    """Add the command to `benchwright completion`."""
    completion.command("sign-in")(sign_in_command)


def sign_in_command(
    server: Annotated[str, typer.Option(metavar="COMMAND", help="Command line that starts it on standard streams.")],
    profile: Annotated[
        Path, typer.Option(metavar="DIR", help="Folder for the server's home with the sign-in; only you can read it.")
    ],
    dialect: DialectOption = "copilot",
) -> None:
    """Sign in to a copilot's service with your own account, by the server's own device flow.

    It prints a code and an address. Afterwards, give the folder as --profile to `completion run`.
    """
    with plain_errors(), interruptible("Nobody is signed in: run the command again."):
        if dialect != CopilotDialect.name:
            raise ServerError(
                f"The dialect {dialect!r} has no sign-in. Its server reads its own settings: see --profile."
            )
        if profile.exists() and any(profile.iterdir()):
            raise ServerError(f"{profile} is not empty. Choose a new folder.")
        name = asyncio.run(_sign_in(Server(server, dialect), profile))
    out.print(f"Signed in{f' as {name}' if name else ''}. Use it with --profile {profile}.", markup=False)


async def _sign_in(server: Server, profile: Path) -> str:
    def show(found: DeviceCode) -> None:
        out.print(f"Open {found.address} and enter the code {found.code}. Waiting …", markup=False, soft_wrap=True)

    home = Home.find()
    launch = server.launch(secret_folders(home, profile))
    with workplace(places_in(home), {}, None) as place:
        async with connected(launch, CopilotDialect(), place, os.environ) as (connection, _):
            name = await sign_in(connection, show)
        with writing(profile):
            shutil.copytree(place.home, profile, symlinks=True, dirs_exist_ok=True)
            profile.chmod(0o700)
    return name
