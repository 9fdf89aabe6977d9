"""Delivers study records: at the start of the server what waits, and afterwards what is new, as it grows."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Callable

from benchwright_attempts import log_file
from benchwright_attempts.errors import AttemptError
from benchwright_foundation.home import Home
from benchwright_studies import open_log
from benchwright_studies.conduct.delivery import Deliveries


def start_pending_deliveries(home: Home, report_sentence_and_success: Callable[[str, bool], None]) -> None:
    """Starts delivering pending records, if there are any, in the background; shutting down does not wait for it.

    Args:
        home: The folders of this user.
        report_sentence_and_success: Called in another thread with a sentence, and whether the delivery succeeded.
    """
    deliveries = Deliveries(home)

    def deliver() -> None:
        try:
            with open_log(log_file(home)) as log:
                arrived, undelivered = deliveries.deliver_waiting(log)
        except AttemptError as error:
            report_sentence_and_success(str(error), False)
            return
        for delivery in arrived:
            report_sentence_and_success(
                f"The records of {delivery.participant} in the study {delivery.study} have been delivered.", True
            )
        for delivery in undelivered:
            report_sentence_and_success(delivery.told, False)

    if deliveries.waiting_deliveries():
        threading.Thread(target=deliver, name="delivery", daemon=True).start()


PAUSE_S = 30.0
"""Between two deliveries."""


class LiveDelivery:
    """Delivers what is new while studies go on, so that the lab has the records of who never finishes.

    Args:
        home: The folders of this user.
        has_active_study_attempt: Returns true if an attempt of a study goes on here.
        pause_s: Between two deliveries.
    """

    def __init__(self, home: Home, has_active_study_attempt: Callable[[], bool], pause_s: float = PAUSE_S) -> None:
        self._deliveries = Deliveries(home)
        self._home = home
        self._is_working = has_active_study_attempt
        self._pause_s = pause_s
        self._task: asyncio.Task[None] | None = None
        self._has_news = False

    def deliver_soon(self) -> None:
        """Something is new; call it in the event loop."""
        self._has_news = True
        if self._task is None or self._task.done():
            self._task = asyncio.get_running_loop().create_task(self._deliver_until_idle())

    async def _deliver_until_idle(self) -> None:
        while self._has_news or self._is_working():
            self._has_news = False
            with contextlib.suppress(AttemptError):
                await asyncio.to_thread(self._deliver)
            await asyncio.sleep(self._pause_s)

    def _deliver(self) -> None:
        # Failures are kept with the note; the study's page and `study status` show them.
        if self._deliveries.waiting_deliveries():
            with open_log(log_file(self._home)) as log:
                self._deliveries.deliver_waiting(log)
