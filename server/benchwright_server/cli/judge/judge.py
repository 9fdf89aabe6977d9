"""`benchwright judge`."""

from __future__ import annotations

import typer

from benchwright_server.cli.judge import agreement as judge_agreement
from benchwright_server.cli.judge import cache as judge_cache
from benchwright_server.cli.judge import config as judge_config
from benchwright_server.cli.judge import desk as judge_desk
from benchwright_server.cli.judge import error_types as judge_error_types
from benchwright_server.cli.judge import grading as judge_grading
from benchwright_server.cli.judge import pending as judge_pending
from benchwright_server.cli.judge import reading as judge_reading
from benchwright_server.cli.judge import service as judge_service


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
