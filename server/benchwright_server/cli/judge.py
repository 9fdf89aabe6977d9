"""`benchwright judge`."""

from __future__ import annotations

import typer

from benchwright_server.cli import (
    judge_agreement,
    judge_cache,
    judge_config,
    judge_desk,
    judge_error_types,
    judge_grading,
    judge_pending,
    judge_reading,
    judge_service,
)


def add_to(parent: typer.Typer) -> None:
    """Add the commands to `benchwright`."""
    judge = typer.Typer(help="Judge answers, by model or by person, and serve judges to others.", no_args_is_help=True)
    for commands in (
        judge_config,
        judge_pending,
        judge_cache,
        judge_grading,
        judge_agreement,
        judge_reading,
        judge_service,
        judge_desk,
        judge_error_types,
    ):
        commands.add_to(judge)
    parent.add_typer(judge, name="judge")
