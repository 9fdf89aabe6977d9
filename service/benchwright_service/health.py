"""Health of a service: whether this process takes requests, and whether what they ask for is done."""

from __future__ import annotations

import asyncio
import logging
import os
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import Engine, event
from sqlalchemy.engine import ExceptionContext

from benchwright_foundation.database import Database
from benchwright_foundation.refusals import RefusalError, RefusalKind
from benchwright_foundation.storage_failures import describe_failure, is_write_failure, storage_failure_name
from benchwright_service.errors import BenchServiceError
from benchwright_service.mail.notice_rows import MailSize
from benchwright_service.runs.queue_rows import QueueSize
from benchwright_service.storage.facts import Facts

CHECKED_S = 1.0
"""Time for which an answer is kept, in seconds: everybody may ask."""
_REMEMBERED_S = 15.0
"""Time for which a write that failed counts, in seconds: small ones may work where larger ones don't."""
_LONGEST_CHECK_S = 5.0
_MOST_CLOCK_DIFFERENCE_S = 60.0
_PROBE = bytes(64 << 10)

logger = logging.getLogger(__name__)


class Health:
    """Checks it by doing it: writes to the database and to the data folder.

    Args:
        database: Database of the service.
        folder: Folder of the service.
        check_keys: Raises `BenchServiceError` if this process has other signing keys than the service.
        read_queue_size: Number of runs and workers.
        read_mail_size: Number of notices.
        clock: Seconds since 1970.
    """

    def __init__(
        self,
        database: Database,
        folder: Path,
        check_keys: Callable[[], Awaitable[None]],
        read_queue_size: Callable[[], Awaitable[QueueSize]],
        read_mail_size: Callable[[], Awaitable[MailSize]],
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.is_ending = False
        """True if this process still answers, and should be asked nothing new."""
        self._facts = Facts(database)
        self._folder = folder
        self._check_keys = check_keys
        self._queue_size = read_queue_size
        self._mail_size = read_mail_size
        self._now = clock
        self._turn = asyncio.Lock()
        self._checked = float("-inf")
        self._obstacles: Sequence[str] = ()
        self._idle_queues: Sequence[str] = ()
        self._failure = ""
        self._failed = float("-inf")

    async def require_accepting(self) -> None:
        """Makes sure that this process can take what people send.

        Raises:
            RefusalError: It can't, or it is about to end; the detail says why.
        """
        await self._check_if_stale()
        self._require_no_obstacles(self._obstacles)

    async def require_ready(self) -> None:
        """The same, and that somebody works on what waits.

        Raises:
            RefusalError: It can't, it is about to end, or a queue stands still; the detail says why.
        """
        await self._check_if_stale()
        self._require_no_obstacles([*self._obstacles, *self._idle_queues])

    @contextmanager
    def remembering_failed_writes(self) -> Iterator[None]:
        """Remembers writes that fail inside, in any database of this process."""

        def remember(error_context: ExceptionContext) -> None:
            failure = storage_failure_name(error_context.sqlalchemy_exception or error_context.original_exception)
            if failure is not None and is_write_failure(failure):
                self._failure, self._failed = failure, time.monotonic()

        event.listen(Engine, "handle_error", remember)
        try:
            yield
        finally:
            event.remove(Engine, "handle_error", remember)

    def _require_no_obstacles(self, obstacles: Sequence[str]) -> None:
        if self.is_ending:
            obstacles = ["this process is about to end", *obstacles]
        if obstacles:
            raise RefusalError(
                RefusalKind.UNAVAILABLE,
                f"Not ready: {'; '.join(obstacles)}.",
                "Ask again in a few seconds, or another process of the service; its operator has to mend the cause.",
                retry_after_s=5,
            )

    async def _check_if_stale(self) -> None:
        async with self._turn:
            if time.monotonic() - self._checked < CHECKED_S:
                return
            before = [*self._obstacles, *self._idle_queues]
            self._obstacles = [*await self._database_obstacles(), *await asyncio.to_thread(self._folder_obstacles)]
            self._idle_queues = () if self._obstacles else await self._idle_queue_sentences()
            self._checked = time.monotonic()
        now = [*self._obstacles, *self._idle_queues]
        if now != before:
            logger.warning("Not ready: %s", "; ".join(now)) if now else logger.warning("Ready again.")

    async def _database_obstacles(self) -> Sequence[str]:
        try:
            async with asyncio.timeout(_LONGEST_CHECK_S):
                began = self._now()
                database_s = await self._facts.write_and_read_time()
                difference_s = database_s - (began + self._now()) / 2
                await self._check_keys()
        except BenchServiceError:
            return ["this process has other signing keys than the service"]
        except TimeoutError:
            return ["the database does not answer"]
        except Exception as error:
            return [f"the database: {describe_failure(storage_failure_name(error) or type(error).__name__)}"]
        if abs(difference_s) > _MOST_CLOCK_DIFFERENCE_S:
            return [f"this machine's clock differs from the database's by {abs(difference_s):.0f} s"]
        if time.monotonic() - self._failed < _REMEMBERED_S:
            return [f"a database: {describe_failure(self._failure)}"]
        return []

    def _folder_obstacles(self) -> Sequence[str]:
        file = self._folder / f".probe-{os.getpid()}"
        try:
            try:
                with file.open("wb") as stream:
                    stream.write(_PROBE)
                    stream.flush()
                    os.fsync(stream.fileno())
            finally:
                file.unlink(missing_ok=True)
        except OSError as error:
            return [f"the data folder: {describe_failure(storage_failure_name(error) or type(error).__name__)}"]
        return []

    async def _idle_queue_sentences(self) -> Sequence[str]:
        size, stuck_mails = await self._queue_size(), (await self._mail_size()).stuck
        standing = []
        if size.waiting and not size.workers:
            standing.append(f"the queue of runs has no worker, and {size.waiting} wait")
        if stuck_mails:
            standing.append(f"the mail server has not taken notices for an hour, and {stuck_mails} wait")
        return standing
