"""An event as the log keeps it: numbered, timed and chained to the one before.

`docs/reference/event-log.md` describes the same for people who check a log without this code.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Annotated

from pydantic import AfterValidator, AwareDatetime, BaseModel, ConfigDict

from benchwright_baselines.events import EVENT, Event
from benchwright_baselines.file_text import sha256


def canonical(value: object) -> str:
    """The one JSON text of a value: keys sorted, no spaces, everything beyond ASCII escaped."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)


def format_wall(wall: datetime) -> str:
    """ISO 8601 in UTC with microseconds, such as `2026-11-20T09:30:00.000000Z`."""
    return wall.astimezone(UTC).isoformat(timespec="microseconds").removesuffix("+00:00") + "Z"


def _storable(text: str) -> str:
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ValueError("the name holds bytes that are not UTF-8") from None
    return text


Name = Annotated[str, AfterValidator(_storable)]


class AttemptHeader(BaseModel):
    """Who tries what, where: fixed from the start of an attempt."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    id: Name
    problem: Name
    """`pack/id`."""
    problem_digest: Name
    """Digest of the problem as it was opened."""
    workspace: Name
    """Folder the problem was opened into."""
    solver: Name
    """Who: `human`, or a participant or model."""
    condition: Name
    """`human`, `human+copilot`, `model`, `agent`."""
    created: AwareDatetime

    def as_json(self) -> dict[str, str]:
        """The object that exports carry and the hash chain begins with."""
        return {**self.model_dump(exclude={"created"}), "created": format_wall(self.created)}

    def chain_start(self) -> str:
        """What the first event has for the hash of its predecessor."""
        return sha256(canonical(self.as_json()).encode())


@dataclass(frozen=True, slots=True)
class Moment:
    """A point in time as one process saw it."""

    wall: datetime
    """Aware; may jump when somebody sets the computer's clock."""
    mono_ns: int
    """Monotonic nanoseconds, comparable only within `process`."""
    process: str
    """Unique id of the process that took the time."""


@dataclass(frozen=True, slots=True)
class RecordedEvent:
    """One event of an attempt, as acknowledged."""

    attempt: str
    seq: int
    """From 1, without gaps within the attempt."""
    moment: Moment
    event: Event
    prev_hash: str
    hash: str


@dataclass(frozen=True, slots=True)
class Row:
    """One event as stored: exactly the texts that were hashed, possibly tampered with."""

    attempt: str
    seq: int
    wall: str
    mono_ns: int
    process: str
    body: str
    """Canonical JSON of the event."""
    prev_hash: str
    hash: str
    state: str | None = None
    """The attempt's state after the event; kept in the database for quick look-up, not hashed."""

    @classmethod
    def of(cls, attempt: str, seq: int, moment: Moment, event: Event, prev_hash: str, state: str | None = None) -> Row:
        """Puts an event behind the one that has `prev_hash`."""
        row = cls(
            attempt=attempt,
            seq=seq,
            wall=format_wall(moment.wall),
            mono_ns=moment.mono_ns,
            process=moment.process,
            body=canonical(event.model_dump()),
            prev_hash=prev_hash,
            hash="",
            state=state,
        )
        return replace(row, hash=row.computed_hash())

    def computed_hash(self) -> str:
        """SHA-256 over the canonical JSON of everything but the hash."""
        # Text read from a damaged database carries undecodable bytes as surrogates: hash those bytes.
        return sha256(self._json(with_hash=False).encode("utf-8", "surrogateescape"))

    def as_json_line(self) -> str:
        """Canonical JSON of the whole record, hash included."""
        return self._json(with_hash=True)

    def _json(self, *, with_hash: bool) -> str:
        hash_field = f'"hash":{canonical(self.hash)},' if with_hash else ""
        return (
            f'{{"attempt":{canonical(self.attempt)},"event":{self.body},{hash_field}"mono_ns":{self.mono_ns},'
            f'"prev_hash":{canonical(self.prev_hash)},"process":{canonical(self.process)},"seq":{self.seq},'
            f'"wall":{canonical(self.wall)}}}'
        )

    def parse(self) -> RecordedEvent:
        """Reads the stored texts.

        Raises:
            ValueError: They do not describe an event this version knows.
        """
        wall = datetime.fromisoformat(self.wall)
        if wall.tzinfo is None:
            raise ValueError("the wall time has no time zone")
        event = EVENT.validate_python(json.loads(self.body))
        return RecordedEvent(
            self.attempt,
            self.seq,
            Moment(wall, self.mono_ns, self.process),
            event,
            self.prev_hash,
            self.hash,
        )

    @classmethod
    def from_json(cls, value: Mapping[str, object]) -> Row:
        """Reads the object of an export line.

        Raises:
            ValueError: A field is missing, unknown or of the wrong type.
        """
        if set(value) != {"attempt", "event", "hash", "mono_ns", "prev_hash", "process", "seq", "wall"}:
            raise ValueError("the fields are not those of a recorded event")
        return cls(
            attempt=_text(value, "attempt"),
            seq=_number(value, "seq"),
            wall=_text(value, "wall"),
            mono_ns=_number(value, "mono_ns"),
            process=_text(value, "process"),
            body=canonical(value["event"]),
            prev_hash=_text(value, "prev_hash"),
            hash=_text(value, "hash"),
        )


def _text(value: Mapping[str, object], field: str) -> str:
    found = value[field]
    if not isinstance(found, str):
        raise ValueError(f"{field} is not a text")
    return found


def _number(value: Mapping[str, object], field: str) -> int:
    found = value[field]
    if not isinstance(found, int) or isinstance(found, bool):
        raise ValueError(f"{field} is not a whole number")
    return found
