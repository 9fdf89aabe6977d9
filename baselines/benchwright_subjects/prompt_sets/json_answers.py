"""Our own prompts with a JSON object in place of the last line, for endpoints with structured output."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchwright_judges.formats import rules_of
from benchwright_judges.languages import wording_of_language
from benchwright_problems.problem import AnswerKind, Problem
from benchwright_subjects.prompt_sets.prompt_set import PromptSet
from benchwright_subjects.prompts.prompt import ModelPrompt, full_statement, parts_with_figures

if TYPE_CHECKING:
    # Inspect takes seconds to import.
    from inspect_ai.model import ResponseSchema

_OBJECT = '{"answer": "X"}'


def _prompt_if_covered(problem: Problem) -> ModelPrompt | None:
    question = problem.public.question
    if question is None or not rules_of(question.format).is_single_value:
        return None
    phrases = wording_of_language(question.language)
    request = f"{phrases.answer.format(line=_OBJECT)} {rules_of(question.format).task(phrases)}"
    text = f"{full_statement(problem)}\n\n{request}"
    return ModelPrompt(phrases.system, parts_with_figures(text, problem.public.figures))


def _answer_schema(problem: Problem) -> ResponseSchema:
    from inspect_ai.model import ResponseSchema

    question = problem.public.question
    values = rules_of(question.format).selectable_values(question) if question is not None else ()
    is_one = question is not None and question.format.answered_by is not AnswerKind.CHOICES
    answer = {"type": "string", **({"enum": [*values]} if values and is_one else {})}
    schema = {"type": "object", "properties": {"answer": answer}, "required": ["answer"], "additionalProperties": False}
    return ResponseSchema.model_validate({"name": "answer", "json_schema": schema, "strict": True})


JSON_ANSWERS = PromptSet(
    name="benchwright+json",
    source="",
    covers="questions that a value answers",
    make_prompt=_prompt_if_covered,
    reply_schema=_answer_schema,
)
