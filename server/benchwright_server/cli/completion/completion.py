"""`benchwright completion`: inline-completion servers at holes of reference solutions."""

from __future__ import annotations

import typer

from benchwright_server.cli.completion.report import report_command
from benchwright_server.cli.completion.run import run_command
from benchwright_server.cli.completion.sign_in import sign_in_command
from benchwright_server.cli.completion.study import study_command
from benchwright_server.cli.report.traces import trace_run
from benchwright_server.cli.terminal.option_groups import flatten_option_groups


def add_to(parent: typer.Typer) -> None:
    """Add the commands to `benchwright`."""
    completion = typer.Typer(
        help="Let inline-completion servers, such as IDE copilots, fill holes in solutions; measure what it is worth.",
        no_args_is_help=True,
    )
    completion.command("run")(flatten_option_groups(run_command))
    completion.command("study")(flatten_option_groups(study_command))
    completion.command("report")(report_command)
    completion.command("sign-in")(sign_in_command)
    completion.command("trace")(trace_run)
    parent.add_typer(completion, name="completion")
