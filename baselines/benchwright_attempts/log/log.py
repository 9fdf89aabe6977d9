"""The attempt log: every acknowledged event is on disk, in order, and none can be changed."""

from __future__ import annotations

import asyncio
import atexit
import time
import uuid
from collections.abc import Callable, Collection, Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Lock, Thread
from typing import Any, Self

from sqlalchemy import ColumnElement, Connection, Engine, RowMapping, Select, select
from sqlalchemy.exc import SQLAlchemyError

from benchwright_attempts.claim import Claim, ClaimHolder, claim
from benchwright_attempts.clock.clock import AttemptState
from benchwright_attempts.errors import AttemptError, LogClosedError, LogDamagedError, LogError, UnknownAttemptError
from benchwright_attempts.events.adopting import (
    AdoptionEffect,
    ChainHead,
    IncomingEvents,
    adopt_attempt,
    append_received_events,
)
from benchwright_attempts.events.events import Event, Opened
from benchwright_attempts.log.appending import PendingEvent, append_batch, is_storable_text
from benchwright_attempts.log.database import (
    database_log_error,
    engine_for_writing,
    file_log_error,
    log_display_name,
    open_database,
)
from benchwright_attempts.log.record import AttemptHeader, Moment, RecordedEvent, StoredEvent, StoredRow
from benchwright_attempts.log.tables import ATTEMPTS, EVENTS
from benchwright_attempts.summary.kept_summary import read_and_repair_summaries, summarised_seq
from benchwright_attempts.summary.summary import Summary

BATCH = 4096
"""Most events one transaction takes."""
_MOST_NAMED = 500
"""Attempts that one query names."""
_wall_clock = partial(datetime.now, UTC)


