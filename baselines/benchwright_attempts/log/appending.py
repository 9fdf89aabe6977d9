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
from benchwright_attempts.events.event_body import Request
from benchwright_attempts.events.events import Event
from benchwright_attempts.events.evidence import Activity, Recording
from benchwright_attempts.log.database import lock_chains
from benchwright_attempts.log.record import SCHEMA, AttemptHeader, Moment, RecordedEvent, wall_body_and_hash
from benchwright_attempts.log.tables import ATTEMPTS, EVENTS, NEWEST
from benchwright_attempts.summary.kept_summary import read_summaries, write_summaries
from benchwright_attempts.summary.summary import SummaryFold


@dataclass(frozen=True, slots=True)
class PendingEvent:
    """An event on its way to the disk."""

    attempt: str
    event: Event
    moment: Moment
    future: Future[RecordedEvent]
    header: AttemptHeader | None = None
    """Of the first event only: the attempt is created with it."""


@dataclass(slots=True)
class _ChainEnd:
    header: AttemptHeader
    seq: int
    hash: str
    state: AttemptState
    summary: SummaryFold


RecordableCheck = Callable[[Connection, AttemptHeader], None]

_AT_ONCE = 500
"""Attempts that one query looks up; SQLite takes 32,766 parameters at most."""


def append_batch(
    connection: Connection, batch: Sequence[PendingEvent], check_recordable: RecordableCheck
) -> list[tuple[PendingEvent, RecordedEvent | Exception]]:
    """Numbers and chains a batch and inserts it; events that an attempt's state does not allow are left out."""
    lock_chains(connection, *(entry.attempt for entry in batch))
    event_page = _EventBatch(
        connection, check_recordable, _chain_ends_of_several_if_intact(connection, {entry.attempt for entry in batch})
    )
    entry_results: list[tuple[PendingEvent, RecordedEvent | Exception]] = []
    for queued_event in batch:
        try:
            entry_results.append((queued_event, event_page.append(queued_event)))
        except AttemptError as error:
            entry_results.append((queued_event, error))
    event_page.write()
    return entry_results


COLUMNS = tuple(column.name for column in EVENTS.columns)
"""Columns of the table of events."""
_INSERT_SQLITE = str(insert(EVENTS).compile(dialect=sqlite.dialect()))
_TYPES = ", ".join(f"{column.name} {column.type}" for column in EVENTS.columns)
_INSERT_POSTGRESQL = (
    f"INSERT INTO events ({', '.join(COLUMNS)}) "  # noqa: S608
    f"SELECT {', '.join(COLUMNS)} FROM json_to_recordset(%s::json) AS new({_TYPES})"
)


def insert_rows(connection: Connection, row_values: Sequence[tuple[str | int, ...]]) -> None:
    """Inserts rows of events, whose values are in the order of `COLUMNS`."""
    if not row_values:
        return
    if connection.dialect.name == "sqlite":
        # SQLAlchemy takes as long for each row's parameters as SQLite for the row.
        connection.exec_driver_sql(_INSERT_SQLITE, list(row_values))
    else:
        # A third of what one statement for each row takes.
        rows_json = json.dumps([dict(zip(COLUMNS, row, strict=True)) for row in row_values])
        connection.exec_driver_sql(_INSERT_POSTGRESQL, (rows_json,))


