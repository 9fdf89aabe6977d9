"""A language model as a judge: one vote is one request to its endpoint."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from benchwright_judges.judgement import Vote
from benchwright_judges.models.budget import JudgingBudget
from benchwright_judges.models.json_reply import read_only_object
from benchwright_judges.models.prompt import grading_prompt
from benchwright_judges.rubric import Rubric
from benchwright_judges.scale import Scale
from benchwright_problems.problem import Problem, digest

if TYPE_CHECKING:
    from benchwright_judges.models.endpoint import EndpointReply, ModelEndpoint


class ModelJudge:
    """Asks a model for votes. It sees question, key, rubric and answer, but not who answered.

    Args:
        endpoint: Serves the model.
    """

    def __init__(self, endpoint: ModelEndpoint) -> None:
        self.endpoint = endpoint

    @property
    def name(self) -> str:
        """As configured."""
        return self.endpoint.settings.name

    @property
    def identity(self) -> str:
        """Digest of everything that determines its votes: address, model, and request parameters."""
        made_by = {"base_url", "model", "temperature", "seed", "max_tokens"}
        return digest(self.endpoint.settings.model_dump(mode="json", include=made_by))

    def maximum_cost_usd(self, problem: Problem, answer: str, rubric: Rubric) -> float:
        """Cost of one request for a vote at most, in US dollars."""
        return self.endpoint.maximum_cost_usd(grading_prompt(problem, answer, rubric))

    async def vote(
        self, problem: Problem, answer: str, rubric: Rubric, *, index: int = 0, budget: JudgingBudget
    ) -> Vote:
        """One vote on an answer; see `Judge.vote`."""
        reply = await self.endpoint.request_reply(
            grading_prompt(problem, answer, rubric), seed_offset=index, budget=budget
        )
        return self._vote_of_reply(reply, rubric.scale)

    async def close(self) -> None:
        """Close every connection."""
        await self.endpoint.close()

    def _vote_of_reply(self, reply: EndpointReply, scale: Scale) -> Vote:
        vote_fields: dict[str, Any] = {
            "judge": self.name,
            "raw": reply.text,
            "input_tokens": reply.input_tokens,
            "output_tokens": reply.output_tokens,
            "cost_usd": reply.cost_usd,
            "seconds": reply.seconds,
        }
        if reply.error:
            return Vote(error=reply.error, **vote_fields)
        try:
            label, reason = label_and_reason_in_reply(reply.text, scale)
        except ValueError as error:
            return Vote(error=str(error), **vote_fields)
        return Vote(label=label, score=scale.score(label), reason=reason, **vote_fields)


def label_and_reason_in_reply(reply_text: str, scale: Scale) -> tuple[str, str]:
    """Label and reason of a reply; strict: nothing is guessed.

    Raises:
        ValueError: The reply is not exactly one object with exactly the two fields, or off the scale.
    """
    fields = read_only_object(reply_text)
    if set(fields) != {"reason", "verdict"}:
        raise ValueError("the reply does not have the fields reason and verdict, and only these")
    if not isinstance(fields["reason"], str):
        raise ValueError("the reply's reason is not a string")
    return scale.read_label(fields["verdict"]), fields["reason"]
