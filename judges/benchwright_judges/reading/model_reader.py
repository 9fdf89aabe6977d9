"""A model that says which value a reply states, and shows where. It sees the question and the values, never the key.

Two readings have to agree. In each, the values of a question with choices have other names and another order, so that
a reader that always names the same, or the first, contradicts itself.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from benchwright_judges.formats import rules_of
from benchwright_judges.judgement import READING, Judgement, JudgementStatus, Vote
from benchwright_judges.languages import answer_words_pattern
from benchwright_judges.models.budget import JudgingBudget
from benchwright_judges.models.json_reply import read_only_object
from benchwright_judges.models.model_judge import ModelJudge
from benchwright_judges.models.prompt import ANSWER_CHARACTERS, JudgePrompt, escape_hidden_characters, reading_prompt
from benchwright_judges.reading.quantities import read_quantity, read_unit
from benchwright_judges.reading.reply import finished_reply_text_if_not_too_long, plain_text
from benchwright_judges.reading.selections import truth_value_in
from benchwright_judges.reading.statements import truth_words_pattern
from benchwright_problems.problem import AnswerKind, Problem, digest

NONE, AMBIGUOUS, UNFOUNDED = "none", "ambiguous", "unfounded"
"""Labels of votes that read no value; `unfounded` if the passage that they quote does not support it."""
STATED = "="
"""Begins the label of a vote that reads a value, so that no value can be taken for one of the others."""
READINGS = 2
"""Number of readings that have to agree."""
_MARKS = re.compile(r"[\s*_`]+")
_STRAIGHT = str.maketrans("“”„‘’", '"""\'\'')
_NEAR_QUOTE = 14
"""Characters before and behind a quotation in which a word that denies it counts."""
_CLAUSE = re.compile(r"[,.;:，。；：]|\b(?:but|sondern|mais)\b|而是")
_BEFORE = re.compile(r"(?:[/;、?？]|\b(?:or|oder|ou|and|und|et)|或|和|[,:]\s*\S{1,15},)\s*\Z")
_BEHIND = re.compile(
    r"\s*(?:[/;、?？]|(?:or|oder|ou|and|und|et)\b|或|和|,\s*\S{1,15}(?:[,:]|\s(?:or|and|oder|und|ou|et)\b|\Z))"
)
"""Beside a value of a list, such as "TLB, MMU or cache"."""


@cache
def instructions_and_reference() -> tuple[str, str]:
    """The instructions to readers, and their reference, `reading@` and the beginning of their digest."""
    content = (resources.files("benchwright_judges") / "rubrics" / "reading.txt").read_bytes()
    return content.decode(), f"{READING}@{hashlib.sha256(content).hexdigest()[:12]}"


def is_unread_by_rules(problem: Problem, rule_judgement: Judgement) -> bool:
    """True if rules read no value in an answer to a question that is answered by one, and not by several letters."""
    question = problem.public.question
    if question is None or problem.hidden.answer is None or not rules_of(question.format).is_single_value:
        return False
    if question.format.answered_by is AnswerKind.CHOICES:
        return False
    return rule_judgement.status in (JudgementStatus.UNREADABLE, JudgementStatus.PENDING)


