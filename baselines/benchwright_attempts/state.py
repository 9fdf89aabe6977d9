"""The states of an attempt."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

STUDY_CLOSED = "study_closed"
"""Reason for the end of an attempt that neither its solver nor a limit has ended."""
CONSENT_WITHDRAWN = "consent was taken back"
"""Reason for the end of an attempt whose participant withdrew from the study."""


class AttemptState(StrEnum):
    """Progress of an attempt. `open` means that it was opened and its clock has not been started."""

    OPEN = "open"
    RUNNING = "running"
    PAUSED = "paused"
    SUBMITTED = "submitted"
    ABANDONED = "abandoned"
    TIMED_OUT = "timed_out"

    @property
    def ended(self) -> bool:
        """True if the attempt is over."""
        return self in (AttemptState.SUBMITTED, AttemptState.ABANDONED, AttemptState.TIMED_OUT)


Transitions = Mapping[AttemptState, AttemptState]
"""State before an event → state after it."""


def transitions_unchanged(*allowed_states: AttemptState) -> Transitions:
    """An event that is possible in these states only, and changes none of them."""
    return {state: state for state in allowed_states}


def transitions_from(*start_states: AttemptState, target_state: AttemptState) -> Transitions:
    """An event that leads from any of these states to one."""
    return dict.fromkeys(start_states, target_state)
