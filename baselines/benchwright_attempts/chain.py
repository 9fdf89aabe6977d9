"""Whether a log is as it was written: every event's hash covers the hash of the one before."""

from __future__ import annotations

import json
from collections.abc import Generator, Iterable
from dataclasses import dataclass, replace

from benchwright_attempts.clock import AttemptState, next_state
from benchwright_attempts.errors import IllegalTransitionError
from benchwright_attempts.record import AttemptHeader, Row


@dataclass(frozen=True, slots=True)
class ChainCheck:
    """Result of recomputing the hashes of an attempt."""

    events: int
    """Intact events, counted from the first."""
    head: str
    """Hash of the last intact event. Noted elsewhere, it shows later that no event was cut off."""
    bad_seq: int | None = None
    """The first event that is not as written."""
    reason: str | None = None
    """What is wrong with it."""

    @property
    def ok(self) -> bool:
        """Whether every event is as written."""
        return self.bad_seq is None


def check_chain(header: AttemptHeader, rows: Iterable[Row]) -> ChainCheck:
    """Recomputes every hash and names the first event that is wrong."""
    intact = intact_rows(header, rows)
    while True:
        try:
            next(intact)
        except StopIteration as end:
            check: ChainCheck = end.value
            return check


def intact_rows(header: AttemptHeader, rows: Iterable[Row]) -> Generator[Row, None, ChainCheck]:
    """The events of an attempt up to the first one that is wrong, one at a time; returns what the check found."""
    head = header.chain_start()
    state = AttemptState.OPEN
    count = 0
    schema = 1
    for row in rows:
        reason = _flaw(row, count + 1, header, head, schema)
        if reason is None:
            try:
                state = _state_after(row, state)
            except (ValueError, IllegalTransitionError) as error:
                reason = str(error)
        if reason is not None:
            return ChainCheck(count, head, count + 1, reason)
        count, head, schema = count + 1, row.hash, row.schema
        yield row
    if count == 0:
        return ChainCheck(0, head, 1, "there is no event at all")
    return ChainCheck(count, head)


def _flaw(row: Row, seq: int, header: AttemptHeader, head: str, schema: int) -> str | None:
    if row.seq != seq:
        return f"it is missing or renumbered: number {row.seq!a} comes instead"
    if row.attempt != header.id:
        return "it belongs to another attempt"
    if row.schema < schema:
        return f"its schema {row.schema} is older than {schema}, that of the event before it"
    if row.schema != 1 and (row.participant, row.condition) != (header.solver, header.condition):
        return "it names another participant or condition than the attempt's header"
    if row.prev_hash != head:
        return "it does not follow from " + ("the attempt's header" if seq == 1 else "the event before it")
    if row.computed_hash() != row.hash:
        return "its content does not fit its hash"
    return None


def _state_after(row: Row, state: AttemptState) -> AttemptState:
    body: object = json.loads(row.body)
    step = body.get("type") if isinstance(body, dict) else None
    if not isinstance(step, str):
        raise ValueError("it is not an event")
    if (step == "opened") != (row.seq == 1):
        raise ValueError("an attempt begins with `opened`, and only once")
    state = state if step == "opened" else next_state(state, step)
    if row.state is not None and row.state != state:
        raise ValueError(f"the database says the attempt was {row.state!a} after it, it was {state}")
    return state


def with_states(rows: Iterable[Row]) -> list[Row]:
    """The same rows with the state behind each, which exports leave out."""
    state = AttemptState.OPEN
    found: list[Row] = []
    for row in rows:
        state = _state_after(row, state)
        found.append(replace(row, state=state.value))
    return found
