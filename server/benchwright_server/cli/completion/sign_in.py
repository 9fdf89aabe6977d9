"""`benchwright completion sign-in`."""

from __future__ import annotations

import asyncio
import os
import shutil
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from benchwright_foundation.home import Home
from benchwright_server.cli.completion.server import DialectOption, ServerCommand, ServerOptions
from benchwright_server.cli.terminal.interruption import end_cleanly_on_signal
from benchwright_server.cli.terminal.output import console, exit_on_expected_error, explain_unwritable
from benchwright_server.errors import ServerError

if TYPE_CHECKING:
    from benchwright_subjects.inline.dialects.copilot import DeviceCode

_MOST_S = 3600.0
_MADE_AGAIN = ("CachedData", "Crashpad", "logs")
_OF_EDITOR = ("cache", "code-server.log", "config.yaml", "extensions")


def sign_in_command(
    profile: Annotated[
        Path, typer.Option(metavar="DIR", help="Folder for the home with the sign-in; only you can read it.")
    ],
    server: ServerCommand = "",
    dialect: DialectOption = "copilot",
    extension: Annotated[
        list[Path] | None,
        typer.Option(metavar="FILE", help="With `vscode`: the .vsix file to sign in to; repeat it for those it needs."),
    ] = None,
    initialization: Annotated[
        Path | None, typer.Option(metavar="FILE", help="With `vscode`: JSON file with settings of the editor.")
    ] = None,
) -> None:
    """Sign in to a copilot's service with your own account, by its own means.

    GitHub's server prints a code and an address. An extension of VS Code gets a window: sign in there as you would
    anywhere, then close it. Afterwards, give the folder as --profile to `completion run`.
    """
    with exit_on_expected_error(), end_cleanly_on_signal("Nobody is signed in: run the command again."):
        from benchwright_subjects.inline.dialects.copilot import CopilotDialect
        from benchwright_subjects.inline.dialects.vscode import VSCodeDialect

        if dialect not in (CopilotDialect.name, VSCodeDialect.name):
            raise ServerError(
                f"The dialect {dialect!r} has no sign-in. Its server reads its own settings: see --profile."
            )
        if profile.exists() and any(profile.iterdir()):
            raise ServerError(f"{profile} is not empty. Choose a new folder.")
        chosen_server = ServerOptions(server, dialect, extension, initialization=initialization)
        if dialect == VSCodeDialect.name:
            asyncio.run(_sign_in_by_window(chosen_server, profile))
            console.print(
                f"Kept what the extension keeps. Use it with --profile {profile}.", markup=False, soft_wrap=True
            )
            return
        name = asyncio.run(_sign_in_by_code_and_return_name(chosen_server, profile))
    console.print(f"Signed in{f' as {name}' if name else ''}. Use it with --profile {profile}.", markup=False)


async def _sign_in_by_code_and_return_name(server_options: ServerOptions, profile_folder: Path) -> str:
    from benchwright_subjects.inline.dialects.copilot import CopilotDialect, sign_in_and_get_user_name
    from benchwright_subjects.inline.server.confinement import secret_folders, workplaces_folder_of
    from benchwright_subjects.inline.server.session import open_connection
    from benchwright_subjects.inline.workplace import temporary_workplace

    def show(device_code: DeviceCode) -> None:
        console.print(
            f"Open {device_code.address} and enter the code {device_code.code}. Waiting …", markup=False, soft_wrap=True
        )

    home = Home.from_environment()
    launch = server_options.server_launch(secret_folders(home, profile_folder))
    with temporary_workplace(workplaces_folder_of(home), {}, None) as work_area:
        async with open_connection(launch, CopilotDialect(), work_area, os.environ) as (connection, _):
            name = await sign_in_and_get_user_name(connection, show)
        with explain_unwritable(profile_folder):
            shutil.copytree(work_area.home, profile_folder, symlinks=True, dirs_exist_ok=True)
            profile_folder.chmod(0o700)
    return name


async def _sign_in_by_window(server_options: ServerOptions, profile_folder: Path) -> None:
    from benchwright_subjects.inline.dialects.vscode import VSCodeDialect
    from benchwright_subjects.inline.server.confinement import secret_folders, workplaces_folder_of
    from benchwright_subjects.inline.server.connection import RequestTimeoutError
    from benchwright_subjects.inline.server.session import open_connection
    from benchwright_subjects.inline.vscode.editor_launch import DISPLAY, WINDOW, command_with_window
    from benchwright_subjects.inline.workplace import temporary_workplace

    if not any(os.environ.get(name) for name in DISPLAY):
        raise ServerError("There is no display for a window. Run the command in a terminal of your desktop.")
    home = Home.from_environment()
    launch = server_options.server_launch(secret_folders(home, profile_folder))
    launch = replace(launch, command=command_with_window(launch.command), variable_names=WINDOW)
    with temporary_workplace(workplaces_folder_of(home), {}, None) as work_area:
        async with open_connection(
            launch, VSCodeDialect(server_options.initialization_options), work_area, os.environ
        ) as (
            connection,
            name,
        ):
            console.print(f"{name.name} has a window. Sign in there, then close it. Waiting …", markup=False)
            try:
                await connection.request("benchwright/closed", {}, _MOST_S)
            except RequestTimeoutError:
                raise ServerError("The window was open for an hour. Run the command again.") from None
        # Only now that all of it has ended, nothing changes any more.
        with explain_unwritable(profile_folder):
            # Nobody else on this machine may read it meanwhile.
            profile_folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            profile_folder.chmod(0o700)
            try:
                shutil.copytree(
                    work_area.home, profile_folder, symlinks=True, dirs_exist_ok=True, ignore=_names_not_to_copy
                )
            except OSError:
                shutil.rmtree(profile_folder, ignore_errors=True)
                raise


def _names_not_to_copy(folder: str, entry_names: list[str]) -> set[str]:
    """The names that each start makes again: caches, logs, locks of a running browser, and the editor's extensions."""
    installed = _OF_EDITOR if Path(folder).name == "editor" else ()
    return {name for name in entry_names if name.endswith("Cache") or name.startswith("Singleton")} | (
        {*_MADE_AGAIN, *installed} & {*entry_names}
    )
