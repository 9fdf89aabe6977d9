"""A study as a folder of files: to deliver it, to collect it from participants' machines, and to archive it.

The folder holds `study.yaml`, `study.jsonl` (the study's journal) and, for each participant, a folder with
`journal.jsonl` and one file for each attempt, as `benchwright attempts export` writes it.
"""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import ValidationError
from sqlalchemy.exc import SQLAlchemyError

from benchwright_attempts.attempts import Attempts
from benchwright_attempts.errors import AttemptError, ConsentMissingError, ExportError, StudyError, UnknownAttemptError
from benchwright_attempts.events.adopting import AdoptionEffect
from benchwright_attempts.log.database import database_log_error
from benchwright_attempts.log.export import read_export, write_export
from benchwright_attempts.log.record import canonical_json, format_wall
from benchwright_attempts.summary.replay import verify_attempt
from benchwright_foundation.atomic import write_atomically
from benchwright_foundation.json_text import parse_untrusted_json
from benchwright_studies.conduct.journal import JournalEntry
from benchwright_studies.conduct.studies import Studies

if TYPE_CHECKING:
    from benchwright_studies.conduct.study_log import StudyLog

_PATIENCE_S = 5.0
"""Time that a participant waits for a database that does not answer, in seconds."""


@dataclass(frozen=True, slots=True)
class ImportedRecords:
    """Records that were imported from an archive."""

    study: str
    participants: int
    attempts: int
    """Attempts that were not there before."""
    longer: int
    """Attempts that were there in part, and to which events were added."""
    withheld: int
    """Attempts that were left out, as their participants had not agreed or took it back."""


def write_archive_and_count_attempts(
    event_log: StudyLog,
    study_id: str,
    folder: Path,
    participants: Iterable[str] | None = None,
    *,
    is_exported: Callable[[str, str], bool] = lambda attempt, head: False,
    only_journals: bool = False,
) -> int:
    """Writes a study, or some of its participants, as files.

    Args:
        event_log: The event log.
        study_id: The study's id.
        folder: Destination; made if missing.
        participants: Only these; all if none.
        is_exported: True if an attempt is at its destination up to the event of a hash, and need not be written.
        only_journals: True to leave attempts out.

    Returns:
        How many attempts were written.

    Raises:
        StudyError: The study does not exist, or the folder holds another one.
        OSError: A file can't be written.
    """
    registered_study = Studies(event_log, Attempts(event_log)).study(study_id)
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    file = folder / "study.yaml"
    if file.exists() and file.read_bytes() != registered_study.text.encode():
        raise StudyError(f"{folder} holds another study. Give an empty or a new folder.")
    if not file.exists():
        write_atomically(file, registered_study.text.encode(), 0o600)
    _write_journal(folder / "study.jsonl", event_log.journal.entries(study_id))
    participant_names = list(participants) if participants is not None else event_log.journal.participants(study_id)
    # Journals go first: what nobody has agreed to is not taken over.
    for participant in participant_names:
        participant_folder = folder / _participant_folder_name(participant)
        participant_folder.mkdir(mode=0o700, exist_ok=True)
        _write_journal(participant_folder / "journal.jsonl", event_log.journal.entries(study_id, participant))
    written_count = 0
    attempts = Attempts(event_log)
    for header in event_log.journal.attempts(study_id):
        if only_journals or (participants is not None and header.solver not in participant_names):
            continue
        participant_folder = folder / _participant_folder_name(header.solver)
        file, head = participant_folder / f"{header.id}.jsonl", attempts.summary(header.id).head
        if is_exported(header.id, head) or _is_exported_up_to(file, head):
            continue
        participant_folder.mkdir(mode=0o700, exist_ok=True)
        write_export(file, *event_log.stored_attempt(header.id))
        written_count += 1
    return written_count


_TAIL = 2048
"""Bytes at the end of an export that hold the hash of its newest event."""


def _is_exported_up_to(file: Path, head_hash: str) -> bool:
    """True if an export is there, and its newest event has this hash."""
    try:
        with file.open("rb") as export:
            export.seek(max(0, file.stat().st_size - _TAIL))
            tail = export.read()
    except OSError:
        return False
    return tail.endswith(b"\n") and f'"hash":"{head_hash}"'.encode() in tail


def deliver_records(event_log: StudyLog, study: str, participant: str, *, only_journal: bool = False) -> None:
    """Puts a participant's records where the study says; nowhere unless it says so. Doing it again changes nothing.

    Args:
        event_log: The event log.
        study: The study's id.
        participant: The participant whose records are delivered.
        only_journal: True if only the journal goes, which says that consent was taken back.

    Raises:
        StudyError: The records did not arrive there as a whole. They stay here.
    """
    destination = Studies(event_log, Attempts(event_log)).study(study).study.data.to
    try:
        if destination.startswith("/"):
            write_archive_and_count_attempts(
                event_log, study, Path(destination), [participant], only_journals=only_journal
            )
        elif destination.startswith("postgresql:"):
            _deliver_to_database(event_log, study, participant, destination, only_journal=only_journal)
    except (OSError, AttemptError) as error:
        reason = f"{destination}: {error.strerror}" if isinstance(error, OSError) else error
        raise StudyError(
            f"The records of {participant} in {study} could not be delivered yet. They are kept on this machine, and "
            f"Benchwright will try again. Reason: {reason}"
        ) from error


