"""A toy command, registered in the table of commands, is part of the command line."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Annotated

import typer
from typer.testing import CliRunner, Result

from benchwright_server.cli.app import app_with_commands, load_command_modules
from benchwright_server.cli.terminal.option_groups import flatten_option_groups
from benchwright_server.cli.terminal.options import Json
from benchwright_server.cli.terminal.output import console, exit_on_expected_error, print_json
from benchwright_server.errors import ServerError


@dataclass(frozen=True)
class Limits:
    most: Annotated[int, typer.Option(min=1, help="Count to this number.")] = 3
    step: Annotated[int, typer.Option(min=1, help="Count in steps.")] = 1


def add_to(parent: typer.Typer) -> None:
    parent.command("count")(flatten_option_groups(count))


def count(word: Annotated[str, typer.Argument(metavar="WORD")], limits: Limits, json_output: Json = False) -> None:
    """Count a word. Exit status: 0 counted, 2 nothing to count."""
    with exit_on_expected_error():
        if not word:
            raise ServerError("Give a word to count.")
        numbers = list(range(limits.step, limits.most + 1, limits.step))
    if json_output:
        print_json({word: numbers})
    else:
        console.print(f"{word}: {numbers}")


def benchwright(*arguments: str) -> Result:
    return CliRunner().invoke(
        app_with_commands((*load_command_modules(), sys.modules[__name__])),
        arguments,
        env={"COLUMNS": "120"},
    )


def test_it_runs_beside_the_others() -> None:
    assert benchwright("count", "gate", "--most", "6", "--step", "2").stdout == "gate: [2, 4, 6]\n"
    assert benchwright("count", "gate", "--json").stdout == '{"gate": [1, 2, 3]}\n'
    assert {"count", "grade"} <= set(benchwright("--help").stdout.split())


def test_a_group_of_options_is_shown_as_options() -> None:
    help_text = benchwright("count", "--help").stdout
    assert "--most" in help_text and "[default: 3]" in help_text and "Count in steps." in help_text


def test_an_option_of_a_group_is_checked() -> None:
    assert benchwright("count", "gate", "--most", "0").exit_code == 2


def test_an_expected_error_is_one_sentence_and_status_2() -> None:
    refused_invocation = benchwright("count", "")
    assert refused_invocation.exit_code == 2 and refused_invocation.stderr == "error: Give a word to count.\n"
