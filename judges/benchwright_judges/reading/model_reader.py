"""A model that says which value a reply states. It sees the question and the values, never the key."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from benchwright_judges.formats import rules_of
from benchwright_judges.judgement import READING, Judgement, JudgementStatus, Vote
from benchwright_judges.models.budget import JudgingBudget
from benchwright_judges.models.json_reply import read_object
from benchwright_judges.models.model_judge import ModelJudge
from benchwright_judges.models.prompt import JudgePrompt, reading_prompt, visible
from benchwright_judges.reading.numeric_answers import asked_unit, read_quantity
from benchwright_judges.reading.reply_text import without_thoughts
from benchwright_judges.reading.short_answers import unwrap
from benchwright_problems.problem import Problem, digest

NONE, AMBIGUOUS, INVENTED = "none", "ambiguous", "invented"
"""Labels of votes that read no value; `invented` if the quote or the value is not in the reply."""
STATED = "="
"""Begins the label of a vote that reads a value, so that no value can be taken for one of the others."""
_MARKS = re.compile(r"[\s*_`]+")


@cache
def instructions() -> tuple[str, str]:
    """The instructions to readers, and their reference, `reading@` and the beginning of their digest."""
    content = (resources.files("benchwright_judges") / "rubrics" / "reading.txt").read_bytes()
    return content.decode(), f"{READING}@{hashlib.sha256(content).hexdigest()[:12]}"


def is_unread(problem: Problem, judgement: Judgement) -> bool:
    """True if rules read no value in an answer to a question that is answered by one."""
    question = problem.public.question
    if question is None or problem.hidden.answer is None or not rules_of(question.format).names_value:
        return False
    return judgement.status in (JudgementStatus.UNREADABLE, JudgementStatus.PENDING)


@dataclass(frozen=True)
class ModelReader:
    """A configured judge as a reader."""

    judge: ModelJudge

    @property
    def name(self) -> str:
        """As configured."""
        return self.judge.name

    def most_it_costs(self, problem: Problem, answer: str) -> float:
        """Cost of one request at most, in US dollars."""
        return self.judge.endpoint.most_it_costs(_prompt(problem, answer))

    def key(self, problem: Problem, answer: str, index: int) -> str:
        """Digest of everything that determines a vote; the answer key does not."""
        return digest(
            {
                "reading": instructions()[0],
                "judge": self.judge.identity,
                "problem": problem.public_digest,
                "expected": _expected(problem),
                "answer": answer,
                "vote": index,
            }
        )

    async def vote(self, problem: Problem, answer: str, *, index: int, budget: JudgingBudget) -> Vote:
        """One reading of an answer; failures are in the vote's `error`.

        Args:
            problem: Problem, of whose hidden part the unit and whether a number is expected are used.
            answer: Hostile text.
            index: Added to the seed.
            budget: Pays.

        Raises:
            OutOfBudgetError: The budget does not hold what the vote may cost.
        """
        reply = await self.judge.endpoint.ask(_prompt(problem, answer), index=index, budget=budget)
        vote_fields: dict[str, Any] = {
            "judge": self.name,
            "raw": reply.text,
            "rubric": instructions()[1],
            **reply.model_dump(exclude={"text", "error"}),
        }
        if reply.error:
            return Vote(error=reply.error, **vote_fields)
        try:
            label, quote = read_reading(reply.text, without_thoughts(answer), _values(problem))
        except ValueError as error:
            return Vote(error=str(error), **vote_fields)
        return Vote(label=label, reason=quote, **vote_fields)


def read_reading(text: str, answer: str, values: Sequence[str]) -> tuple[str, str]:
    """Label and quote of a reader's reply; strict: nothing is guessed.

    Args:
        text: The reader's reply.
        answer: Answer that it was shown.
        values: Those that can be stated; none if any words can.

    Raises:
        ValueError: The reply is not one object with exactly the three fields, or names what is no outcome or no value.
    """
    fields = read_object(text)
    if set(fields) != {"outcome", "value", "quote"} or not all(isinstance(field, str) for field in fields.values()):
        raise ValueError("the reply does not have the fields outcome, value and quote, and only these, as strings")
    outcome, value, quote = fields["outcome"], fields["value"].strip(), fields["quote"]
    if outcome in (NONE, AMBIGUOUS):
        return outcome, ""
    if outcome != "stated":
        raise ValueError("the reply's outcome is neither stated nor ambiguous nor none")
    if values and value not in values:
        raise ValueError(f"the reply's value is none of {', '.join(values)}")
    plain_quote = _plain(quote)
    is_there = (
        plain_quote and plain_quote in _plain(visible(answer)) and (values or (value and _plain(value) in plain_quote))
    )
    return (f"{STATED}{value}" if is_there else INVENTED), quote


def _prompt(problem: Problem, answer: str) -> JudgePrompt:
    return reading_prompt(
        problem, without_thoughts(answer), instructions()[0], _values(problem), expected_kind=_expected(problem)
    )


def _values(problem: Problem) -> Sequence[str]:
    question = problem.public.question
    return rules_of(question.format).selectable(question) if question is not None else ()


def _expected(problem: Problem) -> str:
    if values := _values(problem):
        return f"one of {', '.join(values)}"
    key, question = problem.hidden.answer, problem.public.question
    is_number = key and question and read_quantity(unwrap(key.value), question.language)
    unit = (key.unit if key else None) or asked_unit(problem.public.statement)
    return ("a number" if is_number else "a word, a phrase or a list") + (f", in {unit}" if unit else "")


def _plain(text: str) -> str:
    # Models leave out emphasis and line breaks when they copy.
    return _MARKS.sub("", text).casefold()
