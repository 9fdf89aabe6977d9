"""The `benchwright` command: a module for each command or group of commands, and one line here registers it."""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterable, Sequence
from importlib import import_module
from typing import Annotated, Protocol, cast

import typer

from benchwright_server import version


class CommandModule(Protocol):
    """What a module offers that is registered here."""

    def add_to(self, parent: typer.Typer, /) -> None:
        """Add its commands to `benchwright`."""


_SERVICE, _REMOTE = "benchwright_service.command_line.serve", "benchwright_remote.cli"
COMMANDS = {
    "open": "solve.open_problem",
    "grade": "solve.grade",
    "answer": "solve.answer",
    "run-tests": "solve.run_tests",
    "explain": "solve.explain",
    "doctor": "machine.doctor",
    "lsp": "machine.lsp",
    "mcp": "machine.mcp",
    "problems": "problems.problems",
    "questions": "questions.questions",
    "attempts": "attempts.attempts",
    "study": "study.study",
    "judge": "judge.judge",
    "eval": "eval.evaluate",
    "completion": "completion.completion",
    "subject": "eval.subjects",
    "toolchain": "machine.toolchains",
    "shell": "machine.shell",
    "report": "report.report",
    "login": _REMOTE,
    "logout": _REMOTE,
    "assignments": _REMOTE,
    "serve": _SERVICE,
    "course": _SERVICE,
    "lab": _SERVICE,
    "worker": _SERVICE,
}
"""Each command's module, in this package or by its whole name, in the order of the help."""


def modules(names: Iterable[str] = COMMANDS) -> Sequence[CommandModule]:
    """The modules of these commands."""
    places = dict.fromkeys(COMMANDS[name] for name in names)
    # One of another room is imported by its name alone: server and service don't know each other.
    named = (place if place.startswith("benchwright_") else f"benchwright_server.cli.{place}" for place in places)
    return [cast("CommandModule", import_module(name)) for name in named]


def command_line(commands: Sequence[CommandModule] | None = None) -> typer.Typer:
    """The command with these commands below it; with all if none are given."""
    app = typer.Typer(
        help="Hardware-design benchmark problems, solved in an editor and run against a harness the solver can't read.",
        no_args_is_help=True,
        pretty_exceptions_show_locals=False,
    )
    app.callback(invoke_without_command=True)(_options)
    for command in modules() if commands is None else commands:
        command.add_to(app)
    return app


def _options(show: Annotated[bool, typer.Option("--version", help="Print the version.")] = False) -> None:
    """Options of the command itself."""
    if show:
        typer.echo(version())
        raise typer.Exit


def run() -> None:
    """Parse the command line and run the command."""
    # All of them together take longer to load than most take to run.
    named = [name for name in sys.argv[1:2] if name in COMMANDS]
    app = command_line(modules(named) if named else None)
    gc.freeze()
    gc.set_threshold(50_000)
    gc.enable()
    app()
