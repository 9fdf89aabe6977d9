"""`benchwright judge reading`: how well replies are read, by rules and by a model."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from benchwright_foundation.errors import explain_missing_extra
from benchwright_server.cli.judge.agreement import share_with_interval_text
from benchwright_server.cli.judge.records import opened_judges
from benchwright_server.cli.terminal.options import Budget, Json, Reader
from benchwright_server.cli.terminal.output import console, err, exit_on_expected_error, print_json
from benchwright_server.cli.terminal.table import TerminalTable
from benchwright_server.errors import ServerError

if TYPE_CHECKING:
    # NumPy and SciPy take seconds to import.
    from benchwright_judges.reading.measure import ReadingMeasurement


def reading(
    corpus: Annotated[Path, typer.Argument(metavar="FILE", help="Replies with what people read, JSON Lines.")],
    reader: Reader = "",
    budget: Budget = None,
    json_output: Json = False,
) -> None:
    """Measure how well rules read replies, and a model what rules can't, against what people read in them.

    Exit status: 0 measured, 1 the model could not be used for some replies.
    """
    with (
        exit_on_expected_error(),
        explain_missing_extra("`benchwright judge reading`", "judges"),
        err.status("Reading"),
    ):
        measured = asyncio.run(_measure_reading(corpus, reader, budget))
    if json_output:
        print_json(measured.model_dump(mode="json"))
    else:
        _print_reading_qualities(measured)
    raise typer.Exit(1 if measured.failed else 0)


async def _measure_reading(corpus_file: Path, reader_judge_name: str, budget_usd: float | None) -> ReadingMeasurement:
    from benchwright_judges.models.budget import JudgingBudget, OutOfBudgetError
    from benchwright_judges.reading.corpus import read_corpus
    from benchwright_judges.reading.measure import measure_reading

    replies = await asyncio.to_thread(read_corpus, corpus_file)
    async with opened_judges(reader_judge_name) as judges:
        spending = JudgingBudget(judges.settings.budget_usd if budget_usd is None else budget_usd)
        try:
            return await measure_reading(replies, judges.panel, judges.records, spending)
        except OutOfBudgetError as error:
            raise ServerError(
                "The budget does not suffice for all replies. What was read is kept: repeat the command with a larger"
                " --budget."
            ) from error


def _print_reading_qualities(measured: ReadingMeasurement) -> None:
    table = TerminalTable("reader", "format", "n", "read", "unread", "misread", "invented")
    for quality in measured.qualities:
        shares = map(share_with_interval_text, (quality.read, quality.unread, quality.misread, quality.invented))
        table.add_row(quality.reader, quality.format, str(quality.replies), *shares)
    table.print_rows()
    if measured.asked:
        console.print(f"Replies that the model was asked about: {measured.asked}; cost: {measured.cost_usd:.4f} USD.")
    if measured.failed:
        console.print(f"Replies for which it could not be used: {measured.failed}; `benchwright judge test` shows why.")
    console.print("Read, unread and misread: of the replies in which people read one value; invented: of the others.")
    console.print("Intervals: 95 %, Wilson's.")
