"""`benchwright completion report`."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from benchwright_foundation.errors import explain_missing_extra
from benchwright_server.cli.terminal import options
from benchwright_server.cli.terminal.output import console, exit_on_expected_error, explain_unwritable, print_json
from benchwright_server.cli.terminal.table import TerminalTable

if TYPE_CHECKING:
    from benchwright_analysis.report.section import Section

_PRINTED = ("passed", "characters", "funnel", "beside-people", "latency", "tokens", "failures")


def report_command(
    run_folders: Annotated[list[Path], typer.Argument(metavar="DIR...", help="Folders of `completion run`.")],
    output: Annotated[
        Path | None, typer.Option("--out", metavar="DIR", help="Write the page and completion.json to this folder.")
    ] = None,
    seed: options.BootstrapSeed = 1,
    json_output: options.Json = False,
) -> None:
    """Compare runs: hidden tests passed, characters saved, offers accepted, latency, failures."""
    with exit_on_expected_error(), explain_missing_extra("`benchwright completion report`", "baselines"):
        print_report_and_write_page(run_folders, json_output=json_output, report_folder=output, seed=seed)


def print_report_and_write_page(
    run_folders: Sequence[Path], *, json_output: bool, report_folder: Path | None = None, seed: int = 1
) -> None:
    """Print what runs come to, and write the report if a folder is given."""
    from benchwright_analysis.completion.report import make_completion_report, write_page_and_json

    report = make_completion_report(run_folders, datetime.now(UTC).replace(microsecond=0), seed=seed)
    page = None
    if report_folder is not None:
        with explain_unwritable(report_folder):
            page = write_page_and_json(report, report_folder)
    if json_output:
        print_json(report.json_content)
        return
    for section in report.sections:
        if section.id in _PRINTED and not section.is_empty:
            _print_tables(section)
    if page is not None:
        console.print(f"The report: {page}", markup=False, soft_wrap=True)


def _print_tables(section: Section) -> None:
    for table in section.all_tables:
        console.print(f"{table.title}:", style="bold")
        grid = TerminalTable(*table.columns)
        for row in table.rows:
            grid.add_row(*("–" if cell is None else str(cell) for cell in row))
        grid.print_rows()
