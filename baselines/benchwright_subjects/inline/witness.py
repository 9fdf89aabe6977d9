"""Witness that hears what happens at a site, at that moment."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from enum import StrEnum

from benchwright_attempts.events.evidence import ModelUsage
from benchwright_subjects.inline.record import Step
from benchwright_subjects.inline.text.document import DocumentVersion

UsageListener = Callable[[ModelUsage], Awaitable[None]]
"""Hears of what each answer of the run's model used."""


class TextOrigin(StrEnum):
    """Origin of the text that a change puts in."""

    ACCEPTED = "accepted"
    PARTLY_ACCEPTED = "partly_accepted"
    DRIVER = "driver"
    """The white space after an offer, or what is typed after a refusal."""


@dataclass(frozen=True)
class WitnessedRequest:
    """One request."""

    document: DocumentVersion
    """That it was about."""
    step: Step
    """Before anything of the offer is accepted."""
    latency_ms: float | None


class Witness:
    """Hears of everything; by default does nothing."""

    async def on_request_ended(self, witness_request: WitnessedRequest) -> None:
        """A request was answered, or given up."""

    async def on_text_changed(
        self, old_document: DocumentVersion, new_document: DocumentVersion, hand: TextOrigin
    ) -> None:
        """The text was changed."""

    async def on_model_used(self, usage: ModelUsage) -> None:
        """The model of the run has answered the server."""
