"""How far runs are that have not ended: what their workers said last, and who waits for more."""

from __future__ import annotations

from collections.abc import Callable

from benchwright_foundation.change_notifications import ChangeNotifications


class RunSteps:
    """Of this process.

    Args:
        changes: Wakes who waits for a run.
        now: Seconds since 1970.
    """

    def __init__(self, changes: ChangeNotifications, now: Callable[[], float]) -> None:
        self._changes = changes
        self._steps: dict[str, str] = {}
        self._revisions: dict[str, int] = {}
        # Higher than any of an earlier process.
        self._last = int(now() * 1000)

    def __contains__(self, run: str) -> bool:
        """Whether it has not ended."""
        return run in self._revisions

    def step(self, run: str) -> str:
        """What it is at; empty if nobody has said so."""
        return self._steps.get(run, "")

    def revision(self, run: str) -> int:
        """Another one after each change."""
        return self._revisions.get(run, 0)

    def changed(self, run: str, step: str = "") -> None:
        """It is somewhere else, or at another step."""
        if step:
            self._steps[run] = step
        self._last += 1
        self._revisions[run] = self._last
        self._changes.notify(run)

    def over(self, run: str) -> None:
        """It has ended."""
        self._steps.pop(run, None)
        self._revisions.pop(run, None)
        self._changes.notify(run)
