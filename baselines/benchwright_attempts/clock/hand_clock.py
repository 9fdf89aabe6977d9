"""A clock that is set by hand: for invented attempts, which take hours that nobody waits for."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta


@dataclass
class ManualClock:
    """Wall and monotonic time that pass when told to."""

    wall: datetime = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
    mono_ns: int = 1_000_000_000

    def pass_s(self, seconds: float) -> None:
        """Lets time pass."""
        self.wall += timedelta(seconds=seconds)
        self.mono_ns += round(seconds * 1e9)

    def now(self) -> datetime:
        """The wall time."""
        return self.wall

    def monotonic_ns(self) -> int:
        """The monotonic time."""
        return self.mono_ns
