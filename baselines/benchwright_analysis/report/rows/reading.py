"""From the event log to rows: attempts are read one at a time, on several processors where there are many events."""

from __future__ import annotations

import gc
import multiprocessing
import os
import sqlite3
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, func, select
from sqlalchemy.exc import SQLAlchemyError

from benchwright_analysis.report.fold import AttemptFold, FoldedAttempt
from benchwright_analysis.report.rows.codebook import arrow_schema_of
from benchwright_analysis.report.rows.event_columns import EventColumns
from benchwright_analysis.report.rows.event_row import EventRow
from benchwright_analysis.report.rows.problem_facts import ProblemFacts
from benchwright_analysis.report.rows.spreadsheet import escape_formulas
from benchwright_attempts.errors import AttemptError, LogDamagedError, LogError
from benchwright_attempts.log.chain import Chain
from benchwright_attempts.log.database import database_log_error, log_display_name, open_database
from benchwright_attempts.log.record import SCHEMA, AttemptHeader
from benchwright_attempts.log.tables import ATTEMPTS, EVENTS
from benchwright_attempts.standing import summary_view
from benchwright_attempts.state import AttemptState
from benchwright_attempts.summary.kept_summary import read_summaries

IN_ONE_PROCESS = 100_000
"""Up to this many events another process would cost more than it saves."""
_WORKERS = 8
_ROWS_AT_ONCE = 100_000
_READ_AT_ONCE = 10_000


@dataclass(frozen=True)
class LogJob:
    """Some attempts of one log."""

    path: Path | str
    headers: Sequence[AttemptHeader]
    problem_facts: Mapping[str, ProblemFacts]
    idle_threshold_s_by_study: Mapping[str, float]
    """Study → how much of a gap without activity counts."""
    events_file: Path | None = None
    """File for a row of each event; none if they are not wanted."""
    check: bool = True
    """True if hash chains are checked."""


def count_events(path: Path | str) -> int:
    """Events in a log, by the number of each attempt's newest: counting rows reads all of a large log.

    Raises:
        LogError: The log can't be read.
    """
    engine = open_database(path, busy_timeout_s=10)
    try:
        with engine.connect() as connection:
            newest_seq = select(func.max(EVENTS.c.seq).label("seq")).where(EVENTS.c.attempt == ATTEMPTS.c.id)
            event_counts = select(newest_seq.scalar_subquery().label("events")).select_from(ATTEMPTS).subquery()
            return int(connection.scalar(select(func.sum(event_counts.c.events))) or 0)
    except SQLAlchemyError as error:
        raise database_log_error(path, error) from error
    finally:
        engine.dispose()


def fold_attempts_and_write_events(job: LogJob, *, expected_event_count: int) -> tuple[list[FoldedAttempt], list[Path]]:
    """A row for each attempt, in the order of the headers, and the files with the events' rows.

    Args:
        job: Everything.
        expected_event_count: Approximate number of events.

    Raises:
        LogDamagedError: A chain is broken, or an event can't be read; the message names it.
    """
    processors = os.cpu_count() or 1
    workers = min(processors, _WORKERS, len(job.headers)) if expected_event_count > IN_ONE_PROCESS else 1
    if workers <= 1:
        # The events of one attempt are read in their order, but its chain can be checked beside that.
        is_checked_beside = job.check and expected_event_count > IN_ONE_PROCESS and processors > 1
        return _fold_and_check_chains_beside(job) if is_checked_beside else _fold_without_garbage_collection(job), [
            job.events_file
        ] if job.events_file is not None else []
    # Neighbours are of about the same time and length, so every n-th goes to one worker.
    part_jobs = [
        LogJob(
            job.path,
            job.headers[number::workers],
            job.problem_facts,
            job.idle_threshold_s_by_study,
            job.events_file.with_name(f"{job.events_file.stem}-{number}{job.events_file.suffix}")
            if job.events_file
            else None,
            job.check,
        )
        for number in range(workers)
    ]
    with ProcessPoolExecutor(workers, mp_context=multiprocessing.get_context("spawn")) as pool:
        folded_parts = [_folded_or_raise(part) for part in pool.map(_fold_or_failure, part_jobs)]
    by_attempt = {
        folded_attempt.observation.attempt: folded_attempt
        for folded_part in folded_parts
        for folded_attempt in folded_part
    }
    return [by_attempt[header.id] for header in job.headers], [
        part_job.events_file for part_job in part_jobs if part_job.events_file
    ]


