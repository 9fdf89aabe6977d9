"""Services that all attempts of a process share: packs, event log, grading. Opened at first use."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Generic, TypeVar

from benchwright_attempts import log_file
from benchwright_attempts.attempts import Attempts
from benchwright_attempts.grading.grading import AttemptGrading, RemoteGrader
from benchwright_attempts.grading.judging import AttemptJudging
from benchwright_foundation.home import Home
from benchwright_harness.sandbox import Sandbox
from benchwright_judges.reading.text_length import TokenCounter
from benchwright_problems.storage.store import Store

if TYPE_CHECKING:
    # The database library takes a third of a second to import: nobody pays before a log is needed.
    from benchwright_attempts.log.log import EventLog

Log = TypeVar("Log", bound="EventLog", covariant=True)


class Services(Generic[Log]):
    """The services of one process. Once closed, they open again when they are used again.

    Args:
        home: The folders of this user.
        open_log: Opens the event log from its file.
        open_sandbox: Opens the sandbox that hidden tests run in; called once it is needed.
        harness_slots: Limits how many harnesses run at once. None for no limit.
        remote_grader: Grades the problems whose hidden part is on another machine. None if there are none.
    """

    def __init__(
        self,
        home: Home,
        open_log: Callable[[Path], Log],
        open_sandbox: Callable[[], Sandbox],
        harness_slots: asyncio.Semaphore | None = None,
        remote_grader: RemoteGrader | None = None,
    ) -> None:
        self.home = home
        self.store = Store(home)
        self.token_counter = TokenCounter(home.cache)
        self.judging = AttemptJudging(home)
        self.grading = AttemptGrading(home, self.store, open_sandbox, self.judging, harness_slots, remote_grader)
        self._open_log = open_log
        self._opening = threading.Lock()
        self._opened: tuple[Log, Attempts] | None = None

    @property
    def log(self) -> Log:
        """The event log."""
        return self._log_and_attempts()[0]

    @property
    def attempts(self) -> Attempts:
        """The summaries of attempts."""
        return self._log_and_attempts()[1]

    async def wait_until_settled(self) -> None:
        """Waits until what was recorded so far is on disk."""
        if self._opened is not None:
            await self._opened[0].wait_until_settled()

    async def close(self) -> None:
        """Writes what is waiting, and closes what was opened."""
        await self.judging.close()
        with self._opening:
            log_and_attempts, self._opened = self._opened, None
        if log_and_attempts is not None:
            await asyncio.to_thread(log_and_attempts[0].close)

    def _log_and_attempts(self) -> tuple[Log, Attempts]:
        # Requests ask for it from several threads at once; two logs would be two clocks.
        with self._opening:
            if self._opened is None:
                log = self._open_log(log_file(self.home))
                self._opened = (log, Attempts(log))
            return self._opened
