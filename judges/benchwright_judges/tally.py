"""How many answers are right: of all answers, and of those that can be read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from benchwright_judges.judgement import Judgement, Status


@dataclass(frozen=True)
class Tally:
    """Numbers of judgements by what they say."""

    total: int
    right: int
    wrong: int
    unreadable: int
    """Neither right nor wrong, but not left out of `accuracy`."""
    empty: int
    pending: int
    """Waits for a judge, or for a judge that failed."""

    @property
    def accuracy(self) -> float | None:
        """Share of right answers among all but the pending ones; None if there are none."""
        return _share(self.right, self.total - self.pending)

    @property
    def accuracy_of_readable(self) -> float | None:
        """Share of right answers among those that are right or wrong; None if there are none."""
        return _share(self.right, self.right + self.wrong)


def tally(judgements: Sequence[Judgement]) -> Tally:
    """Count judgements.

    Args:
        judgements: One for each answer.
    """
    status = Counter(judgement.status for judgement in judgements)
    right = sum(judgement.passed is True for judgement in judgements)
    return Tally(
        total=len(judgements),
        right=right,
        wrong=status[Status.SCORED] - right,
        unreadable=status[Status.UNREADABLE],
        empty=status[Status.EMPTY],
        pending=sum(number for one, number in status.items() if not one.is_final),
    )


def _share(part: int, whole: int) -> float | None:
    return round(part / whole, 6) if whole else None
