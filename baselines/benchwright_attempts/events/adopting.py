"""Taking over attempts from other logs: all of one at once, or events as they happen elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from sqlalchemy import Connection, insert, select

from benchwright_attempts.errors import AttemptError
from benchwright_attempts.log.appending import COLUMNS, insert_rows
from benchwright_attempts.log.chain import Chain, rows_with_states
from benchwright_attempts.log.database import lock_chains
from benchwright_attempts.log.record import AttemptHeader, StoredRow
from benchwright_attempts.log.tables import ATTEMPTS, EVENTS, NEWEST, SUMMARIES
from benchwright_attempts.summary.kept_summary import continued_summary, summary_from_rows, write_summaries
from benchwright_attempts.summary.summary import Summary

RecordableCheck = Callable[[Connection, AttemptHeader], None]
"""Refuses what may not be recorded."""


class AdoptionEffect(StrEnum):
    """Change made by taking over an attempt."""

    NEW = "new"
    """It was not here."""
    LONGER = "longer"
    """Its beginning was here; events were added."""
    KNOWN = "known"
    """All of it was here."""


def count_consistent_stored_events(connection: Connection, attempt: str, incoming_rows: Sequence[StoredRow]) -> int:
    """Number of an attempt's events that are here; these and the rows are the same as far as both go.

    Raises:
        AttemptError: The events here and the rows differ.
    """
    newest_query = select(EVENTS.c.seq).where(EVENTS.c.attempt == attempt).order_by(EVENTS.c.seq.desc()).limit(1)
    last_seq = connection.scalar(newest_query) or 0
    shared = min(last_seq, len(incoming_rows))
    if shared:
        stored_hash = connection.scalar(
            select(EVENTS.c.hash).where(EVENTS.c.attempt == attempt, EVENTS.c.seq == shared)
        )
        if stored_hash != incoming_rows[shared - 1].hash:
            raise AttemptError(
                f"Attempt {attempt} is here with other events. Two machines wrote both, or one was changed: keep both "
                "folders, and compare them with `benchwright attempts verify`."
            )
    return last_seq


def adopt_attempt(
    connection: Connection, header: AttemptHeader, rows: Sequence[StoredRow], check_recordable: RecordableCheck
) -> AdoptionEffect:
    """Takes over an attempt whose chain has been checked; see `EventLog.adopt_attempt`.

    Raises:
        AttemptError: Another attempt of this id is here, or it may not be recorded.
    """
    lock_chains(connection, header.id)
    is_new = connection.scalar(select(ATTEMPTS.c.id).where(ATTEMPTS.c.id == header.id)) is None
    stored_count = 0 if is_new else count_consistent_stored_events(connection, header.id, rows)
    if stored_count >= len(rows) and not is_new:
        return AdoptionEffect.KNOWN
    check_recordable(connection, header)
    if is_new:
        connection.execute(insert(ATTEMPTS), header.as_row())
    insert_rows(connection, [_column_values(row) for row in rows_with_states(rows)[stored_count:]])
    write_summaries(connection, {header.id: summary_from_rows(rows)})
    return AdoptionEffect.NEW if is_new else AdoptionEffect.LONGER


@dataclass(frozen=True, slots=True)
class ChainHead:
    """Newest point of an attempt's chain here."""

    events: int
    """Number of the newest event; 0 if there is none."""
    hash: str
    """Its hash."""


@dataclass(frozen=True, slots=True)
class IncomingEvents:
    """Events of one attempt that another log has recorded."""

    header: AttemptHeader
    rows: Sequence[StoredRow]
    """In order."""


def append_received_events(
    connection: Connection, incoming: Sequence[IncomingEvents], check_recordable: RecordableCheck
) -> list[ChainHead | AttemptError]:
    """Takes events that follow those that are here, of any number of attempts; those that are here change nothing.

    Args:
        connection: Connection in a transaction that writes.
        incoming: Each of another attempt.
        check_recordable: Refuses what may not be recorded.

    Returns:
        For each, how far its chain is here now, or why nothing of it was taken: its header, or an event that is here,
        is another one; its events leave a gap or do not follow; or they may not be recorded.
    """
    lock_chains(connection, *(received_events.header.id for received_events in incoming))
    stored_attempts = _stored_attempts(connection, [received_events.header.id for received_events in incoming])
    heads: list[ChainHead | AttemptError] = []
    created: list[dict[str, str]] = []
    fresh: list[StoredRow] = []
    summaries: dict[str, Summary] = {}
    for received_events in incoming:
        attempt = received_events.header.id
        try:
            chain_head, rows = _checked_head_and_new_rows(
                connection, received_events, stored_attempts.get(attempt), check_recordable
            )
            if rows:
                summaries[attempt] = _summary_after(connection, attempt, stored_attempts.get(attempt), rows)
        except AttemptError as error:
            heads.append(error)
            continue
        heads.append(chain_head)
        if attempt not in stored_attempts:
            created.append(received_events.header.as_row())
        fresh += rows
    if created:
        connection.execute(insert(ATTEMPTS), created)
    insert_rows(connection, [_column_values(row) for row in fresh])
    write_summaries(connection, summaries)
    return heads


