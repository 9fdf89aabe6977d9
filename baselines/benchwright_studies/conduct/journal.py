"""The journal of studies: who agreed to what, which task belongs to which attempt, what was planned and when it closed.

It is in the attempt log's database. Each participant has a hash chain of their own, and so has each study,
so that one participant's data can be deleted while everybody else's chain stays whole.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from sqlalchemy import Connection, Engine, insert, select
from sqlalchemy.exc import SQLAlchemyError

from benchwright_attempts.errors import (
    AttemptError,
    ConsentMissingError,
    ExportError,
    LogDamagedError,
    StudyClosedError,
    StudyError,
)
from benchwright_attempts.events.file_text import sha256
from benchwright_attempts.log.database import database_log_error, engine_for_writing, lock_chains
from benchwright_attempts.log.record import AttemptHeader, canonical_json, format_wall
from benchwright_attempts.log.tables import ATTEMPTS, JOURNAL, TOMBSTONES
from benchwright_foundation.json_text import parse_untrusted_json
from benchwright_studies.conduct.entry import ENTRY, OF_A_STUDY, ConsentEntry, Enrolled, Entry, Registered

STUDY = ""
"""Instead of a participant: the study's own chain."""


@dataclass(frozen=True, slots=True)
class JournalEntry:
    """One entry as it is kept."""

    study: str
    participant: str
    seq: int
    wall: datetime
    recorded_entry: Entry
    prev_hash: str
    hash: str


@dataclass(frozen=True, slots=True)
class Tombstone:
    """The rest of deleted data."""

    kind: str
    """`attempt` or `participant`."""
    id: str
    events: int
    head: str
    deleted: str
    reason: str


class Journal:
    """The entries of all studies in one database; `EventLog.journal` makes it.

    Args:
        engine: The attempt log's database.
        path: Its file or address, for messages.
        wall_clock: Returns the wall time, aware.
    """

    def __init__(self, engine: Engine, path: Path | str, wall_clock: Callable[[], datetime]) -> None:
        self._engine = engine
        self._path: Path | str = path
        self._now = wall_clock

    def append_entry(self, study: str, participant: str, study_entry: Entry) -> JournalEntry:
        """Writes an entry; returns when it is on disk.

        Raises:
            StudyClosedError: The study is closed; only consent can still be taken back.
            StudyError: The entry does not belong here.
            LogError: The entry could not be written.
        """
        try:
            with engine_for_writing(self._engine).begin() as connection:
                lock_chains(connection, f"journal:{study}:{participant}")
                return self._append(connection, study, participant, study_entry)
        except SQLAlchemyError as error:
            raise database_log_error(self._path, error) from error

    def _append(self, connection: Connection, study: str, participant: str, study_entry: Entry) -> JournalEntry:
        taken_back = isinstance(study_entry, ConsentEntry) and not study_entry.given
        if not taken_back and is_study_closed(connection, study):
            raise StudyClosedError(study)
        newest_row = connection.execute(
            select(JOURNAL.c.seq, JOURNAL.c.hash)
            .where(JOURNAL.c.study == study, JOURNAL.c.participant == participant)
            .order_by(JOURNAL.c.seq.desc())
            .limit(1)
        ).one_or_none()
        _refuse_misplaced_entry(study, participant, study_entry, is_first=newest_row is None)
        seq, head = (newest_row.seq + 1, newest_row.hash) if newest_row else (1, chain_start_hash(study, participant))
        wall, body = format_wall(self._now()), canonical_json(study_entry.model_dump(mode="json"))
        digest = _entry_hash(study, participant, seq, wall, body, head)
        row = {
            "study": study,
            "participant": participant,
            "seq": seq,
            "wall": wall,
            "body": body,
            "prev_hash": head,
            "hash": digest,
        }
        connection.execute(insert(JOURNAL), row)
        return JournalEntry(study, participant, seq, datetime.fromisoformat(wall), study_entry, head, digest)

    def adopt_and_count_new(self, file: Path, entry_lines: Sequence[Mapping[str, object]]) -> int:
        """Takes over a chain that another machine wrote; what is here of it must be its beginning.

        Returns:
            How many entries were new.

        Raises:
            ExportError: The chain is broken, or not the one that is here.
        """
        try:
            with engine_for_writing(self._engine).begin() as connection:
                return _insert_new_if_chain_matches(connection, file, entry_lines)
        except SQLAlchemyError as error:
            raise database_log_error(self._path, error) from error

    def studies(self) -> list[str]:
        """Ids of all studies."""
        with self._engine.begin() as connection:
            query = select(JOURNAL.c.study).distinct().order_by(JOURNAL.c.study)
            return list(connection.execute(query).scalars())

    def participants(self, study: str) -> list[str]:
        """Participants who have begun."""
        with self._engine.begin() as connection:
            query = (
                select(JOURNAL.c.participant)
                .where(JOURNAL.c.study == study, JOURNAL.c.participant != STUDY)
                .distinct()
                .order_by(JOURNAL.c.participant)
            )
            return list(connection.execute(query).scalars())

    def entries(self, study: str, participant: str = STUDY) -> list[JournalEntry]:
        """All entries of a participant, or of the study itself, oldest first; each is checked against its chain.

        Raises:
            LogDamagedError: An entry is not as it was written.
        """
        with self._engine.begin() as connection:
            return _read_entries(connection, study, participant, self._path)

    def tombstones(self, study: str) -> list[Tombstone]:
        """Tombstones of the data that were deleted from a study."""
        with self._engine.begin() as connection:
            tombstone_rows = connection.execute(select(TOMBSTONES).where(TOMBSTONES.c.study == study)).mappings()
            return [Tombstone(**{name: row[name] for name in Tombstone.__slots__}) for row in tombstone_rows]

    def attempts(self, study: str) -> list[AttemptHeader]:
        """The headers of all attempts of a study, the oldest first."""
        with self._engine.begin() as connection:
            query = select(ATTEMPTS).where(ATTEMPTS.c.study == study).order_by(ATTEMPTS.c.created, ATTEMPTS.c.id)
            attempt_rows = connection.execute(query).mappings().all()
        return [
            AttemptHeader.model_validate({name: row[name] for name in AttemptHeader.model_fields})
            for row in attempt_rows
        ]


