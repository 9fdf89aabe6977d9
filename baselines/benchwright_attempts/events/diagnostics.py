"""The event of the diagnostics that are shown for a file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from benchwright_attempts.events.event_body import Count, EventBody, EventPart
from benchwright_attempts.events.file_text import FilePath


class ProblemCount(EventPart):
    """How many diagnostics one tool reports for a file."""

    errors: Count
    warnings: Count


class Diagnostics(EventBody):
    """The diagnostics that are shown for a file changed."""

    reveals_content = True

    type: Literal["diagnostics"] = "diagnostics"
    path: FilePath
    counts: Mapping[str, ProblemCount]
    """Source → number of diagnostics: `slang`, `verilator`, `verible` ..."""
