"""A model says whether a question is complete (QuArch, D.10). The author sees it; it is part of no statement."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import JsonValue

from benchwright_exams.errors import ExamError
from benchwright_exams.items import ExamItem, ExamItems
from benchwright_exams.model.replies import ExamModel
from benchwright_exams.structure.ledger import ExamFinding
from benchwright_exams.structure.text_blocks import Block, BlockKind
from benchwright_judges.models.prompt import escape_hidden_characters, object_schema

_LONGEST = 300


async def with_model_verification(exam_items: ExamItems, model: ExamModel) -> ExamItems:
    """The same questions with the model's verdict on each, and a finding for each that it finds incomplete.

    Raises:
        OutOfBudgetError: The budget does not suffice; replies that came are kept.
    """
    findings = list(exam_items.findings)
    verified_items: list[ExamItem] = []
    schema: dict[str, JsonValue] = object_schema({"problem": {"type": "string"}, "complete": {"type": "boolean"}})
    for exam_item in exam_items.items:
        try:
            reply = await model.kept_or_new_object("check", exam_item.label, _prompt_text(exam_item), schema)
            complete, problem = reply.get("complete"), reply.get("problem")
            if not isinstance(complete, bool) or not isinstance(problem, str):
                raise ExamError(f"{model.name} did not say whether {exam_item.label} is complete")
        except ExamError as error:
            findings.append(ExamFinding(says=f"{error}.", item=exam_item.label))
            verified_items.append(exam_item)
            continue
        reason = " ".join(escape_hidden_characters(problem)[:_LONGEST].split())
        verified_items.append(
            exam_item.model_copy(update={"passed_llm_verification": complete, "reasoning": "" if complete else reason})
        )
        if not complete:
            findings.append(ExamFinding(says=f"{model.name} finds it incomplete: {reason}", item=exam_item.label))
    return exam_items.model_copy(update={"items": tuple(verified_items), "findings": tuple(findings)})


def _prompt_text(exam_item: ExamItem) -> str:
    prompt_lines = [f"QUESTION {exam_item.label}: {exam_item.title}"]
    prompt_lines += ["CONTEXT:", _blocks_text(exam_item.context), "ASKED:", _blocks_text(exam_item.body)]
    prompt_lines += [f"CHOICE {letter}: {text}" for letter, text in exam_item.choices.items()]
    return "\n".join([*prompt_lines, "SOLUTION:", _blocks_text(exam_item.solution) or "none"])


def _blocks_text(blocks: Sequence[Block]) -> str:
    return "\n".join(f"[figure] {block.text}" if block.kind is BlockKind.FIGURE else block.text for block in blocks)
