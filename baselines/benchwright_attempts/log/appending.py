"""Appends events to the chains of their attempts, within one transaction."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from concurrent.futures import Future
from dataclasses import dataclass
from typing import cast

from sqlalchemy import Connection, RowMapping, insert, select
from sqlalchemy.dialects import sqlite

from benchwright_attempts.clock.clock import AttemptState, next_state
from benchwright_attempts.errors import AttemptError, UnknownAttemptError
from benchwright_attempts.events.events import Event
from benchwright_attempts.events.evidence import Activity, Recording
from benchwright_attempts.log.database import lock
from benchwright_attempts.log.record import SCHEMA, AttemptHeader, Moment, RecordedEvent, chained
from benchwright_attempts.log.tables import ATTEMPTS, EVENTS, NEWEST
from benchwright_attempts.summary.kept_summary import keep, read_summaries
from benchwright_attempts.summary.summary import Summarizing


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

_AT_ONCE = 500
"""Attempts that one query looks up; SQLite takes 32,766 parameters at most."""


def append_all(
    connection: Connection, batch: Sequence[Entry], check_recordable: Check
) -> list[tuple[Entry, RecordedEvent | Exception]]:
    """Numbers and chains a batch and inserts it; events that an attempt's state does not allow are left out."""
    lock(connection, *(entry.attempt for entry in batch))
    page = _Page(connection, check_recordable, _newest_of(connection, {entry.attempt for entry in batch}))
    results: list[tuple[Entry, RecordedEvent | Exception]] = []
    for entry in batch:
        try:
            results.append((entry, page.append(entry)))
        except AttemptError as error:
            results.append((entry, error))
    page.write()
    return results


COLUMNS = tuple(column.name for column in EVENTS.columns)
"""Columns of the table of events."""
_INSERT_SQLITE = str(insert(EVENTS).compile(dialect=sqlite.dialect()))
_TYPES = ", ".join(f"{column.name} {column.type}" for column in EVENTS.columns)
_INSERT_POSTGRESQL = (
    f"INSERT INTO events ({', '.join(COLUMNS)}) "  # noqa: S608
    f"SELECT {', '.join(COLUMNS)} FROM json_to_recordset(%s::json) AS new({_TYPES})"
)


def insert_rows(connection: Connection, values: Sequence[tuple[str | int, ...]]) -> None:
    """Inserts rows of events, whose values are in the order of `COLUMNS`."""
    if not values:
        return
    if connection.dialect.name == "sqlite":
        # SQLAlchemy takes as long for each row's parameters as SQLite for the row.
        connection.exec_driver_sql(_INSERT_SQLITE, list(values))
    else:
        # A third of what one statement for each row takes.
        rows = json.dumps([dict(zip(COLUMNS, row, strict=True)) for row in values])
        connection.exec_driver_sql(_INSERT_POSTGRESQL, (rows,))


class _Page:
    """Events that one transaction adds."""

    def __init__(
        self, connection: Connection, check_recordable: Check, newest_by_attempt: Mapping[str, _Newest]
    ) -> None:
        self._connection = connection
        self._check = check_recordable
        self._newest_by_attempt = newest_by_attempt
        self._heads: dict[str, _Newest] = {}
        self._created: list[dict[str, str]] = []
        self._events: list[tuple[str | int, ...]] = []

    def append(self, entry: Entry) -> RecordedEvent:
        """Adds an event's row to those that will be inserted."""
        if entry.header is not None:
            self._check(self._connection, entry.header)
            self._created.append(entry.header.as_row())
            head = _Newest(entry.header, 0, entry.header.chain_start(), AttemptState.OPEN, Summarizing())
            state = AttemptState.OPEN
        else:
            head = self._heads.get(entry.attempt) or self._recordable(entry.attempt)
            state = next_state(head.state, entry.event.type)
        self._heads[entry.attempt] = head
        header, moment, seq, prev_hash = head.header, entry.moment, head.seq + 1, head.hash
        event = reduce(entry.event, header.recording)
        wall, body, digest = chained(header, seq, moment, event, prev_hash)
        time_columns = (wall, moment.mono_ns, moment.process)
        self._events.append((header.id, seq, *time_columns, body, prev_hash, digest, state.value, SCHEMA))
        head.seq, head.hash, head.state = seq, digest, state
        head.summary.take(seq, digest, moment, event.type, event)
        return RecordedEvent(header.id, seq, moment, event, prev_hash, digest, header.solver, header.condition)

    def write(self) -> None:
        """Inserts the rows, and the summaries after them."""
        if self._created:
            self._connection.execute(insert(ATTEMPTS), self._created)
        insert_rows(self._connection, self._events)
        keep(self._connection, {attempt: head.summary.summary() for attempt, head in self._heads.items()})

    def _recordable(self, attempt: str) -> _Newest:
        head = self._newest_by_attempt.get(attempt) or _newest(self._connection, attempt)
        self._check(self._connection, head.header)
        return head


def _read_header(row: RowMapping) -> AttemptHeader:
    return AttemptHeader.model_validate({name: row[name] for name in AttemptHeader.model_fields})


def _newest(connection: Connection, attempt: str) -> _Newest:
    if not is_storable(attempt):
        raise UnknownAttemptError(attempt)
    try:
        for head in _read_newest(connection, [attempt]):
            return head
    except ValueError as error:
        raise AttemptError(
            f"The newest event of attempt {attempt} is damaged, so nothing can follow it. "
            "Open the problem again to begin a new attempt."
        ) from error
    raise UnknownAttemptError(attempt)


def _newest_of(connection: Connection, attempts: Set[str]) -> dict[str, _Newest]:
    """Newest points of attempts, without those that have to be read one by one."""
    if len(attempts) == 1:
        return {}
    names = [attempt for attempt in attempts if is_storable(attempt)]
    pages = (names[start : start + _AT_ONCE] for start in range(0, len(names), _AT_ONCE))
    try:
        return {head.header.id: head for page in pages for head in _read_newest(connection, page)}
    except ValueError:
        # One of them is damaged, and it alone is refused.
        return {}


def _read_newest(connection: Connection, attempts: Sequence[str]) -> Iterator[_Newest]:
    """Newest points of attempts, as far as there are any of these names.

    Raises:
        ValueError: An attempt is damaged.
    """
    criterion = ATTEMPTS.c.id.in_(attempts)
    query = (
        select(ATTEMPTS, EVENTS.c.seq, EVENTS.c.hash, EVENTS.c.state)
        .join(EVENTS, (ATTEMPTS.c.id == EVENTS.c.attempt) & (EVENTS.c.seq == NEWEST))
        .where(criterion)
    )
    rows = connection.execute(query).mappings().all()
    summaries = dict(read_summaries(connection, criterion)) if rows else {}
    for row in rows:
        header = _read_header(row)
        summary = Summarizing(summaries[header.id])
        yield _Newest(header, row["seq"], row["hash"], AttemptState(row["state"]), summary)


def is_storable(name: str | None) -> bool:
    """True if the database can hold the name: it refuses lone surrogates, which odd file names have."""
    return name is None or ("\0" not in name and not any("\ud800" <= letter <= "\udfff" for letter in name))


def reduce(event: Event, level: Recording) -> Event:
    """The event with no more in it than the level allows, or the one that stands in for it.

    No event is dropped at any level: times of activity stay known, and numbers have no gap.
    """
    if level is Recording.FULL:
        return event
    if level is Recording.TIMING and event.reveals_content:
        return Activity(of=event.type)
    return cast("Event", event.without_text())
