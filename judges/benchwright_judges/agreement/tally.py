"""Number of right answers: of all that are judged, and of those that can be read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from benchwright_problems.verdict import Outcome, Reason

_UNREADABLE = frozenset({Reason.UNREADABLE, Reason.DECLINED})
_EMPTY = frozenset({Reason.EMPTY, Reason.NO_ANSWER})


@dataclass(frozen=True)
class Tally:
    """Numbers of answers by their verdict's reason."""

    total: int
    right: int
    wrong: int
    unreadable: int
    """Neither right nor wrong, but not left out of `accuracy`."""
    empty: int
    pending: int
    """Waits for a judge, or for a judge that failed."""
    undecided: int
    """A tool or the sandbox failed."""

    @property
    def judged_count(self) -> int:
        """All but the pending and undecided ones."""
        return self.total - self.pending - self.undecided

    @property
    def accuracy(self) -> float | None:
        """Share of right answers among the judged ones; None if there are none."""
        return _share_if_any(self.right, self.judged_count)

    @property
    def accuracy_of_readable(self) -> float | None:
        """Share of right answers among those that are right or wrong; None if there are none."""
        return _share_if_any(self.right, self.right + self.wrong)


def tally_reasons(reasons: Iterable[Reason]) -> Tally:
    """Count answers.

    Args:
        reasons: Reason of the verdict on each answer.
    """
    counts = Counter(map(_tally_field_name, reasons))
    return Tally(
        total=counts.total(),
        **{name: counts[name] for name in ("right", "wrong", "unreadable", "empty", "pending", "undecided")},
    )


def _tally_field_name(reason: Reason) -> str:
    if reason.outcome is Outcome.ERROR:
        return "pending" if reason.waits_for_judge else "undecided"
    if reason in _UNREADABLE:
        return "unreadable"
    if reason in _EMPTY:
        return "empty"
    return "right" if reason is Reason.PASSED else "wrong"


def _share_if_any(part_count: int, total_count: int) -> float | None:
    return round(part_count / total_count, 6) if total_count else None
