"""`benchwright study checklist` and `package`: what a study publishes beside its report."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from benchwright_foundation.atomic import write_atomically
from benchwright_foundation.errors import explain_missing_extra
from benchwright_foundation.home import Home
from benchwright_problems.storage.store import Store
from benchwright_server.cli.study.log import opened_study_log
from benchwright_server.cli.terminal.options import Json, StudyId
from benchwright_server.cli.terminal.output import console, explain_unwritable, print_json

if TYPE_CHECKING:
    from benchwright_analysis.publication.checklist import ChecklistItem
    from benchwright_analysis.report.rows.dataset import Dataset
    from benchwright_studies.conduct.study_log import StudyLog

_Notes = Annotated[
    Path | None,
    typer.Option(
        "--notes",
        metavar="FILE",
        help='What no log can know, as YAML: the number of an item and the answer, such as "2.3.2": 4 of 30.',
    ),
]


def checklist(
    study: StudyId,
    out_file: Annotated[
        Path | None,
        typer.Option("--out", metavar="FILE", help="Gets the page, Markdown; standard output if not given."),
    ] = None,
    notes_file: _Notes = None,
    json_output: Json = False,
) -> None:
    """Fill in the reporting checklist for human baselines (Wei et al., ICML 2025) from study file and log.

    What nothing says is named as empty, with where to say it.
    """
    with opened_study_log() as log, explain_missing_extra("`benchwright study checklist`", "baselines"):
        from benchwright_analysis.publication.checklist import checklist_markdown

        data, listed_items = _data_and_checklist(log, study, notes_file)
        page = checklist_markdown(data.study.title if data.study is not None else study, listed_items)
        if out_file is not None:
            with explain_unwritable(out_file):
                write_atomically(out_file, page.encode())
    unanswered_items = [listed_item.number for listed_item in listed_items if not listed_item.answer]
    if json_output:
        print_json([asdict(listed_item) for listed_item in listed_items])
    elif out_file is None:
        typer.echo(page, nl=False)
    else:
        text = f"{out_file}: {len(listed_items) - len(unanswered_items)} of {len(listed_items)} items have an answer."
        console.print(f"{text} Empty: {', '.join(unanswered_items) or 'none'}.", soft_wrap=True)


def package(
    study: StudyId,
    folder: Annotated[Path, typer.Option("--out", metavar="DIR", help="Gets the files; created if missing.")],
    notes_file: _Notes = None,
    licence: Annotated[
        str, typer.Option(help="Address of the data's licence, such as https://creativecommons.org/licenses/by/4.0/.")
    ] = "",
    json_output: Json = False,
) -> None:
    """Write what another lab needs to repeat the analysis: attempts without names and dates, and what explains them.

    People get new names by lot, which are kept nowhere. `benchwright report --from DIR/attempts.parquet` reads it.
    """
    with opened_study_log() as log, explain_missing_extra("`benchwright study package`", "baselines"):
        from benchwright_analysis.publication.package import Publication, write_package

        data, listed_items = _data_and_checklist(log, study, notes_file)
        with explain_unwritable(folder):
            files = write_package(folder, data, listed_items, Publication(licence))
    if json_output:
        print_json({"folder": str(folder), "files": files, "attempts": len(data.observations)})
        return
    console.print(f"{len(data.observations)} attempts in {folder}: {', '.join(files)}.", soft_wrap=True)
    console.print("Read checklist.md and attempts.parquet before you publish them.")


def _data_and_checklist(log: StudyLog, study_id: str, notes_file: Path | None) -> tuple[Dataset, list[ChecklistItem]]:
    from benchwright_analysis.publication.checklist import checklist_items, read_notes
    from benchwright_analysis.report.report import read_study_dataset
    from benchwright_studies.conduct.pilot import finished_pilot_count

    data = read_study_dataset(log, Store(Home.from_environment()), study_id)
    notes = read_notes(notes_file) if notes_file is not None else {}
    return data, checklist_items(data, notes, pilot_people_count=finished_pilot_count(log, study_id))
