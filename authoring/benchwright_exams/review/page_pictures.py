"""Pictures of an exam's pages: figures cut out of them, and pages with the places of a question marked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

from benchwright_exams.reading.page import ReadExam
from benchwright_exams.structure.ledger import Ledger, Region, RegionRole
from benchwright_exams.structure.text_blocks import Block

if TYPE_CHECKING:
    from PIL.Image import Image as Picture

_MARGIN_POINTS = 8.0
_MOST_PIXELS = 50_000_000


class PagePictures:
    """The pictures of one exam.

    Args:
        folder: Has `NUMBER.png` for each page.
        exam: The pages.
        ledger: Ledger of what is on them.
    """

    def __init__(self, folder: Path, exam: ReadExam, ledger: Ledger) -> None:
        self._folder = folder
        self._widths = {page.number: page.width for page in exam.pages}
        self._regions: Mapping[str, Region] = {region.id: region for region in ledger.regions}
        captions = [region for region in ledger.regions if region.role is RegionRole.CAPTION]
        order = [region.id for region in ledger.regions]
        self._captions = {
            drawn_id: caption.text
            for caption in captions
            for position in [order.index(caption.id)]
            for drawn_id in order[max(0, position - 1) : position + 2]
        }

    def caption_or_place(self, block: Block) -> str:
        """The description of a figure, in the page's words."""
        region = self._regions[block.region]
        return (
            self._captions.get(region.id) or f"{region.role.capitalize()} on page {region.page}. {block.text}".strip()
        )

    def figure_png(self, region_id: str) -> bytes:
        """A figure as PNG."""
        region = self._regions[region_id]
        picture, scale = self._read_page_and_pixels_per_point(region.page)
        left_pixel, top_pixel, right_pixel, bottom = (
            round(side * scale) for side in region.box.grown(_MARGIN_POINTS, _MARGIN_POINTS)
        )
        return _png_bytes(
            picture.crop(
                (max(0, left_pixel), max(0, top_pixel), min(picture.width, right_pixel), min(picture.height, bottom))
            )
        )

    def page_numbers(self, region_ids: Sequence[str]) -> list[int]:
        """The pages on which these regions are."""
        return sorted({self._regions[name].page for name in region_ids})

    def marked_page_png(self, page_number: int, region_ids: Sequence[str]) -> bytes:
        """A page with frames around these regions."""
        from PIL import ImageDraw

        picture, scale = self._read_page_and_pixels_per_point(page_number)
        pen = ImageDraw.Draw(picture)
        for region in map(self._regions.__getitem__, region_ids):
            if region.page == page_number:
                colour = "#b45309" if region.role is RegionRole.SOLUTION else "#1d4ed8"
                pen.rectangle([side * scale for side in region.box.grown(2.5, 1.5)], outline=colour, width=2)
        return _png_bytes(picture)

    def _read_page_and_pixels_per_point(self, page_number: int) -> tuple[Picture, float]:
        from PIL import Image

        with Image.open(self._folder / f"{page_number}.png", formats=["PNG"]) as file:
            if file.width * file.height > _MOST_PIXELS:
                raise ValueError(f"page {page_number} has too many pixels")
            return file.convert("RGB"), file.width / self._widths[page_number]


def _png_bytes(picture: Picture) -> bytes:
    file = BytesIO()
    picture.save(file, "PNG", optimize=True)
    return file.getvalue()
