"""`benchwright shell`: a shell with the toolchain's simulators on PATH."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from benchwright_foundation.home import Home
from benchwright_harness.toolchain.terminal import write_tool_scripts
from benchwright_server.cli.terminal.output import exit_on_expected_error, explain_unwritable
from benchwright_server.errors import ServerError


def add_to(parent: typer.Typer) -> None:
    """Add the command to `benchwright`."""
    parent.command("shell", context_settings={"ignore_unknown_options": True})(shell)


def shell(
    command: Annotated[
        list[str] | None,
        typer.Argument(metavar="COMMAND...", help="A command with its arguments; your shell if not given."),
    ] = None,
) -> None:
    """Start your shell, or one command, with iverilog, vvp, verilator and yosys of the toolchain on PATH.

    Exit status: that of the command; 127 if there is no such command.
    """
    cache = Home.from_environment().cache
    with exit_on_expected_error(), explain_unwritable(cache):
        tools_folder = write_tool_scripts(cache)
    command_line = command or [os.environ.get("SHELL") or "/bin/sh"]
    environment = {**os.environ, "PATH": f"{tools_folder}{os.pathsep}{os.environ.get('PATH', os.defpath)}"}
    with exit_on_expected_error():
        try:
            os.execvpe(command_line[0], command_line, environment)  # noqa: S606
        except FileNotFoundError as error:
            typer.echo(f"error: there is no command {command_line[0]!r}.", err=True)
            raise typer.Exit(127) from error
        except OSError as error:
            raise ServerError(f"{command_line[0]} can't be started: {error.strerror}.") from error
