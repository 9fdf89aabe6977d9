"""`benchwright judge cache`: votes in a file."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Annotated

import typer

from benchwright_foundation.errors import explain_missing_extra
from benchwright_foundation.number_text import counted
from benchwright_server.cli.judge.records import opened_records
from benchwright_server.cli.terminal.output import err, exit_on_expected_error, explain_unwritable


def add_to(judge: typer.Typer) -> None:
    """Add the commands to `benchwright judge`."""
    cache = typer.Typer(help="Keep votes in a file, and replay them without asking a model.", no_args_is_help=True)
    cache.command("export")(export)
    cache.command("import")(import_votes)
    judge.add_typer(cache, name="cache")


def export(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Written as JSON Lines; it may quote answer keys.")],
) -> None:
    """Write all recorded votes of models, so that others can repeat the judgements."""

    async def work() -> int:
        from benchwright_judges.records.vote_recording import write_recording

        async with opened_records() as records:
            votes = await records.all_cached_votes()
        with explain_unwritable(file):
            await asyncio.to_thread(write_recording, file, votes)
        return len(votes)

    with exit_on_expected_error(), explain_missing_extra("`benchwright judge cache`", "judges"):
        err.print(f"{counted(asyncio.run(work()), 'vote')} written to {file}.", markup=False)


def import_votes(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Written by `judge cache export`.")],
) -> None:
    """Import votes from a file; with `offline = true` in judges.toml, no model is asked for others."""

    async def work() -> int:
        from benchwright_judges.records.vote_recording import read_recording

        votes = await asyncio.to_thread(read_recording, file)
        async with opened_records() as records:
            await records.cache_votes(votes)
        return len(votes)

    with exit_on_expected_error(), explain_missing_extra("`benchwright judge cache`", "judges"):
        err.print(f"{counted(asyncio.run(work()), 'vote')} read from {file}.", markup=False)
