"""At server start: delivers study records that could not be delivered before."""

from __future__ import annotations

import threading
from collections.abc import Callable

from benchwright_attempts import log_file
from benchwright_attempts.errors import AttemptError
from benchwright_problems.home import Home
from benchwright_studies import open_log
from benchwright_studies.delivery import Deliveries


def retry_deliveries(home: Home, tell: Callable[[str, bool], None]) -> None:
    """Starts delivering pending records, if there are any, in the background; shutting down does not wait for it.

    Args:
        home: The folders of this user.
        tell: Called in another thread with a sentence, and whether the delivery succeeded.
    """
    deliveries = Deliveries(home)

    def deliver() -> None:
        try:
            with open_log(log_file(home)) as log:
                arrived, left = deliveries.deliver(log)
        except AttemptError as error:
            tell(str(error), False)
            return
        for one in arrived:
            tell(f"The records of {one.participant} in the study {one.study} have been delivered.", True)
        for one in left:
            tell(one.told, False)

    if deliveries.waiting():
        threading.Thread(target=deliver, name="delivery", daemon=True).start()
