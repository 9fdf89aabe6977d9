"""Methods that find where an edit came from."""

from __future__ import annotations

from enum import StrEnum


class AttributionMethod(StrEnum):
    """Method that found the origin of an edit, most reliable first."""

    CHANGE_REASON = "change_reason"
    """The editor reported it (VS Code's `textDocumentChangeReason`)."""
    OWN_PROVIDER = "own_provider"
    """A completion provider was notified that its proposal was accepted."""
    ONLY_WRITER = "only_writer"
    """Nothing but one program could write the file, in a sandbox of its own."""
    WRAPPED_COMMAND = "wrapped_command"
    """A command for accepting or pasting ran just before."""
    HEURISTIC = "heuristic"
    """Inferred from the shape of the edit."""