def _deliver_to_database(log: StudyLog, study: str, participant: str, database_url: str, *, only_journal: bool) -> None:
    from benchwright_studies.conduct.study_log import StudyLog

    try:
        with tempfile.TemporaryDirectory() as folder, StudyLog(database_url, busy_timeout_s=_PATIENCE_S) as remote_log:
            heads = Attempts(remote_log)

            def is_there(attempt: str, head: str) -> bool:
                try:
                    return heads.summary(attempt).head == head
                except UnknownAttemptError:
                    return False

            write_archive_and_count_attempts(
                log, study, Path(folder), [participant], is_exported=is_there, only_journals=only_journal
            )
            import_archive(remote_log, Path(folder))
    except SQLAlchemyError as error:
        raise database_log_error(database_url, error) from error


def _participant_folder_name(participant: str) -> str:
    """A folder's name; models are called `provider/name`."""
    return participant.replace("/", "_")


def journal_json_lines(entries: Iterable[JournalEntry]) -> list[str]:
    """A journal as files have it: canonical JSON, an entry in each line."""
    return [
        canonical_json(
            {
                "study": journal_entry.study,
                "participant": journal_entry.participant,
                "seq": journal_entry.seq,
                "wall": format_wall(journal_entry.wall),
                "entry": journal_entry.recorded_entry.model_dump(mode="json"),
                "prev_hash": journal_entry.prev_hash,
                "hash": journal_entry.hash,
            }
        )
        for journal_entry in entries
    ]


def _write_journal(journal_file: Path, entries: Iterable[JournalEntry]) -> None:
    lines = journal_json_lines(entries)
    write_atomically(journal_file, "".join(f"{line}\n" for line in lines).encode(), 0o600)


def import_archive(event_log: StudyLog, folder: Path) -> ImportedRecords:
    """Takes over what another machine recorded of a study, after checking every chain.

    What is known already is left as it is; what differs from it is refused.

    Raises:
        ExportError: A file is damaged, or its chain broken: it is named, and nothing of it was imported.
        StudyError: The file belongs to another study than the one of this id here.
    """
    study_lines = _read_journal_lines(folder / "study.jsonl")
    if not study_lines:
        raise StudyError(f"{folder} holds no study: study.jsonl is empty. Export the study again.")
    study = str(study_lines[0]["study"])
    _register_study_if_unknown(event_log, study, folder / "study.jsonl", study_lines)
    counts, participants, withheld = Counter[AdoptionEffect](), 0, 0
    for participant_folder in sorted(path for path in folder.iterdir() if path.is_dir()):
        journal = participant_folder / "journal.jsonl"
        if journal.exists():
            entry_lines = _read_journal_lines(journal)
            if any(line["study"] != study for line in entry_lines):
                raise StudyError(f"{journal} belongs to another study. Remove it from the folder.")
            event_log.journal.adopt_and_count_new(journal, entry_lines)
            participants += 1
        for file in sorted(participant_folder.glob("*.jsonl")):
            if file.name == "journal.jsonl":
                continue
            header, rows = read_export(file)
            result = verify_attempt(header, rows)
            if result.first_fault is not None:
                raise ExportError(
                    file, (result.chain.bad_seq or 0) + 1, f"{result.first_fault} Ask for the export again."
                )
            if header.study != study:
                raise StudyError(f"{file} belongs to another study. Remove it from the folder.")
            try:
                counts[event_log.adopt_attempt(header, rows)] += 1
            except ConsentMissingError:
                withheld += 1
    return ImportedRecords(study, participants, counts[AdoptionEffect.NEW], counts[AdoptionEffect.LONGER], withheld)


def _register_study_if_unknown(log: StudyLog, study: str, file: Path, study_lines: list[dict[str, object]]) -> None:
    """Registers the study if it is unknown; each machine records its own time, so chains differ."""
    if study not in log.journal.studies():
        log.journal.adopt_and_count_new(file, study_lines[:2])
        return
    registered_study = Studies(log, Attempts(log)).study(study)
    digests = tuple(
        entry.get("study_sha256") if entry.get("type") == "registered" else entry.get("sha256")
        for line in study_lines[:2]
        if isinstance(entry := line["entry"], dict)
    )
    if digests not in registered_study.rule_and_plan_digests:
        raise StudyError(f"{file} is of another study file or another plan than the study {study} here.")


def _read_journal_lines(journal_file: Path) -> list[dict[str, object]]:
    try:
        text = journal_file.read_text()
    except (OSError, UnicodeDecodeError) as error:
        raise ExportError(journal_file, 1, "the file can't be read. Export the study again.") from error
    entry_lines: list[dict[str, object]] = []
    for number, line in enumerate(text.splitlines(), start=1):
        try:
            value = parse_untrusted_json(line)
            if set(value) != {"study", "participant", "seq", "wall", "entry", "prev_hash", "hash"}:
                raise ValueError
        except (ValueError, TypeError, ValidationError) as error:
            raise ExportError(
                journal_file, number, "this is no entry of a study's journal. Export the study again."
            ) from error
        entry_lines.append(value)
    return entry_lines
