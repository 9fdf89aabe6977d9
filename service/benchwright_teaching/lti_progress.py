"""How far a student is with an assignment, in the words of *Assignment and Grade Services 2.0* (LTI Advantage)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class ActivityProgress(StrEnum):
    """How far the student's work is."""

    INITIALIZED = "Initialized"
    """Nothing was begun."""
    IN_PROGRESS = "InProgress"
    SUBMITTED = "Submitted"
    """There is a result, and more can follow."""
    COMPLETED = "Completed"


class GradingProgress(StrEnum):
    """How far the grading of it is."""

    NOT_READY = "NotReady"
    """There is nothing to grade."""
    PENDING = "Pending"
    """A run has not ended."""
    PENDING_MANUAL = "PendingManual"
    """Only people, or a judge that is away, can say more."""
    FULLY_GRADED = "FullyGraded"


@dataclass(frozen=True)
class AssignmentWork:
    """What a student has done for an assignment."""

    has_attempt: bool = False
    has_result: bool = False
    """True if a run or an answer was decided, or staff have given points."""
    is_all_passed: bool = False
    is_closed: bool = False
    """True if nothing more is graded."""
    has_going_run: bool = False
    has_waiting_answer: bool = False

    @property
    def activity(self) -> ActivityProgress:
        """How far the work is."""
        if self.is_all_passed or (self.is_closed and (self.has_attempt or self.has_result)):
            return ActivityProgress.COMPLETED
        if self.has_result or self.has_going_run or self.has_waiting_answer:
            return ActivityProgress.SUBMITTED
        return ActivityProgress.IN_PROGRESS if self.has_attempt else ActivityProgress.INITIALIZED

    @property
    def grading(self) -> GradingProgress:
        """How far its grading is."""
        if self.has_going_run:
            return GradingProgress.PENDING
        if self.has_waiting_answer:
            return GradingProgress.PENDING_MANUAL
        return GradingProgress.FULLY_GRADED if self.has_result else GradingProgress.NOT_READY
