"""A model says what the lines of a page are; what does not fit the page is refused and named."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from typing import Any

from pydantic import JsonValue, ValidationError

from benchwright_exams.errors import ExamError
from benchwright_exams.model.replies import Model
from benchwright_exams.structure.ledger import Finding, Ledger, Region, Role, Segment, check_covered
from benchwright_exams.structure.line_segments import Line, label_end, last_choice, split_line
from benchwright_exams.structure.place import is_label
from benchwright_foundation.model import Model as Data
from benchwright_judges.models.prompt import object_schema
from benchwright_problems.problem import digest

ROLES = (
    Role.QUESTION,
    Role.CONTEXT,
    Role.SOLUTION,
    Role.CAPTION,
    Role.SECTION,
    Role.INSTRUCTIONS,
    Role.ANSWER_SPACE,
    Role.HEADER_FOOTER,
    Role.FIGURE,
    Role.TABLE,
    Role.NOT_UNDERSTOOD,
)
_DRAWN = (Role.FIGURE, Role.TABLE)
_FIXED = (Role.RULE, Role.HIDDEN, Role.UNREADABLE)
"""What a model is not asked about."""
_QUOTED = 60

_DASHES = str.maketrans(dict.fromkeys("\u2010\u2011\u00ad", "-"))


class _Range(Data):
    first: str
    last: str
    begins: str
    role: Role
    item: str


def schema() -> dict[str, JsonValue]:
    """Of a reply."""
    text: dict[str, JsonValue] = {"type": "string"}
    role: dict[str, JsonValue] = {"type": "string", "enum": [role.value for role in ROLES]}
    one = object_schema({"first": text, "last": text, "begins": text, "role": role, "item": text})
    return object_schema({"ranges": {"type": "array", "items": one}})


async def sort_lines(ledger: Ledger, model: Model) -> Ledger:
    """The ledger with the model's roles where they fit the pages, and the rules' elsewhere.

    Raises:
        OutOfBudgetError: The budget does not suffice; replies that came are kept.
    """
    regions: list[Region] = []
    findings = list(ledger.findings)
    before = ""
    for number in dict.fromkeys(region.page for region in ledger.regions):
        page = [region for region in ledger.regions if region.page == number]
        sorted_page, refused = await _page(page, number, before, model)
        regions += sorted_page
        findings += refused
        before = next((region.item for region in reversed(sorted_page) if region.item), before)
    check_covered(regions)
    made_from = digest([ledger.made_from, model.name, [region.model_dump(mode="json") for region in regions]])
    return Ledger(made_from=made_from, regions=tuple(regions), findings=tuple(findings))


async def _page(
    page: Sequence[Region], number: int, before: str, model: Model
) -> tuple[Sequence[Region], Sequence[Finding]]:
    asked = [region for region in page if region.role not in _FIXED]
    if not asked:
        return page, ()
    listed = "\n".join(f"{region.id} | {_shown(region)}" for region in asked)
    head = (
        f"The page before ends in {before}.\n" if before else "This is the first page with a question, or before it.\n"
    )
    try:
        said = await model.ask("lines", f"page-{number}", head + listed, schema())
        ranges = said["ranges"] if isinstance(said.get("ranges"), list) else []
    except ExamError as error:
        return page, [Finding(says=f"{error}. The page was read by rules.", page=number)]
    placed: dict[str, Region] = {}
    findings: list[Finding] = []
    for one in ranges:
        try:
            for region in _placed(one, asked, placed.keys(), model.name):
                placed[region.id] = region
        except ValueError as error:
            findings.append(Finding(says=f"{model.name} was not followed: {error}.", page=number))
    left = [region for region in asked if region.id not in placed]
    if left:
        named = ", ".join(region.id for region in left[:8]) + (" …" if len(left) > 8 else "")
        findings.append(Finding(says=f"{model.name} did not usably say what {named} are; rules decided.", page=number))
    return [placed.get(region.id, region) for region in page], findings


def _shown(region: Region) -> str:
    role = region.segments[0].role
    return f"[{role.value}] {region.text}" if role in _DRAWN else region.text


def _placed(said: Any, asked: Sequence[Region], taken: Any, name: str) -> Iterator[Region]:
    """The regions of a range, sorted as it says.

    Raises:
        ValueError: It does not fit the page.
    """
    try:
        one = _Range.model_validate(said)
    except ValidationError:
        raise ValueError("a range has other fields than were asked for") from None
    ids = [region.id for region in asked]
    if one.first not in ids or one.last not in ids or ids.index(one.first) > ids.index(one.last):
        raise ValueError(f"it names a range of lines that is not there, {one.first[:20]!r} to {one.last[:20]!r}")
    if one.role not in ROLES or not is_label(one.item):
        raise ValueError(f"it names a question {one.item[:20]!r} or a role that there can't be")
    regions = asked[ids.index(one.first) : ids.index(one.last) + 1]
    if any(region.id in taken for region in regions):
        raise ValueError(f"it sorts {one.first} to {one.last} twice")
    quoted, there = signs(one.begins), signs(regions[0].text)
    if not there.startswith(quoted) or (there and not quoted):
        raise ValueError(f"it says that {one.first} begins with {one.begins[:_QUOTED]!r}, which the page does not say")
    choice = ""
    for at, region in enumerate(regions):
        after = regions[at + 1].text if at + 1 < len(regions) else ""
        segments = tuple(_segments(region, one, choice, after, is_first=at == 0))
        choice = last_choice(segments) or choice
        yield region.model_copy(update={"segments": segments, "by": name})


def _segments(region: Region, one: _Range, choice: str, after: str, *, is_first: bool) -> Iterator[Segment]:
    drawn = region.segments[0].role
    if drawn in _DRAWN:
        # What is drawn stays what it is; only where it belongs is said.
        value = "solution" if one.role is Role.SOLUTION else region.segments[0].value
        yield region.segments[0].model_copy(update={"item": one.item, "value": value})
        return
    role = Role.NOT_UNDERSTOOD if one.role in _DRAWN else one.role
    at = label_end(region.text) if is_first and one.item and role in (Role.QUESTION, Role.CONTEXT, Role.SOLUTION) else 0
    if at:
        yield Segment(role=Role.LABEL, start=0, end=at, item=one.item)
    yield from split_line(Line(region.text, at, role, one.item, choice if role is Role.QUESTION else "", after))


def signs(text: str) -> str:
    """A text without what a line's end changes: spaces, and hyphens."""
    plain = unicodedata.normalize("NFKC", text).translate(_DASHES)
    return "".join(sign for sign in plain if not sign.isspace() and sign != "-")
