"""Actors of an attempt: who makes its changes and its requests, as far as that is known."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from enum import StrEnum

from benchwright_attempts.attribution_method import AttributionMethod


class Actor(StrEnum):
    """The one who makes a change or a request."""

    PERSON = "person"
    """A person, in the editor."""
    COMPLETION = "completion"
    """An assistant whose inline completion was accepted."""
    CHAT = "chat"
    """A model that was asked in the editor's chat, or for a hint or an explanation."""
    AGENT = "agent"
    """A program that works on its own: through MCP, by tools, on the disk while it is connected."""
    TERMINAL = "terminal"
    """Whoever gave a command of Benchwright's in a terminal."""
    OUTSIDE = "outside"
    """Another program, of which nothing else is known."""
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class KnownActor:
    """An actor, and how it is known."""

    actor: Actor
    method: str
    """Name of the method that found it; see `AttributionMethod`."""


_present_actor: ContextVar[KnownActor | None] = ContextVar("present_actor", default=None)


@contextmanager
def acting_as(actor: Actor | None, method: AttributionMethod = AttributionMethod.CONNECTION) -> Iterator[None]:
    """Whatever is requested in this block, and in tasks that begin in it, this actor requests.

    Args:
        actor: The actor; None if Benchwright itself acts, which is nobody's request.
        method: How it is known.
    """
    token = _present_actor.set(None if actor is None else KnownActor(actor, method))
    try:
        yield
    finally:
        _present_actor.reset(token)


def present_actor() -> KnownActor | None:
    """The actor of the present request; None if nobody has asked."""
    return _present_actor.get()
