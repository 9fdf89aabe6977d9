"""Figures, tables and rules of a page: what is left of its picture where no word stands."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from benchwright_exams.reading.page import Box, Drawing, DrawingKind, PageWord

if TYPE_CHECKING:
    from PIL.Image import Image

_INK = 215
"""Grey below which something is drawn: a light background of a listing is none."""
_CELL_POINTS = 3.0
_REACH = 2
"""Cells between things that belong together."""
_THIN_POINTS = 7.0
_SPECK_POINTS = 14.0
_LEAST_POINTS = 22.0
"""Height and width of a figure at least."""
_FRAME = 0.6
_SAME_POINTS = 6.0
_NEAR_POINTS = 16.0
_PIECES_POINTS = 60.0
_TABLE_POINTS = 260.0
_LEAST_TABLE_POINTS = 60.0


def drawings_and_speck_count(
    picture: Image, words: Sequence[PageWord], pixels_per_point: float
) -> tuple[list[Drawing], int]:
    """The drawings on a page, and the number of specks.

    Args:
        picture: The page in grey.
        words: Those that it shows.
        pixels_per_point: Pixels of a point.
    """
    from PIL import ImageDraw

    ink = picture.point([255 if grey < _INK else 0 for grey in range(256)])
    blank = ImageDraw.Draw(ink)
    for word in words:
        box = word.box.grown(1.0, 0.5)
        blank.rectangle([side * pixels_per_point for side in box], fill=0)
    cell = _CELL_POINTS * pixels_per_point
    columns, cell_rows = max(1, round(ink.width / cell)), max(1, round(ink.height / cell))
    reduced_ink = ink.reduce(max(1, int(cell))) if cell >= 2 else ink
    columns, cell_rows = reduced_ink.size
    filled = {index for index, value in enumerate(reduced_ink.tobytes()) if value > 8}
    cell_width, cell_height = picture.width / pixels_per_point / columns, picture.height / pixels_per_point / cell_rows
    boxes = [
        Box(
            min(index % columns for index in group) * cell_width,
            min(index // columns for index in group) * cell_height,
            (max(index % columns for index in group) + 1) * cell_width,
            (max(index // columns for index in group) + 1) * cell_height,
        )
        for group in _groups_of_near_cells(filled, columns)
    ]
    return _classified_drawings(boxes, words, picture.width / pixels_per_point, picture.height / pixels_per_point)


def _groups_of_near_cells(filled_cells: set[int], column_count: int) -> Iterator[list[int]]:
    """Cells that are near each other."""
    reach = range(-_REACH, _REACH + 1)
    while filled_cells:
        open_indices = [filled_cells.pop()]
        group = []
        while open_indices:
            index = open_indices.pop()
            group.append(index)
            for row_step in reach:
                for column in reach:
                    neighbour = index + row_step * column_count + column
                    if neighbour in filled_cells and 0 <= index % column_count + column < column_count:
                        filled_cells.remove(neighbour)
                        open_indices.append(neighbour)
        yield group


def _classified_drawings(
    drawing_boxes: list[Box], words: Sequence[PageWord], page_width: float, page_height: float
) -> tuple[list[Drawing], int]:
    frames = [box for box in drawing_boxes if box.width > _FRAME * page_width and box.height > _FRAME * page_height]
    specks = [box for box in drawing_boxes if max(box.width, box.height) < _SPECK_POINTS]
    solid = [box for box in drawing_boxes if box not in frames and box not in specks]
    thin = [box for box in solid if min(box.width, box.height) <= _THIN_POINTS]
    bodies = _merged_boxes([box for box in solid if box not in thin], _SAME_POINTS, _NEAR_POINTS)
    table_boxes, rule_boxes = _ruled_tables_and_other_rules(thin, bodies, words)
    large = [box for box in bodies if min(box.width, box.height) >= _LEAST_POINTS]
    small = [box for box in bodies if box not in large]
    drawings = [Drawing(kind=_drawing_kind(box, words), box=box) for box in large]
    drawings += [Drawing(kind=DrawingKind.TABLE, box=box) for box in table_boxes]
    outside = [box for box in (*rule_boxes, *small) if not any(drawing.box.has_centre_of(box) for drawing in drawings)]
    drawings += [Drawing(kind=DrawingKind.RULE, box=box) for box in (*outside, *frames)]
    return sorted(drawings, key=lambda drawing: (drawing.box.top_edge, drawing.box.left_edge)), len(specks)


def _merged_boxes(boxes: Sequence[Box], most_gap_x: float, most_gap_y: float) -> list[Box]:
    """Boxes as one that are no farther from each other than this, in points."""
    merged: list[Box] = []
    for box in boxes:
        merged_box = box
        while touching := next(
            (candidate for candidate in merged if candidate.grown(most_gap_x, most_gap_y).meets(merged_box)), None
        ):
            merged.remove(touching)
            merged_box = merged_box.union(touching)
        merged.append(merged_box)
    return merged


def _ruled_tables_and_other_rules(
    thin_boxes: Sequence[Box], other_boxes: Sequence[Box], words: Sequence[PageWord]
) -> tuple[list[Box], list[Box]]:
    """Tables between horizontal rules of one width, and the other rules."""
    # Letters that touch a rule break it into pieces.
    level = sorted(
        _merged_boxes([box for box in thin_boxes if box.width > box.height], _PIECES_POINTS, 0),
        key=lambda box: (box.top_edge, box.left_edge),
    )
    upright = [box for box in thin_boxes if box.width <= box.height]
    table_boxes: list[Box] = []
    used_rules: list[Box] = []
    for rule in level:
        aligned_rules = [
            candidate
            for candidate in level
            if abs(candidate.left_edge - rule.left_edge) < _SAME_POINTS
            and abs(candidate.right_edge - rule.right_edge) < _SAME_POINTS
            and 0 <= candidate.top_edge - rule.top_edge < _TABLE_POINTS
        ]
        table_box = Box(rule.left_edge, rule.top_edge, rule.right_edge, aligned_rules[-1].bottom_edge)
        is_table = rule.width > _LEAST_TABLE_POINTS and len(aligned_rules) >= 3 and _column_count(table_box, words) >= 2
        if rule not in used_rules and is_table and not any(table_box.meets(box) for box in other_boxes):
            table_boxes.append(table_box)
            used_rules += aligned_rules
    return table_boxes, [rule for rule in (*level, *upright) if rule not in used_rules]


def _drawing_kind(drawing_box: Box, words: Sequence[PageWord]) -> DrawingKind:
    inside_words = [word for word in words if drawing_box.has_centre_of(word.box)]
    text_rows = _distinct_position_count(sorted(word.box.bottom_edge for word in inside_words))
    return (
        DrawingKind.TABLE
        if text_rows >= 2 and _column_count(drawing_box, words) >= 2 and len(inside_words) >= 2 * text_rows
        else DrawingKind.FIGURE
    )


def _column_count(drawing_box: Box, words: Sequence[PageWord]) -> int:
    """Columns of words, at whose left edges more than one word begins."""
    lefts = sorted(word.box.left_edge for word in words if drawing_box.has_centre_of(word.box))
    groups: list[list[float]] = []
    for left_edge in lefts:
        if groups and left_edge - groups[-1][-1] < _SAME_POINTS:
            groups[-1].append(left_edge)
        else:
            groups.append([left_edge])
    return sum(len(group) >= 2 for group in groups)


def _distinct_position_count(sorted_positions: Sequence[float]) -> int:
    return sum(
        index == 0 or value - sorted_positions[index - 1] > _SAME_POINTS for index, value in enumerate(sorted_positions)
    )