@dataclass(frozen=True)
class ModelReader:
    """One configured judge or two as readers, who take turns."""

    judges: tuple[ModelJudge, ...]

    @property
    def name(self) -> str:
        """As configured."""
        return " + ".join(judge.name for judge in self.judges)

    def maximum_cost_usd(self, problem: Problem, answer: str) -> float:
        """Cost of one request at most, in US dollars."""
        return max(judge.endpoint.maximum_cost_usd(_reading_prompt(problem, answer, 0)) for judge in self.judges)

    def vote_key(self, problem: Problem, answer: str, reading_index: int) -> str:
        """Digest of everything that determines a vote; the answer key does not."""
        return digest(
            {
                "reading": instructions_and_reference()[0],
                "judge": self._judge_in_turn(reading_index).identity,
                "problem": problem.public_digest,
                "expected": _expected_value_kind(problem),
                "answer": answer,
                "vote": reading_index,
            }
        )

    async def vote(self, problem: Problem, answer: str, *, reading_index: int, budget: JudgingBudget) -> Vote:
        """One reading of an answer; failures are in the vote's `error`.

        Args:
            problem: Problem, of whose hidden part whether a number is expected, and its unit, are used.
            answer: Hostile text.
            reading_index: Determines the seed, the judge, and the names and order of the values.
            budget: Pays.

        Raises:
            OutOfBudgetError: The budget does not hold what the vote may cost.
        """
        judge = self._judge_in_turn(reading_index)
        reply = await judge.endpoint.request_reply(
            _reading_prompt(problem, answer, reading_index), seed_offset=reading_index, budget=budget
        )
        vote_fields: dict[str, Any] = {
            "judge": judge.name,
            "raw": reply.text,
            "rubric": instructions_and_reference()[1],
            **reply.model_dump(exclude={"text", "error"}),
        }
        if reply.error:
            return Vote(error=reply.error, **vote_fields)
        try:
            label, quote = label_and_quotation_in_reply(
                reply.text, _answer_end_within_limit(answer), problem, values_by_shown_name(problem, reading_index)
            )
        except ValueError as error:
            return Vote(error=str(error), **vote_fields)
        return Vote(label=label, reason=quote, **vote_fields)

    def _judge_in_turn(self, reading_index: int) -> ModelJudge:
        return self.judges[reading_index % len(self.judges)]


def values_by_shown_name(problem: Problem, reading_index: int) -> dict[str, str]:
    """Name in a reading → value that can be selected, in the order in which they are shown; none for words.

    Args:
        problem: Its public side decides.
        reading_index: Number of the reading: each has other names, and another value first.
    """
    names = {
        hashlib.sha256(f"{problem.public_digest} {reading_index} {value}".encode()).hexdigest()[:4]: value
        for value in _selectable_values(problem)
    }
    ordered = sorted(names.items(), key=lambda name_and_value: name_and_value[1])
    first = reading_index % len(ordered) if ordered else 0
    return dict([*ordered[first:], *ordered[:first]])


def label_and_quotation_in_reply(
    reader_reply: str, answer: str, problem: Problem, value_by_shown_name: Mapping[str, str]
) -> tuple[str, str]:
    """Label and quotation of a reader's reply; strict: nothing is guessed.

    Args:
        reader_reply: The reader's reply.
        answer: Answer that it was shown.
        problem: The question.
        value_by_shown_name: Name → value, as the request has them; none if any words can be stated.

    Raises:
        ValueError: The reply is not one object with exactly the three fields, or names what is no outcome or no value.
    """
    fields = read_only_object(reader_reply)
    if set(fields) != {"outcome", "value", "quote"} or not all(isinstance(field, str) for field in fields.values()):
        raise ValueError("the reply does not have the fields outcome, value and quote, and only these, as strings")
    outcome, value, quote = fields["outcome"], fields["value"].strip(), fields["quote"].strip()
    if outcome in (NONE, AMBIGUOUS):
        return outcome, ""
    if outcome != "stated":
        raise ValueError("the reply's outcome is neither stated nor ambiguous nor none")
    if value_by_shown_name and value not in value_by_shown_name:
        raise ValueError(f"the reply's value is none of {', '.join(value_by_shown_name)}")
    value = value_by_shown_name.get(value, value)
    return (
        f"{STATED}{value}" if _quote_supports(quote, value, escape_hidden_characters(answer), problem) else UNFOUNDED
    ), quote


