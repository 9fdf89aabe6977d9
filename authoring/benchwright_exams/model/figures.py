"""A model says what each figure and table is for."""

from __future__ import annotations

import base64
from collections.abc import Callable

from pydantic import JsonValue

from benchwright_exams.errors import ExamError
from benchwright_exams.items import ExamItems
from benchwright_exams.model.replies import ExamModel
from benchwright_exams.structure.ledger import ExamFinding, Ledger, Region, RegionRole
from benchwright_judges.models.prompt import object_schema
from benchwright_problems.figure import MediaType
from benchwright_problems.problem import Figure, digest

_BEGINNING = 160
_USES = ("question", "solution", "none")


async def with_figures_assigned(
    ledger: Ledger, exam_items: ExamItems, model: ExamModel, png_of_region: Callable[[str], bytes]
) -> Ledger:
    """The ledger with each figure where the model says that it belongs.

    Args:
        ledger: Ledger with figures.
        exam_items: The questions that it has.
        model: Is shown each figure.
        png_of_region: A figure's PNG, by its region.

    Raises:
        OutOfBudgetError: The budget does not suffice; replies that came are kept.
    """
    item_labels = {region.item for region in ledger.regions if region.item and ".." not in region.item}
    question_list = "\n".join(
        f"{exam_item.label}: {' '.join(block.text for block in (*exam_item.context, *exam_item.body))[:_BEGINNING]}"
        for exam_item in exam_items.items
    )
    names: dict[str, JsonValue] = {"type": "string", "enum": [*sorted(item_labels), ""]}
    use_schema: dict[str, JsonValue] = {"type": "string", "enum": [*_USES]}
    schema = object_schema({"reason": {"type": "string"}, "use": use_schema, "item": names})
    regions: list[Region] = []
    findings = list(ledger.findings)
    for region in ledger.regions:
        if region.role not in (RegionRole.FIGURE, RegionRole.TABLE):
            regions.append(region)
            continue
        encoded_picture = base64.b64encode(png_of_region(region.id)).decode()
        figure = Figure(path=f"figures/{region.id}.png", media_type=MediaType.PNG, data=encoded_picture)
        try:
            reply = await model.kept_or_new_object(
                "figure", region.id, f"{question_list}\n\nWords in the figure: {region.text}", schema, [figure]
            )
            use_, item = reply.get("use"), reply.get("item")
            if use_ not in _USES or not (item in item_labels or (item == "" and use_ == "none")):
                raise ExamError(f"{model.name} named no question of this exam for {region.id}")
        except ExamError as error:
            findings.append(
                ExamFinding(says=f"{error}. Rules decided where it belongs.", page=region.page, item=region.item)
            )
            regions.append(region)
            continue
        segment = region.segments[0].model_copy(
            update={"item": "" if use_ == "none" else item, "value": "solution" if use_ == "solution" else ""}
        )
        regions.append(region.model_copy(update={"segments": (segment,), "by": model.name}))
    made_from = digest([ledger.made_from, model.name, [region.model_dump(mode="json") for region in regions]])
    return Ledger(made_from=made_from, regions=tuple(regions), findings=tuple(findings))
