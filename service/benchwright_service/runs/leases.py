"""Leases of runs: the worker that has a run, and the time until which it need not say that it is alive."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from dataclasses import dataclass

TERM_S = 60.0


@dataclass
class _Lease:
    id: str
    expires: float
    worker: str = ""
    """The process that has it; empty after a restart."""


class Leases:
    """Leases of this process; after a restart they begin anew.

    Args:
        clock: Seconds.
        term_s: Time that a worker may be silent, in seconds.
    """

    def __init__(self, clock: Callable[[], float], term_s: float = TERM_S) -> None:
        self.term_s = term_s
        self._now = clock
        self._leases: dict[str, _Lease] = {}
        self._heard: dict[str, float] = {}

    def __len__(self) -> int:
        return len(self._leases)

    def __contains__(self, run: str) -> bool:
        return run in self._leases

    def new_lease_id(self) -> str:
        """An id."""
        return uuid.uuid4().hex

    def begin(self, run: str, lease_id: str, worker: str = "") -> None:
        """Begins a lease."""
        self._leases[run] = _Lease(lease_id, self._now() + self.term_s, worker)

    def renew(self, run: str) -> None:
        """Lets a lease go on for another term."""
        self._leases[run].expires = self._now() + self.term_s
        self.mark_alive(self._leases[run].worker)

    def mark_alive(self, worker: str) -> None:
        """Notes that a worker is alive."""
        if worker:
            self._heard[worker] = self._now()

    def live_worker_count(self) -> int:
        """Number of workers that were heard of within a term."""
        earliest = self._now() - self.term_s
        for worker, heard in list(self._heard.items()):
            if heard < earliest:
                self._heard.pop(worker, None)
        return len(self._heard)

    def runs_of_worker(self, worker: str) -> list[str]:
        """The runs that a worker has."""
        return [run for run, lease in self._leases.items() if worker and lease.worker == worker]

    def is_valid(self, run: str, lease_id: str) -> bool:
        """True if a run is still given by this lease."""
        return run in self._leases and self._leases[run].id == lease_id

    def end_if_any(self, run: str) -> bool:
        """Ends a run's lease; whether it had one."""
        return self._leases.pop(run, None) is not None

    def expired_runs(self) -> list[str]:
        """Runs whose worker was silent for too long."""
        current_time = self._now()
        return [run for run, lease in self._leases.items() if lease.expires < current_time]
