"""Asks a model for a question about each passage, and takes out those that rules or a second model object to."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Mapping, Sequence
from importlib import resources

from pydantic import JsonValue

from benchwright_authoring.duplicates import NearCopyIndex, lowercase_words
from benchwright_authoring.generation.draft import GAP, Draft, draft_faults, draft_of_reply, draft_reply_schema
from benchwright_authoring.generation.passages import Passage
from benchwright_authoring.written_question import LETTERS, WrittenQuestion
from benchwright_foundation.model import Model
from benchwright_judges.models.kept_replies import ModelWithKeptReplies
from benchwright_judges.models.prompt import escape_hidden_characters, object_schema
from benchwright_problems.errors import ProblemsError

CRITERIA = {
    "one_right": "not exactly one option is right",
    "relevant": "it is not about the subject, or not worth knowing",
    "self_contained": "it is not understood alone",
    "factual": "the statement is not true in general",
}
"""Criteria that the second model decides on, and what it means if one does not hold."""
_ALIKE = 0.5
"""Jaccard index of runs of five words from which on two short texts ask for the same."""
_LONGEST = 300


class GenerationError(ProblemsError):
    """A model gave no usable reply, or questions can't be written."""


class CriterionOpinion(Model):
    """Opinion of the second model on a criterion."""

    reason: str
    holds: bool


class GeneratedQuestion(Model):
    """Result for a passage."""

    passage: Passage
    problem: str = ""
    """Id of the question; empty if it did not pass."""
    draft: Draft | None = None
    question: WrittenQuestion | None = None
    """None if rules found something wrong."""
    review: Mapping[str, CriterionOpinion] = {}
    """By criterion."""
    answered: str = ""
    """The letter that the second model chose with the passage and without the key."""
    without_passage: str | None = None
    """Answer that it chose without the passage; None if it was not asked."""
    faults: tuple[str, ...] = ()
    """Reasons for which it did not pass, as sentences without their full stops."""


