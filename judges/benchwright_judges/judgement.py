"""Judgements of answers, and the votes they are based on."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

from pydantic import Field

from benchwright_foundation.model import Message
from benchwright_problems.verdict import Reason, Verdict

REFUSAL = "refusal"
"""The label of an unreadable answer that declines to answer."""


class JudgementStatus(StrEnum):
    """State of a judgement."""

    SCORED = "scored"
    EMPTY = "empty"
    """The answer is empty."""
    UNREADABLE = "unreadable"
    """No rule reads a value in the answer, or two are given."""
    PENDING = "pending"
    """Needs a model or a person, but neither was available; scored later."""
    ERROR = "error"
    """A judge's reply could not be used; never counted as a score of 0."""

    @property
    def is_final(self) -> bool:
        """True if the answer needs no further judge."""
        return self not in (JudgementStatus.PENDING, JudgementStatus.ERROR)


READING = "reading"
"""The name of the instructions to readers."""


class ScoringMethod(StrEnum):
    """Method that scored the answer."""

    DETERMINISTIC = "deterministic"
    READER = "reader"
    """Rules scored the value that a model read in the answer."""
    MODEL = "model"
    PERSON = "person"


Share = Annotated[float, Field(ge=0, le=1)]


class Vote(Message):
    """One judge's vote on one answer. Stored in full; never shown to a solver."""

    judge: str
    """A model's name as configured, or a person's pseudonym."""
    label: str = ""
    """The judge's own scale: `correct`, `partially correct`, `7`, …; empty if `error` is set."""
    score: Share | None = None
    error: str = ""
    """Reason why the reply could not be used."""
    reason: str = ""
    """The judge's reason."""
    raw: str = ""
    """The raw reply."""
    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float = 0.0
    seconds: float = 0.0
    cached: bool = False
    rubric: str = ""
    """The rubric, if it is not the judgement's; such a vote does not count towards the score. Readers name theirs."""

    @property
    def is_reading(self) -> bool:
        """True if it says what an answer states, and not what that is worth."""
        return self.rubric.startswith(f"{READING}@")


class Judgement(Message):
    """The score of an answer."""

    status: JudgementStatus
    score: Share | None = None
    """Set if and only if `status` is `scored`."""
    passed: bool | None = None
    """True if the answer counts as right; set if and only if `status` is `scored`."""
    label: str = ""
    """The winning label on the judge's own scale."""
    message: str
    """One sentence for the solver that reveals nothing hidden."""
    method: ScoringMethod = ScoringMethod.DETERMINISTIC
    rubric: str = ""
    """Name and content hash of the rubric that the model or person used, `open-ended@3fa9c0…`, of the instructions of
    a reader, `reading@…`, or name and version of the rules that read the answer; empty for judgements that rules made
    before they had a version."""
    votes: tuple[Vote, ...] = ()
    tie_break: bool = False
    """True if the first two votes disagreed and more were requested."""
    metrics: dict[str, float] = {}
    """Values beside the score, such as `bleu` and `rouge_l`."""
    remarks: tuple[str, ...] = ()

    @property
    def reason(self) -> Reason:
        """The outcome as in every other verdict."""
        match self.status:
            case JudgementStatus.SCORED:
                return Reason.PASSED if self.passed else Reason.WRONG_ANSWER
            case JudgementStatus.EMPTY:
                return Reason.EMPTY
            case JudgementStatus.UNREADABLE:
                return Reason.DECLINED if self.label == REFUSAL else Reason.UNREADABLE
            case JudgementStatus.PENDING:
                return Reason.JUDGE_UNAVAILABLE
            case JudgementStatus.ERROR:
                return Reason.JUDGE_ERROR

    @property
    def may_be_read_by_people(self) -> bool:
        """True if a person may still read a value where nobody else could, except in an answer that declines."""
        return self.status is JudgementStatus.UNREADABLE and self.label != REFUSAL

    @property
    def verdict(self) -> Verdict:
        """The judgement as a verdict, without duration and digests."""
        return Verdict(reason=self.reason, detail=self.message, remarks=self.remarks)

    @property
    def cost_usd(self) -> float:
        """Total cost of the votes."""
        return sum(vote.cost_usd for vote in self.votes)


def storable_text(text: str) -> str:
    """An answer without NUL, which PostgreSQL rejects, and without lone surrogates; none is right or wrong by them."""
    return text.replace("\0", "\ufffd").encode("utf-8", "replace").decode()
