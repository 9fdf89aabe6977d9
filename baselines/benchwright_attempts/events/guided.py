"""The event of a guided attempt."""

from __future__ import annotations

from typing import Literal

from benchwright_attempts.events.event_body import EventBody

GUIDED = "guided"
"""Its type."""


class Guided(EventBody):
    """A guide leads through the attempt: it is practice, and no evidence of what anybody can do."""

    type: Literal["guided"] = "guided"
