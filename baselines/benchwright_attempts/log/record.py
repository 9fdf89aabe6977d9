"""An event as the log keeps it: numbered, timed and chained to the one before.

`docs/reference/event-log.md` describes the same for people who check a log without this code.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated

from pydantic import AfterValidator

from benchwright_attempts.events.events import EVENT_TYPES, Event
from benchwright_attempts.events.evidence import Recording
from benchwright_attempts.events.file_text import sha256
from benchwright_foundation.json_text import parse_untrusted_json
from benchwright_foundation.model import Model, UtcTime

SCHEMA = 2
"""Version of the records that are written. Records of 1 had neither `schema` nor `participant` nor `condition`."""

_quote = json.encoder.encode_basestring_ascii
"""A string as `canonical` writes it."""
_encode = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False).encode
_FILE_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]{0,127}", re.ASCII)


def canonical_json(value: object) -> str:
    """The one JSON text of a value: keys sorted, no spaces, everything beyond ASCII escaped."""
    return _encode(value)


def format_wall(wall: datetime) -> str:
    """ISO 8601 in UTC with microseconds, such as `2026-11-20T09:30:00.000000Z`."""
    if wall.tzinfo is not UTC:
        wall = wall.astimezone(UTC)
    return wall.isoformat(timespec="microseconds").removesuffix("+00:00") + "Z"


def checked_storable(text: str) -> str:
    """The text, if every database stores it.

    Raises:
        ValueError: It has a lone surrogate or a null byte.
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ValueError("a string holds bytes that are not UTF-8") from None
    if "\0" in text:
        raise ValueError("a string holds a null byte, which PostgreSQL does not store")
    return text


def _checked_id(id_text: str) -> str:
    """Records of attempts are in files that are called as they are, and logs come from other machines."""
    if _FILE_NAME.fullmatch(id_text) is None:
        raise ValueError("the id has other characters than letters, digits, '.', '_' and '-', or is too long")
    return id_text


StorableText = Annotated[str, AfterValidator(checked_storable)]
AttemptId = Annotated[str, AfterValidator(_checked_id)]


class AttemptHeader(Model):
    """Solver, problem and place of an attempt: fixed when the attempt begins."""

    id: AttemptId
    problem: StorableText
    """`pack/id`."""
    problem_digest: StorableText
    """Digest of the problem as it was opened."""
    workspace: StorableText
    """Folder the problem was opened into."""
    solver: StorableText
    """Name of the solver: `human`, or a participant or model."""
    condition: StorableText
    """`human`, `human+copilot`, `model`, `agent`."""
    created: UtcTime
    study: StorableText = ""
    """Id of the study it belongs to; empty outside studies."""
    recording: Recording = Recording.FULL
    """Level of detail at which the solver's work may be recorded."""

    def as_json(self) -> dict[str, str]:
        """The object that exports carry and the hash chain begins with.

        Fields that the first format did not have are left out if they have no value, so that old chains hold.
        """
        row = self.as_row()
        if not self.study:
            del row["study"]
        if self.recording is Recording.FULL:
            del row["recording"]
        return row

    def as_row(self) -> dict[str, str]:
        """The row of the database."""
        row_fields: dict[str, str] = self.model_dump(mode="json", exclude={"created"})
        return {**row_fields, "created": format_wall(self.created)}

    def chain_start_hash(self) -> str:
        """The hash that the first event has as its predecessor's."""
        return sha256(canonical_json(self.as_json()).encode())


@dataclass(frozen=True, slots=True)
class Moment:
    """A moment as one process saw it."""

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
    participant: str = ""
    """The participant, as the attempt's header has it: a pseudonym in a study."""
    condition: str = ""
    schema: int = SCHEMA
    """Version of the record that it was read from."""


def wall_body_and_hash(
    header: AttemptHeader, seq: int, moment: Moment, event: Event, prev_hash: str
) -> tuple[str, str, str]:
    """Appends an event to the one that has `prev_hash`: wall time and event as strings, and the record's hash."""
    wall, body = format_wall(moment.wall), canonical_json(event.model_dump())
    fields = (header.id, seq, wall, moment.mono_ns, moment.process, body, prev_hash)
    return wall, body, sha256(_record_json(*fields, SCHEMA, header.solver, header.condition).encode())


def event_type_in_json(event_json: str) -> str:
    """The type of an event, from its canonical JSON.

    Raises:
        ValueError: The JSON has no type.
    """
    # Keys are sorted, and no key after `type` holds an object; a quotation mark inside a string is escaped.
    type_start = event_json.rfind('"type":"') + 8
    return event_json[type_start : event_json.index('"', type_start)]


StoredEvent = tuple[int, str, int, str, str]
"""Number, wall time, monotonic nanoseconds, process and body of an event, as they are stored."""


