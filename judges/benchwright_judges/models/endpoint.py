"""An OpenAI-compatible endpoint that answers with JSON: limits, retries, costs. Replies are not trusted.

Imports the client library; load this module only where a judge is set up.
"""

from __future__ import annotations

import asyncio
import email.utils
import logging
import os
import random
import time
from collections.abc import AsyncIterator, Mapping
from datetime import UTC, datetime
from typing import Annotated, Any

import httpx2
import openai
from pydantic import BaseModel, Field, ValidationError

from benchwright_foundation.model import Model
from benchwright_judges.errors import ConfigurationError
from benchwright_judges.models.budget import Charge, JudgingBudget
from benchwright_judges.models.model_settings import ModelSettings
from benchwright_judges.models.prompt import JudgePrompt

_REPLY_BYTES = 1 << 20
_TEXT_CHARACTERS = 20_000
_FIGURE_TOKENS = 3_000
"""An upper bound of what providers charge for a picture."""
_FIRST_PAUSE_S = 0.5
_LONGEST_PAUSE_S = 30.0
_RETRIED = (408, 409, 429)
_OPTIONAL = ("response_format", "json_schema", "temperature", "seed", "max_tokens")
"""Parameters that are left out if an endpoint rejects them; `json_schema` means `response_format`."""


_NOT_SENT = (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.PoolTimeout)
"""Nothing of the request reached the endpoint."""


class EndpointReply(Model):
    """The outcome of one request."""

    text: str = ""
    error: str = ""
    """Reason why there is no reply; quotes nothing that was sent or received."""
    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float = 0.0
    seconds: float = 0.0


class _ChoiceMessage(BaseModel):
    content: str | None = None
    refusal: str | None = None


class _CompletionChoice(BaseModel):
    message: _ChoiceMessage
    finish_reason: str | None = None


class _TokenUsage(BaseModel):
    prompt_tokens: Annotated[int, Field(ge=0, le=10**9)]
    completion_tokens: Annotated[int, Field(ge=0, le=10**9)]


class _ChatCompletion(BaseModel):
    choices: Annotated[list[_CompletionChoice], Field(min_length=1)]
    usage: _TokenUsage | None = None


class _RetryError(Exception):
    """A transient failure; retried after this many seconds if the endpoint named a delay."""

    def __init__(self, message: str, pause_s: float | None = None, next_step: str = "") -> None:
        super().__init__(message)
        self.pause_s = pause_s
        self.next_step = next_step
        """The next step for a person if trying again did not help."""


class _FinalError(Exception):
    """A permanent failure."""


