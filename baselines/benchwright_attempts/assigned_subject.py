"""The program that a study's condition names, as an attempt's assignment records it."""

from __future__ import annotations

from benchwright_attempts.events.event_body import EventPart


class AssignedSubject(EventPart):
    """Subject that works, or helps a person."""

    name: str
    version: str = ""
    """Any if empty."""
    configuration: str = ""
    """SHA-256 over how it is set up; any if empty."""
    refuses: tuple[str, ...] = ()
    """Kinds of tools that an agent gets no permission for."""
    policy: str = ""
    """Rule for what is accepted of an inline-completion server that works alone; empty for others."""
    start: str = ""
    """Start that such a server begins with."""
