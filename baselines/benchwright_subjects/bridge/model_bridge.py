"""Answers requests of one sample's programs by the sample's model, within its limits."""

from __future__ import annotations

import asyncio
import contextvars
from collections.abc import Awaitable, Callable, Sequence
from contextvars import ContextVar
from dataclasses import dataclass

from inspect_ai.agent import AgentState
from inspect_ai.model import ChatMessage, GenerateConfig, GenerateInput, Model, ModelOutput
from inspect_ai.tool import ToolChoice, ToolInfo
from inspect_ai.util import LimitExceededError

from benchwright_subjects.bridge.dialect import Json
from benchwright_subjects.bridge.routes import Route
from benchwright_subjects.evaluation.provider_failure import ProviderError, provider_error, refuse_missing_reply
from benchwright_subjects.inspect_private import NamingBridge, cache_package_versions

Answered = Callable[[Model, ModelOutput], Awaitable[None]]
"""Hears of each answer before the program gets it."""
Asking = Callable[[], Awaitable[None]]
"""Is waited for before the model is asked."""


@dataclass
class _Request:
    reached_model: bool = False


_REQUEST: ContextVar[_Request] = ContextVar("benchwright_bridge_request")


class BridgeRefusalError(Exception):
    """A request without an answer.

    Args:
        status: HTTP status code.
        message: Message for the program that asked; nothing in it says how the model is reached.
    """

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


class ModelBridge:
    """The model of the sample that makes this object.

    Args:
        agent_state: The conversation; the bridge keeps the longest one that goes over it.
        on_answer: Called with each answer.
        seed: Sent to the model with each request.
        before_request: Is waited for before each request.
        forwards_parameters: True if temperature, token limit and the like are those of each request, not the model's
            own.
    """

    def __init__(
        self,
        agent_state: AgentState,
        on_answer: Answered,
        seed: int | None = None,
        before_request: Asking | None = None,
        *,
        forwards_parameters: bool = False,
    ) -> None:
        cache_package_versions()
        self._on_answer = on_answer
        self._asking = before_request
        self._seed = seed
        # A connection's requests are to count for the sample, whoever accepts it.
        self._context = contextvars.copy_context()
        self._bridge = NamingBridge(
            agent_state,
            filter=self._count_and_seed_request,
            response_filter=self._record_answer,
            allow_remote_mcp=False,
            forward_generation_config=forwards_parameters,
        )
        self.failure: asyncio.Future[Exception] = asyncio.get_running_loop().create_future()
        """Done once nothing can be answered any more: a limit is reached, or an answer could not be recorded."""
        self.requests = 0
        """Number of requests that have reached the model."""
        self.provider_error: ProviderError | None = None
        """The provider's failure at the last request that has ended; None if that was answered."""
        self.first_provider_error: ProviderError | None = None
        """The provider's failure at the first request that it did not answer for its own reasons."""

    @property
    def state(self) -> AgentState:
        """The conversation so far."""
        return self._bridge.state

    def start_answer(self, route: Route, request: Json) -> asyncio.Task[Json]:
        """Has the model answer; cancelling the task cancels its request to the model.

        Raises:
            BridgeRefusalError: By the task: there is no answer.
        """
        return asyncio.create_task(self._answer_request(route, request), context=self._context.copy())

    async def _answer_request(self, route: Route, request: Json) -> Json:
        asked_request = _Request()
        _REQUEST.set(asked_request)
        try:
            return await route.dialect.ask_model(request, route.model, self._bridge)
        except LimitExceededError as error:
            self._set_failure(error)
            raise BridgeRefusalError(429, f"The sample's {error.type} limit is reached.") from error
        except Exception as error:
            if self.failure.done():
                raise BridgeRefusalError(500, "The answer could not be recorded.") from error
            if not asked_request.reached_model:
                problem = f"{type(error).__name__}: {error}"[:1000]
                raise BridgeRefusalError(400, f"This is no valid request of {route.dialect.name}: {problem}") from error
            self.provider_error = error if isinstance(error, ProviderError) else provider_error(error)
            if self.first_provider_error is None and not self.provider_error.is_about_request:
                self.first_provider_error = self.provider_error
            status = _http_status_of(error)
            raise BridgeRefusalError(status, f"The model did not answer (status {status}).") from error

    async def _count_and_seed_request(
        self,
        model: Model,
        messages: list[ChatMessage],
        tools: Sequence[ToolInfo],
        tool_choice: ToolChoice | None,
        config: GenerateConfig,
    ) -> GenerateInput | None:
        if self._asking is not None:
            await self._await_or_fail(self._asking())
        _REQUEST.get().reached_model = True
        self.requests += 1
        if self._seed is None:
            return None
        return GenerateInput(messages, list(tools), tool_choice, config.model_copy(update={"seed": self._seed}))

    async def _record_answer(self, model: Model, output: ModelOutput, generate_input: GenerateInput) -> None:
        refuse_missing_reply(output)
        self.provider_error = None
        await self._await_or_fail(self._on_answer(model, output))

    async def _await_or_fail(self, notification: Awaitable[None]) -> None:
        try:
            await notification
        except Exception as error:
            self._set_failure(error)
            raise

    def _set_failure(self, error: Exception) -> None:
        if not self.failure.done():
            self.failure.set_result(error)


def _http_status_of(error: BaseException | None) -> int:
    """A provider's HTTP status, also where it was retried."""
    while error is not None:
        status = getattr(error, "status_code", None)
        if isinstance(status, int) and 400 <= status < 600:
            return status
        error = error.__cause__
    return 502
