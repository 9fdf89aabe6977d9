"""Limits on one account's use of a service, so that it is left to others."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from benchwright_foundation.rate import Allowances
from benchwright_foundation.refusals import RefusalError, RefusalKind

_HOUR_S = 3600.0
_DAY_S = 24 * _HOUR_S
_QUEUE_RETRY_S = 5.0
MEGABYTE = 1_000_000


@dataclass(frozen=True)
class Quotas:
    """The most of one account."""

    runs_waiting: int = 20
    """Runs that wait for a worker at once."""
    runs_per_hour: int = 600
    events_per_day: int = 2_000_000
    attempts_per_hour: int = 120
    stored_mb: int = 1_000
    """Millions of bytes of compressed files that its runs brought."""


USUAL = Quotas()


class QuotaKeeper:
    """Counts, and refuses what is too much; nothing of what it refuses has happened.

    Args:
        quotas: The most.
        on_refusal: Is told the name of the quota at each refusal.
        allowances: Keep the counts.
    """

    def __init__(self, quotas: Quotas, on_refusal: Callable[[str], None], allowances: Allowances) -> None:
        self._quotas = quotas
        self._refused = on_refusal
        self._allowances = allowances
        self._being_added = Counter[str]()
        """Runs of an account that are on their way into the queue, here."""

    def count_events_or_refuse(self, account: str, event_count: int) -> None:
        """Counts events that were sent.

        Raises:
            RefusalError: Too many events were sent within a day.
        """
        limit_text = f"The limit of events is {self._quotas.events_per_day:,} a day for one person."
        self._count_or_refuse("events_per_day", account, event_count, self._quotas.events_per_day, _DAY_S, limit_text)

    def count_attempt_or_refuse(self, account: str) -> None:
        """Counts a new attempt.

        Raises:
            RefusalError: Too many attempts were begun within an hour.
        """
        limit_text = f"The limit of new attempts is {self._quotas.attempts_per_hour:,} an hour for one person."
        self._count_or_refuse("attempts_per_hour", account, 1, self._quotas.attempts_per_hour, _HOUR_S, limit_text)

    @contextlib.contextmanager
    def counting_run(self, account: str, waiting_run_count: int) -> Iterator[None]:
        """Counts a run that is queued inside.

        Args:
            account: Account whose run it is.
            waiting_run_count: Number of other runs of the account that wait.

        Raises:
            RefusalError: Too many runs wait already, or there were too many within an hour.
        """
        if waiting_run_count + self._being_added[account] >= self._quotas.runs_waiting:
            limit_text = f"The limit of runs that wait at once is {self._quotas.runs_waiting:,} for one person."
            raise self._counted_refusal("runs_waiting", limit_text, _QUEUE_RETRY_S)
        limit_text = f"The limit of runs is {self._quotas.runs_per_hour:,} an hour for one person."
        self._count_or_refuse("runs_per_hour", account, 1, self._quotas.runs_per_hour, _HOUR_S, limit_text)
        self._being_added[account] += 1
        try:
            yield
        finally:
            self._being_added[account] -= 1
            if not self._being_added[account]:
                del self._being_added[account]

    def require_storage_room(self, stored_bytes: float, added_bytes: int) -> None:
        """Makes sure that there is room.

        Args:
            stored_bytes: Bytes that the account has stored.
            added_bytes: Bytes that are to be stored.

        Raises:
            RefusalError: The account has no room.
        """
        if stored_bytes + added_bytes > self._quotas.stored_mb * MEGABYTE:
            self._refused("stored_mb")
            raise RefusalError(
                RefusalKind.STORAGE_USED_UP,
                f"The limit of files that are stored is {self._quotas.stored_mb:,} MB for one person.",
                "Go on with files that the service has already, or ask who operates it for more room.",
            )

    def _count_or_refuse(
        self, quota_name: str, account: str, count: int, allowed_count: int, period_s: float, limit_text: str
    ) -> None:
        wait_s = self._allowances.count_or_wait_s(f"{quota_name}:{account}", count, allowed_count, period_s)
        if wait_s:
            raise self._counted_refusal(quota_name, limit_text, wait_s)

    def _counted_refusal(self, quota_name: str, detail: str, retry_after_s: float) -> RefusalError:
        self._refused(quota_name)
        return RefusalError(
            RefusalKind.QUOTA_USED_UP,
            detail,
            "Wait for the number of seconds in Retry-After; nothing is lost.",
            retry_after_s=retry_after_s,
        )