def _insert_new_if_chain_matches(
    connection: Connection, file: Path, entry_lines: Sequence[Mapping[str, object]]
) -> int:
    if not entry_lines:
        return 0
    study, participant = str(entry_lines[0]["study"]), str(entry_lines[0]["participant"])
    lock_chains(connection, f"journal:{study}:{participant}")
    entries_here = _read_entries(connection, study, participant, file)
    head = chain_start_hash(study, participant)
    for number, line in enumerate(entry_lines, start=1):
        wall, body = str(line["wall"]), canonical_json(line["entry"])
        digest = _entry_hash(study, participant, number, wall, body, head)
        if (line["study"], line["participant"], line["seq"]) != (study, participant, number) or line["hash"] != digest:
            raise ExportError(file, number, "this entry is not as it was written. Ask for the export again.")
        if number <= len(entries_here) and entries_here[number - 1].hash != digest:
            raise ExportError(file, number, "this is another entry than the one that is here. Two machines wrote both.")
        try:
            ENTRY.validate_json(body)
        except ValueError:
            raise ExportError(file, number, "this entry is of a kind unknown here. Update Benchwright.") from None
        if number > len(entries_here):
            row = {"study": study, "participant": participant, "seq": number, "wall": wall, "body": body}
            connection.execute(insert(JOURNAL), {**row, "prev_hash": head, "hash": digest})
        head = digest
    return max(0, len(entry_lines) - len(entries_here))


def chain_start_hash(study: str, participant: str) -> str:
    """The value that the first entry of a chain has for the hash of its predecessor."""
    return sha256(canonical_json({"study": study, "participant": participant}).encode())


def _entry_hash(study: str, participant: str, seq: int, wall: str, entry_json: str, prev_hash: str) -> str:
    record = {
        "study": study,
        "participant": participant,
        "seq": seq,
        "wall": wall,
        "entry": parse_untrusted_json(entry_json),
        "prev_hash": prev_hash,
    }
    return sha256(canonical_json(record).encode())


