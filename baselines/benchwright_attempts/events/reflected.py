"""The event of a model's reflection on its failure."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, FiniteFloat

from benchwright_attempts.events.event_body import Count, EventBody
from benchwright_attempts.events.file_text import Sha256, Text
from benchwright_attempts.state import AttemptState, unchanged_in


class Reflected(EventBody):
    """A model was asked, after the end, why the attempt failed. Its tokens are no part of what the attempt used."""

    transitions = unchanged_in(*(state for state in AttemptState if state.ended))

    type: Literal["reflected"] = "reflected"
    number: int = Field(ge=1)
    """Number of the try that failed."""
    model: str
    """Provider and model that was asked, such as `openai/gpt-5`."""
    text: Text
    """What it said."""
    prompt_sha256: Sha256
    """Digest of the question, without what differs from attempt to attempt."""
    input_tokens: Count = 0
    output_tokens: Count = 0
    total_tokens: Count = 0
    cost_usd: FiniteFloat | None = Field(default=None, ge=0)

    def without_text(self) -> Reflected:
        """That a model was asked, and what that took."""
        return self.model_copy(update={"text": ""})
