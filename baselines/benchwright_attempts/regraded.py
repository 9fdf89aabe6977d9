"""The event of a verdict on a run that had decided nothing."""

from __future__ import annotations

from typing import Literal

from benchwright_attempts.state import AttemptState, unchanged_in
from benchwright_attempts.tests_verdict import TestsVerdict


class Regraded(TestsVerdict):
    """A run that had decided nothing was made again on the same files, possibly long after the attempt ended."""

    transitions = unchanged_in(*(state for state in AttemptState if state is not AttemptState.OPEN))

    type: Literal["regraded"] = "regraded"
