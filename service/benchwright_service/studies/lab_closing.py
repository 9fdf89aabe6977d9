"""The end of a study at the service: what closing it would do, closing it beside the service, and its files."""

from __future__ import annotations

import asyncio
import hashlib
import json
import sys
import tempfile
import time
import zipfile
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import IO, TYPE_CHECKING

from sqlalchemy import select, update

from benchwright_attempts.attempts import Attempts
from benchwright_foundation.database import Database
from benchwright_foundation.errors import BenchwrightError
from benchwright_foundation.file_lock import is_locked
from benchwright_foundation.home import Home
from benchwright_foundation.process_group import kill_process_group
from benchwright_remote.messages import StudyWatch, Whereabouts
from benchwright_service.evidence.audit import AuditLog
from benchwright_service.storage.tables import ACCOUNTS, CLOSINGS, moment
from benchwright_service.studies.lab_monitor import REPORT, closing_lock_file, closing_step_file
from benchwright_studies.conduct.archive import write_archive_and_count_attempts
from benchwright_studies.conduct.closing import unended_attempts_with_consent
from benchwright_studies.conduct.studies import Studies
from benchwright_studies.conduct.study_log import StudyLog

if TYPE_CHECKING:
    from benchwright_studies.conduct.entry import Closed

OPERATOR = "command line"
"""Name for a person who closed a study by a command on the service's machine."""
_OVER = (Whereabouts.FINISHED, Whereabouts.DROPPED_OUT, Whereabouts.FREE)


@dataclass(frozen=True)
class ClosingEffects:
    """Effects of closing a study: what it would end."""

    attempts: int
    """All of the study."""
    working: Sequence[str]
    """Participants with an attempt that goes on."""
    models: int
    """Attempts of models and agents that go on."""
    going: str
    """Digest of which attempts these are; empty if there are none."""

    @property
    def needs_force(self) -> bool:
        """True if closing has to be forced."""
        return bool(self.going) or not self.attempts


@dataclass(frozen=True)
class ClosingState:
    """Progress of the closing of a study."""

    digest: str
    """Of the data; empty until they are frozen."""
    has_report: bool
    is_running: bool
    begun: datetime | None
    """The last time; None if it was never closed here."""
    by: str
    """Name of the person who closes it."""
    has_ended: bool
    why: str
    """Reason why the last time was in vain; empty if it was not."""
    step: str = ""
    """Step of the report that is being made, with its number; empty if none is."""

    @property
    def is_interrupted(self) -> bool:
        """True if it was begun, and nothing is at it any more."""
        return self.begun is not None and not self.has_ended and not self.is_running


