"""A hint that was taken, as a service sends it."""

from __future__ import annotations

from benchwright_foundation.model import Message


class HintText(Message):
    """One of them."""

    number: int
    """From 1."""
    text: str
    """Markdown."""
    cost: float
    """Share of the problem's points that it cost when it was taken, 0 to 1."""
