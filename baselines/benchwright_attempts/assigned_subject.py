"""The program that a study's condition names, as an attempt's assignment records it."""

from __future__ import annotations

from benchwright_attempts.events.event_body import EventPart


class AssignedSubject(EventPart):
    """What works, or with a person helps."""

    name: str
    version: str = ""
    """Any if empty."""
    configuration: str = ""
    """SHA-256 over how it is set up; any if empty."""
    refuses: tuple[str, ...] = ()
    """Kinds of tools that an agent gets no permission for."""
    policy: str = ""
    """What is accepted of an inline-completion server that works alone; empty for others."""
    start: str = ""
    """What such a server begins with."""
