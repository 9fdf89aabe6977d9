"""The writer of one attempt's events: everything that the engine and its adapters record goes through it."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterable
from typing import TYPE_CHECKING

from benchwright_attempts.actor import KnownActor, present_actor
from benchwright_attempts.errors import AttemptElsewhereError, AttemptError
from benchwright_attempts.events.event_body import Request
from benchwright_attempts.events.events import Event
from benchwright_attempts.events.evidence import AssistAccepted, EditReason, Environment, Violation
from benchwright_attempts.log.record import Moment
from benchwright_attempts.summary.summary import Summary
from benchwright_attempts.terms import Terms

if TYPE_CHECKING:
    # The database library takes a third of a second to import: nobody pays before a log is needed.
    from benchwright_attempts.log.log import EventLog
    from benchwright_attempts.services import Services


class EventWriter:
    """Writes an attempt's events and keeps the state that they lead to.

    Args:
        services: Services of the process.
        attempt: Its id.
        terms: Say what breaks the condition.
        flagged_violations: Violations that the log has already.
        actor_of_all_requests: The actor of all requests; None if each has its own.
    """

    def __init__(
        self,
        services: Services[EventLog],
        attempt: str,
        terms: Terms,
        flagged_violations: Iterable[Violation] = (),
        actor_of_all_requests: KnownActor | None = None,
    ) -> None:
        self.has_ended = False
        """True if nothing can follow but late facts."""
        self.elsewhere_error: AttemptElsewhereError | None = None
        """Why this process does not work on the attempt, if so; then nothing is recorded here."""
        self._services = services
        self._attempt = attempt
        self._terms = terms
        self._only_actor = actor_of_all_requests
        self._flagged = set(flagged_violations)

    async def summary(self) -> Summary:
        """The state of the attempt, with every event handed over so far."""
        # A run that is cancelled while its last event is being written leaves that event on its way.
        await self._services.log.wait_until_settled()
        return await asyncio.to_thread(self._services.attempts.summary, self._attempt)

    def moment(self) -> Moment:
        """The present, as the log sees it."""
        return self._services.log.moment()

    async def append(self, event: Event, *, is_requested: bool = True) -> None:
        """Appends an event, a request with its actor; returns when it is on disk.

        Args:
            event: The event.
            is_requested: False of what nobody asked for, such as a run that a save starts.

        Raises:
            AttemptError: The attempt's state does not allow it, another process works on it, or it could not be
                written.
        """
        self.refuse_unless_worked_on_here()
        if isinstance(event, Request) and is_requested:
            event = event.with_actor_if_missing(self._only_actor or present_actor())
        await self._services.log.append(self._attempt, event)

    def refuse_unless_worked_on_here(self) -> None:
        """Refuses what only the process may do that works on the attempt.

        Raises:
            AttemptElsewhereError: Another one does.
        """
        if self.elsewhere_error is not None:
            raise self.elsewhere_error

    async def append_unless_ended(self, event: Event) -> None:
        """Appends a fact unless the attempt has ended."""
        if not self.has_ended:
            # The attempt may have ended meanwhile, or another process work on it: there is nothing to record.
            with contextlib.suppress(AttemptError):
                await self.append(event)

    async def record_event_and_flag_violations(self, event: Event) -> None:
        """Notes a fact; what it shows against the condition is flagged, each violation once."""
        await self.append_unless_ended(event)
        if isinstance(event, Environment | EditReason | AssistAccepted):
            for violation in self._terms.violations(event):
                if violation not in self._flagged:
                    self._flagged.add(violation)
                    await self.append_unless_ended(violation)
