"""How well rules, and a model after them, read replies, against what people read. Imports NumPy."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence

from benchwright_foundation.model import Model
from benchwright_judges.agreement.estimators import Share, share
from benchwright_judges.judgement import Judgement
from benchwright_judges.models.budget import JudgingBudget
from benchwright_judges.models.panel import Panel
from benchwright_judges.reading.corpus import LabelledReply
from benchwright_judges.reading.reading import read_answer
from benchwright_judges.records.records import Records
from benchwright_judges.rule_judgements import RULES
from benchwright_judges.score import score

_AT_ONCE = 16


class ReadingQuality(Model):
    """How one reader reads the replies of one format."""

    reader: str
    """The rules' version, or that with the model's name."""
    format: str
    """`all` for all formats."""
    replies: int
    unread: Share
    """Of the replies in which people read one value, those in which none was read. Wrong words in a blank, which only
    a judge can call wrong, are not counted."""
    misread: Share
    """Of the same, those in which another value was read: falsely accepted readings."""
    invented: Share
    """Of the replies in which people read no value, or several, those in which one was read."""


class ReadingMeasured(Model):
    """The qualities of rules and model, and what the model cost."""

    qualities: tuple[ReadingQuality, ...]
    asked: int
    """Replies that the model was asked about."""
    failed: int
    """Of these, replies for which it could not be used: they count as unread."""
    cost_usd: float


async def measure_reading(
    replies: Sequence[LabelledReply], panel: Panel | None, records: Records, budget: JudgingBudget
) -> ReadingMeasured:
    """Read replies by rule, and then by the panel's reader what rules can't.

    Args:
        replies: With what people read.
        panel: Has the reader; without, only rules are measured.
        records: The cache of votes.
        budget: Pays.

    Raises:
        OutOfBudgetError: The budget does not suffice; votes that were given are stored.
    """
    by_rule = [score(one.problem, one.text) for one in replies]
    qualities = _qualities(RULES, replies, by_rule)
    reader = panel.reader if panel is not None else None
    if panel is None or reader is None:
        return ReadingMeasured(qualities=qualities, asked=0, failed=0, cost_usd=0.0)
    turn = asyncio.Semaphore(_AT_ONCE)

    async def read(reply: LabelledReply, unread: Judgement) -> Judgement:
        if panel.reader_of(reply.problem, unread) is None:
            return unread
        async with turn:
            return await read_answer(reply.problem, reply.text, unread, reader, panel, records, budget)

    both = await asyncio.gather(*map(read, replies, by_rule), return_exceptions=True)
    found = []
    for one in both:
        if isinstance(one, BaseException):
            raise one
        found.append(one)
    asked = [one for one in found if one.votes]
    return ReadingMeasured(
        qualities=(*qualities, *_qualities(f"{RULES} + {reader.name}", replies, found)),
        asked=len(asked),
        failed=sum(all(vote.error for vote in one.votes) for one in asked),
        cost_usd=sum(one.cost_usd for one in found),
    )


def _qualities(reader: str, replies: Sequence[LabelledReply], found: Sequence[Judgement]) -> tuple[ReadingQuality, ...]:
    pairs = list(zip(replies, found, strict=True))
    formats = sorted({one.asked.format for one in replies})
    qualities = []
    for name in (*formats, "all"):
        chosen = [(one, one.outcome(said)) for one, said in pairs if name in ("all", one.asked.format)]
        clear = Counter(said for one, said in chosen if one.is_clear and said != "judge")
        others = Counter(said for one, said in chosen if not one.is_clear)
        qualities.append(
            ReadingQuality(
                reader=reader,
                format=name,
                replies=len(chosen),
                unread=share(clear["unread"], clear.total()),
                misread=share(clear["misread"], clear.total()),
                invented=share(others["invented"], others.total()),
            )
        )
    return tuple(qualities)
