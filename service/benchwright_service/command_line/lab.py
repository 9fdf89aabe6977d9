"""`benchwright lab`: for who conducts a study at the bench service on this machine."""

from __future__ import annotations

import asyncio
import sys
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from benchwright_foundation.errors import explain_missing_extra
from benchwright_foundation.home import Home
from benchwright_service.command_line.options import DatabaseUrl, explain_errors
from benchwright_service.errors import BenchServiceError

if TYPE_CHECKING:
    from benchwright_remote.messages import StudyWatch
    from benchwright_studies.conduct.closing import SealCheck
    from benchwright_studies.conduct.entry import Closed

_NEEDS = "Studies at the bench service"
Study = Annotated[str, typer.Argument(metavar="STUDY", help="The study's id.")]


def add_to(parent: typer.Typer) -> None:
    """Adds the commands."""
    lab = typer.Typer(no_args_is_help=True, help="Conduct studies at the bench service on this machine.")
    lab.command("open", help="Let people be invited to a study.")(open_study)
    lab.command("status", help="Show where everybody is, without conditions and outcomes.")(status)
    lab.command("close", help="End a study, freeze its data under one digest, and make its report.")(close)
    lab.command("log", help="Print where the service's log is, for BENCHWRIGHT_LOG.")(log)
    parent.add_typer(lab, name="lab")


def open_study(
    file: Annotated[Path, typer.Argument(help="The study file.")],
    database: DatabaseUrl = "",
) -> None:
    """Registers and preregisters a study whose records come to the service; again, it changes nothing."""
    with explain_errors(), explain_missing_extra(_NEEDS, "service"):
        from benchwright_service.bench import open_lab
        from benchwright_studies.plan.study_file import read_study

        async def opened() -> tuple[str, str, int]:
            async with open_lab(Home.from_environment(), database or None) as (lab, _):
                registered_study = await lab.open_study(read_study(file))
            digest = registered_study.preregistered.digest if registered_study.preregistered is not None else ""
            return registered_study.study.study, digest, len(registered_study.study.pseudonyms)

        study, digest, place_count = asyncio.run(opened())
    typer.echo(f"The study {study} is registered: publish its registration's digest, {digest}")
    typer.echo(f"Next: benchwright course invite {study} --uses {place_count}")


def log(database: DatabaseUrl = "") -> None:
    """Prints the address of a database, or a file."""
    with explain_errors(), explain_missing_extra(_NEEDS, "service"):
        from benchwright_service.bench import sqlite_log_file

        typer.echo(database or sqlite_log_file(Home.from_environment()))


def status(
    study: Study,
    stuck_after: Annotated[
        float, typer.Option(min=0.5, help="Minutes without work after which who works counts as stuck.")
    ] = 10.0,
    json_output: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    database: DatabaseUrl = "",
) -> None:
    """Of a closed study it also says whether the data are as they were sealed: exit status 1 if not."""
    with explain_errors(), explain_missing_extra(_NEEDS, "service"):
        from benchwright_service.bench import open_monitor
        from benchwright_studies.conduct.closing import check_seal

        async def watched() -> tuple[StudyWatch, SealCheck | None]:
            async with open_monitor(Home.from_environment(), database or None) as (monitor, study_log):
                watch = await monitor.study_watch(study, stuck_after * 60)
                return watch, await asyncio.to_thread(check_seal, study_log, study) if watch.digest else None

        watch, seal = asyncio.run(watched())
    if json_output:
        typer.echo(watch.model_dump_json(indent=1))
    else:
        _print_watch(watch, datetime.now(UTC))
    for flaw in seal.flaws if seal is not None else ():
        typer.echo(flaw, err=True)
    raise typer.Exit(0 if seal is None or seal.ok else 1)


def close(
    study: Study,
    force: Annotated[
        bool, typer.Option("--force", help="End attempts that are in progress; close the study even without attempts.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Close without asking.")] = False,
    database: DatabaseUrl = "",
) -> None:
    """Nothing can be added afterwards. Of a closed study it makes the report again, and changes nothing else."""
    with explain_errors(), explain_missing_extra(_NEEDS, "service"):
        closed, page = asyncio.run(_close_study_unless_declined(study, database or None, force=force, yes=yes))
    typer.echo(f"The study {study} is closed. Publish its data's digest with it: {closed.digest}")
    typer.echo(f"The report, which its owners can read at the service too: {page}")


async def _close_study_unless_declined(
    study: str, database_url: str | None, *, force: bool, yes: bool
) -> tuple[Closed, Path]:
    from benchwright_service.bench import open_monitor, study_reports_folder
    from benchwright_service.studies.lab_closing import OPERATOR, close_and_record_end, record_closing_begun

    home = Home.from_environment()
    async with open_monitor(home, database_url) as (monitor, study_log):
        watch = await monitor.study_watch(study)
        if not (watch.digest or yes or force):
            _confirm_closing(watch)
        await record_closing_begun(monitor.database, study, OPERATOR, force=force)
        return await close_and_record_end(
            monitor.database, study_log, home, study_reports_folder(home), study, OPERATOR, force=force
        )


def _confirm_closing(watch: StudyWatch) -> None:
    from benchwright_service.studies.lab_closing import unfinished_participants

    going = unfinished_participants(watch)
    warning = f"{len(going)} participants have not finished: {', '.join(going[:5])}. " if going else ""
    if not sys.stdin.isatty():
        raise BenchServiceError(f"{warning}Give --yes to close {watch.study}: nothing can be added to it afterwards")
    typer.confirm(
        f"{warning}Close {watch.study}? Nothing can be added to it or changed afterwards", abort=True, err=True
    )


def _print_watch(watch: StudyWatch, current_time: datetime) -> None:
    from benchwright_service.studies.lab_monitor import elapsed_text

    table_rows = [("participant", "where", "task", "done", "last record", "last work")]
    for participant in watch.participants:
        task = "" if participant.task is None else "practice" if participant.task == 0 else str(participant.task)
        done_text = f"{participant.done}/{participant.total}" if participant.total else ""
        table_rows.append(
            (
                participant.participant,
                participant.where.value,
                task,
                done_text,
                elapsed_text(participant.heard, current_time),
                elapsed_text(participant.worked, current_time),
            )
        )
    widths = [max(len(row[column]) for row in table_rows) for column in range(len(table_rows[0]))]
    for table_row in table_rows:
        typer.echo("  ".join(text.ljust(width) for text, width in zip(table_row, widths, strict=True)).rstrip())
    counts = Counter(participant.where.value for participant in watch.participants)
    typer.echo(", ".join(f"{count} {location}" for location, count in counts.items()))
    if watch.digest:
        typer.echo(f"Closed. Digest {watch.digest}")
