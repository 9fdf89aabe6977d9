"""The `benchwright` command: a module for each command or group of commands, and one line here registers it."""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterable, Sequence
from importlib import import_module
from typing import Annotated, Any, NamedTuple, Protocol, cast

import typer
from typer.core import TyperCommand
from typer.main import get_group

from benchwright_foundation.distribution import version


class CommandModule(Protocol):
    """The interface of a module that is registered here."""

    def add_to(self, parent: typer.Typer, /) -> None:
        """Add its commands to `benchwright`."""


class CommandEntry(NamedTuple):
    """A command or a group of commands, as the help shows it before its module is loaded."""

    module: str
    """In this package, or by its whole name."""
    about: str
    """The first paragraph of its help."""


_SERVICE, _REMOTE = "benchwright_service.command_line.serve", "benchwright_remote.cli"
COMMANDS = {
    "open": CommandEntry(
        "solve.open_problem", "Create a workspace for a problem, or find that of the unfinished attempt."
    ),
    "grade": CommandEntry(
        "solve.grade",
        "Run a problem's hidden tests on a folder, or grade many answers to a pack's problems, questions included.",
    ),
    "answer": CommandEntry(
        "solve.answer",
        "Score an answer to a question, or grade many answers to a pack's problems, designs included.",
    ),
    "run-tests": CommandEntry(
        "solve.run_tests",
        "Run the cocotb tests and testbenches of a folder, with the tools of the hidden tests.",
    ),
    "explain": CommandEntry(
        "solve.explain", "Explain a rule of slang or of a lint tool, with a wrong and a right example."
    ),
    "doctor": CommandEntry(
        "machine.doctor", "Show what is installed, in which version, what is missing, and what that disables."
    ),
    "lsp": CommandEntry(
        "machine.lsp",
        "Run the language server over standard input and output. Options: --sandbox NAME, --judge-url URL.",
    ),
    "mcp": CommandEntry(
        "machine.mcp",
        "Serve an attempt to an agent by the Model Context Protocol, over standard input and output or HTTP.",
    ),
    "shell": CommandEntry(
        "machine.shell",
        "Start your shell, or one command, with iverilog, vvp, verilator and yosys of the toolchain on PATH.",
    ),
    "report": CommandEntry(
        "report.report",
        "Write a report: one HTML page, report.json, tables of attempts and events, CVDP's files, Inspect's logs.",
    ),
    "login": CommandEntry(_REMOTE, "Join a course at a bench service, and get its assignments."),
    "logout": CommandEntry(_REMOTE, "Forget the token for a bench service."),
    "assignments": CommandEntry(_REMOTE, "Show the assignments of all services, after bringing them up to date."),
    "serve": CommandEntry(_SERVICE, "Run a bench service for a course or a lab."),
    "worker": CommandEntry(_SERVICE, "Run hidden tests for a bench service on another machine."),
    "problems": CommandEntry("problems.problems", "Import, make, list, show, export, convert and check packs."),
    "questions": CommandEntry(
        "questions.questions",
        "Make questions of exams or documents, try and translate them, exchange them with learning platforms.",
    ),
    "attempts": CommandEntry(
        "attempts.attempts", "List, show, export, import, replay, trace, regrade, compare and verify attempts."
    ),
    "study": CommandEntry("study.study", "Plan, run and close studies."),
    "judge": CommandEntry("judge.judge", "Judge answers, by model or by person, and serve judges to others."),
    "eval": CommandEntry(
        "eval.evaluate", "Let models or agents solve a pack's problems; each sample becomes an attempt."
    ),
    "completion": CommandEntry(
        "completion.completion",
        "Let inline-completion servers, such as IDE copilots, fill holes in solutions; measure what it is worth.",
    ),
    "subject": CommandEntry(
        "eval.subjects", "Install and check the agents that `benchwright eval --subject` puts on the bench."
    ),
    "toolchain": CommandEntry(
        "machine.toolchains", "Build, list, check and choose toolchains, the simulators for hidden tests."
    ),
    "course": CommandEntry(_SERVICE, "Set up the courses of the bench service on this machine."),
    "lab": CommandEntry(_SERVICE, "Conduct studies at the bench service on this machine."),
}
"""All commands, in the order of the help."""


def load_command_modules(command_names: Iterable[str] = COMMANDS) -> Sequence[CommandModule]:
    """The modules of these commands, loaded."""
    # A module with commands and groups is placed with its groups, which come last.
    module_paths = reversed(dict.fromkeys(COMMANDS[name].module for name in reversed([*command_names])))
    # One of another room is imported by its name alone: server and service don't know each other.
    module_names = (
        module_path if module_path.startswith("benchwright_") else f"benchwright_server.cli.{module_path}"
        for module_path in module_paths
    )
    return [cast("CommandModule", import_module(name)) for name in module_names]


class _CommandLoadedOnUse(TyperCommand):
    """Stands for a command, or for a group, until it is to run, to show its own help or to complete a word."""

    def make_context(self, *arguments: Any, **extra: Any) -> Any:
        """The context of the command itself, whose module is loaded now."""
        name = self.name or ""
        return get_group(_app_of_modules(load_command_modules([name]))).commands[name].make_context(*arguments, **extra)


def app_with_commands(command_modules: Sequence[CommandModule] | None = None) -> typer.Typer:
    """The command with the commands of these modules; if none are given with all, each loaded when it is used."""
    if command_modules is not None:
        return _app_of_modules(command_modules)
    app = _app_of_modules(())
    for name, command_entry in COMMANDS.items():
        app.command(name, cls=_CommandLoadedOnUse, help=command_entry.about)(_placeholder_command)
    return app


def _app_of_modules(command_modules: Sequence[CommandModule]) -> typer.Typer:
    app = typer.Typer(
        help="Hardware-design benchmark problems, solved in an editor and run against a harness the solver can't read.",
        no_args_is_help=True,
        pretty_exceptions_show_locals=False,
    )
    app.callback(invoke_without_command=True)(_print_version_if_asked)
    for command_module in command_modules:
        command_module.add_to(app)
    return app


def _print_version_if_asked(
    show_version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
) -> None:
    """Options of the command itself."""
    if show_version:
        typer.echo(version())
        raise typer.Exit


def _placeholder_command() -> None:
    """Never called: Typer reads a command's options from a function."""


def run_command_line() -> None:
    """Parse the command line and run the command."""
    # What its module defines stays: it is loaded before the garbage of the work is looked for.
    load_command_modules(name for name in sys.argv[1:2] if name in COMMANDS)
    gc.freeze()
    gc.set_threshold(50_000)
    gc.enable()
    app_with_commands()()
