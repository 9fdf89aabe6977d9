"""Usage of models, from Inspect's counts to events of the log."""

from __future__ import annotations

from collections.abc import Mapping

from inspect_ai.model import ModelOutput, get_model_info
from inspect_ai.model import ModelUsage as Counted

from benchwright_attempts.events.evidence import ModelUsage
from benchwright_judges.reading.text_length import ENCODING, TokenCounter
from benchwright_subjects.inspect_private import count_sample_usage, sample_model_usage


def usage_of_running_sample_by_model() -> Mapping[str, Counted]:
    """Usage of each model for the sample that runs."""
    return sample_model_usage()


def usage_event(model: str, counted_usage: Counted, *, calls: int, wall_s: float | None = None) -> ModelUsage:
    """A provider's count as an event."""
    return ModelUsage(
        model=model,
        calls=calls,
        input_tokens=counted_usage.input_tokens,
        output_tokens=counted_usage.output_tokens,
        reasoning_tokens=counted_usage.reasoning_tokens or 0,
        cache_read_tokens=counted_usage.input_tokens_cache_read or 0,
        cache_write_tokens=counted_usage.input_tokens_cache_write or 0,
        total_tokens=counted_usage.total_tokens,
        cost_usd=counted_usage.total_cost,
        wall_s=wall_s,
    )


def reply_usage(model: str, output: ModelOutput) -> ModelUsage | None:
    """Usage for one reply; None if the provider does not report it."""
    return None if output.usage is None else usage_event(model, output.usage, calls=1, wall_s=output.time)


def knowledge_cutoff(model: str) -> str:
    """The end of what a model was trained on as Inspect knows it, `YYYY-MM-DD`; empty if it does not."""
    info = get_model_info(model)
    return info.knowledge_cutoff_date.isoformat() if info and info.knowledge_cutoff_date else ""


def tokenizer_usage(model: str, prompt: str, reply: str, token_counter: TokenCounter) -> ModelUsage | None:
    """A count of our own, where the provider gives none; none without a table of tokens."""
    input_count, output_count = token_counter.count(prompt), token_counter.count(reply)
    if input_count is None or output_count is None:
        return None
    return ModelUsage(
        model=model,
        calls=1,
        input_tokens=input_count,
        output_tokens=output_count,
        total_tokens=input_count + output_count,
        counted_by=f"tiktoken {ENCODING}",
    )


def unlogged_usage(
    model: str, counted_usage: Counted, logged_usage: ModelUsage | None, *, calls: int
) -> ModelUsage | None:
    """The part of a provider's count that is not in the log yet; None if all of it is.

    A reply that passes a limit is paid for and never seen.

    Args:
        model: Name of the model.
        counted_usage: The provider's count.
        logged_usage: Usage that is in the log.
        calls: Number of replies, where none of them is in the log.
    """
    if logged_usage is None:
        return usage_event(model, counted_usage, calls=max(1, calls))
    unlogged_tokens = counted_usage.total_tokens - logged_usage.total_tokens
    if unlogged_tokens <= 0:
        return None
    return ModelUsage(
        model=model,
        calls=1,
        input_tokens=max(0, counted_usage.input_tokens - logged_usage.input_tokens),
        output_tokens=max(0, counted_usage.output_tokens - logged_usage.output_tokens),
        reasoning_tokens=max(0, (counted_usage.reasoning_tokens or 0) - logged_usage.reasoning_tokens),
        cache_read_tokens=max(0, (counted_usage.input_tokens_cache_read or 0) - logged_usage.cache_read_tokens),
        cache_write_tokens=max(0, (counted_usage.input_tokens_cache_write or 0) - logged_usage.cache_write_tokens),
        total_tokens=unlogged_tokens,
        cost_usd=None
        if counted_usage.total_cost is None
        else max(0.0, counted_usage.total_cost - (logged_usage.cost_usd or 0.0)),
    )


def count_earlier_usage(model: str, earlier_usage: ModelUsage) -> None:
    """Count for the sample's limits, and in its log, what it had used before its process ended."""
    counted_usage = Counted(
        input_tokens=earlier_usage.input_tokens,
        output_tokens=earlier_usage.output_tokens,
        reasoning_tokens=earlier_usage.reasoning_tokens,
        input_tokens_cache_read=earlier_usage.cache_read_tokens,
        input_tokens_cache_write=earlier_usage.cache_write_tokens,
        total_tokens=earlier_usage.total_tokens,
        total_cost=earlier_usage.cost_usd,
    )
    count_sample_usage(model, counted_usage)
