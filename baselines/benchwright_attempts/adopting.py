"""Taking over attempts from other logs: how much of one is here already."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

from sqlalchemy import Connection, select

from benchwright_attempts.errors import AttemptError
from benchwright_attempts.record import Row
from benchwright_attempts.tables import EVENTS


class Adopted(StrEnum):
    """What taking over an attempt changed."""

    NEW = "new"
    """It was not here."""
    LONGER = "longer"
    """Its beginning was here; events were added."""
    KNOWN = "known"
    """All of it was here."""


def shared_beginning(connection: Connection, attempt: str, rows: Sequence[Row]) -> int:
    """How many of an attempt's events are here; these and the rows are the same as far as both go.

    Raises:
        AttemptError: They are not.
    """
    newest = select(EVENTS.c.seq).where(EVENTS.c.attempt == attempt).order_by(EVENTS.c.seq.desc()).limit(1)
    here = connection.scalar(newest) or 0
    shared = min(here, len(rows))
    if shared:
        found = connection.scalar(select(EVENTS.c.hash).where(EVENTS.c.attempt == attempt, EVENTS.c.seq == shared))
        if found != rows[shared - 1].hash:
            raise AttemptError(
                f"Attempt {attempt} is here with other events. Two machines wrote both, or one was changed: keep both "
                "folders, and compare them with `benchwright attempts verify`."
            )
    return here
