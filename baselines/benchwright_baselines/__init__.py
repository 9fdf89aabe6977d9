"""Who did what, how fast, how well: the event log of attempts, their clock and their replay."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from benchwright_baselines.log import EventLog

__all__ = ["open_log"]


def open_log(path: Path) -> EventLog:
    """Opens the log of attempts, makes it if there is none.

    Raises:
        LogError: It cannot be made, opened or understood.
    """
    # The database library costs a third of a second: nobody pays before a log is needed.
    from benchwright_baselines.log import EventLog

    return EventLog(path)
