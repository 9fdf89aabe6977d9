"""Deleting what was recorded of a participant; a tombstone stays, and everybody else's chains are whole."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from sqlalchemy import Connection, Engine, delete, func, insert, select
from sqlalchemy.exc import SQLAlchemyError

from benchwright_attempts.database import explain, lock, writing
from benchwright_attempts.errors import StudyError
from benchwright_attempts.record import format_wall
from benchwright_attempts.tables import ATTEMPTS, EVENTS, JOURNAL, SUMMARIES, TOMBSTONES


def delete_participant(
    engine: Engine, path: Path | str, study: str, participant: str, *, reason: str, now: datetime
) -> list[str]:
    """Deletes every attempt and the journal of a participant, in one step.

    Returns:
        Ids of the attempts that were deleted.

    Raises:
        StudyError: There is nothing of this participant.
        LogError: Nothing was deleted.
    """
    try:
        with writing(engine).begin() as connection:
            attempts = _delete(connection, study, participant, reason, format_wall(now))
        if engine.dialect.name == "sqlite":
            # What was deleted is overwritten in the file (secure_delete); the write-ahead log has it still.
            with engine.connect() as connection:
                connection.exec_driver_sql("COMMIT")
                connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)").close()
    except SQLAlchemyError as error:
        raise explain(path, error) from error
    return attempts


def _delete(connection: Connection, study: str, participant: str, reason: str, deleted: str) -> list[str]:
    mine = (ATTEMPTS.c.study == study) & (ATTEMPTS.c.solver == participant)
    attempts = list(connection.execute(select(ATTEMPTS.c.id).where(mine)).scalars())
    lock(connection, *attempts, f"journal:{study}:{participant}")
    stones = [_stone(connection, "attempt", attempt, EVENTS.c.attempt == attempt) for attempt in attempts]
    whose = (JOURNAL.c.study == study) & (JOURNAL.c.participant == participant)
    stones.append(_stone(connection, "participant", f"{study}/{participant}", whose))
    if not stones[-1]["events"] and not attempts:
        raise StudyError(f"There is nothing of {participant} in the study {study}.")
    for stone in stones:
        connection.execute(insert(TOMBSTONES), {**stone, "study": study, "deleted": deleted, "reason": reason})
    for attempt in attempts:
        connection.execute(delete(SUMMARIES).where(SUMMARIES.c.attempt == attempt))
        connection.execute(delete(EVENTS).where(EVENTS.c.attempt == attempt))
    connection.execute(delete(ATTEMPTS).where(mine))
    connection.execute(delete(JOURNAL).where(whose))
    return attempts


def _stone(connection: Connection, kind: str, identifier: str, whose: object) -> dict[str, object]:
    table = EVENTS if kind == "attempt" else JOURNAL
    count = connection.scalar(select(func.count()).select_from(table).where(whose))  # type: ignore[arg-type]
    head = connection.scalar(
        select(table.c.hash).where(whose).order_by(table.c.seq.desc()).limit(1)  # type: ignore[arg-type]
    )
    return {"kind": kind, "id": identifier, "events": count or 0, "head": head or ""}