@dataclass(frozen=True, slots=True)
class _StoredAttempt:
    """Events of an attempt that are here."""

    header_row: Mapping[str, str]
    """Its row."""
    newest_row: StoredRow | None
    summary_columns: tuple[int, int, str] | None
    """Its summary: number of the newest event, version, body."""


_FIRST_OF_SUMMARY = len(ATTEMPTS.columns) + len(EVENTS.columns)


def _stored_attempts(connection: Connection, attempts: Sequence[str]) -> dict[str, _StoredAttempt]:
    query = (
        select(ATTEMPTS, EVENTS, SUMMARIES.c.seq, SUMMARIES.c.version, SUMMARIES.c.body)
        .outerjoin(EVENTS, (EVENTS.c.attempt == ATTEMPTS.c.id) & (EVENTS.c.seq == NEWEST))
        .outerjoin(SUMMARIES, SUMMARIES.c.attempt == ATTEMPTS.c.id)
        .where(ATTEMPTS.c.id.in_(attempts))
    )
    attempts_by_id = {}
    for row in connection.execute(query):
        column_values = tuple(row)
        header_row = dict(zip(ATTEMPTS.columns.keys(), column_values, strict=False))
        event_fields = dict(zip(EVENTS.columns.keys(), column_values[len(ATTEMPTS.columns) :], strict=False))
        summary_columns = column_values[_FIRST_OF_SUMMARY:]
        attempts_by_id[header_row["id"]] = _StoredAttempt(
            header_row,
            StoredRow(**event_fields) if event_fields["seq"] is not None else None,
            summary_columns if summary_columns[0] is not None else None,
        )
    return attempts_by_id


def _checked_head_and_new_rows(
    connection: Connection,
    received_events: IncomingEvents,
    stored_attempt: _StoredAttempt | None,
    check_recordable: RecordableCheck,
) -> tuple[ChainHead, list[StoredRow]]:
    """Head of an attempt's chain with these events, and those of them that are not here yet."""
    header = received_events.header
    if stored_attempt is None:
        check_recordable(connection, header)
    elif stored_attempt.header_row != header.as_row():
        raise AttemptError(f"Attempt {header.id} is here with another header.")
    newest_row = stored_attempt.newest_row if stored_attempt is not None else None
    chain = Chain.from_newest_row(header, newest_row)
    known_rows = [row for row in received_events.rows if row.seq <= chain.events]
    _refuse_if_stored_differently(connection, header, known_rows)
    fresh: list[StoredRow] = []
    for row in received_events.rows[len(known_rows) :]:
        flaw = chain.advance_by_row_or_flaw(row)
        if flaw is not None:
            raise AttemptError(f"Event {row.seq} of attempt {header.id} can't follow: {flaw}.")
        fresh.append(replace(row, state=chain.state.value))
    if fresh and stored_attempt is not None:
        check_recordable(connection, header)
    return ChainHead(chain.events, chain.head), fresh


def _summary_after(
    connection: Connection, attempt: str, stored_attempt: _StoredAttempt | None, new_rows: Sequence[StoredRow]
) -> Summary:
    try:
        return continued_summary(
            connection, attempt, stored_attempt.summary_columns if stored_attempt is not None else None, new_rows
        )
    except ValueError as error:
        raise AttemptError(f"An event of attempt {attempt} is of a kind that is not known here: {error}") from error


def _refuse_if_stored_differently(
    connection: Connection, header: AttemptHeader, incoming_rows: Sequence[StoredRow]
) -> None:
    if not incoming_rows:
        return
    query = select(EVENTS.c.seq, EVENTS.c.hash).where(
        EVENTS.c.attempt == header.id, EVENTS.c.seq >= incoming_rows[0].seq, EVENTS.c.seq <= incoming_rows[-1].seq
    )
    stored_hashes = {row.seq: row.hash for row in connection.execute(query)}
    if any(stored_hashes.get(row.seq) != row.hash for row in incoming_rows):
        raise AttemptError(
            f"Attempt {header.id} is here with other events: two computers wrote both, or one log was changed."
        )


def _column_values(row: StoredRow) -> tuple[str | int, ...]:
    return tuple(getattr(row, name) for name in COLUMNS)
