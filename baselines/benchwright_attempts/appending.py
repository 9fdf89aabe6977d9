"""Appends events to the chains of their attempts, within one transaction."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass

from sqlalchemy import Connection, RowMapping, insert, select
from sqlalchemy.dialects import sqlite

from benchwright_attempts.clock import AttemptState, next_state
from benchwright_attempts.database import lock
from benchwright_attempts.errors import AttemptError, UnknownAttemptError
from benchwright_attempts.events import Event
from benchwright_attempts.kept_summary import keep, kept
from benchwright_attempts.privacy import reduce
from benchwright_attempts.record import SCHEMA, AttemptHeader, Moment, RecordedEvent, chained
from benchwright_attempts.summary import Summarizing
from benchwright_attempts.tables import ATTEMPTS, EVENTS


@dataclass(frozen=True, slots=True)
class Entry:
    """An event on its way to the disk."""

    attempt: str
    event: Event
    moment: Moment
    future: Future[RecordedEvent]
    header: AttemptHeader | None = None
    """Of the first event only: the attempt is created with it."""


@dataclass(slots=True)
class _Newest:
    header: AttemptHeader
    seq: int
    hash: str
    state: AttemptState
    summary: Summarizing


Check = Callable[[Connection, AttemptHeader], None]


def append_all(
    connection: Connection, batch: Sequence[Entry], check_recordable: Check
) -> list[tuple[Entry, RecordedEvent | Exception]]:
    """Numbers and chains a batch and inserts it; events that an attempt's state does not allow are left out."""
    lock(connection, *(entry.attempt for entry in batch))
    heads: dict[str, _Newest] = {}
    results: list[tuple[Entry, RecordedEvent | Exception]] = []
    values: list[tuple[str | int, ...]] = []
    for entry in batch:
        try:
            results.append((entry, _append(connection, entry, heads, values, check_recordable)))
        except AttemptError as error:
            results.append((entry, error))
    insert_rows(connection, values)
    keep(connection, {attempt: head.summary.summary() for attempt, head in heads.items()})
    return results


COLUMNS = tuple(column.name for column in EVENTS.columns)
"""Columns of the table of events."""
_INSERT = insert(EVENTS)
_INSERT_SQLITE = str(_INSERT.compile(dialect=sqlite.dialect()))


def insert_rows(connection: Connection, values: Sequence[tuple[str | int, ...]]) -> None:
    """Inserts rows of events, whose values are in the order of `COLUMNS`."""
    if not values:
        return
    if connection.dialect.name == "sqlite":
        # SQLAlchemy takes as long for each row's parameters as SQLite for the row.
        connection.exec_driver_sql(_INSERT_SQLITE, list(values))
    else:
        connection.execute(_INSERT, [dict(zip(COLUMNS, row, strict=True)) for row in values])


def _append(
    connection: Connection,
    entry: Entry,
    heads: dict[str, _Newest],
    values: list[tuple[str | int, ...]],
    check_recordable: Check,
) -> RecordedEvent:
    """Adds an event's row to those that will be inserted."""
    head = heads.get(entry.attempt)
    if entry.header is not None:
        check_recordable(connection, entry.header)
        connection.execute(insert(ATTEMPTS), entry.header.as_row())
        head = _Newest(entry.header, 0, entry.header.chain_start(), AttemptState.OPEN, Summarizing())
        state = AttemptState.OPEN
    else:
        head = head or _recordable(connection, entry.attempt, check_recordable)
        state = next_state(head.state, entry.event.type)
    heads[entry.attempt] = head
    header, moment, seq, prev_hash = head.header, entry.moment, head.seq + 1, head.hash
    event = reduce(entry.event, header.recording)
    wall, body, digest = chained(header, seq, moment, event, prev_hash)
    values.append((header.id, seq, wall, moment.mono_ns, moment.process, body, prev_hash, digest, state.value, SCHEMA))
    head.seq, head.hash, head.state = seq, digest, state
    head.summary.take(seq, digest, moment, event.type, event)
    return RecordedEvent(header.id, seq, moment, event, prev_hash, digest, header.solver, header.condition)


def _recordable(connection: Connection, attempt: str, check_recordable: Check) -> _Newest:
    head = _newest(connection, attempt)
    check_recordable(connection, head.header)
    return head


def _read_header(row: RowMapping) -> AttemptHeader:
    return AttemptHeader.model_validate({name: row[name] for name in AttemptHeader.model_fields})


def _newest(connection: Connection, attempt: str) -> _Newest:
    if not is_storable(attempt):
        raise UnknownAttemptError(attempt)
    wanted = (
        select(ATTEMPTS, EVENTS.c.seq, EVENTS.c.hash, EVENTS.c.state)
        .join(EVENTS, ATTEMPTS.c.id == EVENTS.c.attempt)
        .where(EVENTS.c.attempt == attempt)
        .order_by(EVENTS.c.seq.desc())
        .limit(1)
    )
    found = connection.execute(wanted).mappings().one_or_none()
    if found is None:
        raise UnknownAttemptError(attempt)
    try:
        (summary,) = (summary for _, summary in kept(connection, ATTEMPTS.c.id == attempt))
        return _Newest(
            _read_header(found), found["seq"], found["hash"], AttemptState(found["state"]), Summarizing(summary)
        )
    except ValueError as error:
        raise AttemptError(
            f"The newest event of attempt {attempt} is damaged, so nothing can follow it. "
            "Open the problem again to begin a new attempt."
        ) from error


def is_storable(name: str | None) -> bool:
    """Whether the database can hold the name: it refuses lone surrogates, which odd file names have."""
    return name is None or ("\0" not in name and not any("\ud800" <= letter <= "\udfff" for letter in name))
