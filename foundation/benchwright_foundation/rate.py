"""Rate limits of access tokens, accounts and addresses."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass

_MOST_BUCKETS = 10_000
_MINUTE_S = 60.0


@dataclass
class _Bucket:
    requests_left: float
    last_refill_s: float


class RateLimits:
    """A token bucket for each caller, in this process's memory.

    A bucket holds one minute's requests: a client that was quiet may send them all at once.

    Args:
        clock: Monotonic seconds.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._buckets: dict[str, _Bucket] = {}

    def admit_or_retry_after_s(self, client_key: str, requests_per_minute: int) -> float:
        """Take one request out of the bucket of a client: the id of a token or an account, or an address.

        Returns:
            0 if there was one, else the whole seconds until there is one.
        """
        current_time = self._clock()
        if client_key not in self._buckets and len(self._buckets) >= _MOST_BUCKETS:
            self._forget_full_buckets(current_time)
        bucket = self._buckets.setdefault(client_key, _Bucket(requests_per_minute, current_time))
        bucket.requests_left = min(
            requests_per_minute, bucket.requests_left + (current_time - bucket.last_refill_s) * requests_per_minute / 60
        )
        bucket.last_refill_s = current_time
        if bucket.requests_left >= 1:
            bucket.requests_left -= 1
            return 0
        return math.ceil((1 - bucket.requests_left) * 60 / requests_per_minute)

    def _forget_full_buckets(self, current_time: float) -> None:
        """Buckets that are full by now: addresses can be as many as somebody likes."""
        self._buckets = {
            caller: bucket
            for caller, bucket in self._buckets.items()
            if current_time - bucket.last_refill_s < _MINUTE_S
        }
