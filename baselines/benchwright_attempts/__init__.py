"""Who did what, how fast: the event log of attempts, their clock, their replay, and the engine of one attempt."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from benchwright_problems.home import Home

__all__ = ["log_file"]


def log_file(home: Home) -> Path:
    """Where a user's event log is, of people and models alike."""
    return home.data / "attempts" / "log.sqlite"
