"""Places that may have been read wrongly: unclear words, signs that recognition confuses, what a question lacks."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Protocol

from benchwright_exams.reading.page import Word
from benchwright_exams.structure.ledger import Finding, Region, Role
from benchwright_exams.structure.text_blocks import Block
from benchwright_judges.models.prompt import visible

_PRINTED = 100.0
_CLEAR = 80.0
_QUOTED = 80
_MOST = 2 / 3
"""Of the questions, that have what another one lacks."""
_LEAST_QUESTIONS = 3
_LEAST_POINTS = 5.0
"""Width of ink that may be a word."""
_WORD = r"[^\W\d_]+(?:[-–'’/][^\W\d_]+)*"
_NUMBER = r"[+\u2212-]?\d+(?:[.,:/-]\d+)*"
_NAME = r"0[xXbB][0-9a-fA-F]+|[A-Z]+-\d+|\d+-[a-z]+|_{2,}"
_ORDINARY = re.compile(rf"[(\[\"“'‘]*(?:{_WORD}|{_NUMBER}|{_NAME})[%]?(?:[)\]][.,;:?!]?|[.,;:?!]|[\"”'’])*")
_MARK = re.compile(r"[.,;:?!&=+*/–—%-]|\u2212")
_CHOICE = re.compile(r"\([A-H]\)|(?:^|\s)\W?[A-H][.)](?=\s|[a-z])")


class _Question(Protocol):
    @property
    def label(self) -> str: ...
    @property
    def body(self) -> tuple[Block, ...]: ...
    @property
    def choices(self) -> dict[str, str]: ...
    @property
    def points(self) -> float | None: ...
    @property
    def regions(self) -> tuple[str, ...]: ...


def is_doubtful(word: Word) -> bool:
    """True if a word that was recognised in a picture may be another, or none."""
    if word.confidence >= _PRINTED:
        return False
    return word.confidence < _CLEAR or not (_ORDINARY.fullmatch(word.text) or _MARK.fullmatch(word.text))


def _is_numbering(region: Region, word: str) -> bool:
    """True if a word is in a label or in points, which would be none if it were another."""
    parts = (segment for segment in region.segments if segment.role in (Role.LABEL, Role.POINTS))
    return any(word in region.text[segment.start : segment.end] for segment in parts)


def _with_lost_ink(regions: Sequence[Region]) -> set[str]:
    """Questions with something drawn within lines of a recognised page that may be words."""
    lost_items: set[str] = set()
    lines = [
        region for region in regions if region.recognised and region.role not in (Role.RULE, Role.FIGURE, Role.TABLE)
    ]
    for ink in (
        region
        for region in regions
        if region.recognised and region.role is Role.RULE and region.box.width >= _LEAST_POINTS
    ):
        middle = (ink.box.top + ink.box.bottom) / 2
        lines_beside = [line for line in lines if line.page == ink.page and line.box.top <= middle <= line.box.bottom]
        lost_items |= {segment.item for line in lines_beside for segment in line.segments}
    return lost_items


def doubts_of(items: Sequence[_Question], regions: Sequence[Region]) -> Iterator[Finding]:
    """Findings about questions, by what was recognised and by what the others have."""
    places = {region.id: region for region in regions}
    lost = _with_lost_ink(regions)
    marked = sum(item.points is not None for item in items)
    sizes = Counter(len(item.choices) for item in items if item.choices)
    usual = sizes.most_common(1)[0][0] if sizes else 0
    chosen = sum(sizes.values())
    has_many = len(items) >= _LEAST_QUESTIONS
    for item in items:
        own_regions = [places[name] for name in item.regions]
        words = [word for region in own_regions for word in region.doubtful if not _is_numbering(region, word)]
        if words:
            quoted_words = visible(" ".join(words))[:_QUOTED]
            yield Finding(says=f"These words may have been recognised wrongly: “{quoted_words}”.", item=item.label)
        if lost & {segment.item for region in own_regions for segment in region.segments if segment.item}:
            yield Finding(says="Something stands in its lines that was not recognised.", item=item.label)
        text = " ".join((*(block.text for block in item.body), *item.choices.values()))
        if match := _CHOICE.search(text):
            yield Finding(says=f"Its text has “{match[0].strip()}”, which may begin a choice.", item=item.label)
        if (item.choices and len(item.choices) != usual) or (not item.choices and chosen >= _MOST * len(items)):
            yield Finding(says=f"It has {len(item.choices)} choices; others have {usual}.", item=item.label)
        if len(item.choices) == 1:
            yield Finding(says="It has one choice only.", item=item.label)
        if item.points is None and has_many and marked >= _MOST * len(items):
            yield Finding(says="No points were found for it, although other questions have some.", item=item.label)
        points = [
            segment
            for region in own_regions
            for segment in region.segments
            if segment.item == item.label and segment.role is Role.POINTS
        ]
        if sum(bool(segment.value) for segment in points) > 1:
            yield Finding(says="It has points more than once: another question may be in it.", item=item.label)
