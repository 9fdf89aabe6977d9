"""Options of `benchwright serve` about how much one account may ask for."""

from __future__ import annotations

from typing import Annotated

import typer

RunsWaiting = Annotated[
    int,
    typer.Option(
        envvar="BENCHWRIGHT_SERVICE_RUNS_WAITING", min=1, help="The most runs of one person that wait at once."
    ),
]
RunsPerHour = Annotated[
    int,
    typer.Option(envvar="BENCHWRIGHT_SERVICE_RUNS_PER_HOUR", min=1, help="The most runs of one person in an hour."),
]
EventsPerDay = Annotated[
    int,
    typer.Option(
        envvar="BENCHWRIGHT_SERVICE_EVENTS_PER_DAY",
        min=5_000,
        help="The most events of one person in a day; what is more waits on the person's machine.",
    ),
]
AttemptsPerHour = Annotated[
    int,
    typer.Option(
        envvar="BENCHWRIGHT_SERVICE_ATTEMPTS_PER_HOUR", min=1, help="The most new attempts of one person in an hour."
    ),
]
StoredMb = Annotated[
    int,
    typer.Option(
        envvar="BENCHWRIGHT_SERVICE_STORED_MB",
        min=1,
        help="The most megabytes that the files of one person's runs take, compressed.",
    ),
]
