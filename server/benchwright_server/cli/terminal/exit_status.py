"""Exit statuses that do not depend on a command."""

from __future__ import annotations

INTERRUPTED = 130
"""A program that Ctrl+C ended, as shells report it."""


def signal_exit_status(signal_number: int) -> int:
    """The status of a program that a signal ended, as shells report it."""
    return 128 + signal_number
