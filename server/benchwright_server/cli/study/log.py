"""The log of attempts and studies on this machine, as commands open it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from benchwright_attempts import configured_log_location
from benchwright_foundation.home import Home
from benchwright_server.cli.terminal.output import err, exit_on_expected_error

if TYPE_CHECKING:
    from benchwright_attempts.log.log import EventLog
    from benchwright_studies.conduct.delivery import Delivery
    from benchwright_studies.conduct.study_log import StudyLog


@contextmanager
def opened_event_log() -> Iterator[EventLog]:
    """The same, for commands that read attempts and nothing of studies, whose rules take a while to load."""
    from benchwright_attempts.log.log import EventLog

    with exit_on_expected_error(), EventLog(configured_log_location(Home.from_environment())) as log:
        yield log


@contextmanager
def opened_study_log() -> Iterator[StudyLog]:
    """The log of this machine, closed afterwards; expected errors are shown as sentences."""
    from benchwright_studies import open_log

    with exit_on_expected_error():
        log = open_log(configured_log_location(Home.from_environment()))
        try:
            yield log
        finally:
            log.close()


def retry_deliveries_and_list_waiting(log: StudyLog) -> list[Delivery]:
    """Try again to deliver records that could not be delivered before; returns those that still wait."""
    from benchwright_studies.conduct.delivery import Deliveries

    arrived, undelivered = Deliveries(Home.from_environment()).deliver_waiting(log)
    for delivery in arrived:
        err.print(f"The records of {delivery.participant} in {delivery.study} are delivered now.", soft_wrap=True)
    for delivery in undelivered:
        err.print(delivery.told, markup=False, soft_wrap=True)
    return undelivered
