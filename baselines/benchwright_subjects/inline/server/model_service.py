"""The bridge for one inline-completion server: answers its requests, and counts them."""

from __future__ import annotations

from pathlib import Path

from inspect_ai.agent import AgentState
from inspect_ai.log import Transcript
from inspect_ai.model import GenerateConfig, Model, ModelOutput

from benchwright_attempts.events.evidence import ModelUsage
from benchwright_subjects.bridge import ModelBridge
from benchwright_subjects.evaluation import usage
from benchwright_subjects.inline.record import ModelUse
from benchwright_subjects.inline.witness import UsageListener
from benchwright_subjects.inspect_private import init_active_model, init_transcript


class ModelService:
    """A model while one server may ask it.

    Args:
        model: Model that the server may ask.
        seed: Sent to the model with each request.
        address: Address at which the bridge listens.
        on_usage: Hears of what each answer used.
    """

    def __init__(self, model: Model, seed: int | None, address: Path, on_usage: UsageListener) -> None:
        # Each server has a transcript of its own, which nobody reads: else all would be kept to the end of the run.
        init_transcript(Transcript())
        init_active_model(model, GenerateConfig())
        self.address = address
        self.bridge = ModelBridge(AgentState(messages=[]), self._count_answer, seed, forwards_parameters=True)
        self._on_usage = on_usage
        self._answers = 0
        self._counted: list[ModelUsage] = []

    @property
    def usage_so_far(self) -> ModelUse:
        """Usage until now."""
        return ModelUse(
            requests=self.bridge.requests,
            answered=self._answers,
            counted=len(self._counted),
            input_tokens=sum(
                counted_usage.input_tokens + counted_usage.cache_read_tokens + counted_usage.cache_write_tokens
                for counted_usage in self._counted
            ),
            output_tokens=sum(counted_usage.output_tokens for counted_usage in self._counted),
        )

    def raise_if_failed(self) -> None:
        """Raise what kept an answer from being recorded.

        Raises:
            Exception: The error that kept an answer from being recorded.
        """
        if self.bridge.failure.done():
            raise self.bridge.failure.result()

    async def _count_answer(self, model: Model, output: ModelOutput) -> None:
        self._answers += 1
        model_usage = usage.reply_usage(str(model), output)
        if model_usage is not None:
            self._counted.append(model_usage)
            await self._on_usage(model_usage)
