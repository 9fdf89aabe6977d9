"""Taking over attempts from other logs: all of one at once, or events as they happen elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from sqlalchemy import Connection, insert, select

from benchwright_attempts.appending import COLUMNS, insert_rows
from benchwright_attempts.chain import Chain, with_states
from benchwright_attempts.database import lock
from benchwright_attempts.errors import AttemptError
from benchwright_attempts.kept_summary import from_rows, keep, kept_and
from benchwright_attempts.record import AttemptHeader, Row
from benchwright_attempts.tables import ATTEMPTS, EVENTS

Check = Callable[[Connection, AttemptHeader], None]
"""Refuses what may not be recorded."""


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


def adopt(connection: Connection, header: AttemptHeader, rows: Sequence[Row], check: Check) -> Adopted:
    """Takes over an attempt whose chain has been checked; see `EventLog.adopt`.

    Raises:
        AttemptError: Another attempt of this id is here, or it may not be recorded.
    """
    lock(connection, header.id)
    is_new = connection.scalar(select(ATTEMPTS.c.id).where(ATTEMPTS.c.id == header.id)) is None
    here = 0 if is_new else shared_beginning(connection, header.id, rows)
    if here >= len(rows) and not is_new:
        return Adopted.KNOWN
    check(connection, header)
    if is_new:
        connection.execute(insert(ATTEMPTS), header.as_row())
    insert_rows(connection, [_values(row) for row in with_states(rows)[here:]])
    keep(connection, {header.id: from_rows(rows)})
    return Adopted.NEW if is_new else Adopted.LONGER


@dataclass(frozen=True, slots=True)
class Head:
    """How far an attempt's chain is here."""

    events: int
    """Number of the newest event; 0 if there is none."""
    hash: str
    """Its hash."""


def receive(connection: Connection, header: AttemptHeader, rows: Sequence[Row], check: Check) -> Head:
    """Takes events that follow those that are here; those that are here already change nothing.

    Raises:
        AttemptError: The attempt's header, or an event that is here, is another one; the events leave a gap or do not
            follow; or they may not be recorded.
    """
    lock(connection, header.id)
    stored = connection.execute(select(ATTEMPTS).where(ATTEMPTS.c.id == header.id)).mappings().one_or_none()
    if stored is None:
        check(connection, header)
        connection.execute(insert(ATTEMPTS), header.as_row())
    elif dict(stored) != header.as_row():
        raise AttemptError(f"Attempt {header.id} is here with another header.")
    newest = _newest(connection, header) if stored is not None else None
    head = Head(newest.seq, newest.hash) if newest is not None else Head(0, header.chain_start())
    known = [row for row in rows if row.seq <= head.events]
    _check_known(connection, header, known)
    fresh: list[Row] = []
    chain = Chain.after(header, newest)
    for row in rows[len(known) :]:
        flaw = chain.flaw_of(row)
        if flaw is not None:
            raise AttemptError(f"Event {row.seq} of attempt {header.id} can't follow: {flaw}.")
        fresh.append(replace(row, state=chain.state.value))
    if not fresh:
        return head
    if stored is not None:
        check(connection, header)
    insert_rows(connection, [_values(row) for row in fresh])
    try:
        keep(connection, {header.id: kept_and(connection, header.id, fresh)})
    except ValueError as error:
        raise AttemptError(f"An event of attempt {header.id} is of a kind that is not known here: {error}") from error
    return Head(chain.events, chain.head)


def _newest(connection: Connection, header: AttemptHeader) -> Row | None:
    found = (
        connection.execute(select(EVENTS).where(EVENTS.c.attempt == header.id).order_by(EVENTS.c.seq.desc()).limit(1))
        .mappings()
        .one_or_none()
    )
    return None if found is None else Row(**found)


def _check_known(connection: Connection, header: AttemptHeader, rows: Sequence[Row]) -> None:
    if not rows:
        return
    wanted = select(EVENTS.c.seq, EVENTS.c.hash).where(
        EVENTS.c.attempt == header.id, EVENTS.c.seq >= rows[0].seq, EVENTS.c.seq <= rows[-1].seq
    )
    here = {row.seq: row.hash for row in connection.execute(wanted)}
    if any(here.get(row.seq) != row.hash for row in rows):
        raise AttemptError(
            f"Attempt {header.id} is here with other events: two computers wrote both, or one log was changed."
        )


def _values(row: Row) -> tuple[str | int, ...]:
    return tuple(getattr(row, name) for name in COLUMNS)
