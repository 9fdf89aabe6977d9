"""Reasons for a wrong answer: judges name its errors, by a set of labels."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from benchwright_foundation.model import Model
from benchwright_judges.agreement.error_labels import ErrorLabels
from benchwright_judges.judgement import Vote
from benchwright_judges.models.budget import JudgingBudget
from benchwright_judges.models.json_reply import read_only_object
from benchwright_judges.models.model_judge import ModelJudge
from benchwright_judges.models.prompt import error_types_prompt
from benchwright_judges.records import ballot
from benchwright_problems.problem import Problem, digest

if TYPE_CHECKING:
    from benchwright_judges.models.endpoint import EndpointReply, ModelEndpoint
    from benchwright_judges.records.records import Records

_SEPARATOR = "; "


class ErrorClassification(Model):
    """Votes of the judges on one wrong answer."""

    types: tuple[str, ...]
    """Those that more than half of the judges name; none if they agree on none, or no reply could be used."""
    votes: tuple[Vote, ...]
    """One for each judge; the label has its types, the reason may quote the key."""
    rubric: str
    """Of the labels: see `ErrorLabels.reference`."""

    @property
    def cost_usd(self) -> float:
        """Of the requests."""
        return sum(vote.cost_usd for vote in self.votes)


async def classify_errors(
    problem: Problem,
    model_reply: str,
    labels: ErrorLabels,
    endpoints: Sequence[ModelEndpoint],
    records: Records,
    *,
    budget: JudgingBudget,
    is_offline: bool = False,
) -> ErrorClassification:
    """Have every judge name the errors of a wrong reply once. New votes are stored at once, and used again.

    Args:
        problem: Problem with its hidden part.
        model_reply: The whole reply, with its steps; hostile text.
        labels: The labels to choose from.
        endpoints: The judges.
        records: The cache of votes.
        budget: Pays.
        is_offline: True to use only stored votes.

    Raises:
        OutOfBudgetError: The budget does not hold what a vote may cost; votes that were given are stored.
        StorageError: The database failed.
    """
    outcomes = await asyncio.gather(
        *(
            _stored_or_new_vote(problem, model_reply, labels, endpoint, records, budget, is_offline)
            for endpoint in endpoints
        ),
        return_exceptions=True,
    )
    for outcome in outcomes:
        if isinstance(outcome, BaseException):
            raise outcome
    votes = tuple(vote for vote in outcomes if isinstance(vote, Vote))
    return ErrorClassification(types=majority_types(votes, labels), votes=votes, rubric=labels.reference)


def majority_types(votes: Sequence[Vote], labels: ErrorLabels) -> tuple[str, ...]:
    """The types that more than half of the usable votes name."""
    usable = [types_named_by_vote(vote) for vote in votes if not vote.error]
    counts = Counter(error_type for types in usable for error_type in types)
    return tuple(error_type for error_type in labels.names if 2 * counts[error_type] > len(usable))


def types_named_by_vote(vote: Vote) -> tuple[str, ...]:
    """Types of error that a vote names."""
    return tuple(name for name in vote.label.split(_SEPARATOR) if name)


async def _stored_or_new_vote(
    problem: Problem,
    model_reply: str,
    labels: ErrorLabels,
    endpoint: ModelEndpoint,
    records: Records,
    budget: JudgingBudget,
    is_offline: bool,
) -> Vote:
    name = endpoint.settings.name
    key = digest(
        {
            "error_types": labels.instructions,
            "judge": ModelJudge(endpoint).identity,
            "problem": problem.public_digest,
            "key": problem.harness_digest,
            "answer": model_reply,
        }
    )

    async def request() -> Vote:
        prompt = error_types_prompt(problem, model_reply, labels.instructions, labels.names)
        return _read_vote(name, labels, await endpoint.request_reply(prompt, seed_offset=0, budget=budget))

    return await ballot.stored_or_new_vote(records, key, name, request, is_offline=is_offline)


def _read_vote(judge_name: str, labels: ErrorLabels, judge_reply: EndpointReply) -> Vote:
    vote_fields: dict[str, Any] = {
        "judge": judge_name,
        "raw": judge_reply.text,
        **judge_reply.model_dump(exclude={"text", "error"}),
    }
    if judge_reply.error:
        return Vote(error=judge_reply.error, **vote_fields)
    try:
        types, reason = read_types_and_reason(judge_reply.text, labels)
    except ValueError as error:
        return Vote(error=str(error), **vote_fields)
    return Vote(label=_SEPARATOR.join(types), reason=reason, **vote_fields)


def read_types_and_reason(reply_text: str, labels: ErrorLabels) -> tuple[tuple[str, ...], str]:
    """Types and reason of a judge's reply; strict.

    Raises:
        ValueError: The reply is not one object with these two fields, or names what is no type.
    """
    fields = read_only_object(reply_text)
    if set(fields) != {"reason", "types"}:
        raise ValueError("the reply does not have the fields reason and types, and only these")
    if not isinstance(fields["reason"], str) or not isinstance(fields["types"], list) or not fields["types"]:
        raise ValueError("the reply's reason is not a string, or its types are not a list of one or more")
    try:
        return labels.checked_names_in_order(fields["types"]), fields["reason"]
    except ValueError as error:
        raise ValueError(f"the reply's types: {error}") from error
