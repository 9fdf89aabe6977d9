"""Deleting what was recorded of a person; a tombstone stays, and everybody else's chains are whole."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

from sqlalchemy import Connection, Engine, delete, func, insert, select
from sqlalchemy.exc import SQLAlchemyError

from benchwright_attempts.errors import StudyError
from benchwright_attempts.log.database import database_log_error, engine_for_writing, lock_chains
from benchwright_attempts.log.record import format_wall
from benchwright_attempts.log.tables import ATTEMPTS, EVENTS, JOURNAL, SUMMARIES, TOMBSTONES


def delete_participant(
    engine: Engine, log_path: Path | str, study: str, participant: str, *, reason: str, deleted_at: datetime
) -> list[str]:
    """Deletes every attempt and the journal of a participant, in one step.

    Returns:
        Ids of the attempts that were deleted.

    Raises:
        StudyError: Nothing is there of this participant.
        LogError: Nothing was deleted.
    """
    with _secure_deletion_transaction(engine, log_path) as connection:
        own_attempts = (ATTEMPTS.c.study == study) & (ATTEMPTS.c.solver == participant)
        attempt_ids = list(connection.execute(select(ATTEMPTS.c.id).where(own_attempts)).scalars())
        lock_chains(connection, *attempt_ids, f"journal:{study}:{participant}")
        own_entries = (JOURNAL.c.study == study) & (JOURNAL.c.participant == participant)
        stone = _tombstone_values(connection, "participant", f"{study}/{participant}", own_entries)
        if not stone["events"] and not attempt_ids:
            raise StudyError(f"There is nothing of {participant} in the study {study}.")
        _delete_attempts_leaving_tombstones(connection, attempt_ids, study, reason, deleted_at)
        _insert_tombstone(connection, stone, study, reason, deleted_at)
        connection.execute(delete(JOURNAL).where(own_entries))
    return attempt_ids


def delete_attempts(
    engine: Engine, log_path: Path | str, attempts: Sequence[str], *, reason: str, deleted_at: datetime
) -> None:
    """Deletes attempts that belong to no study, in one step; those that are not there are left out.

    Raises:
        StudyError: An attempt belongs to a study.
        LogError: Nothing was deleted.
    """
    with _secure_deletion_transaction(engine, log_path) as connection:
        attempt_rows = connection.execute(
            select(ATTEMPTS.c.id, ATTEMPTS.c.study).where(ATTEMPTS.c.id.in_(attempts))
        ).all()
        studies = sorted({row.study for row in attempt_rows if row.study})
        if studies:
            raise StudyError(f"An attempt belongs to the study {studies[0]}; delete the participant there.")
        lock_chains(connection, *(row.id for row in attempt_rows))
        _delete_attempts_leaving_tombstones(connection, [row.id for row in attempt_rows], "", reason, deleted_at)


@contextmanager
def _secure_deletion_transaction(engine: Engine, path: Path | str) -> Iterator[Connection]:
    try:
        with engine_for_writing(engine).begin() as connection:
            yield connection
        if engine.dialect.name == "sqlite":
            # What was deleted is overwritten in the file (secure_delete); the write-ahead log has it still.
            with engine.connect() as connection:
                connection.exec_driver_sql("COMMIT")
                connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)").close()
    except SQLAlchemyError as error:
        raise database_log_error(path, error) from error


def _delete_attempts_leaving_tombstones(
    connection: Connection, attempts: Sequence[str], study: str, reason: str, deleted_at: datetime
) -> None:
    for attempt in attempts:
        _insert_tombstone(
            connection,
            _tombstone_values(connection, "attempt", attempt, EVENTS.c.attempt == attempt),
            study,
            reason,
            deleted_at,
        )
    for attempt in attempts:
        connection.execute(delete(SUMMARIES).where(SUMMARIES.c.attempt == attempt))
        connection.execute(delete(EVENTS).where(EVENTS.c.attempt == attempt))
        connection.execute(delete(ATTEMPTS).where(ATTEMPTS.c.id == attempt))


def _insert_tombstone(
    connection: Connection, tombstone_values: dict[str, object], study: str, reason: str, deleted_at: datetime
) -> None:
    connection.execute(
        insert(TOMBSTONES), {**tombstone_values, "study": study, "deleted": format_wall(deleted_at), "reason": reason}
    )


def _tombstone_values(connection: Connection, kind: str, identifier: str, row_criterion: object) -> dict[str, object]:
    table = EVENTS if kind == "attempt" else JOURNAL
    count = connection.scalar(select(func.count()).select_from(table).where(row_criterion))  # type: ignore[arg-type]
    head = connection.scalar(
        select(table.c.hash).where(row_criterion).order_by(table.c.seq.desc()).limit(1)  # type: ignore[arg-type]
    )
    return {"kind": kind, "id": identifier, "events": count or 0, "head": head or ""}