class ModelEndpoint:
    """One model behind one endpoint. Belongs to the event loop it is first used in.

    Args:
        settings: The model and its endpoint.
        environ: Holds the key under the name that the settings give.

    Raises:
        ConfigurationError: The variable is not set.
    """

    def __init__(self, settings: ModelSettings, environ: Mapping[str, str] = os.environ) -> None:
        key = environ.get(settings.api_key_env, "") if settings.api_key_env else "none"
        if not key:
            raise ConfigurationError(
                f"judge {settings.name!r} takes its key from the environment variable {settings.api_key_env}, which"
                " is not set; set it, or name another one in api_key_env"
            )
        # At its debug level the library logs whole requests, answer keys included.
        logging.getLogger("openai").setLevel(logging.WARNING)
        self.settings = settings
        self._client = openai.AsyncOpenAI(
            api_key=key,
            base_url=settings.base_url,
            max_retries=0,
            timeout=settings.timeout_s,
            http_client=httpx2.AsyncClient(
                headers={"accept-encoding": "identity"},
                event_hooks={"response": [_limit_body_size]},
                follow_redirects=False,
            ),
        )
        self._turn = asyncio.Semaphore(settings.at_once)
        self._refused: set[str] = set()

    async def close(self) -> None:
        """Close every connection."""
        await self._client.close()

    def maximum_cost_usd(self, prompt: JudgePrompt) -> float:
        """Cost of one request at most, in US dollars: a string never has more tokens than bytes."""
        tokens = prompt.byte_count + _FIGURE_TOKENS * prompt.figure_count
        return (tokens * self.settings.input_usd + self.settings.max_tokens * self.settings.output_usd) / 1e6

    async def request_reply(self, prompt: JudgePrompt, *, seed_offset: int, budget: JudgingBudget) -> EndpointReply:
        """Ask, and retry transient failures (time-outs, lost connections, 429, 5xx) until `patience_s` is over.

        Args:
            prompt: Prompt to send.
            seed_offset: Added to the seed.
            budget: Pays for every request.

        Raises:
            OutOfBudgetError: The budget does not hold what a request may cost.
        """
        start = 0.0
        paid = Charge()
        pause = _FIRST_PAUSE_S
        tries = 0
        while True:
            tries += 1
            try:
                async with self._turn:
                    # Waiting for the first turn does not count: that is not the endpoint's time.
                    start = start or time.monotonic()
                    deadline = start + self.settings.patience_s
                    with budget.reserve(self.maximum_cost_usd(prompt)) as charge:
                        try:
                            reply = await self._request_once(prompt, seed_offset, deadline - time.monotonic(), charge)
                        finally:
                            paid.usd += charge.usd
            except _FinalError as error:
                reply = EndpointReply(error=str(error))
            except _RetryError as error:
                wait = error.pause_s if error.pause_s is not None else pause * random.uniform(0.75, 1.25)  # noqa: S311
                if time.monotonic() + wait < deadline:
                    await asyncio.sleep(wait)
                    pause = min(2 * pause, _LONGEST_PAUSE_S)
                    continue
                reply = EndpointReply(error=f"{error}, {tries} {'times' if tries > 1 else 'time'}{error.next_step}")
            seconds = round(time.monotonic() - start, 3)
            return reply.model_copy(update={"cost_usd": paid.usd, "seconds": seconds})

    async def _request_once(
        self, prompt: JudgePrompt, seed_offset: int, remaining_s: float, charge: Charge
    ) -> EndpointReply:
        timeout_s = max(0.01, min(self.settings.timeout_s, remaining_s))
        while True:
            body = self._request_body(prompt, seed_offset)
            # Until there is a reply that says otherwise: a provider charges for what it works on, read or not.
            charge.usd = self.maximum_cost_usd(prompt)
            try:
                # The client's own time-out restarts at every byte.
                async with asyncio.timeout(timeout_s):
                    raw = await self._client.chat.completions.with_raw_response.create(**body)
                return self._read_reply(raw.http_response.content, charge)
            except (TimeoutError, openai.APITimeoutError) as error:
                if isinstance(error.__cause__, _NOT_SENT):
                    charge.usd = 0.0
                allowed_s = min(self.settings.timeout_s, self.settings.patience_s)
                raise _RetryError(f"there was no reply within {allowed_s:g} s") from error
            except openai.APIConnectionError as error:
                if isinstance(error.__cause__, _TooLongError):
                    raise _FinalError(f"the reply is longer than {_REPLY_BYTES} bytes") from None
                if isinstance(error.__cause__, _NOT_SENT):
                    charge.usd = 0.0
                    raise _RetryError("the endpoint could not be reached") from error
                raise _RetryError("the endpoint closed the connection before it replied") from error
            except openai.APIStatusError as error:
                charge.usd = 0.0
                if error.status_code in (400, 422) and self._remember_rejected_parameter_if_named(error, body):
                    continue
                raise _status_error(error) from None

    def _request_body(self, prompt: JudgePrompt, seed_offset: int) -> dict[str, Any]:
        settings = self.settings
        limit = "max_completion_tokens" if "max_tokens" in self._refused else "max_tokens"
        body: dict[str, Any] = {
            "model": settings.model,
            "messages": list(prompt.messages),
            limit: settings.max_tokens,
            "temperature": settings.temperature,
            "seed": settings.seed + seed_offset,
            "response_format": {
                "type": "json_schema",
                "json_schema": {"name": "verdict", "strict": True, "schema": prompt.schema},
            },
        }
        return {name: value for name, value in body.items() if name not in self._refused}

    def _remember_rejected_parameter_if_named(
        self, error: openai.APIStatusError, request_body: Mapping[str, Any]
    ) -> bool:
        """True if the endpoint rejects an optional parameter of this request; remembered for later requests."""
        text = str(error.body or error.message)[:2000]
        named_options = [name for name in _OPTIONAL if name in text]
        # Another request may have learned the same while this one was on its way.
        refused_options = {
            "response_format" if name == "json_schema" else name for name in named_options[:1]
        } & request_body.keys()
        self._refused |= refused_options
        return bool(refused_options)

    def _read_reply(self, response_body: bytes, charge: Charge) -> EndpointReply:
        try:
            completion = _ChatCompletion.model_validate_json(response_body)
        except ValidationError as error:
            raise _FinalError("the reply is not a chat completion") from error
        usage = completion.usage
        if usage is None:
            token_counts = {"input_tokens": 0, "output_tokens": 0}
        else:
            token_counts = {"input_tokens": usage.prompt_tokens, "output_tokens": usage.completion_tokens}
            settings = self.settings
            charge.usd = (
                usage.prompt_tokens * settings.input_usd + usage.completion_tokens * settings.output_usd
            ) / 1e6
        choice = completion.choices[0]
        if choice.message.refusal:
            return EndpointReply(error="the model refused to grade", **token_counts)
        if choice.finish_reason == "length":
            return EndpointReply(error=f"the reply was cut off at {self.settings.max_tokens} tokens", **token_counts)
        text = choice.message.content or ""
        if not text.strip():
            return EndpointReply(error="the reply is empty", **token_counts)
        if len(text) > _TEXT_CHARACTERS:
            return EndpointReply(error=f"the reply is longer than {_TEXT_CHARACTERS} characters", **token_counts)
        return EndpointReply(text=text, **token_counts)


