"""The judges and the database of judgements, as commands open them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from benchwright_foundation.home import Home

if TYPE_CHECKING:
    # Database and client library take seconds to import: only the commands that need them pay.
    from benchwright_judges.models.configuration import JudgesSettings
    from benchwright_judges.models.panel import Panel
    from benchwright_judges.records.records import Records


@asynccontextmanager
async def opened_records(database_url: str | None = None) -> AsyncIterator[Records]:
    """The database of judgements, closed afterwards.

    Args:
        database_url: Its URL; as judges.toml says if not given.
    """
    from benchwright_judges.models.configuration import read_settings, records_location
    from benchwright_judges.records.records import Records

    records = await Records.open(database_url or records_location(read_settings(), Home.from_environment()))
    try:
        yield records
    finally:
        await records.close()


@dataclass(frozen=True)
class Judges:
    """The judges of this machine."""

    settings: JudgesSettings
    panel: Panel | None
    """None if no model judge is set up."""
    records: Records


@asynccontextmanager
async def opened_judges(reader_judge_name: str = "") -> AsyncIterator[Judges]:
    """The model judges and the database of judgements, closed afterwards.

    Args:
        reader_judge_name: The judge that reads what rules can't; as judges.toml says if not given.
    """
    from benchwright_judges.models.configuration import open_panel_if_any, read_settings

    settings = read_settings(reader_name=reader_judge_name)
    async with opened_records() as records:
        panel = await asyncio.to_thread(open_panel_if_any, settings)
        try:
            yield Judges(settings, panel, records)
        finally:
            if panel is not None:
                await panel.close()