@dataclass(frozen=True, slots=True)
class StoredRow:
    """One event as stored: exactly the strings that were hashed, possibly tampered with."""

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
    schema: int = SCHEMA
    participant: str = ""
    """As in the header; not part of a record of schema 1, as the next one."""
    condition: str = ""

    @classmethod
    def from_event(
        cls, header: AttemptHeader, seq: int, moment: Moment, event: Event, prev_hash: str, state: str | None = None
    ) -> StoredRow:
        """Appends an event to the one that has `prev_hash`."""
        wall, body, digest = wall_body_and_hash(header, seq, moment, event, prev_hash)
        fields = (header.id, seq, wall, moment.mono_ns, moment.process, body, prev_hash)
        return cls(*fields, digest, state, SCHEMA, header.solver, header.condition)

    def as_json_line(self) -> str:
        """Canonical JSON of the whole record, hash included."""
        return _record_json(
            self.attempt,
            self.seq,
            self.wall,
            self.mono_ns,
            self.process,
            self.body,
            self.prev_hash,
            self.schema,
            self.participant,
            self.condition,
            self.hash,
        )

    def parse(self) -> RecordedEvent:
        """Reads the stored strings.

        Raises:
            ValueError: The strings do not describe an event this version knows.
        """
        if self.schema > SCHEMA:
            raise ValueError(f"its schema {self.schema} is newer than this Benchwright, which knows {SCHEMA}")
        wall = datetime.fromisoformat(self.wall)
        if wall.tzinfo is None:
            raise ValueError("the wall time has no time zone")
        # Every event of schema 1 is valid in schema 2: it only added types and optional fields.
        event: Event = EVENT_TYPES.read_event(parse_untrusted_json(self.body))
        return RecordedEvent(
            self.attempt,
            self.seq,
            Moment(wall, self.mono_ns, self.process),
            event,
            self.prev_hash,
            self.hash,
            self.participant,
            self.condition,
            self.schema,
        )

    @classmethod
    def from_json(cls, record_fields: Mapping[str, object]) -> StoredRow:
        """Reads the object of an export line.

        Raises:
            ValueError: A field is missing, unknown or of the wrong type.
        """
        has_later_fields = "schema" in record_fields
        if set(record_fields) != (_FIELDS | _LATER_FIELDS if has_later_fields else _FIELDS):
            raise ValueError("the fields are not those of a recorded event")
        return cls(
            attempt=_string_field(record_fields, "attempt"),
            seq=_integer_field(record_fields, "seq"),
            wall=_wall_time_field(record_fields),
            mono_ns=_integer_field(record_fields, "mono_ns"),
            process=_string_field(record_fields, "process"),
            body=canonical_json(record_fields["event"]),
            prev_hash=_string_field(record_fields, "prev_hash"),
            hash=_string_field(record_fields, "hash"),
            schema=_integer_field(record_fields, "schema") if has_later_fields else 1,
            participant=_string_field(record_fields, "participant") if has_later_fields else "",
            condition=_string_field(record_fields, "condition") if has_later_fields else "",
        )


def _record_json(
    attempt: str,
    seq: int,
    wall: str,
    mono_ns: int,
    process: str,
    body: str,
    prev_hash: str,
    schema: int,
    participant: str,
    condition: str,
    digest: str | None = None,
) -> str:
    """Canonical JSON of a record, put together around the event's, which is canonical already."""
    hash_field = f'"hash":{_quote(digest)},' if digest is not None else ""
    has_later_fields = schema != 1
    return (
        f'{{"attempt":{_quote(attempt)},'
        + (f'"condition":{_quote(condition)},' if has_later_fields else "")
        + f'"event":{body},{hash_field}"mono_ns":{mono_ns},'
        + (f'"participant":{_quote(participant)},' if has_later_fields else "")
        + f'"prev_hash":{_quote(prev_hash)},"process":{_quote(process)},'
        + (f'"schema":{schema},' if has_later_fields else "")
        + f'"seq":{seq},"wall":{_quote(wall)}}}'
    )


def record_hash(
    attempt: str,
    seq: int,
    wall: str,
    mono_ns: int,
    process: str,
    body: str,
    prev_hash: str,
    schema: int,
    participant: str,
    condition: str,
) -> str:
    """SHA-256 of a record with these fields; they are those of `Row`."""
    text = _record_json(attempt, seq, wall, mono_ns, process, body, prev_hash, schema, participant, condition)
    # Text read from a damaged database carries undecodable bytes as surrogates: hash those bytes.
    return sha256(text.encode("utf-8", "surrogateescape"))


_FIELDS = frozenset({"attempt", "event", "hash", "mono_ns", "prev_hash", "process", "seq", "wall"})
_LATER_FIELDS = frozenset({"schema", "participant", "condition"})


def _string_field(record_fields: Mapping[str, object], field: str) -> str:
    field_text = record_fields[field]
    if not isinstance(field_text, str):
        raise ValueError(f"{field} is not a string")
    return field_text


def _wall_time_field(record_fields: Mapping[str, object]) -> str:
    wall = _string_field(record_fields, "wall")
    try:
        datetime.fromisoformat(wall).astimezone(UTC)
    except OverflowError:
        raise ValueError("wall is outside the years that there are") from None
    return wall


def _integer_field(record_fields: Mapping[str, object], field: str) -> int:
    number = record_fields[field]
    if not isinstance(number, int) or isinstance(number, bool):
        raise ValueError(f"{field} is not an integer")
    return number
