"""`benchwright attempts equate`: two forms of a test on one scale."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from benchwright_foundation.errors import explain_missing_extra
from benchwright_foundation.number_text import counted, number
from benchwright_server.cli.terminal.options import Json
from benchwright_server.cli.terminal.output import console, exit_on_expected_error, print_json
from benchwright_server.cli.terminal.table import TerminalTable
from benchwright_server.errors import ServerError

if TYPE_CHECKING:
    from benchwright_analysis.statistics.equating import EquatedForms


def equate(
    first_table: Annotated[Path, typer.Argument(metavar="FIRST", help="A table of attempts, such as a report's.")],
    second_table: Annotated[
        Path, typer.Argument(metavar="SECOND", help="One of other solvers, with problems in common.")
    ],
    json_output: Json = False,
) -> None:
    """Put the scores of two sets of problems on one scale, by the problems that both have.

    Both are tables as `benchwright report` writes them (`attempts.csv`), of 50 solvers or more each.
    """
    with exit_on_expected_error(), explain_missing_extra("`benchwright attempts equate`", "baselines"):
        from benchwright_analysis.report.rows.from_table import table_dataset
        from benchwright_analysis.report.rows.table_file import read_table
        from benchwright_analysis.report.sections.ability_scale import ability_scale_of_rows
        from benchwright_analysis.statistics.equating import equate_forms
        from benchwright_analysis.statistics.errors import StatisticsError

        scales = []
        for table in (first_table, second_table):
            rows = table_dataset(read_table(table, None), 1, {}).decided_observations
            try:
                scales.append(ability_scale_of_rows(rows))
            except StatisticsError as error:
                raise ServerError(f"{table} has no scale. {error}") from error
        try:
            equated = equate_forms(*scales)
        except StatisticsError as error:
            raise ServerError(f"{first_table} and {second_table} can't be joined. {error}") from error
    if json_output:
        print_json(asdict(equated) | {"shift": equated.shift.model_dump()})
    else:
        _print_equated_forms(equated)


def _print_equated_forms(equated: EquatedForms) -> None:
    shift = equated.shift
    console.print(
        f"{counted(len(equated.common), 'problem')} in common tie the second form to the first: add "
        f"{number(shift.value)} [{number(shift.low)}, {number(shift.high)}] logits to its abilities and difficulties.",
        soft_wrap=True,
    )
    if equated.drifted:
        console.print(f"Not as hard in both, so left out: {', '.join(equated.drifted)}.", markup=False, soft_wrap=True)
    table = TerminalTable("solved in the second", "as many in the first")
    for solved, worth in enumerate(equated.scores):
        table.add_row(str(solved), f"{worth:.1f}")
    table.print_rows()
    console.print("Of problems on the scale: those that some solve and some do not, without choices and assertions.")
