"""`benchwright judge config` and `judge test`: which judges are set up, and whether they answer."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path

import typer
from rich.text import Text

from benchwright_foundation.errors import explain_missing_extra
from benchwright_foundation.home import Home
from benchwright_foundation.number_text import UNKNOWN
from benchwright_judges.errors import ConfigurationError
from benchwright_server.cli.judge.records import opened_judges
from benchwright_server.cli.terminal.options import Json
from benchwright_server.cli.terminal.output import console, err, exit_on_expected_error, print_json
from benchwright_server.cli.terminal.table import TerminalTable
from benchwright_server.errors import ServerError

_Row = dict[str, str | float | bool]


def config(json_output: Json = False) -> None:
    """Show which judges are set up, and where."""
    with exit_on_expected_error(), explain_missing_extra("`benchwright judge config`", "judges"):
        from benchwright_judges.models.configuration import read_settings, records_location, settings_file

        file = settings_file()
        settings = read_settings()
        database = _without_password(records_location(settings, Home.from_environment()))
    judges = [judge.facts() for judge in settings.judge]
    if json_output:
        settings_fields = settings.model_dump(mode="json", exclude={"judge", "database"})
        print_json(
            {"file": str(file), "exists": file.is_file(), "database": database, "judges": judges} | settings_fields
        )
        return
    console.print(f"settings: {file}{'' if file.is_file() else ' (missing)'}", markup=False, soft_wrap=True)
    console.print(f"judgements: {database}", markup=False, soft_wrap=True)
    if not judges:
        console.print("No judge is set up: answers that need one are kept as pending. See docs/how-to/judges.md.")
        return
    table = TerminalTable("judge", "model", "family", "endpoint", "key", "USD per million in / out")
    for judge in judges:
        price = f"{judge['input_usd']:g} / {judge['output_usd']:g}" if "input_usd" in judge else UNKNOWN
        names = ("name", "model", "family", "base_url", "key")
        table.add_row(*(str(judge.get(name, UNKNOWN)) for name in names), price)
    table.print_rows()
    budget = "none" if settings.budget_usd is None else f"{settings.budget_usd:g} USD"
    if settings.reader:
        readers = " and ".join(filter(None, (settings.reader, settings.second_reader)))
        console.print(f"reader: {readers}", markup=False)
    console.print(f"votes: {settings.votes}; budget per command: {budget}{'; offline' if settings.offline else ''}")


def test(json_output: Json = False) -> None:
    """Ask each judge one sample question, and show its verdict, how long it takes, and what it costs.

    Exit status: 0 all judges give the right verdict, 1 some do not.
    """
    with (
        exit_on_expected_error(),
        explain_missing_extra("`benchwright judge test`", "judges"),
        err.status("Asking the judges"),
    ):
        rows = asyncio.run(_judge_trial_answers_and_make_rows())
    if json_output:
        print_json(rows)
    else:
        _print_votes(rows)
    raise typer.Exit(0 if all(row["ok"] for row in rows) else 1)


async def _judge_trial_answers_and_make_rows() -> list[_Row]:
    from benchwright_judges.agreement.sample import TRIAL_ANSWERS_AND_LABELS, TRIAL_QUESTION, trial_rubric
    from benchwright_judges.models.budget import JudgingBudget

    rows: list[_Row] = []
    async with opened_judges() as judges:
        if judges.panel is None:
            raise ServerError("No judge is set up. docs/how-to/judges.md shows how to set one up.")
        spending = JudgingBudget(judges.settings.budget_usd)
        for judge in judges.panel.judges:
            for answer, expected_label in TRIAL_ANSWERS_AND_LABELS:
                vote = await judge.vote(TRIAL_QUESTION, answer, trial_rubric(), budget=spending)
                rows.append(
                    {
                        "judge": judge.name,
                        "verdict": vote.label,
                        "wanted": expected_label,
                        "ok": vote.label == expected_label,
                        "error": vote.error,
                        "seconds": vote.seconds,
                        "input_tokens": vote.input_tokens,
                        "output_tokens": vote.output_tokens,
                        "cost_usd": vote.cost_usd,
                    }
                )
    return rows


def _print_votes(rows: Sequence[Mapping[str, str | float | bool]]) -> None:
    table = TerminalTable("judge", "verdict", "expected", "", "seconds", "tokens in / out", "USD")
    for row in rows:
        table.add_row(
            str(row["judge"]),
            str(row["verdict"] or row["error"]),
            str(row["wanted"]),
            Text("✓", "green") if row["ok"] else Text("✗", "red"),
            f"{row['seconds']:.1f}",
            f"{row['input_tokens']} / {row['output_tokens']}",
            f"{row['cost_usd']:.6f}",
        )
    table.print_rows()


def _without_password(database_location: str | Path) -> str:
    if isinstance(database_location, Path):
        return str(database_location)
    from sqlalchemy.engine import make_url
    from sqlalchemy.exc import ArgumentError

    try:
        return make_url(database_location).render_as_string(hide_password=True)
    except ArgumentError as error:
        raise ConfigurationError("the database's URL can't be read; write postgresql://USER@HOST/NAME") from error