def _fold_without_garbage_collection(job: LogJob) -> list[FoldedAttempt]:
    # Millions of small values come and go, none of them in a circle: looking for circles takes a third of the time.
    collects = gc.isenabled()
    gc.disable()
    try:
        return list(_fold_each_attempt(job))
    finally:
        if collects:
            gc.enable()


def _fold_and_check_chains_beside(job: LogJob) -> list[FoldedAttempt]:
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        checking = pool.submit(_first_chain_flaw, job)
        try:
            folded_attempts = _fold_without_garbage_collection(replace(job, check=False))
        except LogDamagedError:
            # What can't be read is found by its hash as well, and then named the same as without another process.
            _raise_if_flawed(checking.result())
            raise
        _raise_if_flawed(checking.result())
    return folded_attempts


def _raise_if_flawed(flaw: _ReadFailure | None) -> None:
    if flaw is not None:
        raise AttemptError(flaw.message)


def _first_chain_flaw(job: LogJob) -> _ReadFailure | None:
    """The first flaw of the chains."""
    try:
        engine = open_database(job.path, busy_timeout_s=10)
        try:
            with engine.connect() as connection:
                for header in job.headers:
                    for _ in _rows_checked_for_gaps(job, header, _chain_checked_event_rows(connection, header)):
                        pass
        finally:
            engine.dispose()
    except LogError as error:
        return _ReadFailure(str(error))
    except SQLAlchemyError as error:
        return _ReadFailure(str(database_log_error(job.path, error)))
    return None


def _fold_or_failure(job: LogJob) -> list[FoldedAttempt] | _ReadFailure:
    try:
        return _fold_without_garbage_collection(job)
    except LogError as error:
        # Errors with arguments of their own do not come through to another process.
        return _ReadFailure(str(error))


@dataclass(frozen=True)
class _ReadFailure:
    message: str


def _folded_or_raise(part_outcome: list[FoldedAttempt] | _ReadFailure) -> list[FoldedAttempt]:
    if isinstance(part_outcome, _ReadFailure):
        raise AttemptError(part_outcome.message)
    return part_outcome


def _fold_each_attempt(job: LogJob) -> Iterator[FoldedAttempt]:
    engine = open_database(job.path, busy_timeout_s=10)
    sink = _EventFilesWriter(job.events_file) if job.events_file is not None else None
    try:
        with engine.connect() as connection:
            for header in job.headers:
                yield _fold_attempt(job, connection, header, sink.event_columns if sink is not None else None)
                if sink is not None and len(sink.event_columns) >= _ROWS_AT_ONCE:
                    sink.write_and_clear_rows()
            if sink is not None:
                sink.write_and_clear_rows()
    except SQLAlchemyError as error:
        raise database_log_error(job.path, error) from error
    finally:
        if sink is not None:
            sink.close()
        engine.dispose()


def _fold_attempt(
    job: LogJob, connection: Connection, header: AttemptHeader, event_columns: EventColumns | None
) -> FoldedAttempt:
    fold = AttemptFold(
        header,
        job.problem_facts.get(header.problem, ProblemFacts()),
        idle_threshold_s=job.idle_threshold_s_by_study.get(header.study, 120.0),
        event_columns=event_columns,
    )
    event_rows: Iterable[Sequence[Any]] = (
        _chain_checked_event_rows(connection, header) if job.check else _event_rows(connection, header.id)
    )
    number = 1
    try:
        for number, wall, mono_ns, process, body in _rows_checked_for_gaps(job, header, event_rows):
            fold.take_event(number, wall, mono_ns, process, body)
    except _UNREADABLE as error:
        raise _damaged_log_error(job, header, number, error) from error
    return _with_present_standing(connection, fold.finish())


def _with_present_standing(connection: Connection, folded: FoldedAttempt) -> FoldedAttempt:
    """The attempt; if it continues, with what its runs and files are doing, which only its summary knows."""
    observation = folded.observation
    if AttemptState(observation.state).ended:
        return folded
    (_, summary), *_ = read_summaries(connection, ATTEMPTS.c.id == observation.attempt)
    standing = summary_view(summary).standing.value
    return replace(folded, observation=observation.model_copy(update={"standing": standing}))


