"""`benchwright study`."""

from __future__ import annotations

import typer

from benchwright_server.cli.study import conduct as study_conduct
from benchwright_server.cli.study import planning as study_planning
from benchwright_server.cli.study import records as study_records


def add_to(parent: typer.Typer) -> None:
    """Add the commands to `benchwright`."""
    study = typer.Typer(help="Plan, run and close studies.", no_args_is_help=True)
    for commands in (study_planning, study_conduct, study_records):
        commands.add_to(study)
    parent.add_typer(study, name="study")
