"""Attempts and their times: the event log of attempts, their clock, their replay, and the engine of one attempt."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from benchwright_foundation.home import Home

__all__ = ["configured_log_location", "log_file"]

LOG = "BENCHWRIGHT_LOG"
"""Names another log than that of this machine's user, such as a bench service's: a file, or `postgresql://…`."""


def log_file(home: Home) -> Path:
    """Path of a user's event log, of people and models alike."""
    return home.data / "attempts" / "log.sqlite"


def configured_log_location(home: Home) -> Path | str:
    """The log that commands work with, other than an editor's: a file, or the address of a database."""
    location = os.environ.get(LOG) or log_file(home)
    return str(location) if str(location).startswith("postgresql:") else Path(location)
