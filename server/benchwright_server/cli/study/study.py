"""`benchwright study`, and its commands about records: as files, and their deletion."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from benchwright_foundation.errors import explain_missing_extra
from benchwright_foundation.home import Home
from benchwright_foundation.number_text import counted
from benchwright_server.cli.study.conduct import close, progress, run, status
from benchwright_server.cli.study.kit import kit
from benchwright_server.cli.study.log import opened_study_log, retry_deliveries_and_list_waiting
from benchwright_server.cli.study.planning import assign_tasks, init, register, validate
from benchwright_server.cli.study.publish import checklist, package
from benchwright_server.cli.study.rehearse import rehearse
from benchwright_server.cli.study.size import size
from benchwright_server.cli.terminal.options import Json, StudyId
from benchwright_server.cli.terminal.output import console, explain_unwritable, print_json


def add_to(parent: typer.Typer) -> None:
    """Add the commands to `benchwright`."""
    study = typer.Typer(help="Plan, run and close studies.", no_args_is_help=True)
    study.command("kit")(kit)
    study.command("init")(init)
    study.command("validate")(validate)
    study.command("assign")(assign_tasks)
    study.command("size")(size)
    study.command("rehearse")(rehearse)
    study.command("register")(register)
    study.command("run")(run)
    study.command("status")(status)
    study.command("progress")(progress)
    study.command("close")(close)
    study.command("export")(export)
    study.command("collect")(collect_records)
    study.command("checklist")(checklist)
    study.command("package")(package)
    study.command("delete")(delete)
    parent.add_typer(study, name="study")


def export(
    study: StudyId,
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A folder for the files.")],
    participant: Annotated[str | None, typer.Option(help="Only the records of this participant.")] = None,
) -> None:
    """Write a study's records as files that others can verify."""
    with opened_study_log() as log, explain_missing_extra("`benchwright study export`", "baselines"):
        from benchwright_studies.conduct.archive import write_archive_and_count_attempts

        retry_deliveries_and_list_waiting(log)
        with explain_unwritable(folder):
            attempt_count = write_archive_and_count_attempts(
                log, study, folder, None if participant is None else [participant]
            )
    console.print(f"{counted(attempt_count, 'attempt')} written to {folder}.", soft_wrap=True)


def collect_records(
    folders: Annotated[list[Path], typer.Argument(metavar="DIR...", help="What `study export` wrote elsewhere.")],
    json_output: Json = False,
) -> None:
    """Import what participants' machines recorded, after checking every hash chain."""
    with opened_study_log() as log, explain_missing_extra("`benchwright study collect`", "baselines"):
        from benchwright_studies.conduct.archive import import_archive

        retry_deliveries_and_list_waiting(log)
        collected_folders = [import_archive(log, folder) for folder in folders]
    if json_output:
        print_json([asdict(row) for row in collected_folders])
        return
    for folder, collected_folder in zip(folders, collected_folders, strict=True):
        withheld = f", {collected_folder.withheld} left out without consent" if collected_folder.withheld else ""
        longer = f", {counted(collected_folder.longer, 'attempt')} went on" if collected_folder.longer else ""
        console.print(
            f"{folder}: {counted(collected_folder.attempts, 'new attempt')} of "
            f"{counted(collected_folder.participants, 'participant')}{longer}{withheld}."
        )


def delete(
    study: StudyId,
    participant: Annotated[str, typer.Argument(metavar="PARTICIPANT", help="A pseudonym.")],
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    reason: Annotated[str, typer.Option(help="Kept with the tombstone.")] = "asked for by the participant",
) -> None:
    """Delete all records of a participant; only a tombstone shows that there were some."""
    with opened_study_log() as log, explain_missing_extra("`benchwright study delete`", "baselines"):
        from benchwright_server.attempts.participant_studies import delete_participant_and_count_attempts
        from benchwright_server.attempts.participation import Participation
        from benchwright_studies.conduct.delivery import Deliveries

        if not yes and not typer.confirm(f"Delete all records of {participant} in {study}? This can't be undone."):
            raise typer.Exit(1)
        count = delete_participant_and_count_attempts(Home.from_environment(), log, study, participant, reason)
        Deliveries(Home.from_environment()).drop_delivery(study, participant)
        participation = Participation(Home.from_environment())
        if participation.pseudonym_by_study().get(study) == participant:
            participation.remove_study(study)
    console.print(f"Deleted: {counted(count, 'attempt')} of {participant}. Copies that were exported are not deleted.")