class QuestionGenerator:
    """Makes questions of passages.

    Args:
        author_model: The model that writes.
        judge_model: Another one, that filters.
        seed: Decides which passages come first and where the right option stands. Secret: with it and the texts, keys
            can be found.
        closed_book: True if the judge also answers what passed without the passage.
    """

    def __init__(
        self,
        author_model: ModelWithKeptReplies,
        judge_model: ModelWithKeptReplies,
        seed: str,
        *,
        closed_book: bool = False,
    ) -> None:
        self._author = author_model
        self._judge = judge_model
        self._seed = seed
        self._closed_book = closed_book
        self._copy_index = NearCopyIndex(_ALIKE)

    async def generate(
        self, passages: Sequence[Passage], wanted_count: int | None, on_done: Callable[[], None] = lambda: None
    ) -> list[GeneratedQuestion]:
        """Passages one after the other, until as many questions passed as are wanted.

        Raises:
            OutOfBudgetError: The budget does not hold what a request may cost; replies that came are kept.
        """
        shuffled_passages = sorted(passages, key=lambda passage: passage.sha256)
        self._random_generator("passages").shuffle(shuffled_passages)
        generated: list[GeneratedQuestion] = []
        passed_count = 0
        for passage in shuffled_passages:
            if wanted_count is not None and passed_count >= wanted_count:
                break
            generated.append(await self._generate_question(passage))
            passed_count += bool(generated[-1].problem)
            on_done()
        return generated

    async def _generate_question(self, passage: Passage) -> GeneratedQuestion:
        name = f"cloze-{passage.sha256[:12]}"
        generated = GeneratedQuestion(passage=passage)
        try:
            reply = await self._author.kept_or_new_reply(
                "write", name, _instruction_text("write"), passage.text, draft_reply_schema()
            )
            draft = draft_of_reply(reply)
        except (GenerationError, ValueError) as error:
            return generated.model_copy(update={"faults": (str(error),)})
        generated = generated.model_copy(update={"draft": draft})
        faults_found = [*draft_faults(draft, passage)]
        if not faults_found:
            letter_order = [*range(len(LETTERS))]
            self._random_generator(passage.sha256).shuffle(letter_order)
            question = draft.shuffled_question(passage, letter_order)
            generated = generated.model_copy(update={"question": question})
            faults_found = [remark.rstrip(".") for remark in question.remarks()]
        if faults_found or generated.question is None:
            return generated.model_copy(update={"faults": tuple(faults_found)})
        try:
            return await self._judge_question(name, generated, draft, generated.question)
        except GenerationError as error:
            return generated.model_copy(update={"faults": (str(error),)})

    def _add_draft_and_list_copy_faults(self, problem_id: str, draft: Draft) -> list[str]:
        similar_names = self._copy_index.add_text_and_find_copies(
            problem_id, lowercase_words(f"{draft.sentence.replace(GAP, draft.answer)} {draft.quote}")
        )
        return [f"it asks for nearly the same as {copy_name}" for copy_name, _ in similar_names[:1]]

    async def _judge_question(
        self, problem_id: str, generated: GeneratedQuestion, draft: Draft, question: WrittenQuestion
    ) -> GeneratedQuestion:
        contents: dict[str, JsonValue] = {
            "sentence": draft.sentence,
            "options": dict(zip(LETTERS, question.choices, strict=True)),
        }
        with_passage = {"passage": generated.passage.text} | contents
        review = await self._ask_for_opinion_by_criterion(problem_id, with_passage)
        failed_criteria = [
            f"{CRITERIA[criterion]}: {decision.reason}" for criterion, decision in review.items() if not decision.holds
        ]
        generated = generated.model_copy(update={"review": review, "faults": tuple(failed_criteria)})
        if failed_criteria:
            return generated
        chosen_letter = await self._ask_for_answer_letter("answer", problem_id, with_passage)
        generated = generated.model_copy(update={"answered": chosen_letter})
        if chosen_letter != question.answer:
            chose = f"{chosen_letter}, which is not the key" if chosen_letter else "no option"
            return generated.model_copy(update={"faults": (f"with the passage, {self._judge.name} chose {chose}",)})
        if copies := self._add_draft_and_list_copy_faults(problem_id, draft):
            return generated.model_copy(update={"faults": tuple(copies)})
        closed = await self._ask_for_answer_letter("closed-book", problem_id, contents) if self._closed_book else None
        return generated.model_copy(update={"problem": problem_id, "without_passage": closed})

    async def _ask_for_opinion_by_criterion(
        self, problem_id: str, shown_contents: Mapping[str, JsonValue]
    ) -> Mapping[str, CriterionOpinion]:
        decision_schema = object_schema({"reason": {"type": "string"}, "holds": {"type": "boolean"}})
        criterion_replies = await self._ask_for_fields(
            "check", problem_id, shown_contents, dict.fromkeys(CRITERIA, decision_schema)
        )
        decisions = {}
        for criterion in CRITERIA:
            value = criterion_replies.get(criterion)
            reason, holds = (value.get("reason"), value.get("holds")) if isinstance(value, dict) else ("", None)
            if not isinstance(holds, bool) or not isinstance(reason, str):
                raise GenerationError(f"{self._judge.name} did not decide on {criterion}")
            explanation = " ".join(escape_hidden_characters(reason)[:_LONGEST].split()) or "it does not say why"
            decisions[criterion] = CriterionOpinion(reason=explanation, holds=holds)
        return decisions

    async def _ask_for_answer_letter(
        self, request_kind: str, problem_id: str, shown_contents: Mapping[str, JsonValue]
    ) -> str:
        letter: JsonValue = {"type": "string", "enum": [*LETTERS, ""]}
        chosen_letter = (
            await self._ask_for_fields(
                request_kind, problem_id, shown_contents, {"reason": {"type": "string"}, "answer": letter}
            )
        ).get("answer")
        if chosen_letter not in (*LETTERS, ""):
            raise GenerationError(f"{self._judge.name} named no option")
        return str(chosen_letter)

    async def _ask_for_fields(
        self,
        request_kind: str,
        problem_id: str,
        shown_contents: Mapping[str, JsonValue],
        schema_by_field: dict[str, JsonValue],
    ) -> Mapping[str, object]:
        instructions = _instruction_text("check" if request_kind == "check" else "answer")
        text = json.dumps(dict(shown_contents), ensure_ascii=False, indent=1)
        return await self._judge.kept_or_new_reply(
            request_kind, problem_id, instructions, text, object_schema(schema_by_field)
        )

    def _random_generator(self, seed_suffix: str) -> random.Random:
        return random.Random(f"{self._seed}:{seed_suffix}")  # noqa: S311 - the seed is the secret


def _instruction_text(instruction_file_stem: str) -> str:
    return (resources.files("benchwright_authoring.generation") / f"{instruction_file_stem}.txt").read_text("utf-8")
