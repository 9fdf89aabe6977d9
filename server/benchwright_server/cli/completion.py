"""`benchwright completion`: inline-completion servers at holes of reference solutions."""

from __future__ import annotations

import typer

from benchwright_server.cli import completion_report, completion_run, completion_sign_in, completion_study
from benchwright_server.cli.traces import trace_run


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
