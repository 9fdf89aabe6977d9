"""`benchwright completion report`."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from benchwright_foundation.errors import needs
from benchwright_server.cli.terminal import options
from benchwright_server.cli.terminal.output import console, explain_unwritable, plain_errors, print_json
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
    with plain_errors(), needs("`benchwright completion report`", "baselines"):
        show(run_folders, json_output=json_output, output=output, seed=seed)


def show(run_folders: Sequence[Path], *, json_output: bool, output: Path | None = None, seed: int = 1) -> None:
    """Print what runs come to, and write the report if a folder is given."""
    from benchwright_analysis.completion.report import report_on, write_report

    report = report_on(run_folders, datetime.now(UTC).replace(microsecond=0), seed=seed)
    page = None
    if output is not None:
        with explain_unwritable(output):
            page = write_report(report, output)
    if json_output:
        print_json(report.content)
        return
    for section in report.sections:
        if section.id in _PRINTED and not section.is_empty:
            _print(section)
    if page is not None:
        console.print(f"The report: {page}", markup=False, soft_wrap=True)


def _print(section: Section) -> None:
    for table in section.all_tables:
        console.print(f"{table.title}:", style="bold")
        grid = TerminalTable(*table.columns)
        for row in table.rows:
            grid.add_row(*("–" if cell is None else str(cell) for cell in row))
        grid.print()
