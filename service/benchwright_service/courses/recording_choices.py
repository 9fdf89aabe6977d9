"""Choices of students, in courses that ask, of how much of their work is recorded."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sqlalchemy import delete, select

from benchwright_attempts.errors import UnknownAttemptError
from benchwright_attempts.events.evidence import Recording
from benchwright_foundation.database import Database
from benchwright_remote.messages import Role
from benchwright_service.courses.replays import Replays
from benchwright_service.errors import BenchServiceError
from benchwright_service.storage.tables import (
    ASSIGNMENTS,
    ASSISTANCE_CHECKS,
    ATTEMPTS_HELD,
    COURSES,
    MEMBERS,
    RECORDING_CHOICES,
)
from benchwright_studies.conduct.study_log import StudyLog

LESS = Recording.TIMING
"""Level at which the work of a student is recorded who has not agreed to more."""
_DECLINED = "the student declined the recording"


@dataclass(frozen=True)
class RecordingChoice:
    """Choice of a student in a course."""

    is_asked: bool
    """True if the course asks."""
    agrees: bool | None
    """None if the student has made no choice."""

    @property
    def records_less(self) -> bool:
        """True if less is recorded of the student's work."""
        return self.is_asked and not self.agrees


class RecordingChoices:
    """Keeps them, and deletes what was recorded of those who decline later.

    Args:
        database: Database of the service.
        log: The service's.
        replays: Replays of attempts that are kept in memory.
        clock: Seconds since 1970.
    """

    def __init__(
        self, database: Database, log: StudyLog, replays: Replays, clock: Callable[[], float] = time.time
    ) -> None:
        self._database = database
        self._log = log
        self._replays = replays
        self._now = clock

    async def choice(self, course: str, account: str) -> RecordingChoice:
        """The choice of a student."""
        chosen = (RECORDING_CHOICES.c.course == COURSES.c.id) & (RECORDING_CHOICES.c.account == account)
        query = (
            select(COURSES.c.asks_recording, RECORDING_CHOICES.c.agrees)
            .outerjoin(RECORDING_CHOICES, chosen)
            .where(COURSES.c.id == course)
        )
        async with self._database.read_transaction() as connection:
            row = (await connection.execute(query)).one_or_none()
        if row is None:
            return RecordingChoice(False, None)
        return RecordingChoice(bool(row.asks_recording), bool(row.agrees) if row.agrees is not None else None)

    async def choose_and_count_deleted_recordings(self, course: str, account: str, *, agrees: bool) -> int:
        """Notes a choice; who declines has what was recorded until then deleted. If this ends early, call it again.

        Runs with their files and verdicts stay: they were handed in, and make the grade. Of each recording that is
        deleted, a tombstone stays in the log: how many events there were, and the hash of the last.

        Returns:
            Number of recordings that were deleted.

        Raises:
            BenchServiceError: The course does not ask, or the account is no student of it.
            LogError: The choice is noted, and nothing was deleted.
        """
        values = {"agrees": int(agrees), "at": self._now()}
        upsert = self._database.insert_into(RECORDING_CHOICES).values({"course": course, "account": account, **values})
        upsert = upsert.on_conflict_do_update(index_elements=["course", "account"], set_=values)
        asked_query = (
            select(COURSES.c.id)
            .join(MEMBERS, MEMBERS.c.course == COURSES.c.id)
            .where(COURSES.c.id == course, COURSES.c.asks_recording == 1)
            .where(MEMBERS.c.account == account, MEMBERS.c.role == Role.PARTICIPANT.value)
        )
        async with self._database.write_transaction() as connection:
            if (await connection.execute(asked_query)).first() is None:
                raise BenchServiceError("the course does not ask how much of your work is recorded")
            await connection.execute(upsert)
        if agrees:
            return 0
        deleted_count = await self._delete_recordings_and_count(course, account)
        # A batch of events that was checked before the choice may have begun an attempt meanwhile.
        return deleted_count + await self._delete_recordings_and_count(course, account)

    async def _delete_recordings_and_count(self, course: str, account: str) -> int:
        query = (
            select(ATTEMPTS_HELD.c.attempt)
            .join(ASSIGNMENTS, ASSIGNMENTS.c.id == ATTEMPTS_HELD.c.assignment)
            .where(ASSIGNMENTS.c.course == course, ATTEMPTS_HELD.c.account == account)
        )
        async with self._database.read_transaction() as connection:
            attempt_ids = (await connection.execute(query)).scalars().all()
        recorded = await asyncio.to_thread(self._attempts_recorded_beyond_timing, attempt_ids)
        if recorded:
            await asyncio.to_thread(self._log.delete_attempts, recorded, _DECLINED)
            async with self._database.write_transaction() as connection:
                await connection.execute(delete(ASSISTANCE_CHECKS).where(ASSISTANCE_CHECKS.c.attempt.in_(recorded)))
            self._replays.forget_attempts(recorded)
        return len(recorded)

    def _attempts_recorded_beyond_timing(self, attempts: Sequence[str]) -> Sequence[str]:
        """Those attempts of which the log has more than it may have of who declines."""
        return [attempt for attempt in attempts if recording_level_or_none(self._log, attempt) not in (None, LESS)]


def recording_level_or_none(log: StudyLog, attempt: str) -> Recording | None:
    """Level at which an attempt was recorded; None if its recording was deleted. Waits for the disk."""
    try:
        return log.header(attempt).recording
    except UnknownAttemptError:
        return None