_UNREADABLE = (ValueError, KeyError, TypeError, OverflowError, sqlite3.OperationalError)


def _rows_checked_for_gaps(
    job: LogJob, header: AttemptHeader, event_rows: Iterable[Sequence[Any]]
) -> Generator[Sequence[Any]]:
    """The rows of an attempt; what is wrong with one is raised with its place."""
    seq = event_number = 0
    fetched = iter(event_rows)
    try:
        while True:
            # Undecodable text shows when the row is fetched.
            event_number = seq + 1
            row = next(fetched, None)
            if row is None:
                break
            seq += 1
            if row[0] != seq:
                raise _FlawError(f"it is missing: number {row[0]} comes instead")
            yield row
        if not seq:
            raise _FlawError("there is no event at all")
    except _UNREADABLE as error:
        raise _damaged_log_error(job, header, event_number, error) from error


def _damaged_log_error(job: LogJob, header: AttemptHeader, event_number: int, error: Exception) -> LogDamagedError:
    flaw = error if isinstance(error, _FlawError) else "it can't be read"
    return LogDamagedError(
        log_display_name(job.path),
        f"event {event_number} of attempt {header.id} ({header.solver}, {header.problem}) is not as it was "
        f"written: {flaw}. Restore the log from a backup, or leave the attempt out with --without {header.id[:8]}.",
    )


class _FlawError(ValueError):
    """Description of what is wrong, in words for people."""


_READ = ("seq", "wall", "mono_ns", "process", "body")
_CHECKED = (*_READ, "prev_hash", "hash", "state", "schema")


def _event_rows(connection: Connection, attempt: str, column_names: Sequence[str] = _READ) -> Iterable[Sequence[Any]]:
    if connection.dialect.name == "sqlite":
        # SQLAlchemy takes as long for each row as everything that is done with it.
        driver = connection.connection.driver_connection
        if not isinstance(driver, sqlite3.Connection):
            raise TypeError(driver)
        driver.text_factory = str
        column_list = ", ".join(column_names)
        return driver.execute(f"SELECT {column_list} FROM events WHERE attempt = ? ORDER BY seq", (attempt,))  # noqa: S608
    selected_columns = (EVENTS.c[name] for name in column_names)
    query = select(*selected_columns).where(EVENTS.c.attempt == attempt).order_by(EVENTS.c.seq)
    # An attempt may have a million events: they pass by.
    return connection.execute(query, execution_options={"yield_per": _READ_AT_ONCE}).tuples()


def _chain_checked_event_rows(connection: Connection, header: AttemptHeader) -> Iterator[Sequence[Any]]:
    chain = Chain(header)
    for row in _event_rows(connection, header.id, _CHECKED):
        seq, wall, mono_ns, process, body, _, _, _, schema = row
        if (flaw := chain.advance_or_flaw(*row)) is not None:
            raise _FlawError(flaw)
        if schema > SCHEMA:
            raise _FlawError(f"its schema {schema} is newer than this Benchwright; update it")
        yield seq, wall, mono_ns, process, body


class _EventFilesWriter:
    """Writes rows of events to a Parquet file, some at a time."""

    def __init__(self, parquet_file: Path) -> None:
        import pyarrow.parquet as pq
        from pyarrow import csv

        schema = arrow_schema_of(EventRow)
        # Looking for repetitions takes longest where there are none.
        unlike = ("wall", "at_s", "clock_s")
        self._writer = pq.ParquetWriter(
            parquet_file,
            schema,
            compression="zstd",
            use_dictionary=[name for name in schema.names if name not in unlike],  # type: ignore[arg-type]
            use_byte_stream_split=["at_s", "clock_s"],
        )
        self._lines = csv.CSVWriter(
            parquet_file.with_suffix(".csv"), schema, write_options=csv.WriteOptions(include_header=False)
        )
        self.event_columns = EventColumns()

    def close(self) -> None:
        """Closes the files; rows that were not written, such as those of half an attempt, are not in them."""
        self._writer.close()
        self._lines.close()

    def write_and_clear_rows(self) -> None:
        """Writes the rows there are."""
        for start in range(0, len(self.event_columns), _ROWS_AT_ONCE):
            table = self.event_columns.table(start, start + _ROWS_AT_ONCE)
            self._writer.write_table(table)
            self._lines.write_table(escape_formulas(table, ("path",)))
        self.event_columns = EventColumns()