def _quote_supports(quote: str, value: str, answer: str, problem: Problem) -> bool:
    """True if a quotation is in an answer, is not denied there, and could not as well be one for another value."""
    plain_answer, plain_quote = _comparable_text(answer), _comparable_text(quote)
    start = plain_answer.rfind(plain_quote)
    if not plain_quote or start < 0:
        return False
    before, after = plain_answer[:start], plain_answer[start + len(plain_quote) :]
    # What another clause denies is not denied here: "not A, but B".
    clause_before = _CLAUSE.split(before[-_NEAR_QUOTE:])[-1]
    clause_behind = _CLAUSE.split(after[:_NEAR_QUOTE])[0]
    if any(answer_words_pattern(words).search(clause_before) for words in ("negations", "conditions")):
        return False
    called_wrong = any(truth_value_in(word) == "false" for word in truth_words_pattern().findall(clause_behind))
    if called_wrong or answer_words_pattern("negations").search(clause_behind):
        return False
    if not _selectable_values(problem):
        return (
            bool(value)
            and _comparable_text(value) in plain_quote
            and _stands_alone_in_answer(_comparable_text(value), plain_answer)
        )
    own_names = _names_by_value(problem)
    named = {
        other for other, other_names in own_names.items() if any(_quote_has_word(name, quote) for name in other_names)
    }
    if named - {value}:
        return False
    # "(A) (B) (C)": the same words are there for another value too.
    return not any(
        _quote_has_word(name, quote)
        and _quote_has_word(_comparable_text(_quote_with_name_exchanged(name, other_name, quote)), before + after)
        for other, other_names in own_names.items()
        if other != value
        for name, other_name in zip(own_names[value], other_names, strict=True)
    )


def _quote_with_name_exchanged(value_name: str, other_name: str, quote: str) -> str:
    return re.sub(
        re.escape(value_name), lambda _: other_name, quote, flags=0 if len(value_name) == 1 else re.IGNORECASE
    )


def _quote_has_word(value_name: str, quote: str) -> bool:
    """True if a quotation has a name as a word; an "A" before a word is an article."""
    match = re.search(rf"(?<!\w){re.escape(value_name)}(?!\w)", quote, 0 if len(value_name) == 1 else re.IGNORECASE)
    return match is not None and not (value_name == "A" and re.match(r" [a-z]", quote[match.end() :]))


def _names_by_value(problem: Problem) -> dict[str, tuple[str, ...]]:
    """Value → its letter and own text, or its word."""
    question = problem.public.question
    if question is None or not question.choices:
        return {value: (value,) for value in _selectable_values(problem)}
    return {choice.letter: (choice.letter, choice.text) for choice in question.choices}


def _stands_alone_in_answer(value_words: str, answer: str) -> bool:
    """True if an answer has words or a number as a whole somewhere, and no other ones beside them as in a list."""
    for match in re.finditer(rf"(?<![\w.,^/×*+-]){re.escape(value_words)}(?![\w^]|[.,/]\w|\s?[×*^/+])", answer):
        is_listed = _BEHIND.match(answer, match.end()) or _BEFORE.search(answer[: match.start()][-40:])
        next_word = answer[match.end() :].lstrip().split(" ")[0].strip(".,;")
        is_cut = value_words[-1].isdigit() and next_word != "" and read_unit(next_word) is not None
        if not is_listed and not is_cut:
            return True
    return False


def _reading_prompt(problem: Problem, answer: str, reading_index: int) -> JudgePrompt:
    return reading_prompt(
        problem,
        _answer_end_within_limit(answer),
        instructions_and_reference()[0],
        values_by_shown_name(problem, reading_index),
        expected_value_kind=_expected_value_kind(problem),
    )


def _answer_end_within_limit(answer: str) -> str:
    return (finished_reply_text_if_not_too_long(answer) or "")[-ANSWER_CHARACTERS:]


def _selectable_values(problem: Problem) -> Sequence[str]:
    question = problem.public.question
    return rules_of(question.format).selectable_values(question) if question is not None else ()


def _expected_value_kind(problem: Problem) -> str:
    if _selectable_values(problem):
        return "one of the names listed below"
    key, question = problem.hidden.answer, problem.public.question
    is_number = key and question and read_quantity(key.value, question.language)
    return ("a number" if is_number else "a word, a phrase or a list") + (
        f", in {key.unit}" if key and key.unit else ""
    )


def _comparable_text(answer_text: str) -> str:
    # Models leave out emphasis, LaTeX and line breaks when they copy, and straighten quotes.
    return _MARKS.sub(" ", plain_text(answer_text).translate(_STRAIGHT)).strip().casefold()
