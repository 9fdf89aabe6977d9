"""`benchwright completion`: inline-completion servers at holes of reference solutions."""

from __future__ import annotations

import typer

from benchwright_server.cli.completion import report as completion_report
from benchwright_server.cli.completion import run as completion_run
from benchwright_server.cli.completion import sign_in as completion_sign_in
from benchwright_server.cli.completion import study as completion_study
from benchwright_server.cli.report.traces import trace_run


def add_to(parent: typer.Typer) -> None:
    """Add the commands to `benchwright`."""
    completion = typer.Typer(
        help="Let inline-completion servers, such as IDE copilots, fill holes in solutions; measure what it is worth.",
        no_args_is_help=True,
    )
    completion_run.add_to(completion)
    completion_study.add_to(completion)
    completion_report.add_to(completion)
    completion_sign_in.add_to(completion)
    completion.command("trace")(trace_run)
    parent.add_typer(completion, name="completion")
