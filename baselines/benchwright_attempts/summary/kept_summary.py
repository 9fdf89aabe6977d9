"""Summaries of attempts as the database keeps them, so that no list has to read events.

The transaction that writes events writes the summary behind them as well. A row that an older version wrote, or that
is behind the events, is worked out again from them.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, Engine, select, text
from sqlalchemy.exc import SQLAlchemyError

from benchwright_attempts.clock.clock import AttemptState, ClockMark, ClockState
from benchwright_attempts.errors import LogError
from benchwright_attempts.events.events import EVENT_TYPES
from benchwright_attempts.grading.verdict_sequence import VerdictSequence
from benchwright_attempts.log.database import engine_for_writing
from benchwright_attempts.log.record import Moment, canonical_json, event_type_in_json, format_wall
from benchwright_attempts.log.record import StoredRow as EventRow
from benchwright_attempts.log.tables import ATTEMPTS, EVENTS, NEWEST, SUMMARIES
from benchwright_attempts.summary.summary import SUMMARISED_EVENT_TYPES, AttemptVerdict, Summary, SummaryFold
from benchwright_foundation.json_text import parse_untrusted_json
from benchwright_problems.verdict import Outcome

VERSION = 4
"""Of `body`; increased when a summary gets other fields or other rules (of outcomes, too)."""

_KEEP = text(
    "INSERT INTO summaries (attempt, seq, version, body) VALUES (:attempt, :seq, :version, :body) "
    "ON CONFLICT (attempt) DO UPDATE SET seq = excluded.seq, version = excluded.version, body = excluded.body "
    "WHERE summaries.seq <= excluded.seq"
)


def write_summaries(connection: Connection, summaries: Mapping[str, Summary]) -> None:
    """Writes the summaries of attempts, in the transaction that wrote their events."""
    if summaries:
        connection.execute(
            _KEEP,
            [
                {"attempt": attempt, "seq": summary.seq, "version": VERSION, "body": summary_to_json(summary)}
                for attempt, summary in summaries.items()
            ],
        )


def read_and_repair_summaries(
    engine: Engine, attempt_condition: ColumnElement[bool] | None = None
) -> dict[str, Summary]:
    """Attempts with their summaries; those that had to be worked out again are written, if the log can be.

    Args:
        engine: Database engine of the log.
        attempt_condition: Condition on `ATTEMPTS`; all of them if not given.

    Raises:
        ValueError: Events had to be read, and one can't be.
    """
    with engine.begin() as connection:
        stale: dict[str, Summary] = {}
        summaries = dict(read_summaries(connection, attempt_condition, stale))
    if stale:
        # What somebody else has written by now is newer, and stays.
        with contextlib.suppress(LogError, SQLAlchemyError), engine_for_writing(engine).begin() as connection:
            write_summaries(connection, stale)
    return summaries


def read_summaries(
    connection: Connection,
    attempt_condition: ColumnElement[bool] | None = None,
    recomputed_summaries: dict[str, Summary] | None = None,
) -> Iterator[tuple[str, Summary]]:
    """Attempts with their summaries; in no order.

    Args:
        connection: Database connection to the log.
        attempt_condition: Condition on `ATTEMPTS`; all of them if not given.
        recomputed_summaries: Gets those that had to be worked out again.

    Raises:
        ValueError: Events had to be read, and one can't be.
    """
    query = select(ATTEMPTS.c.id, NEWEST, SUMMARIES.c.seq, SUMMARIES.c.version, SUMMARIES.c.body).outerjoin(
        SUMMARIES, SUMMARIES.c.attempt == ATTEMPTS.c.id
    )
    for row in connection.execute(query if attempt_condition is None else query.where(attempt_condition)).all():
        attempt, newest, seq, version, body = row
        summary = _summary_from_json_or_none(body) if (seq, version) == (newest, VERSION) else None
        if summary is None:
            summary = summary_from_events(connection, attempt)
            if recomputed_summaries is not None:
                recomputed_summaries[attempt] = summary
        yield attempt, summary


def summarised_seq(engine: Engine, attempt: str) -> int:
    """The newest event that the kept summary of an attempt has seen; 0 if none was kept."""
    with engine.begin() as connection:
        newest_seq = connection.execute(select(SUMMARIES.c.seq).where(SUMMARIES.c.attempt == attempt)).scalar()
    return int(newest_seq or 0)


def _summary_from_json_or_none(summary_json: str) -> Summary | None:
    try:
        return summary_from_json(summary_json)
    except (ValueError, KeyError, TypeError):
        return None


def summary_from_events(connection: Connection, attempt: str) -> Summary:
    """The summary of an attempt, from its events.

    Raises:
        ValueError: An event can't be read.
    """
    columns = ("seq", "hash", "wall", "mono_ns", "process", "body")
    query = select(*(EVENTS.c[name] for name in columns)).where(EVENTS.c.attempt == attempt).order_by(EVENTS.c.seq)
    return _summary_after_rows(connection.execute(query.execution_options(yield_per=10_000)))


def summary_from_rows(event_rows: Iterable[EventRow]) -> Summary:
    """The summary of an attempt, from its events as they are stored.

    Raises:
        ValueError: An event can't be read.
    """
    return _summary_after_rows((row.seq, row.hash, row.wall, row.mono_ns, row.process, row.body) for row in event_rows)


def continued_summary(
    connection: Connection,
    attempt: str,
    kept_seq_version_body: tuple[int, int, str] | None,
    following_rows: Sequence[EventRow],
) -> Summary:
    """The summary of an attempt after events that will be inserted, from the one that is kept.

    Args:
        connection: Database connection to the log.
        attempt: Its id.
        kept_seq_version_body: Number of its newest event, version and body of the kept summary; None if there is none.
        following_rows: The events that follow; at least one.

    Raises:
        ValueError: An event can't be read.
    """
    is_current = kept_seq_version_body is not None and kept_seq_version_body[:2] == (following_rows[0].seq - 1, VERSION)
    earlier_summary = (
        _summary_from_json_or_none(kept_seq_version_body[2])
        if kept_seq_version_body is not None and is_current
        else None
    )
    if earlier_summary is None and following_rows[0].seq > 1:
        earlier_summary = summary_from_events(connection, attempt)
    event_columns = ((row.seq, row.hash, row.wall, row.mono_ns, row.process, row.body) for row in following_rows)
    return _summary_after_rows(
        event_columns, SummaryFold(earlier_summary) if earlier_summary is not None else SummaryFold()
    )


def _summary_after_rows(event_rows: Iterable[Iterable[Any]], summarizing: SummaryFold | None = None) -> Summary:
    summarizing = summarizing or SummaryFold()
    for seq, digest, wall, mono_ns, process, body in event_rows:
        step = event_type_in_json(body)
        event = EVENT_TYPES.read_event(parse_untrusted_json(body)) if step in SUMMARISED_EVENT_TYPES else None
        summarizing.take_event(seq, digest, Moment(datetime.fromisoformat(wall), mono_ns, process), step, event)
    return summarizing.summary()


def summary_to_json(summary: Summary) -> str:
    """A summary as JSON."""
    clock, verdicts = summary.clock, summary.verdicts
    return canonical_json(
        {
            "seq": summary.seq,
            "head": summary.head,
            "process": summary.process,
            "clock": {
                "state": clock.state.value,
                "held": clock.held,
                "active_ns": clock.active_ns,
                "at_ns": clock.at_ns,
                "started": clock.start_wall and format_wall(clock.start_wall),
                "newest": clock.newest_wall and format_wall(clock.newest_wall),
                "marks": {process: [mark.mono_ns, mark.at_ns] for process, mark in clock.marks.items()},
            },
            "runs": verdicts.count,
            "verdict": verdicts.newest_verdict and _verdict_json_fields(verdicts.newest_verdict),
            "first_pass": verdicts.first_pass and _verdict_json_fields(verdicts.first_pass),
            "files": dict(summary.files),
            "undecided": [_verdict_json_fields(verdict) for verdict in verdicts.undecided.values()],
            "snapshots": {run: dict(files) for run, files in summary.snapshots.items()},
            "open_runs": dict(summary.open_run_numbers_by_id),
            "end_reason": summary.abandon_reason,
            "kinds": sorted(summary.event_types),
            "opened_with_files": summary.opened_with_files,
            "reported_s": summary.reported_s,
            "has_agent": summary.has_agent,
        }
    )


def summary_from_json(summary_json: str) -> Summary:
    """The summary that was written.

    Raises:
        ValueError: The text is not JSON, or not of this version; `KeyError` and `TypeError` as well.
    """
    value: dict[str, Any] = parse_untrusted_json(summary_json)
    clock = value["clock"]
    undecided = [_verdict_from_json(stored_verdict) for stored_verdict in value["undecided"]]
    return Summary(
        seq=value["seq"],
        head=value["head"],
        process=value["process"],
        clock=ClockState(
            state=AttemptState(clock["state"]),
            held=clock["held"],
            active_ns=clock["active_ns"],
            at_ns=clock["at_ns"],
            start_wall=_parse_wall_time(clock["started"]),
            newest_wall=_parse_wall_time(clock["newest"]),
            marks={process: ClockMark(*mark) for process, mark in clock["marks"].items()},
        ),
        verdicts=VerdictSequence(
            count=value["runs"],
            newest_verdict=_verdict_from_json(value["verdict"]) if value["verdict"] else None,
            first_pass=_verdict_from_json(value["first_pass"]) if value["first_pass"] else None,
            undecided={verdict.number: verdict for verdict in undecided},
        ),
        files=value["files"],
        snapshots=value["snapshots"],
        open_run_numbers_by_id=value["open_runs"],
        abandon_reason=value["end_reason"],
        event_types=frozenset(value["kinds"]),
        opened_with_files=value["opened_with_files"],
        reported_s=value["reported_s"],
        has_agent=value["has_agent"],
    )


def _verdict_json_fields(verdict: AttemptVerdict) -> dict[str, Any]:
    verdict_fields = {field.name: getattr(verdict, field.name) for field in fields(verdict)}
    return verdict_fields | {
        "outcome": verdict.outcome.value,
        "at": format_wall(verdict.at),
        "digests": dict(verdict.digests),
        "snapshot": dict(verdict.snapshot),
    }


def _verdict_from_json(verdict_fields: dict[str, Any]) -> AttemptVerdict:
    return AttemptVerdict(
        **(
            verdict_fields
            | {"outcome": Outcome(verdict_fields["outcome"]), "at": datetime.fromisoformat(verdict_fields["at"])}
        )
    )


def _parse_wall_time(wall_text: str | None) -> datetime | None:
    return datetime.fromisoformat(wall_text) if wall_text else None
