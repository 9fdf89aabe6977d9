"""`benchwright judge`."""

from __future__ import annotations

import typer

from benchwright_server.cli.judge import cache, grading, service
from benchwright_server.cli.judge.agreement import agreement
from benchwright_server.cli.judge.config import config, test
from benchwright_server.cli.judge.desk import desk
from benchwright_server.cli.judge.error_types import error_types
from benchwright_server.cli.judge.pending import pending
from benchwright_server.cli.judge.probe import probe
from benchwright_server.cli.judge.reading import reading


def add_to(parent: typer.Typer) -> None:
    """Add the commands to `benchwright`."""
    judge = typer.Typer(help="Judge answers, by model or by person, and serve judges to others.", no_args_is_help=True)
    judge.command("config")(config)
    judge.command("test")(test)
    judge.command("pending")(pending)
    cache.add_to(judge)
    grading.add_to(judge)
    judge.command("agreement")(agreement)
    judge.command("probe")(probe)
    judge.command("reading")(reading)
    service.add_to(judge)
    judge.command("desk", hidden=True)(desk)
    judge.command("error-types")(error_types)
    parent.add_typer(judge, name="judge")
