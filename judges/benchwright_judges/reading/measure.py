"""Quality of reading replies by rules, and by a model after them, against what people read. Imports NumPy."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence

from benchwright_foundation.model import Model
from benchwright_judges.agreement.estimators import Share, wilson_share
from benchwright_judges.judgement import Judgement
from benchwright_judges.models.budget import JudgingBudget
from benchwright_judges.models.panel import Panel
from benchwright_judges.reading.corpus import LabelledReply
from benchwright_judges.reading.reading import read_answer_by_model
from benchwright_judges.records.records import Records
from benchwright_judges.rule_judgements import RULES
from benchwright_judges.score import score_by_rules

_AT_ONCE = 16


class ReadingQuality(Model):
    """Quality of one reader on the replies of one format."""

    reader: str
    """The rules' version, or that with the model's name."""
    format: str
    """`all` for all formats."""
    replies: int
    read: Share
    """Of the replies in which people read one value, those in which this one was read."""
    unread: Share
    """Of the replies in which people read one value, those in which none was read. Wrong words in a blank, which only
    a judge can call wrong, are not counted."""
    misread: Share
    """Of the same, those in which another value was read: falsely accepted readings."""
    invented: Share
    """Of the replies in which people read no value, or several, those in which one was read."""


class ReadingMeasurement(Model):
    """The qualities of rules and model, and what the model cost."""

    qualities: tuple[ReadingQuality, ...]
    asked: int
    """Replies that the model was asked about."""
    failed: int
    """Of these, replies for which it could not be used: they count as unread."""
    cost_usd: float


async def measure_reading(
    labelled_replies: Sequence[LabelledReply], panel: Panel | None, records: Records, budget: JudgingBudget
) -> ReadingMeasurement:
    """Read replies by rule, and then by the panel's reader what rules can't.

    Args:
        labelled_replies: Replies with what people read.
        panel: Has the reader; without, only rules are measured.
        records: The cache of votes.
        budget: Pays.

    Raises:
        OutOfBudgetError: The budget does not suffice; votes that were given are stored.
    """
    by_rule = [score_by_rules(labelled_reply.problem, labelled_reply.text) for labelled_reply in labelled_replies]
    qualities = _qualities_by_format(RULES, labelled_replies, by_rule)
    model_reader = panel.model_reader if panel is not None else None
    if panel is None or model_reader is None:
        return ReadingMeasurement(qualities=qualities, asked=0, failed=0, cost_usd=0.0)
    turn = asyncio.Semaphore(_AT_ONCE)

    async def read(labelled_reply: LabelledReply, unread: Judgement) -> Judgement:
        if panel.model_reader_if_unread(labelled_reply.problem, unread) is None:
            return unread
        async with turn:
            return await read_answer_by_model(
                labelled_reply.problem, labelled_reply.text, unread, model_reader, panel, records, budget
            )

    outcomes = await asyncio.gather(*map(read, labelled_replies, by_rule), return_exceptions=True)
    judgements = []
    for outcome in outcomes:
        if isinstance(outcome, BaseException):
            raise outcome
        judgements.append(outcome)
    asked_judgements = [judgement for judgement in judgements if judgement.votes]
    return ReadingMeasurement(
        qualities=(*qualities, *_qualities_by_format(f"{RULES} + {model_reader.name}", labelled_replies, judgements)),
        asked=len(asked_judgements),
        failed=sum(all(vote.error for vote in judgement.votes) for judgement in asked_judgements),
        cost_usd=sum(judgement.cost_usd for judgement in judgements),
    )


def _qualities_by_format(
    reader_name: str, labelled_replies: Sequence[LabelledReply], judgements: Sequence[Judgement]
) -> tuple[ReadingQuality, ...]:
    judged_replies = list(zip(labelled_replies, judgements, strict=True))
    formats = sorted({reply.question.format for reply in labelled_replies})
    qualities = []
    for name in (*formats, "all"):
        reply_outcomes = [
            (judged_reply, judged_reply.reading_outcome(judgement))
            for judged_reply, judgement in judged_replies
            if name in ("all", judged_reply.question.format)
        ]
        clear = Counter(outcome for reply, outcome in reply_outcomes if reply.states_one_value and outcome != "judge")
        unclear_outcomes = Counter(outcome for reply, outcome in reply_outcomes if not reply.states_one_value)
        qualities.append(
            ReadingQuality(
                reader=reader_name,
                format=name,
                replies=len(reply_outcomes),
                read=wilson_share(clear["read"], clear.total()),
                unread=wilson_share(clear["unread"], clear.total()),
                misread=wilson_share(clear["misread"], clear.total()),
                invented=wilson_share(unclear_outcomes["invented"], unclear_outcomes.total()),
            )
        )
    return tuple(qualities)