def _status_error(error: openai.APIStatusError) -> _RetryError | _FinalError:
    status = error.status_code
    # An exhausted account is a 429 as well, and waiting does not help.
    if (status in _RETRIED or status >= 500) and error.code != "insufficient_quota":
        pause_s = _seconds_of_retry_after(error.response.headers)
        return _RetryError(f"the endpoint answered {status}", pause_s, _next_step_for_status(status, pause_s))
    hints = {
        401: ": the key is not accepted",
        403: ": the key may not use this model",
        404: ": there is no such model or address",
        429: ": the account is out of money",
    }
    return _FinalError(f"the endpoint answered {status}{hints.get(status, '')}")


def _next_step_for_status(http_status: int, pause_s: float | None) -> str:
    if pause_s is not None and pause_s >= 1:
        return f": it asks to wait {pause_s:.0f} s; go on after that, or raise patience_s"
    return ": too many requests; lower at_once, or raise patience_s" if http_status == 429 else ""


def _seconds_of_retry_after(headers: httpx2.Headers) -> float | None:
    """Seconds that the endpoint asks to wait (RFC 9110, section 10.2.3); None if it gives nothing usable."""
    header = headers.get("retry-after", "").strip()
    if header.replace(".", "", 1).isdecimal() and header.isascii():
        return min(float(header), 1e6)
    try:
        retry_time = email.utils.parsedate_to_datetime(header)
    except ValueError:
        return None
    return max(0.0, (retry_time.replace(tzinfo=retry_time.tzinfo or UTC) - datetime.now(UTC)).total_seconds())


class _TooLongError(httpx2.TransportError):
    """The body is longer than any valid reply."""


async def _limit_body_size(response: httpx2.Response) -> None:
    """Limit how much of a body is read, and do not decompress it."""
    response.headers.pop("content-encoding", None)
    if isinstance(response.stream, httpx2.AsyncByteStream):
        response.stream = _BoundedStream(response.stream)


class _BoundedStream(httpx2.AsyncByteStream):
    def __init__(self, byte_stream: httpx2.AsyncByteStream) -> None:
        self._inner = byte_stream

    async def __aiter__(self) -> AsyncIterator[bytes]:
        size = 0
        async for chunk in self._inner:
            size += len(chunk)
            if size > _REPLY_BYTES:
                raise _TooLongError(f"more than {_REPLY_BYTES} bytes")
            yield chunk

    async def aclose(self) -> None:
        await self._inner.aclose()
