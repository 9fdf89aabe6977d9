"""Limits on one account's use of a service, so that it is left to others; counted in this process's memory."""

from __future__ import annotations

import contextlib
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

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


@dataclass
class _Allowance:
    """A bucket that is full after a whole period without use."""

    level: float
    last_time: float


@dataclass
class _AccountUse:
    """Use of the service by an account."""

    allowances: dict[str, _Allowance] = field(default_factory=dict)
    stored: int | None = None
    """Bytes; None until they were counted."""
    being_added: int = 0
    """Runs that are on their way into the queue."""


class QuotaKeeper:
    """Counts, and refuses what is too much; nothing of what it refuses has happened.

    What is counted by the hour or the day begins anew when the service starts.

    Args:
        quotas: The most.
        on_refusal: Is told the name of the quota at each refusal.
        clock: Monotonic seconds.
    """

    def __init__(
        self, quotas: Quotas, on_refusal: Callable[[str], None], clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._quotas = quotas
        self._refused = on_refusal
        self._clock = clock
        self._uses: defaultdict[str, _AccountUse] = defaultdict(_AccountUse)

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
        account_use = self._uses[account]
        if waiting_run_count + account_use.being_added >= self._quotas.runs_waiting:
            limit_text = f"The limit of runs that wait at once is {self._quotas.runs_waiting:,} for one person."
            raise self._counted_refusal("runs_waiting", limit_text, _QUEUE_RETRY_S)
        limit_text = f"The limit of runs is {self._quotas.runs_per_hour:,} an hour for one person."
        self._count_or_refuse("runs_per_hour", account, 1, self._quotas.runs_per_hour, _HOUR_S, limit_text)
        account_use.being_added += 1
        try:
            yield
        finally:
            account_use.being_added -= 1

    def knows_stored_bytes(self, account: str) -> bool:
        """True if it was counted what the account has stored."""
        return self._uses[account].stored is not None

    def set_stored_bytes_if_uncounted(self, account: str, stored_bytes: int) -> None:
        """Sets what the account had stored before, in bytes, if that was not counted yet."""
        account_use = self._uses[account]
        if account_use.stored is None:
            account_use.stored = stored_bytes

    def require_storage_room(self, account: str, added_bytes: int) -> None:
        """Makes sure that there is room.

        Args:
            account: Account that stores.
            added_bytes: Bytes that are to be stored.

        Raises:
            RefusalError: The account has no room.
        """
        if (self._uses[account].stored or 0) + added_bytes > self._quotas.stored_mb * MEGABYTE:
            self._refused("stored_mb")
            raise RefusalError(
                RefusalKind.STORAGE_USED_UP,
                f"The limit of files that are stored is {self._quotas.stored_mb:,} MB for one person.",
                "Go on with files that the service has already, or ask who operates it for more room.",
            )

    def add_stored_bytes(self, account: str, added_bytes: int) -> None:
        """Counts bytes that were stored."""
        account_use = self._uses[account]
        account_use.stored = (account_use.stored or 0) + added_bytes

    def _count_or_refuse(
        self, quota_name: str, account: str, count: int, allowed_count: int, period_s: float, limit_text: str
    ) -> None:
        current_time = self._clock()
        allowances = self._uses[account].allowances
        allowance = allowances.get(quota_name)
        if allowance is None:
            allowance = allowances[quota_name] = _Allowance(allowed_count, current_time)
        allowance.level = min(
            allowed_count, allowance.level + (current_time - allowance.last_time) * allowed_count / period_s
        )
        allowance.last_time = current_time
        # What is larger than the whole allowance has to come through some time.
        needed_level = min(count, allowed_count)
        if allowance.level < needed_level:
            raise self._counted_refusal(
                quota_name, limit_text, (needed_level - allowance.level) * period_s / allowed_count
            )
        allowance.level -= needed_level

    def _counted_refusal(self, quota_name: str, detail: str, retry_after_s: float) -> RefusalError:
        self._refused(quota_name)
        return RefusalError(
            RefusalKind.QUOTA_USED_UP,
            detail,
            "Wait for the number of seconds in Retry-After; nothing is lost.",
            retry_after_s=retry_after_s,
        )
