"""Possible origins of text."""

from __future__ import annotations

from enum import StrEnum

OWN_PROVIDER = "benchwright"
"""Benchwright's own completion provider, as events name it."""


class EditOrigin(StrEnum):
    """Origin of an edit."""

    TYPED = "typed"
    PASTE = "paste"
    COMPLETION = "completion"
    """An assistant's inline completion, accepted as a whole."""
    COMPLETION_PART = "completion-part"
    """A word or a line of one."""
    OWN_COMPLETION = "own-completion"
    """An inline completion of Benchwright's own provider."""
    CHAT = "chat"
    """An edit that a chat in the editor made."""
    AGENT = "agent"
    """An edit that an agent made: a program, or a chat of the editor in agent mode."""
    SUGGESTION = "suggestion"
    """From the suggestion list: a name, not a model's text."""
    SNIPPET = "snippet"
    UNDO = "undo"
    """Undo or redo."""
    FORMAT = "format"
    """A formatter, a rename, a quick fix: a tool that follows rules."""
    OUTSIDE = "outside"
    """Another program changed the file, and the editor reloaded it."""
    UNKNOWN = "unknown"


COMPLETIONS = (EditOrigin.COMPLETION, EditOrigin.COMPLETION_PART, EditOrigin.OWN_COMPLETION)
"""Accepted proposals."""
CHATS = (EditOrigin.CHAT, EditOrigin.AGENT)
"""Text that a chat or an agent wrote by itself."""
BY_MODEL = (*COMPLETIONS, *CHATS)
"""Text that a model wrote."""
