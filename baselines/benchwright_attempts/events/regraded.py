"""The event of a verdict on files that were graded again."""

from __future__ import annotations

from typing import Literal

from benchwright_attempts.grading.tests_verdict import TestsVerdict
from benchwright_attempts.state import AttemptState, unchanged_in


class Regraded(TestsVerdict):
    """The same files were graded again, possibly long after the attempt ended."""

    transitions = unchanged_in(*(state for state in AttemptState if state is not AttemptState.OPEN))

    type: Literal["regraded"] = "regraded"
    replaces: bool = False
    """Whether it takes the place of a decided verdict: harness, key or rules have changed since. Else it decides what \
was undecided."""
