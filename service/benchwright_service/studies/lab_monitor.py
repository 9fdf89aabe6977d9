"""Watching a study while it goes on, blind to conditions and outcomes, and its report once it is closed."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from sqlalchemy import and_, func, select

from benchwright_attempts.attempts import Attempts
from benchwright_attempts.clock.clock import AttemptState
from benchwright_attempts.errors import StudyError, UnknownAttemptError
from benchwright_attempts.events.events import EVENT_TYPES
from benchwright_attempts.summary.summary import Summary
from benchwright_foundation.database import Database
from benchwright_foundation.home import Home
from benchwright_foundation.number_text import duration
from benchwright_foundation.refusals import RefusalError, RefusalKind
from benchwright_remote.messages import Role, StudyWatch, WatchedParticipant, Whereabouts
from benchwright_service.accounts.accounts import Accounts
from benchwright_service.storage.tables import ASSIGNMENTS, ATTEMPTS_HELD, PLACES, RECEIPTS
from benchwright_service.studies.study_places import StudyPlaces
from benchwright_studies.conduct.progress import ParticipantProgress
from benchwright_studies.conduct.studies import RegisteredStudy, Studies
from benchwright_studies.conduct.study_log import StudyLog
from benchwright_studies.plan.vocabulary import ParticipantStep

STUCK_AFTER_S = 600.0
"""After how long without work a participant counts as stuck, unless something else was asked for."""
REPORT = "report.html"
"""The page of a report, in its folder."""
_POLICY = re.compile(rb"""<meta http-equiv="Content-Security-Policy" content="([\w '=+/:;-]{1,1000})">""")
_HEAD_BYTES = 2_000
# It may not act for who is signed in.
_CONFINED = "sandbox allow-scripts allow-downloads; form-action 'none'; frame-ancestors 'none'; base-uri 'none'"
_WITHOUT_SCRIPTS = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:"
_NEWEST_EVENTS = 500
"""Events that are searched for work: heartbeats come every 30 s, so these are hours."""
_OVER = {ParticipantStep.FINISHED: Whereabouts.FINISHED, ParticipantStep.WITHDRAWN: Whereabouts.DROPPED_OUT}


@dataclass(frozen=True)
class ArrivedRecords:
    """Records that have arrived of one participant."""

    events: int
    """Of all attempts, as far as they are countersigned."""
    receipt: datetime
    """The time of the newest receipt, by the service's clock."""


