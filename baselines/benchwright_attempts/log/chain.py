"""Check that a log is as it was written: every event's hash covers the hash of the one before."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from benchwright_attempts.clock.clock import AttemptState, next_state
from benchwright_attempts.errors import IllegalTransitionError
from benchwright_attempts.log.record import AttemptHeader, StoredRow, record_hash
from benchwright_foundation.json_text import parse_untrusted_json


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
    """Description of what is wrong with it."""

    @property
    def ok(self) -> bool:
        """True if every event is as written."""
        return self.bad_seq is None


class Chain:
    """The check of an attempt's chain, event by event.

    Args:
        header: Header of the attempt.
    """

    __slots__ = ("_condition", "_id", "_participant", "_schema", "_state", "events", "head")

    def __init__(self, header: AttemptHeader) -> None:
        self.events = 0
        """Intact ones so far."""
        self.head = header.chain_start_hash()
        self._id, self._participant, self._condition = header.id, header.solver, header.condition
        self._state = AttemptState.OPEN
        self._schema = 1

    @classmethod
    def from_newest_row(cls, header: AttemptHeader, newest_row: StoredRow | None) -> Chain:
        """The check of what follows an event that was checked before; of the whole chain if there is none.

        Args:
            header: Header of the attempt.
            newest_row: As the database has it, with the state behind it.
        """
        chain = cls(header)
        if newest_row is not None:
            chain.events, chain.head, chain._schema = newest_row.seq, newest_row.hash, newest_row.schema
            chain._state = AttemptState(newest_row.state) if newest_row.state else AttemptState.OPEN
        return chain

    @property
    def state(self) -> AttemptState:
        """The attempt's state after the last intact event."""
        return self._state

    def advance_or_flaw(
        self,
        seq: int,
        wall: str,
        mono_ns: int,
        process: str,
        body: str,
        prev_hash: str,
        stated_hash: str,
        stored_state: str | None,
        schema: int,
    ) -> str | None:
        """Flaw of the event that comes next, of this attempt; `None` if there is none, and it counts.

        Args are the fields of a `Row`.
        """
        if seq != self.events + 1:
            return f"it is missing or renumbered: number {seq!a} comes instead"
        if schema < self._schema:
            return f"its schema {schema} is older than {self._schema}, that of the event before it"
        if prev_hash != self.head:
            return "it does not follow from " + ("the attempt's header" if seq == 1 else "the event before it")
        hashed_fields = (
            self._id,
            seq,
            wall,
            mono_ns,
            process,
            body,
            prev_hash,
            schema,
            self._participant,
            self._condition,
        )
        if record_hash(*hashed_fields) != stated_hash:
            return "its content does not fit its hash"
        try:
            self._state = _state_after(seq, body, stored_state, self._state)
        except (ValueError, IllegalTransitionError) as error:
            return str(error)
        self.events, self.head, self._schema = seq, stated_hash, schema
        return None

    def advance_by_row_or_flaw(self, row: StoredRow) -> str | None:
        """As `flaw`, of a row that may be of another attempt."""
        if row.seq == self.events + 1:
            if row.attempt != self._id:
                return "it belongs to another attempt"
            row_labels = (row.participant, row.condition)
            if row.schema != 1 and row_labels != (self._participant, self._condition):
                return "it names another participant or condition than the attempt's header"
        return self.advance_or_flaw(
            row.seq, row.wall, row.mono_ns, row.process, row.body, row.prev_hash, row.hash, row.state, row.schema
        )

    def chain_check(self, flaw_of_next_event: str | None = None) -> ChainCheck:
        """After the last event, or the first one that is wrong for this reason."""
        if flaw_of_next_event is None and self.events == 0:
            flaw_of_next_event = "there is no event at all"
        return ChainCheck(
            self.events, self.head, None if flaw_of_next_event is None else self.events + 1, flaw_of_next_event
        )


def check_chain(header: AttemptHeader, rows: Iterable[StoredRow]) -> ChainCheck:
    """Recomputes every hash and names the first event that is wrong."""
    chain = Chain(header)
    reason = next((flaw for row in rows if (flaw := chain.advance_by_row_or_flaw(row)) is not None), None)
    return chain.chain_check(reason)


def _state_after(
    event_number: int, stored_body: str, stored_state: str | None, state_before: AttemptState
) -> AttemptState:
    body = parse_untrusted_json(stored_body)
    step = body.get("type") if isinstance(body, dict) else None
    if not isinstance(step, str):
        raise ValueError("it is not an event")
    if (step == "opened") != (event_number == 1):
        raise ValueError("an attempt begins with `opened`, and only once")
    state_before = state_before if step == "opened" else next_state(state_before, step)
    if stored_state is not None and stored_state != state_before:
        raise ValueError(f"the database says the attempt was {stored_state!a} after it, it was {state_before}")
    return state_before


def rows_with_states(rows: Iterable[StoredRow]) -> list[StoredRow]:
    """The same rows with the state behind each, which exports leave out."""
    state = AttemptState.OPEN
    stated_rows: list[StoredRow] = []
    for row in rows:
        state = _state_after(row.seq, row.body, row.state, state)
        stated_rows.append(replace(row, state=state.value))
    return stated_rows
