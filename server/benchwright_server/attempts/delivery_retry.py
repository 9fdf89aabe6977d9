"""When the server starts: handing in the records of studies that could not be handed in before."""

from __future__ import annotations

import threading
from collections.abc import Callable

from benchwright_attempts import log_file
from benchwright_attempts.errors import AttemptError
from benchwright_problems.home import Home
from benchwright_studies import open_log
from benchwright_studies.delivery import Deliveries


def retry_deliveries(home: Home, tell: Callable[[str, bool], None]) -> None:
    """Begins to hand in, if anything waits; nobody waits for it, nor does the server's end.

    Args:
        home: The folders of this user.
        tell: Called in another thread with a sentence, and whether it is good news.
    """
    deliveries = Deliveries(home)

    def hand_in() -> None:
        try:
            with open_log(log_file(home)) as log:
                arrived, left = deliveries.hand_in(log)
        except AttemptError as error:
            tell(str(error), False)
            return
        for one in arrived:
            tell(f"The records of {one.participant} in the study {one.study} are handed in now.", True)
        for one in left:
            tell(one.told, False)

    if deliveries.waiting():
        threading.Thread(target=hand_in, name="handing in", daemon=True).start()
