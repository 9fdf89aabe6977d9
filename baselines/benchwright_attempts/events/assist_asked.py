"""The event of a request for a completion, whether or not anything was shown."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, FiniteFloat

from benchwright_attempts.events.event_body import EventBody
from benchwright_attempts.events.file_text import FilePath


class AssistAsked(EventBody):
    """An assistant was asked for a completion, and answered or did not."""

    reveals_content = True

    type: Literal["assist_asked"] = "assist_asked"
    provider: str
    """As in `assist_shown`."""
    path: FilePath
    version: int | None = None
    """Version of the document it was asked about."""
    outcome: str
    """`shown`, `nothing` (it had nothing to offer), `superseded` (the text was changed before it answered) or \
`timed_out` (it did not answer in time)."""
    latency_ms: FiniteFloat | None = Field(default=None, ge=0)
    """From the request to the answer; None if there was none."""
