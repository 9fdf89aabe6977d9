"""How much of a study has arrived at the service, by participant: not what it says."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import and_, func, select

from benchwright_foundation.database import Database
from benchwright_service.storage.tables import ASSIGNMENTS, ATTEMPTS_HELD, PLACES, RECEIPTS


@dataclass(frozen=True)
class Arrived:
    """What has arrived of one participant."""

    events: int
    """Of all attempts, as far as they are countersigned."""
    receipt: datetime
    """The time of the newest receipt, by the service's clock."""


async def arrivals(database: Database, study: str) -> Mapping[str, Arrived]:
    """By pseudonym; without those of whom nothing is here."""
    newest = (
        select(RECEIPTS.c.attempt, func.max(RECEIPTS.c.events).label("events"))
        .join(ATTEMPTS_HELD, ATTEMPTS_HELD.c.attempt == RECEIPTS.c.attempt)
        .join(ASSIGNMENTS, ASSIGNMENTS.c.id == ATTEMPTS_HELD.c.assignment)
        .where(ASSIGNMENTS.c.course == study)
        .group_by(RECEIPTS.c.attempt)
        .subquery()
    )
    wanted = (
        select(PLACES.c.pseudonym, RECEIPTS.c.events, RECEIPTS.c.anchor)
        .join(newest, and_(newest.c.attempt == RECEIPTS.c.attempt, newest.c.events == RECEIPTS.c.events))
        .join(ATTEMPTS_HELD, ATTEMPTS_HELD.c.attempt == RECEIPTS.c.attempt)
        .join(PLACES, and_(PLACES.c.account == ATTEMPTS_HELD.c.account, PLACES.c.study == study))
    )
    async with database.reading() as connection:
        rows = (await connection.execute(wanted)).all()
    found: dict[str, Arrived] = {}
    for row in rows:
        time = datetime.fromisoformat(json.loads(row.anchor)["receipt"]["time"])
        before = found.get(row.pseudonym)
        found[row.pseudonym] = (
            Arrived(row.events, time)
            if before is None
            else Arrived(before.events + row.events, max(before.receipt, time))
        )
    return found