def _read_entries(connection: Connection, study: str, participant: str, path: Path | str) -> list[JournalEntry]:
    query = (
        select(JOURNAL).where(JOURNAL.c.study == study, JOURNAL.c.participant == participant).order_by(JOURNAL.c.seq)
    )
    head = chain_start_hash(study, participant)
    entries: list[JournalEntry] = []
    for row in connection.execute(query):
        try:
            intact = (row.seq, row.prev_hash) == (len(entries) + 1, head)
            if not intact or row.hash != _entry_hash(study, participant, row.seq, row.wall, row.body, row.prev_hash):
                raise ValueError
            study_entry = ENTRY.validate_python(parse_untrusted_json(row.body))
            wall = datetime.fromisoformat(row.wall)
        except ValueError as error:
            owner_phrase = f"of {participant} " if participant else ""
            raise LogDamagedError(
                str(path),
                f"entry {len(entries) + 1} {owner_phrase}in the journal of the study {study} is not as it was written. "
                "Restore the file from a backup.",
            ) from error
        entries.append(JournalEntry(study, participant, row.seq, wall, study_entry, row.prev_hash, row.hash))
        head = row.hash
    return entries


def _refuse_misplaced_entry(study: str, participant: str, study_entry: Entry, *, is_first: bool) -> None:
    if (participant == STUDY) != isinstance(study_entry, OF_A_STUDY):
        raise StudyError(
            f"The journal has {study_entry.type} either for a study or for a participant, not for the other."
        )
    if is_first != isinstance(study_entry, Registered | Enrolled):
        if not is_first:
            raise StudyError(f"{participant or study} is in the journal already.")
        raise StudyError(
            f"The study {study} is not known here. Register it with `benchwright study run FILE`."
            if participant == STUDY
            else f"{participant} has not begun the study {study}. Begin with `benchwright study run`."
        )


# What the log asks before it writes an event of a study


def is_study_closed(connection: Connection, study: str) -> bool:
    """True if a study was closed."""
    query = (
        select(JOURNAL.c.body)
        .where(JOURNAL.c.study == study, JOURNAL.c.participant == STUDY)
        .order_by(JOURNAL.c.seq.desc())
        .limit(1)
    )
    body = connection.execute(query).scalar()
    # Keys are sorted, and `type` is the last of a closing's.
    return body is not None and body.endswith('"type":"closed"}')


def refuse_closed_or_without_consent(connection: Connection, header: AttemptHeader) -> None:
    """Refuses an event of a study that is closed, or of a person who has not agreed.

    Raises:
        StudyClosedError: The study is closed.
        ConsentMissingError: The person has not consented, or has taken consent back.
    """
    if not header.study:
        return
    if is_study_closed(connection, header.study):
        raise StudyClosedError(header.study)
    consent = standing_consent(connection, header.study, header.solver)
    if consent is None and header.condition not in _names_of_conditions_without_people(connection, header.study):
        raise ConsentMissingError(header.study, header.solver)


def standing_consent(connection: Connection, study: str, participant: str) -> ConsentEntry | None:
    """The consent that a participant gave, unless it was taken back."""
    query = (
        select(JOURNAL.c.body)
        .where(
            JOURNAL.c.study == study,
            JOURNAL.c.participant == participant,
            JOURNAL.c.body.contains('"type":"consent"', autoescape=True),
        )
        .order_by(JOURNAL.c.seq.desc())
    )
    for body in connection.execute(query).scalars():
        study_entry = ENTRY.validate_json(body)
        if isinstance(study_entry, ConsentEntry):
            return study_entry if study_entry.given else None
    return None


def _names_of_conditions_without_people(connection: Connection, study: str) -> Sequence[str]:
    from benchwright_studies.plan.study_file import parse_study

    entries = _read_entries(connection, study, STUDY, study)
    if not entries or not isinstance(entries[0].recorded_entry, Registered):
        raise AttemptError(f"The study {study} is not known here. Register it with `benchwright study run FILE`.")
    parsed_study = parse_study(entries[0].recorded_entry.text, Path(study)).study
    return [condition.name for condition in parsed_study.conditions if not condition.solver.is_person]
