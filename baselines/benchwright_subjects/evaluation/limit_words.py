"""The limits of a sample in a sentence or two for the agent that works under them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from inspect_ai.util import sample_limits

from benchwright_attempts.terms import Terms


def limits_in_words(terms: Terms) -> str:
    """The time, the tokens, the messages and the money that an agent has from now on; empty without a limit.

    Args:
        terms: Terms of the attempt, whose clock runs.
    """
    sentences = []
    if terms.time_limit_s is not None:
        deadline = datetime.now(UTC) + timedelta(seconds=terms.time_limit_s)
        sentences.append(
            f"You have {terms.time_limit_s:g} seconds from now on, which is until {deadline:%H:%M:%S} UTC at the "
            "earliest: the time in which hidden tests run or the model's provider fails does not count."
        )
    limits = sample_limits()
    amounts = [
        f"{limit.limit:{form}} {unit}"
        for limit, form, unit in (
            (limits.token, ",.0f", "tokens"),
            (limits.message, ",.0f", "messages"),
            (limits.cost, "g", "US dollars for the model"),
        )
        if limit.limit is not None
    ]
    if amounts:
        sentences.append(f"You may use {' and '.join(amounts)} at most.")
    if sentences:
        sentences.append("When a limit is reached, the files are graded as they are then.")
    return " ".join(sentences)
