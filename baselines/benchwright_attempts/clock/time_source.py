"""Where the time of an attempt comes from: a clock that ran, a file that was read, or nowhere."""

from __future__ import annotations

from collections.abc import Collection
from enum import StrEnum

GIVEN = "given"
"""Type of the event which says that an answer was read from a file."""
_STARTED = "started"
_ANSWER_EVENTS = frozenset(
    {
        *("opened", _STARTED, "interrupted", "submitted", "text", "save", "model_usage", "self_estimate"),
        *("answered", "judged", "run_started", "run_finished", "run_cancelled", "regraded"),
        *("reflected", "errors_classified"),
    }
)
"""All that earlier versions recorded of an answer from a file, whose clock they started and stopped while they read."""


class TimeSource(StrEnum):
    """The source of an attempt's time."""

    CLOCK = "clock"
    """A clock ran before a person, or while the model worked."""
    REPORTED = "reported"
    """A column of a file that was read says how long it took."""
    NONE = "none"
    """Nothing measured it, and nobody says."""


def time_source(event_types: Collection[str], *, opened_with_files: bool, reported_s: float | None) -> TimeSource:
    """The source of an attempt's time, by what is recorded of it.

    Args:
        event_types: Types of its events.
        opened_with_files: True if it was opened with files to work on, as everybody who works here gets them.
        reported_s: The seconds that a file states; None if none does.
    """
    if GIVEN in event_types:
        return TimeSource.NONE if reported_s is None else TimeSource.REPORTED
    if _STARTED not in event_types:
        return TimeSource.NONE
    return TimeSource.CLOCK if opened_with_files or not _ANSWER_EVENTS.issuperset(event_types) else TimeSource.NONE
