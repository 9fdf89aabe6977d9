"""Asks a model for a question about each passage, and takes out those that rules or a second model object to."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Mapping, Sequence
from importlib import resources

from pydantic import JsonValue

from benchwright_authoring.duplicates import NearCopies, words_of
from benchwright_authoring.generation.draft import GAP, Draft, draft_schema, faults, read_draft
from benchwright_authoring.generation.passages import Passage
from benchwright_authoring.written_question import LETTERS, WrittenQuestion
from benchwright_foundation.model import Model
from benchwright_judges.models.kept_replies import KeptReplies
from benchwright_judges.models.prompt import object_schema, visible
from benchwright_problems.errors import ProblemsError

CRITERIA = {
    "one_right": "not exactly one option is right",
    "relevant": "it is not about the subject, or not worth knowing",
    "self_contained": "it is not understood alone",
    "factual": "the statement is not true in general",
}
"""What the second model decides on, and what it means if that does not hold."""
_ALIKE = 0.5
"""Jaccard index of runs of five words from which on two short texts ask for the same."""
_LONGEST = 300


class GenerationError(ProblemsError):
    """A model gave no usable reply, or questions can't be written."""


class Held(Model):
    """What the second model says of a criterion."""

    reason: str
    holds: bool


class Generated(Model):
    """What became of a passage."""

    passage: Passage
    problem: str = ""
    """Id of the question; empty if it did not pass."""
    draft: Draft | None = None
    question: WrittenQuestion | None = None
    """None if rules found something wrong."""
    review: Mapping[str, Held] = {}
    """By criterion."""
    answered: str = ""
    """The letter that the second model chose with the passage and without the key."""
    without_passage: str | None = None
    """What it chose without the passage; None if it was not asked."""
    faults: tuple[str, ...] = ()
    """Why it did not pass, as sentences without their full stops."""


class Generator:
    """Makes questions of passages.

    Args:
        author: The model that writes.
        judge: Another one, that filters.
        seed: Decides which passages come first and where the right option stands. Secret: with it and the texts, keys
            can be found.
        closed_book: Whether the judge also answers what passed without the passage.
    """

    def __init__(self, author: KeptReplies, judge: KeptReplies, seed: str, *, closed_book: bool = False) -> None:
        self._author = author
        self._judge = judge
        self._seed = seed
        self._closed_book = closed_book
        self._known = NearCopies(_ALIKE)

    async def generate(
        self, passages: Sequence[Passage], count: int | None, on_done: Callable[[], None] = lambda: None
    ) -> list[Generated]:
        """Passages one after the other, until as many questions passed as are wanted.

        Raises:
            OutOfBudgetError: The budget does not hold what a request may cost; replies that came are kept.
        """
        order = sorted(passages, key=lambda one: one.sha256)
        self._random("passages").shuffle(order)
        found: list[Generated] = []
        passed = 0
        for passage in order:
            if count is not None and passed >= count:
                break
            found.append(await self._of(passage))
            passed += bool(found[-1].problem)
            on_done()
        return found

    async def _of(self, passage: Passage) -> Generated:
        name = f"cloze-{passage.sha256[:12]}"
        found = Generated(passage=passage)
        try:
            said = await self._author.reply("write", name, _text("write"), passage.text, draft_schema())
            draft = read_draft(said)
        except (GenerationError, ValueError) as error:
            return found.model_copy(update={"faults": (str(error),)})
        found = found.model_copy(update={"draft": draft})
        wrong = [*faults(draft, passage)]
        if not wrong:
            order = [*range(len(LETTERS))]
            self._random(passage.sha256).shuffle(order)
            question = draft.question(passage, order)
            found = found.model_copy(update={"question": question})
            wrong = [remark.rstrip(".") for remark in question.remarks()]
        if wrong or found.question is None:
            return found.model_copy(update={"faults": tuple(wrong)})
        try:
            return await self._judged(name, found, draft, found.question)
        except GenerationError as error:
            return found.model_copy(update={"faults": (str(error),)})

    def _copies(self, name: str, draft: Draft) -> list[str]:
        alike = self._known.add(name, words_of(f"{draft.sentence.replace(GAP, draft.answer)} {draft.quote}"))
        return [f"it asks for nearly the same as {other}" for other, _ in alike[:1]]

    async def _judged(self, name: str, found: Generated, draft: Draft, question: WrittenQuestion) -> Generated:
        shown: dict[str, JsonValue] = {
            "sentence": draft.sentence,
            "options": dict(zip(LETTERS, question.choices, strict=True)),
        }
        with_passage = {"passage": found.passage.text} | shown
        review = await self._review(name, with_passage)
        wrong = [f"{CRITERIA[one]}: {held.reason}" for one, held in review.items() if not held.holds]
        found = found.model_copy(update={"review": review, "faults": tuple(wrong)})
        if wrong:
            return found
        answered = await self._answer("answer", name, with_passage)
        found = found.model_copy(update={"answered": answered})
        if answered != question.answer:
            chose = f"{answered}, which is not the key" if answered else "no option"
            return found.model_copy(update={"faults": (f"with the passage, {self._judge.name} chose {chose}",)})
        if copies := self._copies(name, draft):
            return found.model_copy(update={"faults": tuple(copies)})
        closed = await self._answer("closed-book", name, shown) if self._closed_book else None
        return found.model_copy(update={"problem": name, "without_passage": closed})

    async def _review(self, name: str, shown: Mapping[str, JsonValue]) -> Mapping[str, Held]:
        one = object_schema({"reason": {"type": "string"}, "holds": {"type": "boolean"}})
        said = await self._ask("check", name, shown, dict.fromkeys(CRITERIA, one))
        found = {}
        for criterion in CRITERIA:
            value = said.get(criterion)
            reason, holds = (value.get("reason"), value.get("holds")) if isinstance(value, dict) else ("", None)
            if not isinstance(holds, bool) or not isinstance(reason, str):
                raise GenerationError(f"{self._judge.name} did not decide on {criterion}")
            why = " ".join(visible(reason)[:_LONGEST].split()) or "it does not say why"
            found[criterion] = Held(reason=why, holds=holds)
        return found

    async def _answer(self, kind: str, name: str, shown: Mapping[str, JsonValue]) -> str:
        letter: JsonValue = {"type": "string", "enum": [*LETTERS, ""]}
        said = (await self._ask(kind, name, shown, {"reason": {"type": "string"}, "answer": letter})).get("answer")
        if said not in (*LETTERS, ""):
            raise GenerationError(f"{self._judge.name} named no option")
        return str(said)

    async def _ask(
        self, kind: str, name: str, shown: Mapping[str, JsonValue], fields: dict[str, JsonValue]
    ) -> Mapping[str, object]:
        instructions = _text("check" if kind == "check" else "answer")
        text = json.dumps(dict(shown), ensure_ascii=False, indent=1)
        return await self._judge.reply(kind, name, instructions, text, object_schema(fields))

    def _random(self, what: str) -> random.Random:
        return random.Random(f"{self._seed}:{what}")  # noqa: S311 - the seed is the secret


def _text(name: str) -> str:
    return (resources.files("benchwright_authoring.generation") / f"{name}.txt").read_text("utf-8")
