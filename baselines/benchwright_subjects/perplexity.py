"""How well a model predicts prompts, by the log-probabilities that an OpenAI-compatible endpoint gives of a prompt."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import openai

from benchwright_attempts.errors import EvaluationError

_TIMEOUT_S = 300.0
_TRIES = 5


@dataclass(frozen=True)
class PromptLikelihood:
    """How likely a model finds the tokens of a prompt; the first, which follows nothing, is left out."""

    tokens: int
    log_likelihood: float
    """Sum of their natural log-probabilities."""


def perplexity(likelihoods: Sequence[PromptLikelihood]) -> float | None:
    """Exp of the mean negative log-probability of a token over all prompts; None without a token."""
    log_likelihood = math.fsum(likelihood.log_likelihood for likelihood in likelihoods)
    tokens = sum(likelihood.tokens for likelihood in likelihoods)
    return math.exp(-log_likelihood / tokens) if tokens else None


async def prompt_likelihoods(
    prompts: Sequence[str],
    model: str,
    base_url: str,
    api_key: str,
    *,
    requests_at_once: int,
    show_done: Callable[[int], None],
) -> list[PromptLikelihood]:
    """Asks an endpoint for the log-probabilities of each prompt.

    Args:
        prompts: Statements, each sent by itself.
        model: The model's name at the endpoint.
        base_url: Address of the endpoint, up to and including `/v1`.
        api_key: Key of the endpoint; any string where it needs none.
        requests_at_once: Largest number of open requests.
        show_done: Called with the number of prompts that are answered.

    Raises:
        EvaluationError: The endpoint fails, or gives no log-probabilities of a prompt.
    """
    turn = asyncio.Semaphore(requests_at_once)
    done_count = 0

    async with openai.AsyncOpenAI(
        api_key=api_key, base_url=base_url, max_retries=_TRIES - 1, timeout=_TIMEOUT_S
    ) as client:

        async def ask(prompt: str) -> PromptLikelihood:
            nonlocal done_count
            async with turn:
                likelihood = await _ask(client, model, prompt)
            done_count += 1
            show_done(done_count)
            return likelihood

        try:
            async with asyncio.TaskGroup() as group:
                likelihood_tasks = [group.create_task(ask(prompt)) for prompt in prompts]
        except ExceptionGroup as group_error:
            raise group_error.exceptions[0] from None
    return [task.result() for task in likelihood_tasks]


async def _ask(client: openai.AsyncOpenAI, model: str, prompt: str) -> PromptLikelihood:
    try:
        # Not every server takes 0 tokens; what it adds is cut off.
        echo_reply = await client.completions.create(
            model=model, prompt=prompt, max_tokens=1, echo=True, logprobs=1, temperature=0
        )
    except openai.APIStatusError as error:
        raise EvaluationError(
            f"{client.base_url} answers {error.status_code} when it is asked for the log-probabilities of a prompt."
            f" {_NEXT_STEP}"
        ) from error
    except openai.APIConnectionError as error:
        raise EvaluationError(
            f"{client.base_url} did not answer in {_TRIES} tries. Check --base-url, and try again."
        ) from error
    log_probabilities = echo_reply.choices[0].logprobs if echo_reply.choices else None
    prompt_tokens = echo_reply.usage.prompt_tokens if echo_reply.usage is not None else 0
    values = list(log_probabilities.token_logprobs or ()) if log_probabilities is not None else []
    if not 1 < prompt_tokens <= len(values):
        raise EvaluationError(f"{client.base_url} gives no log-probabilities of a prompt for {model}. {_NEXT_STEP}")
    prompt_values = [value for value in values[1:prompt_tokens] if value is not None and -math.inf < value <= 0]
    if len(prompt_values) < prompt_tokens - 1:
        raise EvaluationError(f"{client.base_url} gives a log-probability that is none for {model}. {_NEXT_STEP}")
    return PromptLikelihood(len(prompt_values), math.fsum(prompt_values))


_NEXT_STEP = "Serve it by a program whose /completions takes `echo` with `logprobs`, such as vLLM."
