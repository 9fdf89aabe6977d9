"""Limits on the requests of access tokens, accounts and addresses."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

_MOST_USES = 10_000
_MINUTE_S = 60.0


@dataclass
class _Use:
    use_count: float
    fall_per_s: float
    """By which it falls each second."""
    last_time: float


class NewUse(NamedTuple):
    """Use of a limit that nobody but this process knows of."""

    use_count: float
    fall_per_s: float
    """By which it falls each second."""


class Allowances:
    """Use of limits in this process's memory. It falls evenly, so who was quiet for a period has all of it again.

    Several processes have common limits where somebody hands the new use of each to the others.

    Args:
        clock: Monotonic seconds.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._uses: dict[str, _Use] = {}
        self._new_counts: dict[str, float] = {}

    def count_or_wait_s(self, limit_key: str, request_count: float, limit: float, period_s: float) -> float:
        """Count requests, or nothing if they are too many.

        Args:
            limit_key: Limit, and whose it is.
            request_count: Number of requests.
            limit: The largest number within a period. What is larger comes through once nothing is used.
            period_s: Period in seconds.

        Returns:
            0 if they were counted, else the seconds until they can be.
        """
        current_time = self._clock()
        if limit_key not in self._uses and len(self._uses) >= _MOST_USES:
            self._forget_unused(current_time)
        rate = limit / period_s
        use = self._uses.setdefault(limit_key, _Use(0.0, rate, current_time))
        use.use_count, use.fall_per_s, use.last_time = _present_use_count(use, current_time), rate, current_time
        counted = min(request_count, limit)
        excess = use.use_count + counted - limit
        if excess > 0:
            return excess / rate
        use.use_count += counted
        self._new_counts[limit_key] = self._new_counts.get(limit_key, 0.0) + counted
        return 0.0

    def wait_s(self, limit_key: str, limit: float, period_s: float) -> float:
        """Return the seconds until one more request can be counted, 0 if it can be now; count nothing."""
        use = self._uses.get(limit_key)
        excess = _present_use_count(use, self._clock()) + 1 - limit if use is not None else 0.0
        return max(0.0, excess) * period_s / limit

    def drain_new_uses(self) -> Mapping[str, NewUse]:
        """Return what was counted here since this was asked last."""
        new_counts, self._new_counts = self._new_counts, {}
        return {
            key: NewUse(count, self._uses[key].fall_per_s) for key, count in new_counts.items() if key in self._uses
        }

    def keep_for_next_drain(self, new_uses: Mapping[str, NewUse]) -> None:
        """Return it the next time, because it could not be handed on."""
        for key, new_use in new_uses.items():
            self._new_counts[key] = self._new_counts.get(key, 0.0) + new_use.use_count

    def set_shared_use(self, limit_key: str, used_count: float, fall_per_s: float) -> None:
        """Set the use by all processes, beside what was counted here since it was taken."""
        self._uses[limit_key] = _Use(used_count + self._new_counts.get(limit_key, 0.0), fall_per_s, self._clock())

    def _forget_unused(self, current_time: float) -> None:
        """Limits that are wholly free by now: addresses can be as many as somebody likes."""
        self._uses = {key: use for key, use in self._uses.items() if _present_use_count(use, current_time) > 0}


class RateLimits:
    """Requests a minute. A client that was quiet may send a whole minute's at once.

    Args:
        clock: Monotonic seconds.
        allowances: Keep the counts, with those of other limits; own ones if not given.
        name: Name of this limit among them.
    """

    def __init__(
        self,
        clock: Callable[[], float] = time.monotonic,
        *,
        allowances: Allowances | None = None,
        name: str = "requests",
    ) -> None:
        self._allowances = allowances if allowances is not None else Allowances(clock)
        self._name = name

    def admit_or_retry_after_s(self, client_key: str, requests_per_minute: int) -> float:
        """Count a request of a client: the id of a token or an account, or an address.

        Returns:
            0 if there was one left, else the whole seconds until there is one.
        """
        return math.ceil(
            self._allowances.count_or_wait_s(f"{self._name}:{client_key}", 1, requests_per_minute, _MINUTE_S)
        )

    def retry_after_s(self, client_key: str, requests_per_minute: int) -> float:
        """Return the whole seconds until a client has a request left, 0 if there is one now; count nothing."""
        return math.ceil(self._allowances.wait_s(f"{self._name}:{client_key}", requests_per_minute, _MINUTE_S))


def _present_use_count(use: _Use, current_time: float) -> float:
    return max(0.0, use.use_count - (current_time - use.last_time) * use.fall_per_s)
