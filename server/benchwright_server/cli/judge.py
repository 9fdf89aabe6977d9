"""`benchwright judge`."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from benchwright_attempts.errors import AttemptError
from benchwright_judges.errors import ConfigurationError
from benchwright_judges.judgement import Judgement, Status
from benchwright_problems.errors import ProblemsError
from benchwright_problems.home import Home
from benchwright_problems.store import Store
from benchwright_server.cli import grading_desk, judge_agreement, judge_grading, judge_service
from benchwright_server.cli.options import Budget, Json
from benchwright_server.cli.output import err, out, plain_errors, print_json
from benchwright_server.errors import ServerError

if TYPE_CHECKING:
    # Database, client library and statistics take seconds to import: only the commands that need them pay.
    from benchwright_judges.configuration import JudgesSettings
    from benchwright_judges.panel import Panel
    from benchwright_judges.purse import Purse
    from benchwright_judges.records import Records, Waiting

app = typer.Typer(help="Judge answers, by model or by person, and serve judges to others.", no_args_is_help=True)
cache = typer.Typer(help="Keep votes in a file, and replay them without asking a model.", no_args_is_help=True)
app.add_typer(cache, name="cache")
judge_grading.add_to(app)
judge_agreement.add_to(app)
judge_service.add_to(app)
grading_desk.add_to(app)


def add_to(parent: typer.Typer) -> None:
    """Add the commands to `benchwright`."""
    parent.add_typer(app, name="judge")


@app.command("config")
def config(json_output: Json = False) -> None:
    """Show which judges are set up, and where."""
    from benchwright_judges.configuration import read_settings, records_location, settings_file

    with plain_errors():
        file = settings_file()
        settings = read_settings()
        location = records_location(settings, Home.find())
    judges = [
        {
            "name": judge.name,
            "model": judge.model,
            "family": judge.family or judge.name,
            "base_url": judge.base_url,
            "key": f"{judge.api_key_env} {'is set' if os.environ.get(judge.api_key_env) else 'IS NOT SET'}"
            if judge.api_key_env
            else "none needed",
            "input_usd": judge.input_usd,
            "output_usd": judge.output_usd,
        }
        for judge in settings.judge
    ]
    database = _without_password(location)
    if json_output:
        facts = settings.model_dump(mode="json", exclude={"judge", "database"})
        print_json({"file": str(file), "exists": file.is_file(), "database": database, "judges": judges} | facts)
        return
    out.print(f"settings: {file}{'' if file.is_file() else ' (not there)'}", markup=False, soft_wrap=True)
    out.print(f"judgements: {database}", markup=False, soft_wrap=True)
    if not judges:
        out.print("No model judge is set up: answers that need one are kept as pending. See docs/how-to/judges.md.")
        return
    table = Table("judge", "model", "family", "endpoint", "key", "USD per million in / out", box=None)
    for judge in judges:
        price = f"{judge['input_usd']:g} / {judge['output_usd']:g}"
        table.add_row(*(str(judge[name]) for name in ("name", "model", "family", "base_url", "key")), price)
    out.print(table)
    budget = "none" if settings.budget_usd is None else f"{settings.budget_usd:g} USD"
    out.print(f"votes: {settings.votes}; budget of a command: {budget}{'; offline' if settings.offline else ''}")


@app.command("test")
def test(json_output: Json = False) -> None:
    """Ask each judge one sample question, and show what it says, how long it takes, and what it costs.

    Exit status: 0 all judges give the right verdict, 1 some do not.
    """
    from benchwright_judges.purse import Purse
    from benchwright_judges.sample import SAMPLE, SAMPLE_ANSWERS, sample_rubric

    async def ask() -> list[dict[str, str | float | bool]]:
        async with _judges() as (settings, panel, _):
            if panel is None:
                raise ServerError("No judge is set up. docs/how-to/judges.md shows how to set one up.")
            purse = Purse(settings.budget_usd)
            rows: list[dict[str, str | float | bool]] = []
            for judge in panel.judges:
                for answer, wanted in SAMPLE_ANSWERS:
                    vote = await judge.vote(SAMPLE, answer, sample_rubric(), purse=purse)
                    rows.append(
                        {
                            "judge": judge.name,
                            "verdict": vote.label,
                            "wanted": wanted,
                            "ok": vote.label == wanted,
                            "error": vote.error,
                            "seconds": vote.seconds,
                            "input_tokens": vote.input_tokens,
                            "output_tokens": vote.output_tokens,
                            "cost_usd": vote.cost_usd,
                        }
                    )
            return rows

    with plain_errors(), err.status("Asking the judges"):
        rows = asyncio.run(ask())
    if json_output:
        print_json(rows)
    else:
        table = Table("judge", "verdict", "wanted", "", "seconds", "tokens in / out", "USD", box=None)
        for row in rows:
            mark = "[green]✓[/green]" if row["ok"] else "[red]✗[/red]"
            said = str(row["verdict"] or row["error"])
            tokens = f"{row['input_tokens']} / {row['output_tokens']}"
            table.add_row(
                str(row["judge"]),
                said,
                str(row["wanted"]),
                mark,
                f"{row['seconds']:.1f}",
                tokens,
                f"{row['cost_usd']:.6f}",
            )
        out.print(table)
    raise typer.Exit(0 if all(row["ok"] for row in rows) else 1)


@app.command("pending")
def pending(
    score: Annotated[bool, typer.Option("--score", help="Let the model judges score what waits.")] = False,
    budget: Budget = None,
    jobs: Annotated[int, typer.Option(min=1, max=64, help="Answers at a time.")] = 4,
    json_output: Json = False,
) -> None:
    """List the answers that wait for a judge; with --score, have them judged and their attempts told.

    Exit status: 0 nothing waits any more, 1 something does.
    """

    async def work() -> list[dict[str, str | float | None]]:
        async with _judges() as (settings, panel, records):
            waiting = await records.pending()
            if not score:
                return [_waiting_row(one, None) for one in waiting]
            if panel is None:
                raise ServerError(
                    "No model judge is set up, so nothing can be scored by one. Set one up as docs/how-to/judges.md"
                    " shows, or let people score with `benchwright judge grade`."
                )
            from benchwright_judges.purse import Purse

            purse = Purse(settings.budget_usd if budget is None else budget)
            turn = asyncio.Semaphore(jobs)

            async def one(item: Waiting) -> dict[str, str | float | None]:
                async with turn:
                    return _waiting_row(item, await _score(item, panel, records, purse))

            return await asyncio.gather(*(one(item) for item in waiting))

    with plain_errors(), err.status("Judging" if score else "Looking"):
        rows = asyncio.run(work())
    if json_output:
        print_json(rows)
    elif not rows:
        out.print("No answer waits.")
    else:
        table = Table("answer", "problem", "attempt", "since", "status", "score", "why", box=None)
        for row in rows:
            shown = "" if row["score"] is None else f"{row['score']:g}"
            told = (str(row[name]) for name in ("status",))
            since = str(row["since"])[:16].replace("T", " ")
            table.add_row(
                str(row["id"])[:8],
                str(row["problem"]),
                str(row["attempt"])[:8],
                since,
                *told,
                shown,
                str(row["message"]),
            )
        out.print(table)
    raise typer.Exit(1 if any(row["status"] in ("pending", "error") for row in rows) else 0)


async def _score(item: Waiting, panel: Panel, records: Records, purse: Purse) -> Judgement:
    from benchwright_judges.recorded_judging import judge_and_record
    from benchwright_server.runs.late_judgement import tell_attempt

    home = Home.find()
    answer = item.answer
    kept = Judgement(status=Status.PENDING, message=item.reason)
    try:
        problem = await asyncio.to_thread(Store(home).unseal, answer.problem)
    except ProblemsError as error:
        return kept.model_copy(update={"message": f"{error}."})
    if (problem.public_digest, problem.harness_digest) != (answer.problem_digest, answer.key_digest):
        return kept.model_copy(
            update={"message": "The problem was changed since; import the version that was answered."}
        )
    judgement = await judge_and_record(
        problem,
        answer.text,
        panel,
        records,
        ref=answer.problem,
        answer_id=answer.id,
        purse=purse,
        attempt=answer.attempt,
        number=answer.number,
    )
    if judgement.status.is_final:
        try:
            await asyncio.to_thread(tell_attempt, home, answer, judgement)
        except AttemptError as error:
            return judgement.model_copy(update={"message": f"{judgement.message} {error}"})
    return judgement


def _waiting_row(item: Waiting, judgement: Judgement | None) -> dict[str, str | float | None]:
    answer = item.answer
    return {
        "id": answer.id,
        "problem": answer.problem,
        "attempt": answer.attempt,
        "number": answer.number,
        "since": datetime.fromtimestamp(item.since, UTC).isoformat(timespec="seconds"),
        "status": (judgement.status if judgement else Status.PENDING).value,
        "score": judgement.score if judgement else None,
        "label": judgement.label if judgement else "",
        "rubric": judgement.rubric if judgement else "",
        "votes": len(judgement.votes) if judgement else 0,
        "cost_usd": judgement.cost_usd if judgement else 0.0,
        "message": judgement.message if judgement else item.reason,
    }


@cache.command("export")
def cache_export(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Written as JSON Lines; it may quote answer keys.")],
) -> None:
    """Write all votes of models that were ever paid for, so that others can repeat the judgements."""
    from benchwright_judges.recording import write_recording

    async def work() -> int:
        async with _records() as (_, records):
            votes = await records.cache()
        try:
            await asyncio.to_thread(write_recording, file, votes)
        except OSError as error:
            raise ServerError(f"{file} can't be written: {error.strerror}.") from error
        return len(votes)

    with plain_errors():
        err.print(f"{asyncio.run(work())} votes written to {file}.", markup=False)


@cache.command("import")
def cache_import(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Written by `judge cache export`.")],
) -> None:
    """Take votes over from a file; with `offline = true` in judges.toml, no model is asked for others."""
    from benchwright_judges.recording import read_recording

    async def work() -> int:
        votes = await asyncio.to_thread(read_recording, file)
        async with _records() as (_, records):
            await records.remember(votes)
        return len(votes)

    with plain_errors():
        err.print(f"{asyncio.run(work())} votes read from {file}.", markup=False)


@asynccontextmanager
async def _records() -> AsyncIterator[tuple[JudgesSettings, Records]]:
    from benchwright_judges.configuration import read_settings, records_location
    from benchwright_judges.records import Records

    settings = read_settings()
    records = await Records.open(records_location(settings, Home.find()))
    try:
        yield settings, records
    finally:
        await records.close()


@asynccontextmanager
async def _judges() -> AsyncIterator[tuple[JudgesSettings, Panel | None, Records]]:
    from benchwright_judges.configuration import find_panel

    async with _records() as (settings, records):
        panel = await asyncio.to_thread(find_panel, settings)
        try:
            yield settings, panel, records
        finally:
            if panel is not None:
                await panel.close()


def _without_password(location: str | Path) -> str:
    if isinstance(location, Path):
        return str(location)
    from sqlalchemy.engine import make_url
    from sqlalchemy.exc import ArgumentError

    try:
        return make_url(location).render_as_string(hide_password=True)
    except ArgumentError as error:
        raise ConfigurationError("the database's URL can't be read; write postgresql://USER@HOST/NAME") from error
