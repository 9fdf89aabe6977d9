"""Lines of pages as paragraphs, listings and figures."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum

from benchwright_exams.structure.ledger import Region, RegionRole, Segment
from benchwright_foundation.model import Model

_APART = 0.9
"""Of the size of letters, between the lines of two paragraphs."""
_OTHER_SIZE = 1.6
"""Points; what is set in letters of another size is a paragraph of its own."""
_BULLETS = ("•", "◦", "▪", "– ", "‣")
_ENDS = (".", "?", "!", ":", ")", "]")


class BlockKind(StrEnum):
    """Kind of the contents of a block."""

    TEXT = "text"
    LISTING = "listing"
    FIGURE = "figure"
    """A figure or a table, as a picture."""


class Block(Model):
    """A paragraph, a listing or a figure."""

    kind: BlockKind
    text: str = ""
    """Of a figure, the words inside."""
    region: str = ""
    """Of a figure."""


def blocks_of_lines(region_segments: Iterable[tuple[Region, Segment]]) -> tuple[Block, ...]:
    """The blocks that lines make, in their order."""
    joined_blocks: list[Block] = []
    block_left = 0.0
    last_region: Region | None = None
    for region, segment in region_segments:
        text = region.text[segment.start : segment.end]
        if segment.role in (RegionRole.FIGURE, RegionRole.TABLE):
            joined_blocks.append(Block(kind=BlockKind.FIGURE, text=text, region=region.id))
            last_region = None
            continue
        if not text.strip():
            continue
        kind = BlockKind.LISTING if region.listing else BlockKind.TEXT
        if last_region is None or not joined_blocks or joined_blocks[-1].kind is not kind:
            block_left = region.box.left_edge
            joined_blocks.append(Block(kind=kind, text=text if region.listing else _single_spaced(text)))
        elif region.listing:
            width = region.box.width / max(len(region.text), 1)
            indent = max(0, round((region.box.left_edge - block_left) / width)) if width else 0
            joined_blocks[-1] = joined_blocks[-1].model_copy(
                update={"text": f"{joined_blocks[-1].text}\n{' ' * min(indent, 60)}{text}"}
            )
        elif region is not last_region and _begins_paragraph(last_region, region, joined_blocks[-1].text):
            joined_blocks.append(Block(kind=kind, text=_single_spaced(text)))
        else:
            joined_blocks[-1] = joined_blocks[-1].model_copy(
                update={"text": _joined_lines(joined_blocks[-1].text, _single_spaced(text))}
            )
        last_region = region
    return tuple(joined_blocks)


def _single_spaced(line_text: str) -> str:
    return " ".join(line_text.split())


def _begins_paragraph(last_region: Region, next_region: Region, text_so_far: str) -> bool:
    if abs(last_region.size - next_region.size) > _OTHER_SIZE or next_region.text.startswith(_BULLETS):
        return True
    follows = last_region.page == next_region.page and next_region.box.top_edge > last_region.box.top_edge
    if not follows:
        return text_so_far.endswith(_ENDS)
    return next_region.box.top_edge - last_region.box.bottom_edge > _APART * max(next_region.size, last_region.size)


def _joined_lines(text_so_far: str, next_line: str) -> str:
    """Two lines as one; a hyphen at the end of the first stays, as it may be the word's own."""
    return (
        text_so_far + next_line
        if text_so_far.endswith("-") and next_line[:1].islower()
        else f"{text_so_far} {next_line}".strip()
    )
