"""Replies by an author who did not know the rules: how many are read as a person reads them."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from .independent_replies import load, outcome

# What was reached, as docs/reference/scoring.md tells it; a change of the rules may only lower these.
REACHED = {
    "open": {"misread": 0, "invented": 0, "unread": 15},
    "held_out": {"misread": 0, "invented": 0, "unread": 71},
    "second": {"misread": 0, "invented": 0, "unread": 82},
    "natural": {"misread": 0, "invented": 0, "unread": 5},
}


@pytest.mark.parametrize("name", REACHED)
def test_no_more_independent_replies_fail_than_the_reference_says(name: str) -> None:
    replies = load(Path(__file__).with_name(f"independent_{name}.jsonl"))
    counts = Counter(outcome(reply) for reply in replies)
    assert {kind: counts[kind] for kind, limit in REACHED[name].items() if counts[kind] > limit} == {}


@pytest.mark.parametrize("name", [name for name in REACHED if name != "natural"])
def test_independent_replies_cover_every_format_and_language(name: str) -> None:
    replies = list(load(Path(__file__).with_name(f"independent_{name}.jsonl")))
    assert len({reply.text for reply in replies}) > 800
    reply_counts = Counter(
        (reply.question.format, reply.question.language) for reply in replies if reply.question.format != "multi"
    )
    assert len(reply_counts) == 4 * 4
    assert min(reply_counts.values()) >= 10


@pytest.mark.parametrize(("name", "at_least"), [("nothing", 300), ("undecided", 60)])
def test_nothing_is_read_in_replies_that_say_nothing(name: str, at_least: int) -> None:
    replies = list(load(Path(__file__).with_name(f"independent_{name}.jsonl")))
    assert len(replies) > at_least
    assert [reply.text for reply in replies if outcome(reply) == "invented"] == []
