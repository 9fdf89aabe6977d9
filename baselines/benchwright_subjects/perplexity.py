"""How well a model predicts prompts, by the log-probabilities that an OpenAI-compatible endpoint gives of a prompt."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable, Iterable, Sequence
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


def perplexity(likelihoods: Iterable[PromptLikelihood]) -> float | None:
    """Exp of the mean negative log-probability of a token over all prompts; None without a token."""
    measured = list(likelihoods)
    tokens = sum(likelihood.tokens for likelihood in measured)
    return math.exp(-math.fsum(likelihood.log_likelihood for likelihood in measured) / tokens) if tokens else None


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
                tasks = [group.create_task(ask(prompt)) for prompt in prompts]
        except ExceptionGroup as failures:
            raise failures.exceptions[0] from None
    return [task.result() for task in tasks]


async def _ask(client: openai.AsyncOpenAI, model: str, prompt: str) -> PromptLikelihood:
    try:
        # Not every server takes 0 tokens; what it adds is cut off.
        completion = await client.completions.create(
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
    choice = completion.choices[0] if completion.choices else None
    log_probabilities = choice.logprobs if choice is not None else None
    values = list(log_probabilities.token_logprobs or ()) if log_probabilities is not None else []
    offsets = list(log_probabilities.text_offset or ()) if log_probabilities is not None else []
    prompt_values = [value for value, offset in zip(values, offsets, strict=False) if offset < len(prompt)][1:]
    if len(values) != len(offsets) or not prompt_values:
        raise EvaluationError(f"{client.base_url} gives no log-probabilities of a prompt for {model}. {_NEXT_STEP}")
    if any(value is None or not math.isfinite(value) or value > 0 for value in prompt_values):
        raise EvaluationError(f"{client.base_url} gives a log-probability that is none for {model}. {_NEXT_STEP}")
    return PromptLikelihood(len(prompt_values), math.fsum(value for value in prompt_values if value is not None))


_NEXT_STEP = "Serve it by a program whose /completions takes `echo` with `logprobs`, such as vLLM."
