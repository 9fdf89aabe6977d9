"""Parts of a verdict that an assignment shows: while it is open, once it is due, once it is closed."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from benchwright_problems.reveal import Reveal
from benchwright_teaching.points import AssignmentTimes


@dataclass(frozen=True)
class RevealPhases:
    """The most that is shown in each phase; never more than the problem itself shows."""

    before_due: Reveal | None = None
    """Until the assignment is due; None for what each problem says."""
    after_due: Reveal | None = None
    """None for the same as before."""
    after_closing: Reveal | None = None
    """None for the same as before."""

    def policy_at(self, moment: datetime, deadlines: AssignmentTimes) -> Reveal | None:
        """The most that is shown at a time; None for what each problem says.

        Args:
            moment: Time to look at.
            deadlines: Times of the student: who has more time sees more later.
        """
        is_closed = deadlines.closes is not None and moment > deadlines.closes
        is_due = is_closed or (deadlines.due is not None and moment > deadlines.due)
        policies = (self.after_closing if is_closed else None, self.after_due if is_due else None, self.before_due)
        return next((policy for policy in policies if policy is not None), None)
