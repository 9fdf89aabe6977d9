"""What a model was asked and what it replied, from Inspect's logs that are kept beside the event log."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from inspect_ai.log import EvalSample
    from inspect_ai.model import ChatMessage


@dataclass(frozen=True)
class Exchange:
    """One request to a model."""

    at: datetime
    prompt: str
    """The messages that the model had not got before."""
    reply: str


def exchanges_of_sample(sample: EvalSample | None) -> list[Exchange]:
    """Requests of an attempt in their order; none if no log of its run is kept.

    Args:
        sample: The attempt's sample in such a log.
    """
    if sample is None:
        return []
    from inspect_ai.event import ModelEvent

    exchanges: list[Exchange] = []
    known_messages = 0
    for sample_event in sample.events:
        if isinstance(sample_event, ModelEvent):
            # A conversation that starts again, or is shortened, is shown whole.
            known = known_messages if known_messages < len(sample_event.input) else 0
            reply = "" if sample_event.output.empty else _message_text(sample_event.output.message)
            exchanges.append(
                Exchange(
                    sample_event.timestamp,
                    _conversation_text(sample_event.input[known:]),
                    reply or sample_event.error or "",
                )
            )
            known_messages = len(sample_event.input) + 1
    return exchanges


def _conversation_text(messages: Sequence[ChatMessage]) -> str:
    if len(messages) == 1:
        return _message_text(messages[0])
    return "\n\n".join(f"{message.role}:\n{_message_text(message)}" for message in messages)


def _message_text(message: ChatMessage) -> str:
    model_calls = message.tool_calls or () if message.role == "assistant" else ()
    call_lines = [
        f"{model_call.function}({', '.join(f'{name}={value!r}' for name, value in model_call.arguments.items())})"
        for model_call in model_calls
    ]
    return "\n".join(filter(None, [message.text, *call_lines]))
