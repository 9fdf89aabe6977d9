"""A model says what the lines of a page are; what does not fit the page is refused and named."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from typing import Any

from pydantic import JsonValue, ValidationError

from benchwright_exams.errors import ExamError
from benchwright_exams.model.replies import ExamModel
from benchwright_exams.structure.exam_place import is_label_or_range_or_empty
from benchwright_exams.structure.ledger import ExamFinding, Ledger, Region, RegionRole, Segment, require_full_coverage
from benchwright_exams.structure.line_segments import (
    LabelledLine,
    last_choice_letter,
    offset_after_labels,
    segments_of_line,
)
from benchwright_foundation.model import Model as Data
from benchwright_judges.models.prompt import object_schema
from benchwright_problems.problem import digest

ROLES = (
    RegionRole.QUESTION,
    RegionRole.CONTEXT,
    RegionRole.SOLUTION,
    RegionRole.CAPTION,
    RegionRole.SECTION,
    RegionRole.INSTRUCTIONS,
    RegionRole.ANSWER_SPACE,
    RegionRole.HEADER_FOOTER,
    RegionRole.FIGURE,
    RegionRole.TABLE,
    RegionRole.NOT_UNDERSTOOD,
)
_DRAWN = (RegionRole.FIGURE, RegionRole.TABLE)
_FIXED = (RegionRole.RULE, RegionRole.HIDDEN, RegionRole.UNREADABLE)
"""Roles that a model is not asked about."""
_QUOTED = 60

_DASHES = str.maketrans(dict.fromkeys("\u2010\u2011\u00ad", "-"))


class _LineRange(Data):
    first: str
    last: str
    begins: str
    role: RegionRole
    item: str


def line_ranges_schema() -> dict[str, JsonValue]:
    """Of a reply."""
    text: dict[str, JsonValue] = {"type": "string"}
    role: dict[str, JsonValue] = {"type": "string", "enum": [role.value for role in ROLES]}
    range_schema = object_schema({"first": text, "last": text, "begins": text, "role": role, "item": text})
    return object_schema({"ranges": {"type": "array", "items": range_schema}})


async def with_line_roles_by_model(ledger: Ledger, model: ExamModel) -> Ledger:
    """The ledger with the model's roles where they fit the pages, and the rules' elsewhere.

    Raises:
        OutOfBudgetError: The budget does not suffice; replies that came are kept.
    """
    regions: list[Region] = []
    findings = list(ledger.findings)
    previous_item = ""
    for number in dict.fromkeys(region.page for region in ledger.regions):
        page_regions = [region for region in ledger.regions if region.page == number]
        sorted_page, page_findings = await _regions_and_findings_by_model(page_regions, number, previous_item, model)
        regions += sorted_page
        findings += page_findings
        previous_item = next((region.item for region in reversed(sorted_page) if region.item), previous_item)
    require_full_coverage(regions)
    made_from = digest([ledger.made_from, model.name, [region.model_dump(mode="json") for region in regions]])
    return Ledger(made_from=made_from, regions=tuple(regions), findings=tuple(findings))


async def _regions_and_findings_by_model(
    page_regions: Sequence[Region], page_number: int, previous_item: str, model: ExamModel
) -> tuple[Sequence[Region], Sequence[ExamFinding]]:
    open_regions = [region for region in page_regions if region.role not in _FIXED]
    if not open_regions:
        return page_regions, ()
    listed_lines = "\n".join(f"{region.id} | {_line_text_for_model(region)}" for region in open_regions)
    head = (
        f"The page before ends in {previous_item}.\n"
        if previous_item
        else "This is the first page with a question, or before it.\n"
    )
    try:
        reply = await model.kept_or_new_object(
            "lines", f"page-{page_number}", head + listed_lines, line_ranges_schema()
        )
        ranges = reply["ranges"] if isinstance(reply.get("ranges"), list) else []
    except ExamError as error:
        return page_regions, [ExamFinding(says=f"{error}. The page was read by rules.", page=page_number)]
    placed: dict[str, Region] = {}
    findings: list[ExamFinding] = []
    for reply_range in ranges:
        try:
            for region in _regions_of_range(reply_range, open_regions, placed.keys(), model.name):
                placed[region.id] = region
        except ValueError as error:
            findings.append(ExamFinding(says=f"{model.name} was not followed: {error}.", page=page_number))
    unplaced_regions = [region for region in open_regions if region.id not in placed]
    if unplaced_regions:
        region_names = ", ".join(region.id for region in unplaced_regions[:8]) + (
            " …" if len(unplaced_regions) > 8 else ""
        )
        findings.append(
            ExamFinding(
                says=f"{model.name} did not usably say what {region_names} are; rules decided.", page=page_number
            )
        )
    return [placed.get(region.id, region) for region in page_regions], findings


def _line_text_for_model(page_region: Region) -> str:
    role = page_region.segments[0].role
    return f"[{role.value}] {page_region.text}" if role in _DRAWN else page_region.text


def _regions_of_range(
    reply_range: Any, open_regions: Sequence[Region], taken_ids: Any, model_name: str
) -> Iterator[Region]:
    """The regions of a range, sorted as it says.

    Raises:
        ValueError: The range does not fit the page.
    """
    try:
        line_range = _LineRange.model_validate(reply_range)
    except ValidationError:
        raise ValueError("a range has other fields than were asked for") from None
    ids = [region.id for region in open_regions]
    if (
        line_range.first not in ids
        or line_range.last not in ids
        or ids.index(line_range.first) > ids.index(line_range.last)
    ):
        raise ValueError(
            f"it names a range of lines that is not there, {line_range.first[:20]!r} to {line_range.last[:20]!r}"
        )
    if line_range.role not in ROLES or not is_label_or_range_or_empty(line_range.item):
        raise ValueError(f"it names a question {line_range.item[:20]!r} or a role that there can't be")
    regions = open_regions[ids.index(line_range.first) : ids.index(line_range.last) + 1]
    if any(region.id in taken_ids for region in regions):
        raise ValueError(f"it sorts {line_range.first} to {line_range.last} twice")
    quoted, page_signs = (
        text_without_spaces_and_hyphens(line_range.begins),
        text_without_spaces_and_hyphens(regions[0].text),
    )
    if not page_signs.startswith(quoted) or (page_signs and not quoted):
        raise ValueError(
            f"it says that {line_range.first} begins with {line_range.begins[:_QUOTED]!r}, which the page does not say"
        )
    choice = ""
    for index, region in enumerate(regions):
        next_text = regions[index + 1].text if index + 1 < len(regions) else ""
        segments = tuple(_segments_of_range_line(region, line_range, choice, next_text, is_first_of_range=index == 0))
        choice = last_choice_letter(segments) or choice
        yield region.model_copy(update={"segments": segments, "by": model_name})


def _segments_of_range_line(
    line_region: Region, line_range: _LineRange, last_choice: str, following_line: str, *, is_first_of_range: bool
) -> Iterator[Segment]:
    first_role = line_region.segments[0].role
    if first_role in _DRAWN:
        # What is drawn stays what it is; only where it belongs is said.
        value = "solution" if line_range.role is RegionRole.SOLUTION else line_region.segments[0].value
        yield line_region.segments[0].model_copy(update={"item": line_range.item, "value": value})
        return
    role = RegionRole.NOT_UNDERSTOOD if line_range.role in _DRAWN else line_range.role
    text_start = (
        offset_after_labels(line_region.text)
        if is_first_of_range
        and line_range.item
        and role in (RegionRole.QUESTION, RegionRole.CONTEXT, RegionRole.SOLUTION)
        else 0
    )
    if text_start:
        yield Segment(role=RegionRole.LABEL, start=0, end=text_start, item=line_range.item)
    yield from segments_of_line(
        LabelledLine(
            line_region.text,
            text_start,
            role,
            line_range.item,
            last_choice if role is RegionRole.QUESTION else "",
            following_line,
        )
    )


def text_without_spaces_and_hyphens(line_text: str) -> str:
    """A text without what a line's end changes: spaces, and hyphens."""
    normalised_text = unicodedata.normalize("NFKC", line_text).translate(_DASHES)
    return "".join(sign for sign in normalised_text if not sign.isspace() and sign != "-")