class Closings:
    """Closes studies in processes of their own, so that participants do not wait for it.

    Args:
        log: The service's.
        database: Database of the service.
        database_url: URL of the database that the processes open; None for SQLite files in `home`.
        home: The folders of the service's user.
        reports_folder: Folder of the reports of closed studies.
    """

    def __init__(
        self, log: StudyLog, database: Database, database_url: str | None, home: Home, reports_folder: Path
    ) -> None:
        self._log = log
        self._database = database
        self._database_url = database_url
        self._home = home
        self._reports = reports_folder
        self._processes: dict[str, Process | None] = {}
        self._watchers: set[asyncio.Task[None]] = set()
        self._packing = asyncio.Lock()

    async def closing_effects(self, study: str, participants: Sequence[str]) -> ClosingEffects:
        """Returns what closing a study would end.

        Args:
            study: Its id.
            participants: Everybody who may take part.
        """

        def compute_effects() -> ClosingEffects:
            going = unended_attempts_with_consent(self._log, study)
            working = sorted({attempt.solver for attempt in going} & set(participants))
            ids = ",".join(sorted(attempt.id for attempt in going))
            return ClosingEffects(
                attempts=len(self._log.journal.attempts(study)),
                working=working,
                models=sum(1 for attempt in going if attempt.solver not in working),
                going=hashlib.sha256(ids.encode()).hexdigest() if ids else "",
            )

        return await asyncio.to_thread(compute_effects)

    async def closing_state(self, study: str) -> ClosingState:
        """Returns the progress of its closing; also of one that a command on this machine has begun.

        Raises:
            StudyError: No such study exists.
        """
        query = (
            select(CLOSINGS, ACCOUNTS.c.name)
            .outerjoin(ACCOUNTS, ACCOUNTS.c.id == CLOSINGS.c.by)
            .where(CLOSINGS.c.study == study)
        )
        # First: what ends in between has noted its end when the row is read.
        is_running = study in self._processes or await asyncio.to_thread(
            is_locked, closing_lock_file(self._home, study)
        )
        async with self._database.read_transaction() as connection:
            row = (await connection.execute(query)).one_or_none()

        def read_ending() -> tuple[str, bool, str]:
            closed = Studies(self._log, Attempts(self._log)).study(study).closed
            has_report = (self._reports / study / REPORT).is_file()
            return closed.digest if closed is not None else "", has_report, self._report_step(study)

        digest, has_report, step = await asyncio.to_thread(read_ending)
        return ClosingState(
            digest=digest,
            has_report=bool(digest) and has_report,
            is_running=is_running,
            begun=moment(row.begun) if row is not None else None,
            by=(row.name or row.by) if row is not None else "",
            has_ended=row is not None and row.ended is not None,
            why=row.why if row is not None else "",
            step=step if is_running else "",
        )

    def _report_step(self, study: str) -> str:
        try:
            return closing_step_file(self._home, study).read_text(encoding="utf-8")
        except OSError:
            return ""

    async def begin_closing(self, study: str, account: str, *, force: bool) -> None:
        """Begins to close a study, or to make its report again if it is closed; returns at once.

        Args:
            study: Its id.
            account: Account that wants it.
            force: End attempts that are going on; close it even without attempts.
        """
        if study in self._processes:
            return
        self._processes[study] = None
        try:
            await record_closing_begun(self._database, study, account, force=force)
            process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-m", "benchwright_service.studies.closing_process"),
                stdin=PIPE,
                stdout=DEVNULL,
                start_new_session=True,
            )
        except BaseException:
            del self._processes[study]
            raise
        self._processes[study] = process
        closing_request = {"study": study, "account": account, "force": force, "database": self._database_url}
        closing_request |= {name: str(getattr(self._home, name)) for name in ("data", "state", "workspaces", "cache")}
        watcher = asyncio.create_task(self._await_process_end(study, process, json.dumps(closing_request).encode()))
        self._watchers.add(watcher)
        watcher.add_done_callback(self._watchers.discard)

    async def records_zip(self, study: str) -> IO[bytes]:
        """A study's records as a ZIP archive of what `benchwright study export` writes.

        Returns:
            A file without a name; it is gone when it is closed.

        Raises:
            StudyError: No such study exists.
        """

        def packed() -> IO[bytes]:
            file = tempfile.TemporaryFile()  # noqa: SIM115 - whoever asked reads it
            with tempfile.TemporaryDirectory() as name:
                folder = Path(name) / study
                write_archive_and_count_attempts(self._log, study, folder)
                with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
                    for path in sorted(folder.rglob("*")):
                        archive.write(path, path.relative_to(folder.parent))
            file.seek(0)
            return file

        async with self._packing:
            return await asyncio.to_thread(packed)

    async def close(self) -> None:
        """Ends the processes; what they were at can be begun again."""
        for process in self._processes.values():
            if process is not None and process.returncode is None:
                kill_process_group(process.pid)
        await asyncio.gather(*self._watchers, return_exceptions=True)

    async def _await_process_end(self, study: str, process: Process, request_bytes: bytes) -> None:
        try:
            await process.communicate(request_bytes)
        finally:
            del self._processes[study]


def unfinished_participants(watch: StudyWatch) -> Sequence[str]:
    """Participants who have a place and whose part is not over."""
    return [participant.participant for participant in watch.participants if participant.where not in _OVER]


async def record_closing_begun(
    database: Database, study: str, account: str, *, force: bool, clock: Callable[[], float] = time.time
) -> None:
    """Notes that somebody closes a study, before anything happens.

    Args:
        database: Database of the service.
        study: Its id.
        account: Account that does it.
        force: True if attempts that are going on are ended.
        clock: Seconds since 1970.
    """
    begun_columns = {"by": account, "begun": clock(), "ended": None, "why": ""}
    closing_insert = database.insert_into(CLOSINGS).values(study=study, **begun_columns)
    async with database.write_transaction() as connection:
        await connection.execute(closing_insert.on_conflict_do_update(index_elements=["study"], set_=begun_columns))
    await AuditLog(database, clock).record_action(
        account, study, "began closing", "attempts that go on are ended" if force else ""
    )


async def close_and_record_end(
    database: Database,
    log: StudyLog,
    home: Home,
    reports_folder: Path,
    study: str,
    account: str,
    *,
    force: bool,
    clock: Callable[[], float] = time.time,
) -> tuple[Closed, Path]:
    """Closes a study unless it is closed, makes its report, and notes how it ended; see `record_closing_begun`.

    Args:
        database: Database of the service.
        log: The service's.
        home: The folders of the service's user.
        reports_folder: Folder of the reports of closed studies.
        study: Its id.
        account: Account that does it.
        force: End attempts that are going on; close it even without attempts.
        clock: Seconds since 1970.

    Returns:
        The seal, and the report's page.

    Raises:
        AttemptError: The study can't be closed yet, or has nothing to report on.
        JudgesError: The judgements can't be read.
        ProblemsError: A problem can't be read.
    """
    failure = ""
    try:
        # The statistics take seconds to import.
        from benchwright_service.studies.study_report import close_and_report

        closed, page = await close_and_report(log, home, study, reports_folder, end_open_attempts=force)
        await AuditLog(database, clock).record_action(account, study, "closed, with report", closed.digest)
        return closed, page
    except BenchwrightError as error:
        failure = str(error)
        raise
    except Exception as error:
        failure = f"{type(error).__name__}; the service's log says where."
        raise
    finally:
        async with database.write_transaction() as connection:
            closing_update = update(CLOSINGS).where(CLOSINGS.c.study == study)
            await connection.execute(closing_update.values(ended=clock(), why=failure))
