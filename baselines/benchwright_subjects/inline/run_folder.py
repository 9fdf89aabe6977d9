"""A run's folder: its settings, a line for each site that was played, and the verdicts.

A line is on disk before the next site begins. The last one may be torn by a crash or a power cut: it is taken off, and
its site is played again. The folder holds parts of references, so it is its owner's alone.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

from pydantic import JsonValue, ValidationError

from benchwright_attempts.errors import EvaluationError
from benchwright_foundation.atomic import sync_folder, write_atomically
from benchwright_foundation.file_lock import file_lock, is_locked
from benchwright_problems.problem import digest
from benchwright_studies.plan.accept_policy import AcceptPolicy
from benchwright_subjects.inline.policies import RefusalConsequence
from benchwright_subjects.inline.record import Hindsight, RecordPart, SiteRecord, SubjectName
from benchwright_subjects.inline.sites import SiteKind

FORMAT = 1
_Line = TypeVar("_Line", bound=RecordPart)


class RunSettings(RecordPart):
    """Settings that have to be the same for a run to go on."""

    format: int = FORMAT
    command: tuple[str, ...]
    dialect: str
    configuration: str
    """SHA-256 over what the server is started with."""
    model: str = ""
    """Model that it asks, as Inspect names it; empty if its model is its own affair."""
    pack: str
    pack_version: str
    problems: dict[str, str]
    """Each problem → SHA-256 over its public part, harness and reference."""
    kinds: tuple[SiteKind, ...]
    attempts: tuple[str, ...] = ()
    """Recorded attempts that are replayed."""
    pause_ms: int | None = None
    study: str = ""
    """Study whose attempts are replayed; empty if others are."""
    per_kind: int
    longest: int
    seed: int
    policies: tuple[AcceptPolicy, ...]
    mode: RefusalConsequence
    trigger: int
    timeout_s: float
    most_asks: int
    next_edits: bool
    statement: bool
    """True if the workspace has the statement."""
    confined: bool
    """True if the server's process saw nothing but the system and its own folders."""
    sites: int
    """Number of sites."""


class SnapshotVerdict(RecordPart):
    """Verdict of the hidden tests on a file after some accepted offers."""

    site: str
    policy: AcceptPolicy
    accepts: int
    is_end: bool
    outcome: str
    """`passed`, `failed` or `error`."""
    reason: str
    passed_tests: int
    tests: int


class RunFolder:
    """One run on disk.

    Args:
        folder: Path of the run's folder.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._sites = folder / "sites.jsonl"
        self._settings = folder / "run.json"
        self._verdicts = folder / "verdicts.jsonl"
        self._hindsight = folder / "hindsight.jsonl"

    @contextmanager
    def open_for_writing(self, settings: RunSettings) -> Iterator[None]:
        """Keep others out, and make sure that what is there belongs to the same run.

        Raises:
            EvaluationError: The folder belongs to another run, or somebody else is writing.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        lock = self.folder / ".lock"
        if is_locked(lock):
            raise EvaluationError(
                f"Another command is writing to {self.folder}. Wait for it, or choose another folder."
            )
        with file_lock(lock):
            if not self._settings.exists():
                if other_files := [file.name for file in self.folder.iterdir() if not file.name.startswith(".")]:
                    raise EvaluationError(
                        f"{self.folder} holds other files, such as {other_files[0]}. Choose a new folder."
                    )
                self.folder.chmod(0o700)
                write_atomically(self._settings, settings.model_dump_json(indent=1).encode(), 0o600)
            elif different := _different_setting_names(self.settings(), settings):
                raise EvaluationError(
                    f"{self.folder} holds a run with another {' and '.join(different)}. Choose a new folder, or give "
                    "the options that it began with."
                )
            self._cut_unfinished_last_line()
            yield

    def settings(self) -> RunSettings:
        """Settings with which the run started.

        Raises:
            EvaluationError: The folder has no settings, or they are damaged.
        """
        try:
            return RunSettings.model_validate_json(self._settings.read_bytes())
        except FileNotFoundError:
            raise EvaluationError(
                f"{self.folder} holds no run: `benchwright completion run --out {self.folder}` makes one."
            ) from None
        except (OSError, ValidationError):
            raise EvaluationError(
                f"{self._settings} can't be read, or another version of Benchwright wrote it."
            ) from None

    def records(self) -> list[SiteRecord]:
        """The sites that were played, in the order in which they were.

        Raises:
            EvaluationError: A line is damaged.
        """
        return self._read_lines(self._sites, SiteRecord)

    def append_record(self, record: SiteRecord) -> None:
        """Add a site; it is on disk when this returns."""
        is_new = not self._sites.exists()
        with os.fdopen(os.open(self._sites, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), "wb") as stream:
            stream.write(record.model_dump_json().encode() + b"\n")
            stream.flush()
            os.fsync(stream.fileno())
        if is_new:
            sync_folder(self.folder)

    def verdicts(self) -> list[SnapshotVerdict]:
        """Those of the last grading; none before it.

        Raises:
            EvaluationError: A line is damaged.
        """
        return self._read_lines(self._verdicts, SnapshotVerdict)

    def replace_verdicts(self, verdicts: Sequence[SnapshotVerdict]) -> None:
        """Replace the verdicts."""
        self._rewrite_lines(self._verdicts, verdicts)

    def hindsights(self) -> list[Hindsight]:
        """Evidence of replayed attempts about the offers at their pauses; nothing before they were looked through.

        Raises:
            EvaluationError: A line is damaged.
        """
        return self._read_lines(self._hindsight, Hindsight)

    def replace_hindsights(self, hindsights: Sequence[Hindsight]) -> None:
        """Replace what replayed attempts say."""
        self._rewrite_lines(self._hindsight, hindsights)

    def _rewrite_lines(self, file: Path, record_parts: Sequence[RecordPart]) -> None:
        write_atomically(
            file, "".join(f"{kept_record.model_dump_json()}\n" for kept_record in record_parts).encode(), 0o600
        )

    def _read_lines(self, file: Path, record_type: type[_Line]) -> list[_Line]:
        try:
            file_bytes = file.read_bytes()
        except FileNotFoundError:
            return []
        kept_records = []
        for number, line in enumerate(file_bytes[: file_bytes.rfind(b"\n") + 1].splitlines(), 1):
            try:
                kept_records.append(record_type.model_validate_json(line))
            except ValidationError:
                raise EvaluationError(
                    f"{file}, line {number}, is damaged. Remove the line to play its site again."
                ) from None
        return kept_records

    def _cut_unfinished_last_line(self) -> None:
        """Take off a line that was not written whole."""
        if self._sites.exists():
            with self._sites.open("r+b") as stream:
                file_bytes = stream.read()
                stream.truncate(file_bytes.rfind(b"\n") + 1)
                os.fsync(stream.fileno())


def _different_setting_names(kept_settings: RunSettings, given_settings: RunSettings) -> list[str]:
    old_settings, new_settings = (
        json.loads(kept_settings.model_dump_json()),
        json.loads(given_settings.model_dump_json()),
    )
    return [name.replace("_", " ") for name in new_settings if old_settings[name] != new_settings[name]]


def subject_of_server(settings: RunSettings, reported_name: str, reported_version: str) -> SubjectName:
    """Name of the server's subject: as it calls itself, else its program."""
    program = Path(settings.command[0]).name
    return SubjectName(name=reported_name or program, version=reported_version, configuration=settings.configuration)


def problem_digest(public_digest: str, harness_digest: str, reference: dict[str, JsonValue]) -> str:
    """SHA-256 over all of a problem that a run depends on."""
    return digest([public_digest, harness_digest, reference])
