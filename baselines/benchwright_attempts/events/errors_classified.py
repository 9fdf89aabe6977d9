"""The event of what judges say about the errors of a wrong choice."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from pydantic import Field, FiniteFloat

from benchwright_attempts.events.event_body import EventBody
from benchwright_attempts.state import AttemptState, unchanged_in


class ErrorsClassified(EventBody):
    """Judges named the types of error in the steps before a wrong choice. Their reasons are kept with judgements."""

    transitions = unchanged_in(*(state for state in AttemptState if state.ended))

    type: Literal["errors_classified"] = "errors_classified"
    number: int = Field(ge=1)
    """Number of the try that failed."""
    types: tuple[str, ...]
    """Those that more than half of the judges name; none if they agree on none."""
    judges: Mapping[str, tuple[str, ...]]
    """Judge → the types that it names, of judges whose reply could be used."""
    rubric: str
    """`error-types@` and the beginning of the digest of the instructions to judges."""
    cost_usd: FiniteFloat = Field(default=0.0, ge=0)
