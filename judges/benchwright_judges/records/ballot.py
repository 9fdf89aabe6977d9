"""Asking for votes: as many as decide, in turn, and each only once."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from benchwright_judges.judgement import Vote
from benchwright_judges.records.records import Records

T = TypeVar("T")


@dataclass(frozen=True)
class CountedVotes(Generic[T]):
    """The votes on one answer, and what they come to."""

    votes: tuple[Vote, ...]
    labels: tuple[str, ...]
    """Of the votes with a usable reply."""
    decision: T | None
    """None if they do not decide."""


async def collect_votes(
    request_vote: Callable[[int], Awaitable[Vote]],
    decide_by_labels: Callable[[Sequence[str]], T | None],
    *,
    most_votes: int,
    most_replacements: int,
) -> CountedVotes[T]:
    """Ask for a bare majority together, then one by one, until the votes decide or seats and spares are used.

    Args:
        request_vote: Requests the vote of a seat, counted from 0.
        decide_by_labels: Decides what labels come to; None if more are needed.
        most_votes: Number of votes at most.
        most_replacements: Number of votes without a usable reply that are replaced, at most.

    Raises:
        OutOfBudgetError: The budget does not hold what a vote may cost.
    """
    votes: list[Vote] = []
    labels: list[str] = []
    decision = None
    label_goal = most_votes // 2 + 1
    while decision is None and label_goal <= most_votes:
        vote_count = min(label_goal - len(labels), label_goal + most_replacements - len(votes))
        if vote_count <= 0:
            break
        votes += await _request_votes_together(request_vote, range(len(votes), len(votes) + vote_count))
        labels = [vote.label for vote in votes if not vote.error]
        if len(labels) == label_goal:
            decision = decide_by_labels(labels)
            label_goal += 1
    return CountedVotes(tuple(votes), tuple(labels), decision)


async def stored_or_new_vote(
    records: Records, vote_key: str, judge_name: str, request_vote: Callable[[], Awaitable[Vote]], *, is_offline: bool
) -> Vote:
    """A vote from the cache, or else a new one, which is stored at once.

    Args:
        records: The cache.
        vote_key: Digest of everything that determines the vote.
        judge_name: Name of the judge that votes.
        request_vote: Asks for it.
        is_offline: True to use only stored votes.
    """
    cached_vote = await records.cached_vote(vote_key)
    if cached_vote is not None:
        return cached_vote.model_copy(update={"cached": True, "cost_usd": 0.0, "seconds": 0.0})
    if is_offline:
        return Vote(judge=judge_name, error="there is no recorded vote, and judges are offline")
    vote = await request_vote()
    if not vote.error:
        await records.cache_votes([(vote_key, vote)])
    return vote


async def _request_votes_together(
    request_vote: Callable[[int], Awaitable[Vote]], seat_indices: Sequence[int]
) -> list[Vote]:
    # Votes that were paid for are kept, so the failure of one does not cancel the others.
    votes = await asyncio.gather(*(request_vote(seat) for seat in seat_indices), return_exceptions=True)
    for vote in votes:
        if isinstance(vote, BaseException):
            raise vote
    return [vote for vote in votes if isinstance(vote, Vote)]
