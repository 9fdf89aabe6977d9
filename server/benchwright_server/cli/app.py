"""The `benchwright` command: a module for each command or group of commands, and one line here registers it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Protocol

import typer

from benchwright_server import __version__
from benchwright_server.cli import (
    answer,
    attempts,
    doctor,
    evaluate,
    grade,
    judge,
    lsp,
    open_problem,
    problems,
    report,
    study,
    toolchains,
)


class CommandModule(Protocol):
    """What a module offers that is registered here."""

    def add_to(self, parent: typer.Typer, /) -> None:
        """Add its commands to `benchwright`."""


COMMANDS: tuple[CommandModule, ...] = (
    open_problem,
    grade,
    answer,
    doctor,
    lsp,
    problems,
    attempts,
    study,
    judge,
    evaluate,
    toolchains,
    report,
)
"""All commands, in the order of the help."""


def command_line(commands: Sequence[CommandModule] = COMMANDS) -> typer.Typer:
    """The command with these commands below it."""
    app = typer.Typer(
        help="Hardware-design benchmark problems, solved in an editor and run against a harness the solver can't read.",
        no_args_is_help=True,
        pretty_exceptions_show_locals=False,
    )
    app.callback(invoke_without_command=True)(_options)
    for command in commands:
        command.add_to(app)
    return app


def _options(version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False) -> None:
    """Options of the command itself."""
    if version:
        typer.echo(__version__)
        raise typer.Exit


def run() -> None:
    """Parse the command line and run the command."""
    command_line()()