class _EventBatch:
    """Events that one transaction adds."""

    def __init__(
        self, connection: Connection, check_recordable: RecordableCheck, newest_by_attempt: Mapping[str, _ChainEnd]
    ) -> None:
        self._connection = connection
        self._check = check_recordable
        self._newest_by_attempt = newest_by_attempt
        self._heads: dict[str, _ChainEnd] = {}
        self._created: list[dict[str, str]] = []
        self._events: list[tuple[str | int, ...]] = []

    def append(self, queued_event: PendingEvent) -> RecordedEvent:
        """Adds an event's row to those that will be inserted."""
        if queued_event.header is not None:
            self._check(self._connection, queued_event.header)
            self._created.append(queued_event.header.as_row())
            newest_point = _ChainEnd(
                queued_event.header, 0, queued_event.header.chain_start_hash(), AttemptState.OPEN, SummaryFold()
            )
            state = AttemptState.OPEN
        else:
            newest_point = self._heads.get(queued_event.attempt) or self._recordable_chain_end(queued_event.attempt)
            state = next_state(newest_point.state, queued_event.event.type)
        self._heads[queued_event.attempt] = newest_point
        header, moment, seq, prev_hash = (
            newest_point.header,
            queued_event.moment,
            newest_point.seq + 1,
            newest_point.hash,
        )
        event = reduce_to_recording_level(queued_event.event, header.recording)
        wall, body, digest = wall_body_and_hash(header, seq, moment, event, prev_hash)
        time_columns = (wall, moment.mono_ns, moment.process)
        self._events.append((header.id, seq, *time_columns, body, prev_hash, digest, state.value, SCHEMA))
        newest_point.seq, newest_point.hash, newest_point.state = seq, digest, state
        newest_point.summary.take_event(seq, digest, moment, event.type, event)
        return RecordedEvent(header.id, seq, moment, event, prev_hash, digest, header.solver, header.condition)

    def write(self) -> None:
        """Inserts the rows, and the summaries after them."""
        if self._created:
            self._connection.execute(insert(ATTEMPTS), self._created)
        insert_rows(self._connection, self._events)
        write_summaries(self._connection, {attempt: head.summary.summary() for attempt, head in self._heads.items()})

    def _recordable_chain_end(self, attempt: str) -> _ChainEnd:
        newest_point = self._newest_by_attempt.get(attempt) or _chain_end(self._connection, attempt)
        self._check(self._connection, newest_point.header)
        return newest_point


def _read_header(attempt_row: RowMapping) -> AttemptHeader:
    return AttemptHeader.model_validate({name: attempt_row[name] for name in AttemptHeader.model_fields})


def _chain_end(connection: Connection, attempt: str) -> _ChainEnd:
    if not is_storable_text(attempt):
        raise UnknownAttemptError(attempt)
    try:
        for newest_point in _read_chain_ends(connection, [attempt]):
            return newest_point
    except ValueError as error:
        raise AttemptError(
            f"The newest event of attempt {attempt} is damaged, so nothing can follow it. "
            "Open the problem again to begin a new attempt."
        ) from error
    raise UnknownAttemptError(attempt)


def _chain_ends_of_several_if_intact(connection: Connection, attempts: Set[str]) -> dict[str, _ChainEnd]:
    """Newest points of attempts, without those that have to be read one by one."""
    if len(attempts) == 1:
        return {}
    names = [attempt for attempt in attempts if is_storable_text(attempt)]
    id_pages = (names[start : start + _AT_ONCE] for start in range(0, len(names), _AT_ONCE))
    try:
        return {head.header.id: head for page in id_pages for head in _read_chain_ends(connection, page)}
    except ValueError:
        # One of them is damaged, and it alone is refused.
        return {}


def _read_chain_ends(connection: Connection, attempts: Sequence[str]) -> Iterator[_ChainEnd]:
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
    attempt_rows = connection.execute(query).mappings().all()
    summaries = dict(read_summaries(connection, criterion)) if attempt_rows else {}
    for attempt_row in attempt_rows:
        header = _read_header(attempt_row)
        summary = SummaryFold(summaries[header.id])
        yield _ChainEnd(header, attempt_row["seq"], attempt_row["hash"], AttemptState(attempt_row["state"]), summary)


def is_storable_text(text: str | None) -> bool:
    """True if the database can hold the name: it refuses lone surrogates, which odd file names have."""
    return text is None or ("\0" not in text and not any("\ud800" <= letter <= "\udfff" for letter in text))


def reduce_to_recording_level(event: Event, recording_level: Recording) -> Event:
    """The event with no more in it than the level allows, or the one that stands in for it.

    No event is dropped at any level: times of activity stay known, and numbers have no gap.
    """
    if recording_level is Recording.FULL:
        return event
    if recording_level is Recording.TIMING and event.reveals_content:
        actor = event.actor if isinstance(event, Request) else None
        return Activity(of=event.type, actor=actor)
    return cast("Event", event.without_text())
