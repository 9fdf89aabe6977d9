"""A model says whether a question is complete. What it says is shown to the author, and is part of no question."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import JsonValue

from benchwright_exams.errors import ExamError
from benchwright_exams.items import Item, Items
from benchwright_exams.model.replies import Model
from benchwright_exams.structure.ledger import Finding
from benchwright_exams.structure.text_blocks import Block, BlockKind
from benchwright_judges.models.prompt import object_schema, visible

_LONGEST = 300


async def check_items(items: Items, model: Model) -> Items:
    """The same questions, with a finding for each that the model finds incomplete.

    Raises:
        OutOfBudgetError: The budget does not suffice; replies that came are kept.
    """
    findings = list(items.findings)
    schema: dict[str, JsonValue] = object_schema({"problem": {"type": "string"}, "complete": {"type": "boolean"}})
    for item in items.items:
        try:
            reply = await model.ask("check", item.label, _prompt_text(item), schema)
            complete, problem = reply.get("complete"), reply.get("problem")
            if not isinstance(complete, bool) or not isinstance(problem, str):
                raise ExamError(f"{model.name} did not say whether {item.label} is complete")
        except ExamError as error:
            findings.append(Finding(says=f"{error}.", item=item.label))
            continue
        if not complete:
            reason = " ".join(visible(problem)[:_LONGEST].split())
            findings.append(Finding(says=f"{model.name} finds it incomplete: {reason}", item=item.label))
    return items.model_copy(update={"findings": tuple(findings)})


def _prompt_text(item: Item) -> str:
    parts = [f"QUESTION {item.label}: {item.title}"]
    parts += ["CONTEXT:", _text(item.context), "ASKED:", _text(item.body)]
    parts += [f"CHOICE {letter}: {text}" for letter, text in item.choices.items()]
    return "\n".join([*parts, "SOLUTION:", _text(item.solution) or "none"])


def _text(blocks: Sequence[Block]) -> str:
    return "\n".join(f"[figure] {block.text}" if block.kind is BlockKind.FIGURE else block.text for block in blocks)