class LabMonitor:
    """Shows studies of one service to their owners and monitors.

    Args:
        log: The service's.
        database: Database of the service.
        accounts: Say who is what in a study.
        reports_folder: Folder of the reports of closed studies.
        clock: The service's time.
    """

    def __init__(
        self,
        log: StudyLog,
        database: Database,
        accounts: Accounts,
        reports_folder: Path,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._log = log
        self.database = database
        self._accounts = accounts
        self._reports = reports_folder
        self._now = clock

    async def study_watch_for_account(
        self, account: str, study: str, stuck_after_s: float = STUCK_AFTER_S
    ) -> StudyWatch:
        """A study as its owners and monitors see it.

        Raises:
            RefusalError: Somebody is neither, or there is no such study.
        """
        if await self._accounts.role(account, study) not in (Role.OWNER, Role.MONITOR):
            raise _unknown_study_refusal()
        try:
            return await self.study_watch(study, stuck_after_s)
        except StudyError:
            # A course that is no study.
            raise _unknown_study_refusal() from None

    async def is_study(self, course: str) -> bool:
        """True if a course is a study's, whose names and outcomes no page shows."""
        return await StudyPlaces(self.database).is_study(course)

    async def study_watch(self, study: str, stuck_after_s: float = STUCK_AFTER_S) -> StudyWatch:
        """Returns the progress of everybody in a study. Conditions, verdicts and times of work are not in it.

        Args:
            study: Its id.
            stuck_after_s: After how long without work, in seconds, somebody whose clock runs counts as stuck.

        Raises:
            StudyError: No such study exists.
        """
        joined = select(PLACES.c.pseudonym).where(PLACES.c.study == study, PLACES.c.account.is_not(None))
        query = (
            select(ATTEMPTS_HELD.c.attempt, ATTEMPTS_HELD.c.clock_difference_s)
            .join(ASSIGNMENTS, ASSIGNMENTS.c.id == ATTEMPTS_HELD.c.assignment)
            .where(ASSIGNMENTS.c.course == study)
        )
        async with self.database.read_transaction() as connection:
            joined_pseudonyms = frozenset((await connection.execute(joined)).scalars())
            differences = {row.attempt: row.clock_difference_s for row in await connection.execute(query)}
        return await asyncio.to_thread(self._watch, study, joined_pseudonyms, differences, stuck_after_s)

    async def arrived_records(self, study: str) -> Mapping[str, ArrivedRecords]:
        """Returns what has arrived of each participant, by pseudonym; without those of whom nothing is here."""
        newest_receipts = (
            select(RECEIPTS.c.attempt, func.max(RECEIPTS.c.events).label("events"))
            .join(ATTEMPTS_HELD, ATTEMPTS_HELD.c.attempt == RECEIPTS.c.attempt)
            .join(ASSIGNMENTS, ASSIGNMENTS.c.id == ATTEMPTS_HELD.c.assignment)
            .where(ASSIGNMENTS.c.course == study)
            .group_by(RECEIPTS.c.attempt)
            .subquery()
        )
        query = (
            select(PLACES.c.pseudonym, RECEIPTS.c.events, RECEIPTS.c.anchor)
            .join(
                newest_receipts,
                and_(newest_receipts.c.attempt == RECEIPTS.c.attempt, newest_receipts.c.events == RECEIPTS.c.events),
            )
            .join(ATTEMPTS_HELD, ATTEMPTS_HELD.c.attempt == RECEIPTS.c.attempt)
            .join(PLACES, and_(PLACES.c.account == ATTEMPTS_HELD.c.account, PLACES.c.study == study))
        )
        async with self.database.read_transaction() as connection:
            rows = (await connection.execute(query)).all()
        arrivals: dict[str, ArrivedRecords] = {}
        for row in rows:
            time = datetime.fromisoformat(json.loads(row.anchor)["receipt"]["time"])
            previous_arrival = arrivals.get(row.pseudonym)
            arrivals[row.pseudonym] = (
                ArrivedRecords(row.events, time)
                if previous_arrival is None
                else ArrivedRecords(previous_arrival.events + row.events, max(previous_arrival.receipt, time))
            )
        return arrivals

    async def report_html_for_owner(self, account: str, study: str) -> bytes:
        """The report of a closed study, an HTML page.

        Raises:
            RefusalError: Somebody does not own the study, it is not closed, or no report was made.
        """
        if await self._accounts.role(account, study) is not Role.OWNER:
            raise _unknown_study_refusal()
        try:
            registered_study = await asyncio.to_thread(self._study, study)
        except StudyError:
            raise _unknown_study_refusal() from None
        if registered_study.closed is None:
            raise RefusalError(
                RefusalKind.CONFLICT,
                "The study goes on: nobody sees outcomes by condition.",
                f"Close it on its page, or on the service's machine: benchwright lab close {study}",
            )
        try:
            return await asyncio.to_thread((self._reports / study / REPORT).read_bytes)
        except FileNotFoundError:
            raise RefusalError(
                RefusalKind.CONFLICT,
                "The study is closed, and its report has not been made here.",
                f"Make it on the study's page, or on the service's machine: benchwright lab close {study}",
            ) from None

    def _study(self, study: str) -> RegisteredStudy:
        return self._studies().study(study)

    def _studies(self) -> Studies:
        return Studies(self._log, Attempts(self._log))

    def _watch(
        self,
        study: str,
        joined_pseudonyms: frozenset[str],
        clock_difference_s_by_attempt: Mapping[str, float],
        stuck_after_s: float,
    ) -> StudyWatch:
        registered_study = self._study(study)
        begun_participants = frozenset(self._log.journal.participants(study))
        return StudyWatch(
            study=study,
            title=registered_study.study.title,
            digest=registered_study.closed.digest if registered_study.closed is not None else "",
            participants=tuple(
                self._watched_participant(registered_study, pseudonym, clock_difference_s_by_attempt, stuck_after_s)
                if pseudonym in begun_participants
                else WatchedParticipant(
                    participant=pseudonym,
                    where=Whereabouts.JOINED if pseudonym in joined_pseudonyms else Whereabouts.FREE,
                )
                for pseudonym in registered_study.study.pseudonyms
            ),
        )

    def _watched_participant(
        self,
        registered_study: RegisteredStudy,
        participant: str,
        clock_difference_s_by_attempt: Mapping[str, float],
        stuck_after_s: float,
    ) -> WatchedParticipant:
        entered = self._log.journal.entries(registered_study.study.study, participant)[-1].wall
        try:
            progress = self._studies().progress_in_registered(registered_study, participant)
        except UnknownAttemptError:
            # Its events are on their way: journals are handed in first.
            return WatchedParticipant(participant=participant, where=Whereabouts.BETWEEN_TASKS, heard=entered)
        ahead = timedelta(seconds=clock_difference_s_by_attempt.get(progress.attempt or "", 0.0))
        summary = self._log.summary(progress.attempt) if progress.attempt else None
        newest_time = summary.clock.newest_wall if summary is not None else None
        heard = max(entered, newest_time or entered) + ahead
        worked = self._last_work_time(progress.attempt, summary) if progress.attempt and summary is not None else None
        worked = worked + ahead if worked is not None else None
        return WatchedParticipant(
            participant=participant,
            where=whereabouts(progress, summary, self._now() - heard, self._now() - (worked or heard), stuck_after_s),
            done=progress.done,
            total=progress.total,
            task=progress.position,
            heard=heard,
            worked=worked,
        )

    def _last_work_time(self, attempt: str, summary: Summary) -> datetime | None:
        """Time at which the solver last did something, by the solver's clock; at the latest, if that is long ago."""
        rows = self._log.rows(attempt, after_seq=max(0, summary.seq - _NEWEST_EVENTS))
        walls = [row.wall for row in rows if json.loads(row.body)["type"] in EVENT_TYPES.activity]
        candidates = [*walls[-1:], *(row.wall for row in rows[:1])]
        return datetime.fromisoformat(candidates[0]) if candidates else None


def whereabouts(
    progress: ParticipantProgress,
    summary: Summary | None,
    silence: timedelta,
    idle_time: timedelta,
    stuck_after_s: float,
) -> Whereabouts:
    """State of a participant who has begun.

    Args:
        progress: Progress, with what comes next for them.
        summary: Summary of the present attempt.
        silence: Since the newest record.
        idle_time: Since the newest record that they caused.
        stuck_after_s: Longest time that may be normal, in seconds.
    """
    if progress.step in _OVER:
        return _OVER[progress.step]
    if progress.step is ParticipantStep.CLOSED:
        return Whereabouts.CLOSED
    if progress.step is not ParticipantStep.WORK or summary is None:
        return Whereabouts.BETWEEN_TASKS
    if summary.state is not AttemptState.RUNNING:
        return Whereabouts.PAUSED
    if silence.total_seconds() > stuck_after_s:
        return Whereabouts.SILENT
    return Whereabouts.STUCK if idle_time.total_seconds() > stuck_after_s else Whereabouts.WORKING


def elapsed_text(moment: datetime | None, current_time: datetime) -> str:
    """Time since something happened, in whole minutes or larger units; empty for never."""
    if moment is None:
        return ""
    minutes = max(0, int((current_time - moment).total_seconds() // 60))
    return duration(60 * minutes) if minutes else "0 min"


def closing_lock_file(home: Home, study: str) -> Path:
    """The file that is locked while a study is closed or its report made."""
    return home.data / "service" / "closing" / study


def closing_step_file(home: Home, study: str) -> Path:
    """The file that names the step of a report while it is made."""
    return home.data / "service" / "closing-steps" / study


def report_headers(report_page: bytes) -> Mapping[str, str]:
    """Headers that a report is served with: its own policy for scripts, and that it acts for nobody."""
    policy = _POLICY.search(report_page, 0, _HEAD_BYTES)
    return {
        "Content-Security-Policy": f"{_CONFINED}; {policy[1].decode() if policy is not None else _WITHOUT_SCRIPTS}",
        "Cache-Control": "no-store",
        "Referrer-Policy": "no-referrer",
        "X-Content-Type-Options": "nosniff",
    }


def _unknown_study_refusal() -> RefusalError:
    return RefusalError(RefusalKind.NOT_FOUND, "There is no such study.", "Ask its owner to make you its monitor.")
