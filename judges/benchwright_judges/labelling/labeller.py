"""Labels by votes of models: as many as a majority needs, then more while they disagree."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from benchwright_judges.errors import LabellingError
from benchwright_judges.labelling.disclosure import withhold_if_revealing
from benchwright_judges.labelling.instructions import (
    Topic,
    instructions_and_reference,
    label_prompt,
    read_choice,
)
from benchwright_judges.models.budget import JudgingBudget
from benchwright_problems.problem import Problem
from benchwright_problems.storage.labels import LabelKind, LabelSource, LabelVote, QuestionLabel

if TYPE_CHECKING:
    from benchwright_judges.models.endpoint import ModelEndpoint

_SPARES = 2
"""Number of votes without a usable reply that are replaced."""
_FIRST, _SECOND = 2, 1
"""Points for a first and a second choice where topics have no majority (Borda 1784)."""


class Labeller:
    """Asks models for labels.

    Args:
        endpoints: The models; they take turns.
        most_votes: Maximum number of votes on a label, odd.
        budget: Pays.
        present_time: The present time.
    """

    def __init__(
        self,
        endpoints: Sequence[ModelEndpoint],
        most_votes: int,
        budget: JudgingBudget,
        present_time: Callable[[], datetime],
    ) -> None:
        self._endpoints = endpoints
        self._seats = most_votes
        self._budget = budget
        self._now = present_time

    async def label(
        self,
        problem: Problem,
        label_kind: LabelKind,
        *,
        stated_label: str = "",
        shortlist: Sequence[Topic] = (),
        shortlist_method: str = "",
    ) -> QuestionLabel:
        """The label of a question.

        Args:
            problem: Problem with its hidden part, which is only used to withhold reasons that would give it away.
            label_kind: Kind of the label.
            stated_label: Label that the data set states.
            shortlist: Topics to choose from, for a topic.
            shortlist_method: Method that made the shortlist.

        Raises:
            LabellingError: Too few replies are usable, or no label has a majority.
            OutOfBudgetError: The budget does not hold what a vote may cost.
        """
        votes: list[LabelVote] = []
        errors: list[str] = []
        vote_goal = self._seats // 2 + 1
        value = ""
        while not value and vote_goal <= self._seats and len(errors) <= _SPARES:
            request_count = len(votes) + len(errors)
            indices = range(request_count, request_count + vote_goal - len(votes))
            for reply in await asyncio.gather(
                *(self._request_vote_or_error(problem, label_kind, shortlist, index) for index in indices)
            ):
                votes += [reply] if isinstance(reply, LabelVote) else []
                errors += [reply] if isinstance(reply, str) else []
            if len(votes) == vote_goal:
                value = _majority_value_or_empty(votes, self._seats)
                vote_goal += 1
        if not value and len(votes) == self._seats:
            value = _topic_by_second_choices_or_empty(votes)
        if not value:
            raise LabellingError(_failure_message(votes, errors))
        return QuestionLabel(
            problem=problem.id,
            public_digest=problem.public_digest,
            kind=label_kind,
            value=value,
            source=LabelSource.MODEL,
            by=", ".join(dict.fromkeys(vote.model for vote in votes)),
            stated=stated_label,
            votes=tuple(votes),
            shortlist=tuple(topic.name for topic in shortlist),
            shortlist_by=shortlist_method,
            prompt=instructions_and_reference(label_kind)[1],
            made=self._now().isoformat(timespec="seconds"),
        )

    async def _request_vote_or_error(
        self, problem: Problem, label_kind: LabelKind, shortlist: Sequence[Topic], request_index: int
    ) -> LabelVote | str:
        """A vote, or why there is none."""
        endpoint = self._endpoints[request_index % len(self._endpoints)]
        settings = endpoint.settings
        reply = await endpoint.request_reply(
            label_prompt(label_kind, problem, shortlist), seed_offset=request_index, budget=self._budget
        )
        if reply.error:
            return f"{settings.name}: {reply.error}"
        try:
            choice = read_choice(label_kind, reply.text, shortlist)
        except ValueError as error:
            return f"{settings.name}: {error}"
        return LabelVote(
            judge=settings.name,
            model=settings.model,
            value=choice.value,
            second=choice.second_choice,
            reason=withhold_if_revealing(choice.reason, problem),
            second_reason=withhold_if_revealing(choice.second_reason, problem),
        )


def tf_idf_topic_label(
    problem: Problem, shortlist: Sequence[Topic], stated_label: str, label_time: datetime
) -> QuestionLabel:
    """The likeliest topic by words alone, where no model is asked.

    Raises:
        LabellingError: The question shares no word with any topic.
    """
    if not shortlist:
        raise LabellingError("it shares no word with any topic; label it by hand, or let a model do it")
    return QuestionLabel(
        problem=problem.id,
        public_digest=problem.public_digest,
        kind=LabelKind.TOPIC,
        value=shortlist[0].name,
        source=LabelSource.TF_IDF,
        by=LabelSource.TF_IDF.value,
        stated=stated_label,
        shortlist=tuple(topic.name for topic in shortlist),
        shortlist_by=LabelSource.TF_IDF.value,
        made=label_time.isoformat(timespec="seconds"),
    )


def _majority_value_or_empty(votes: Sequence[LabelVote], most_votes: int) -> str:
    value, count = Counter(vote.value for vote in votes).most_common(1)[0]
    return value if 2 * count > most_votes else ""


def _topic_by_second_choices_or_empty(votes: Sequence[LabelVote]) -> str:
    """The topic that first and second choices together prefer; empty for a tie."""
    points: Counter[str] = Counter()
    for vote in votes:
        points[vote.value] += _FIRST
        if vote.second:
            points[vote.second] += _SECOND
    ranked = points.most_common(2)
    return "" if len(ranked) > 1 and ranked[0][1] == ranked[1][1] else ranked[0][0]


def _failure_message(votes: Sequence[LabelVote], error_messages: Sequence[str]) -> str:
    if len(error_messages) > _SPARES:
        return f"too few usable replies: {'; '.join(dict.fromkeys(error_messages))}"
    return f"no majority: {', '.join(vote.value for vote in votes)}"
