"""Change notifications within one process: waiters are woken when a submission or batch changes."""

from __future__ import annotations

import asyncio
import contextlib
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager


class ChangeNotifications:
    """One topic per name: of a submission, of a batch, of the queue."""

    def __init__(self) -> None:
        self._subscribers: defaultdict[str, set[asyncio.Event]] = defaultdict(set)

    @contextmanager
    def subscribe(self, topic: str) -> Iterator[asyncio.Event]:
        """An event that each change sets; the subscriber clears it."""
        event = asyncio.Event()
        self._subscribers[topic].add(event)
        try:
            yield event
        finally:
            self._subscribers[topic].discard(event)
            if not self._subscribers[topic]:
                del self._subscribers[topic]

    def notify(self, topic: str) -> None:
        """Wake all subscribers of a name."""
        for event in self._subscribers.get(topic, ()):
            event.set()

    def notify_one(self, topic: str) -> None:
        """Wake one subscriber of a name that is not awake yet: there is work for one."""
        asleep = (event for event in self._subscribers.get(topic, ()) if not event.is_set())
        if (event := next(asleep, None)) is not None:
            event.set()

    def notify_all(self) -> None:
        """Wake every subscriber, because the service is shutting down."""
        for name in list(self._subscribers):
            self.notify(name)


async def wait_for_change(change_event: asyncio.Event, timeout_s: float) -> None:
    """Wait for a change, at most this many seconds: changes made by other processes set no event here."""
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(timeout_s):
            await change_event.wait()
