"""Methods that find where an edit came from, and who made a change or a request."""

from __future__ import annotations

from enum import StrEnum


class AttributionMethod(StrEnum):
    """Method that found the origin of an edit, or an actor, most reliable first."""

    CONNECTION = "connection"
    """A request came through a connection that only one kind of actor has, such as the editor's or that of MCP."""
    CHANGE_REASON = "change_reason"
    """The editor reported it (VS Code's `textDocumentChangeReason`)."""
    OWN_PROVIDER = "own_provider"
    """A completion provider was notified that its proposal was accepted."""
    ONLY_WRITER = "only_writer"
    """Nothing but one program could write the file, in a sandbox of its own."""
    WRAPPED_COMMAND = "wrapped_command"
    """A command for accepting or pasting ran just before."""
    WHILE_CONNECTED = "while_connected"
    """Another program changed a file while an agent was connected."""
    REPORTED = "reported"
    """Whoever delivered a file says so."""
    HEURISTIC = "heuristic"
    """Inferred from the shape of the edit."""