class EventLog:
    """An append-only log of attempts in one SQLite file, or in a PostgreSQL database.

    All methods may be called from any thread. Several processes may append to the same attempt. Events handed over by
    one process keep their order. One thread writes; events that wait together are committed together.
    """

    def __init__(
        self,
        path: Path | str,
        *,
        wall_clock: Callable[[], datetime] = _wall_clock,
        monotonic_ns: Callable[[], int] = time.monotonic_ns,
        process: str | None = None,
        busy_timeout_s: float = 10.0,
    ) -> None:
        """Opens the database.

        Args:
            path: The file, made with its folder if missing; or a `postgresql://` address.
            wall_clock: Returns the wall time, aware.
            monotonic_ns: Returns monotonic nanoseconds.
            process: Unique id of this process; made up if not given.
            busy_timeout_s: Longest wait while another process writes, in seconds.

        Raises:
            LogError: The file cannot be made, opened or understood.
        """
        self.path = path
        self.process = process or uuid.uuid4().hex
        self._now = wall_clock
        self._monotonic_ns = monotonic_ns
        self._engine = open_database(path, busy_timeout_s=busy_timeout_s)
        self._queue: SimpleQueue[PendingEvent | None] = SimpleQueue()
        self._lock = Lock()
        self._writer: Thread | None = None
        self._newest: Future[RecordedEvent] | None = None
        self._closed = False
        self.failing: LogError | None = None
        """Why the newest events could not be written; `None` as soon as events are written again."""
        self.on_failing: set[Callable[[], None]] = set()
        """Called from any thread after `failing` has changed."""

    def __enter__(self) -> Self:
        """Lets a `with` block close the log."""
        return self

    def __exit__(self, *_: object) -> None:
        """Closes the log."""
        self.close()

    def close(self) -> None:
        """Writes what is waiting and closes the file. Later appends are refused; closing twice is fine."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
            self._queue.put(None)
        if self._writer is not None:
            self._writer.join()
        atexit.unregister(self.close)
        self._engine.dispose()

    def moment(self) -> Moment:
        """The present, as this process sees it."""
        return Moment(self._now(), self._monotonic_ns(), self.process)

    def claim(self, attempt: str) -> Claim | ClaimHolder:
        """Claims an attempt for this process, so that no other one works on it; or says who does.

        Raises:
            LogError: The claim can't be made.
        """
        try:
            return claim(self._engine, self.path, attempt)
        except SQLAlchemyError as error:
            raise database_log_error(self.path, error) from error
        except OSError as error:
            raise file_log_error(self.path, error) from error

    def append_nowait(self, attempt: str, event: Event) -> Future[RecordedEvent]:
        """Hands an event over without waiting; it carries the time of this call.

        The future resolves once the event is on disk. It fails with `UnknownAttemptError`, `IllegalTransitionError` or
        `LogError`; then nothing was written, and after an edit, a `TextSet` must follow for the log to be replayed.
        """
        return self._queue_event(attempt, event, None)

    async def append(self, attempt: str, event: Event) -> RecordedEvent:
        """Appends an event; returns when it is on disk. Cancelling the wait does not take it back.

        Raises:
            UnknownAttemptError: No such attempt exists.
            IllegalTransitionError: The attempt's state does not allow this event.
            LogError: The event could not be written; nothing of it was.
        """
        return await asyncio.wrap_future(self.append_nowait(attempt, event))

    async def wait_until_settled(self) -> None:
        """Waits until every event handed over so far is on disk, or was refused."""
        if self._newest is not None:
            await asyncio.gather(asyncio.wrap_future(self._newest), return_exceptions=True)

    def append_blocking(self, attempt: str, event: Event) -> RecordedEvent:
        """The same for code without an event loop."""
        return self.append_nowait(attempt, event).result()

    def create(self, header: AttemptHeader, opened_event: Opened) -> RecordedEvent:
        """Makes an attempt and its first event in one step; returns when both are on disk.

        Raises:
            LogError: The attempt could not be written; nothing of it was.
        """
        return self.create_nowait(header, opened_event).result()

    def create_nowait(self, header: AttemptHeader, opened_event: Opened) -> Future[RecordedEvent]:
        """The same without waiting; see `append_nowait`."""
        return self._queue_event(header.id, opened_event, header)

    def adopt_attempt(self, header: AttemptHeader, rows: Sequence[StoredRow]) -> AdoptionEffect:
        """Takes over an attempt that another log recorded, to the byte. Its chain must have been checked.

        What is here already must be its beginning; the rest is added behind it. An older copy changes nothing.

        Raises:
            StudyClosedError: Its study is closed here.
            AttemptError: Another attempt of this id is here.
            LogError: The attempt could not be written; nothing of it was.
        """
        with self._transaction(engine_for_writing(self._engine)) as connection:
            return adopt_attempt(connection, header, rows, self._check_recordable)

    def append_received_events(self, incoming: Sequence[IncomingEvents]) -> list[ChainHead | AttemptError]:
        """Takes events of different attempts as they happen in other logs, checked against the chains that are here.

        Returns:
            For each, how far its chain is here now, on disk; or why nothing of it was taken.

        Raises:
            LogError: The events could not be written; none was.
        """
        with self._transaction(engine_for_writing(self._engine)) as connection:
            return append_received_events(connection, incoming, self._check_recordable)

    def _check_recordable(self, connection: Connection, header: AttemptHeader) -> None:
        """Called in the transaction that writes an event.

        Raises:
            AttemptError: The event may not be recorded: it belongs to a study, whose rules this log does not know.
        """
        if header.study:
            raise AttemptError(
                f"Attempt {header.id} belongs to the study {header.study}: only a log that knows its rules records it."
            )

    def _queue_event(self, attempt: str, event: Event, header: AttemptHeader | None) -> Future[RecordedEvent]:
        future: Future[RecordedEvent] = Future()
        # An event that was handed over gets written, so the future must not be cancellable.
        future.set_running_or_notify_cancel()
        with self._lock:
            if self._closed:
                future.set_exception(
                    LogClosedError(log_display_name(self.path), "is closed; this event was not recorded.")
                )
                return future
            self._queue.put(PendingEvent(attempt, event, self.moment(), future, header))
            self._newest = future
            if self._writer is None:
                atexit.register(self.close)
                self._writer = Thread(target=self._write_until_closed, name="attempt-log", daemon=True)
                self._writer.start()
        return future

    def _write_until_closed(self) -> None:
        has_more = True
        while has_more:
            batch, has_more = self._next_batch_and_whether_more()
            if batch:
                self._write_batch_and_resolve(batch)

    def _next_batch_and_whether_more(self) -> tuple[list[PendingEvent], bool]:
        queued_event = self._queue.get()
        batch: list[PendingEvent] = []
        while queued_event is not None:
            batch.append(queued_event)
            if len(batch) == BATCH:
                return batch, True
            try:
                queued_event = self._queue.get_nowait()
            except Empty:
                return batch, True
        return batch, False

    def _write_batch_and_resolve(self, batch: Sequence[PendingEvent]) -> None:
        entry_results: list[tuple[PendingEvent, RecordedEvent | Exception]]
        failing: LogError | None = None
        try:
            with engine_for_writing(self._engine).begin() as connection:
                entry_results = append_batch(connection, batch, self._check_recordable)
        except SQLAlchemyError as error:
            failing = database_log_error(self.path, error)
            entry_results = [(entry, failing) for entry in batch]
        except Exception as error:  # whatever happens, nobody may wait forever, and the thread must survive
            entry_results = [(entry, error) for entry in batch]
        if str(failing) != str(self.failing):
            self.failing = failing
            for callback in tuple(self.on_failing):
                callback()
        for queued_event, result in entry_results:
            if isinstance(result, Exception):
                queued_event.future.set_exception(result)
            else:
                queued_event.future.set_result(result)

    # Reading

    def headers(self, *, problem: str | None = None, workspace: str | None = None) -> list[AttemptHeader]:
        """Attempts, newest first, of one problem or workspace if given."""
        return [
            self._parse_header(row) for row in self._attempt_rows_newest_first(select(ATTEMPTS), problem, workspace)
        ]

    def attempt_states(
        self, *, problem: str | None = None, workspace: str | None = None
    ) -> list[tuple[AttemptHeader, AttemptState]]:
        """Attempts with their present state, newest first, of one problem or workspace if given."""
        newest_state = (
            select(EVENTS.c.state)
            .where(EVENTS.c.attempt == ATTEMPTS.c.id)
            .order_by(EVENTS.c.seq.desc())
            .limit(1)
            .scalar_subquery()
        )
        attempt_rows = self._attempt_rows_newest_first(
            select(ATTEMPTS, newest_state.label("state")), problem, workspace
        )
        return [(self._parse_header(row), self._parse_state(row)) for row in attempt_rows]

    def summary(self, attempt: str) -> Summary:
        """The outcome of an attempt so far.

        Raises:
            UnknownAttemptError: No such attempt exists.
            LogDamagedError: Its events had to be read, and one can't be.
        """
        summaries = self._summaries_where(ATTEMPTS.c.id == attempt) if is_storable_text(attempt) else {}
        if attempt not in summaries:
            raise UnknownAttemptError(attempt)
        return summaries[attempt]

    def summaries(self) -> list[tuple[AttemptHeader, Summary]]:
        """All attempts with their outcomes so far, newest first."""
        summary_by_id = self._summaries_where(None)  # One may be added while this reads on.
        return [(header, summary_by_id[header.id]) for header in self.headers() if header.id in summary_by_id]

    def summaries_by_attempt(self, attempts: Collection[str]) -> dict[str, Summary]:
        """The summaries of some attempts; those that the log does not have are left out."""
        ids, summaries = list(attempts), dict[str, Summary]()
        for start in range(0, len(ids), _MOST_NAMED):
            summaries |= self._summaries_where(ATTEMPTS.c.id.in_(ids[start : start + _MOST_NAMED]))
        return summaries

    def summarised_seq(self, attempt: str) -> int:
        """The newest event that the kept summary of an attempt has seen, even if it is in the log no more."""
        return summarised_seq(self._engine, attempt)

    def _summaries_where(self, criterion: ColumnElement[bool] | None) -> dict[str, Summary]:
        try:
            return read_and_repair_summaries(self._engine, criterion)
        except SQLAlchemyError as error:
            raise database_log_error(self.path, error) from error
        except ValueError as error:
            raise self._damage_error("an event") from error

    def _attempt_rows_newest_first(
        self, query: Select[Any], problem: str | None, workspace: str | None
    ) -> Sequence[RowMapping]:
        if not is_storable_text(problem) or not is_storable_text(workspace):
            return []
        column_values = ((ATTEMPTS.c.problem, problem), (ATTEMPTS.c.workspace, workspace))
        attempts_query = query.where(*(column == value for column, value in column_values if value is not None))
        with self._transaction() as connection:
            return (
                connection.execute(attempts_query.order_by(ATTEMPTS.c.created.desc(), ATTEMPTS.c.id)).mappings().all()
            )

    def header(self, attempt: str) -> AttemptHeader:
        """The attempt with this id.

        Raises:
            UnknownAttemptError: No attempt has this id.
        """
        return self._only_matching_header(attempt, ATTEMPTS.c.id == attempt)

    def header_with_id_prefix(self, id_prefix: str) -> AttemptHeader:
        """The attempt whose id alone begins so; for ids that people type.

        Raises:
            UnknownAttemptError: None or several do.
        """
        if id_prefix.isalnum():
            return self._only_matching_header(id_prefix, ATTEMPTS.c.id.startswith(id_prefix))
        raise UnknownAttemptError(id_prefix)

    def _only_matching_header(self, attempt: str, condition: ColumnElement[bool]) -> AttemptHeader:
        if not is_storable_text(attempt):
            raise UnknownAttemptError(attempt)
        with self._transaction() as connection:
            attempt_rows = connection.execute(select(ATTEMPTS).where(condition)).mappings().all()
        if len(attempt_rows) != 1:
            raise UnknownAttemptError(attempt, len(attempt_rows))
        return self._parse_header(attempt_rows[0])

    def events(self, attempt: str, *, after_seq: int = 0) -> list[RecordedEvent]:
        """The events of an attempt, of those behind number `after_seq`, oldest first.

        Raises:
            LogDamagedError: An event cannot be read.
        """
        return [self._parse_row(row) for row in self.rows(attempt, after_seq=after_seq)]

    def rows(self, attempt: str, *, after_seq: int = 0, limit: int | None = None) -> list[StoredRow]:
        """Events exactly as stored, damaged or not: at most `limit` of those behind number `after_seq`."""
        query = (
            select(EVENTS, ATTEMPTS.c.solver.label("participant"), ATTEMPTS.c.condition)
            .join(ATTEMPTS, ATTEMPTS.c.id == EVENTS.c.attempt)
            .where(EVENTS.c.attempt == attempt, EVENTS.c.seq > after_seq)
            .order_by(EVENTS.c.seq)
            .limit(limit)
        )
        with self._transaction() as connection:
            return [StoredRow(**row) for row in connection.execute(query).mappings()]

    def stored_events(self, attempt: str, *, limit: int | None = None) -> list[StoredEvent]:
        """The first events of an attempt, at most some, with only what says when and what; damaged or not."""
        query = select(*EVENTS.c["seq", "wall", "mono_ns", "process", "body"]).where(EVENTS.c.attempt == attempt)
        with self._transaction() as connection:
            return [tuple(row) for row in connection.execute(query.order_by(EVENTS.c.seq).limit(limit))]

    def _parse_row(self, row: StoredRow) -> RecordedEvent:
        try:
            return row.parse()
        except (ValueError, TypeError) as error:
            raise self._damage_error(f"event {row.seq} of attempt {row.attempt}") from error

    def _parse_header(self, attempt_row: RowMapping) -> AttemptHeader:
        try:
            return AttemptHeader.model_validate({name: attempt_row[name] for name in AttemptHeader.model_fields})
        except ValueError as error:
            raise self._damage_error(f"attempt {attempt_row['id']}") from error

    def _parse_state(self, attempt_row: RowMapping) -> AttemptState:
        try:
            return AttemptState(attempt_row["state"])
        except ValueError as error:
            raise self._damage_error(f"the state of attempt {attempt_row['id']}") from error

    def _damage_error(self, damaged_part: str) -> LogDamagedError:
        message = f"{damaged_part} cannot be read: something other than Benchwright changed it."
        return LogDamagedError(
            log_display_name(self.path), f"{message} Move the file away and restore it from a backup."
        )

    def stored_attempt(self, attempt: str) -> tuple[AttemptHeader, list[StoredRow]]:
        """Header and events exactly as stored, damaged or not: for checks and exports.

        Raises:
            UnknownAttemptError: No such attempt exists.
        """
        header = self.header(attempt)
        return header, self.rows(attempt)

    @contextmanager
    def _transaction(self, engine: Engine | None = None) -> Iterator[Connection]:
        try:
            with (engine or self._engine).begin() as connection:
                yield connection
        except SQLAlchemyError as error:
            raise database_log_error(self.path, error) from error
