"""One clock at a time: a person works on one attempt, in whichever window it is open."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from benchwright_attempts.actor import acting_as
from benchwright_attempts.clock.clock import AttemptState
from benchwright_attempts.errors import AttemptError
from benchwright_foundation.atomic import write_atomically
from benchwright_problems.errors import ProblemsError
from benchwright_server.protocol.messages import AttemptStatus

if TYPE_CHECKING:
    # The database library takes a third of a second to import: nobody pays before a log is needed.
    from benchwright_attempts.services import Services
    from benchwright_server.attempts.session import EditorSession
    from benchwright_studies.conduct.study_log import StudyLog

_CHECK_INTERVAL_S = 1.0
"""Seconds between two checks which attempt was started last: for so long two clocks may run."""


class OneClock:
    """Pauses the clock of an attempt when that of another is started, here or in another server.

    Each window has a server of its own. A file beside the log names the attempt whose clock was started last. Each
    server pauses its own attempts, because only the process that works on an attempt records it, and knows its time to
    the end.

    Args:
        services: Services of the process.
        list_sessions: Those of the process.
        notify_person: Called with a sentence for the person.
    """

    def __init__(
        self,
        services: Services[StudyLog],
        list_sessions: Callable[[], Iterable[EditorSession]],
        notify_person: Callable[[str], None],
    ) -> None:
        self._services = services
        self._file: Path = services.home.data / "attempts" / "running"
        self._sessions = list_sessions
        self._tell = notify_person
        self._lock = asyncio.Lock()
        self._watching: asyncio.Task[None] | None = None

    async def run_only_clock_of(
        self, session: EditorSession, start_or_resume: Callable[[], Awaitable[AttemptStatus]]
    ) -> AttemptStatus:
        """Start or resume the clock of an attempt, and pause every other.

        Args:
            session: The attempt.
            start_or_resume: Starts or resumes it.

        Raises:
            AttemptError: The attempt can't be started or resumed.
        """
        async with self._lock:
            status = await start_or_resume()
            # Without the file only the clocks of other servers run on.
            with contextlib.suppress(OSError):
                await asyncio.to_thread(write_atomically, self._file, session.header.id.encode(), 0o600, durable=False)
            for other_session in [candidate for candidate in self._sessions() if candidate is not session]:
                await self._pause_if_running_and_notify(other_session, session.header.problem, session.problem.title)
        return status

    def watch_other_servers(self) -> None:
        """Look for attempts that other servers start, from now on."""
        if self._watching is None:
            self._watching = asyncio.create_task(self._pause_all_but_newest_periodically())

    def close(self) -> None:
        """Look no more."""
        if self._watching is not None:
            self._watching.cancel()

    async def _pause_all_but_newest_periodically(self) -> None:
        while True:
            await asyncio.sleep(_CHECK_INTERVAL_S)
            running_sessions = [session for session in self._sessions() if session.attempt.clock.is_following]
            if running_sessions:
                async with self._lock:
                    await self._pause_all_but_newest(running_sessions)

    async def _pause_all_but_newest(self, running_sessions: Iterable[EditorSession]) -> None:
        newest_attempt = await asyncio.to_thread(self._last_started_attempt_id)
        other_sessions = [session for session in running_sessions if session.header.id != newest_attempt]
        if newest_attempt is None or not other_sessions:
            return
        try:
            header = await asyncio.to_thread(self._services.log.header, newest_attempt)
            if (await asyncio.to_thread(self._services.log.summary, newest_attempt)).state is not AttemptState.RUNNING:
                return
            title = (await asyncio.to_thread(self._services.store.problem, header.problem)).title
        except (AttemptError, ProblemsError):
            # The log can't be read now, or is another one.
            return
        for other_session in other_sessions:
            await self._pause_if_running_and_notify(other_session, header.problem, title)

    def _last_started_attempt_id(self) -> str | None:
        try:
            return self._file.read_text(encoding="utf-8")
        except (OSError, ValueError):
            return None

    async def _pause_if_running_and_notify(
        self, session: EditorSession, started_problem_ref: str, started_title: str
    ) -> None:
        # It may end at the same moment.
        with contextlib.suppress(AttemptError):
            if await session.is_clock_running():
                # Nobody asked for it, in whosever request this began.
                with acting_as(None):
                    await session.pause(f"{started_problem_ref} was started")
                self._tell(
                    f"Paused “{session.problem.title}”, because “{started_title}” was started. "
                    "One attempt runs at a time."
                )
