"""The panel: judges that take turns on a number of seats."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from benchwright_judges.judgement import Judgement, JudgementStatus, Vote
from benchwright_judges.models.budget import JudgingBudget
from benchwright_judges.reading.model_reader import READINGS, ModelReader, is_unread_by_rules
from benchwright_judges.rubric import Rubric, rubric_for
from benchwright_problems.problem import Problem


class VotingJudge(Protocol):
    """A judge that votes."""

    @property
    def name(self) -> str:
        """Its configured name, recorded with its votes."""

    @property
    def identity(self) -> str:
        """Everything that determines its votes, such as model and temperature: part of a vote's cache key."""

    async def vote(
        self, problem: Problem, answer: str, rubric: Rubric, *, index: int = 0, budget: JudgingBudget
    ) -> Vote:
        """One vote on an answer; failures are in the vote's `error`.

        Args:
            problem: Problem with its hidden part.
            answer: As it was given.
            rubric: The rubric to follow.
            index: Number of the vote among those of the same judge on the same answer; determines the seed.
            budget: Pays.

        Raises:
            OutOfBudgetError: The budget does not hold what the vote may cost.
        """

    def maximum_cost_usd(self, problem: Problem, answer: str, rubric: Rubric) -> float:
        """Cost of one request for a vote at most, in US dollars, by the configured prices."""

    async def close(self) -> None:
        """Close every connection."""


@dataclass(frozen=True)
class Panel:
    """Judges on seats. Judges take turns, so two model families vote alternately."""

    judges: tuple[VotingJudge, ...]
    seats: int = 3
    """Maximum number of votes; once a majority is reached, no more are requested."""
    spares: int = 2
    """Number of votes without a usable reply that are replaced per answer."""
    adds_cvdp_vote: bool = True
    """True if CVDP's questions about code get one vote by CVDP's own aspects in addition to the judgement."""

    offline: bool = False
    """True if only cached votes are counted, without requests to judges."""

    model_reader: ModelReader | None = None
    """Judges that are asked which value an answer states where rules read none."""

    def __post_init__(self) -> None:
        if not self.judges or self.seats < 1 or self.seats % 2 == 0 or self.spares < 0:
            raise ValueError("a panel needs a judge, an odd number of seats, and at least 0 spares")

    def voting_judge_of_seat(self, seat_index: int) -> VotingJudge:
        """Judge that votes on a seat, counted from 0."""
        return self.judges[seat_index % len(self.judges)]

    def model_reader_if_unread(self, problem: Problem, rule_judgement: Judgement) -> ModelReader | None:
        """Reader of an answer of which rules say this; None if nobody reads it."""
        return self.model_reader if is_unread_by_rules(problem, rule_judgement) else None

    def maximum_cost_usd(self, problem: Problem, answer: str, rule_judgement: Judgement) -> float:
        """Maximum cost of reading and judging an answer, in US dollars, with every seat and every spare used.

        Args:
            problem: Problem with its hidden part.
            answer: The answer.
            rule_judgement: Judgement of it by rules.
        """
        if self.offline:
            return 0.0
        model_reader, rubric = self.model_reader_if_unread(problem, rule_judgement), rubric_for(problem)
        cost = (
            0.0 if model_reader is None else model_reader.maximum_cost_usd(problem, answer) * (READINGS + self.spares)
        )
        if rubric is None or rule_judgement.status is not JudgementStatus.PENDING:
            return cost
        dearest = max(judge.maximum_cost_usd(problem, answer, rubric) for judge in self.judges)
        return cost + dearest * (self.seats + self.spares + int(self.adds_cvdp_vote))

    async def close(self) -> None:
        """Close every judge's connections."""
        for judge in self.judges:
            await judge.close()
