"""The report's pictures: rows in, SVG out, in colours that the page sets for light and dark.

Marks differ by shape or dashes too, and each picture comes with a table of its numbers.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from benchwright_analysis.report.fonts import FAMILY, register_font_with_renderer

Row = Mapping[str, str | float | int | None]
BroadAndNarrowSvg = str
"""The text of a picture: an SVG for screens and paper, and behind it the same for phones."""

WIDTH = 620
_PHONE_WIDTH = 346
"""Width of the whole picture on a phone, with its axes."""
_PHONE_PANEL_WIDTH = 270
_PHONE_LABELS, _PHONE_LEGEND = 140, 300
"""Room for the longest line of an axis' label, and of a legend's."""
_PHONE_LABEL_CHARACTERS, _PHONE_LINE_HEIGHT = 18, 16
_INK, _GRID = "#010203", "#010204"
_SHORT_NAME = 38
"""Characters of the longest name with which a legend has several columns."""
_PALETTE = tuple(f"#0102{number:02x}" for number in range(16, 24))
"""Stand-ins: each becomes a variable of the page's style sheet."""
_DASHES = ((1, 0), (6, 3), (2, 2), (8, 2, 2, 2), (4, 4), (10, 3), (1, 3), (6, 2, 1, 2))
_SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down", "triangle-left", "triangle-right")
MOST_GROUPS = len(_PALETTE) * len(_DASHES)
"""More could not be distinguished in one picture: each has another colour, or the same in other dashes and shapes."""


def note_if_omitted(shown_groups: Collection[str], all_groups: Collection[str], verb: str = "Drawn") -> str:
    """A sentence that says so where not everything is shown, with a space before it; else nothing."""
    if len(shown_groups) >= len(all_groups):
        return ""
    return f" {verb} are the first {len(shown_groups)} of {len(all_groups)} groups."


def line_chart(
    chart_rows: Sequence[Row],
    drawn_groups: Sequence[str],
    *,
    colour_order: Sequence[str] = (),
    x_title: str,
    y_title: str,
    as_percent: bool = True,
    holds_until_next: bool = False,
    mark_rows: Sequence[Row] = (),
    has_log2_x_axis: bool = False,
) -> BroadAndNarrowSvg:
    """Lines with bands, by group.

    Args:
        chart_rows: Rows with `x`, `y`, `group`, and `low` and `high` where there is a band.
        drawn_groups: Groups in the order of the legend.
        colour_order: All groups of the report: each keeps its colour in all pictures.
        x_title: Title of the axis.
        y_title: Title of the axis.
        as_percent: True if `y` is a share.
        holds_until_next: True if a value holds until the next.
        mark_rows: Rows with `x`, `y`, `group`: marks on or beside the lines.
        has_log2_x_axis: True if the horizontal axis counts doublings.
    """
    alt = _import_altair()

    scale = alt.Scale(type="log", base=2) if has_log2_x_axis else alt.Scale(nice=False)
    axis = (
        alt.Axis(labelExpr="format(datum.value, datum.value < 1 ? '.2~r' : '.4~g')") if has_log2_x_axis else alt.Axis()
    )
    x_axis = alt.X("x:Q", title=x_title, scale=scale, axis=axis)
    vertical = alt.Axis(format="%") if as_percent else alt.Axis()
    y_axis = alt.Y("y:Q", title=y_title, axis=vertical, scale=alt.Scale(domain=[0, 1]) if as_percent else alt.Scale())
    colour, dash, shape = _group_encodings(alt, drawn_groups, colour_order, has_lines=not mark_rows)
    line_style: dict[str, Any] = {"interpolate": "step-after"} if holds_until_next else {}
    base = alt.Chart(alt.Data(values=list(chart_rows)))
    layers: list[Any] = []
    if any(row.get("low") is not None for row in chart_rows):
        # Many bands overlap: each is drawn fainter.
        band = base.mark_area(opacity=min(0.18, 0.4 / len(drawn_groups)), **line_style)
        layers.append(band.encode(x=x_axis, y=alt.Y("low:Q", title=y_title), y2="high:Q", color=colour))
    line = base.encode(x=x_axis, y=y_axis, color=colour)
    if not mark_rows:
        layers.append(line.mark_line(strokeWidth=2, **line_style).encode(strokeDash=dash))
    else:
        layers += _dashed_layer_by_group(line, drawn_groups, colour_order, **line_style)
        marks = alt.Chart(alt.Data(values=list(mark_rows))).mark_point(filled=True, size=40, opacity=0.8)
        layers.append(marks.encode(x=x_axis, y=y_axis, color=colour, shape=shape))
    return _render_svg(alt.layer(*layers), height=280)


def interval_chart(
    chart_rows: Sequence[Row],
    drawn_groups: Sequence[str],
    *,
    colour_order: Sequence[str] = (),
    x_title: str,
    y_title: str,
    as_percent: bool = True,
) -> BroadAndNarrowSvg:
    """Points with their intervals, one line of the picture for each label and group.

    Args:
        chart_rows: Rows with `label`, `value`, `group`, and `low` and `high`.
        drawn_groups: Groups in the order of the legend.
        colour_order: All groups of the report.
        x_title: Title of the axis.
        y_title: Title of the labels.
        as_percent: True if the value is a share.
    """
    alt = _import_altair()

    labels = list(dict.fromkeys(str(row["label"]) for row in chart_rows))
    colour, _, shape = _group_encodings(alt, drawn_groups, colour_order)
    scale = alt.Scale(domain=[0, 1]) if as_percent else alt.Scale()
    axis = alt.Axis(format="%", tickCount=5) if as_percent else alt.Axis()
    x_axis = alt.X("value:Q", title=x_title, scale=scale, axis=axis)
    y_axis = alt.Y(
        "label:N", title=y_title or None, sort=labels, axis=alt.Axis(labelLimit=300, grid=True, tickBand="extent")
    )
    offset = alt.YOffset("group:N", sort=list(drawn_groups))
    base = alt.Chart(alt.Data(values=list(chart_rows))).encode(y=y_axis, yOffset=offset, color=colour)
    spread = base.mark_rule(strokeWidth=2).encode(x=alt.X("low:Q", title=x_title, scale=scale, axis=axis), x2="high:Q")
    marks = base.mark_point(filled=True, size=55, opacity=1).encode(x=x_axis, shape=shape)
    height = max(60, len(labels) * (14 * max(1, len(drawn_groups)) + 10))
    return _render_svg(alt.layer(spread, marks), height=height, width=WIDTH - 180)


def stacked_share_bars(
    chart_rows: Sequence[Row], kind_names: Sequence[str], drawn_groups: Sequence[str], *, x_title: str, y_title: str
) -> BroadAndNarrowSvg:
    """Shares that make a whole, along a line of parts, one panel for each group.

    Args:
        chart_rows: Rows with `x` (a number), `value`, `kind`, `group`.
        kind_names: Kinds in the order of the legend.
        drawn_groups: Groups in the order of the panels.
        x_title: Title of the axis.
        y_title: Title of the axis.
    """
    alt = _import_altair()

    colour = alt.Color(
        "kind:N",
        title=None,
        sort=list(kind_names),
        scale=alt.Scale(domain=list(kind_names), range=list(_PALETTE[: len(kind_names)])),
    )
    width = (WIDTH - 60 * (len(drawn_groups) - 1)) // max(1, min(len(drawn_groups), 3))
    base = (
        alt.Chart(alt.Data(values=list(chart_rows)))
        .transform_calculate(place=_vega_index_expression("kind", kind_names))
        .mark_bar(stroke=_GRID, strokeWidth=0.5)
        .encode(
            x=alt.X("x:O", title=x_title, axis=alt.Axis(labelAngle=0, labelOverlap=True)),
            y=alt.Y("value:Q", title=y_title, stack="normalize", axis=alt.Axis(format="%")),
            color=colour,
            order=alt.Order("place:Q"),
        )
        .properties(width=max(140, width), height=200)
    )
    chart = base.facet(facet=alt.Facet("group:N", title=None, sort=list(drawn_groups)), columns=3)
    return _render_svg(chart)


def scatter_of_two_times(
    chart_rows: Sequence[Row],
    drawn_groups: Sequence[str],
    *,
    colour_order: Sequence[str] = (),
    x_title: str,
    y_title: str,
) -> BroadAndNarrowSvg:
    """Two times of the same attempts on scales of doublings, with the line of equality.

    Args:
        chart_rows: Rows with `x`, `y`, `group`.
        drawn_groups: Groups in the order of the legend.
        colour_order: All groups of the report.
        x_title: Title of the axis.
        y_title: Title of the axis.
    """
    alt = _import_altair()

    values = [float(row[axis] or 1) for row in chart_rows for axis in ("x", "y")]
    axis_ends = [min(values), max(values)]
    scale = alt.Scale(type="log", base=2, domain=[axis_ends[0] * 0.9, axis_ends[1] * 1.1])
    axis = alt.Axis(format="~g", tickCount=8)
    return _scatter_with_equality_line(
        alt, chart_rows, drawn_groups, colour_order, axis_ends, scale, axis, x_title, y_title
    )


def scatter_of_two_shares(
    chart_rows: Sequence[Row],
    drawn_groups: Sequence[str],
    *,
    colour_order: Sequence[str] = (),
    x_title: str,
    y_title: str,
) -> BroadAndNarrowSvg:
    """Two shares from 0 to 1, with the line of equality; arguments as of `scatter_of_two_times`."""
    alt = _import_altair()
    scale = alt.Scale(domain=[0, 1], padding=6)
    axis = alt.Axis(format="%", tickCount=5)
    return _scatter_with_equality_line(
        alt, chart_rows, drawn_groups, colour_order, [0.0, 1.0], scale, axis, x_title, y_title
    )


def _scatter_with_equality_line(
    alt: Any,
    rows: Sequence[Row],
    drawn_groups: Sequence[str],
    colour_order: Sequence[str],
    axis_ends: Sequence[float],
    scale: Any,
    axis: Any,
    x_title: str,
    y_title: str,
) -> BroadAndNarrowSvg:
    colour, _, shape = _group_encodings(alt, drawn_groups, colour_order)
    x_axis = alt.X("x:Q", scale=scale, title=x_title, axis=axis)
    y_axis = alt.Y("y:Q", scale=scale, title=y_title, axis=axis)
    line = (
        alt.Chart(alt.Data(values=[{"x": end, "y": end} for end in axis_ends]))
        .mark_line(color=_INK, strokeDash=[4, 4], opacity=0.7)
        .encode(x=x_axis, y=y_axis)
    )
    marks = (
        alt.Chart(alt.Data(values=list(rows)))
        .mark_point(size=36, opacity=0.75, filled=True)
        .encode(
            x=x_axis,
            y=y_axis,
            color=colour,
            shape=shape,
        )
    )
    return _render_svg(alt.layer(line, marks), height=340, width=440)


def radar_chart(
    chart_rows: Sequence[Row], drawn_groups: Sequence[str], *, colour_order: Sequence[str] = ()
) -> BroadAndNarrowSvg:
    """One spoke for each label, one outline for each group.

    Args:
        chart_rows: Rows with `label`, `value` from 0 to 1, `group`; every group has every label.
        drawn_groups: Groups in the order of the legend.
        colour_order: All groups of the report.
    """
    import math

    alt = _import_altair()

    labels = list(dict.fromkeys(str(row["label"]) for row in chart_rows))

    def spoke_point(label: str, reach: float) -> dict[str, float]:
        angle = 2 * math.pi * labels.index(label) / len(labels)
        return {"x": reach * math.sin(angle), "y": reach * math.cos(angle)}

    rings = [
        {**spoke_point(label, reach), "ring": reach, "order": position}
        for reach in (0.25, 0.5, 0.75, 1.0)
        for position, label in enumerate([*labels, labels[0]])
    ]
    spokes = [{**spoke_point(label, 1.0), "label": label, "x2": 0, "y2": 0} for label in labels]
    label_points = [(spoke_point(label, 1.12), label) for label in labels]
    side_ranges = {"center": (-0.05, 0.05), "left": (0.05, 2.0), "right": (-2.0, -0.05)}
    outlines = []
    for group in drawn_groups:
        values = {str(row["label"]): float(row["value"] or 0) for row in chart_rows if row["group"] == group}
        for position, label in enumerate([*labels, labels[0]]):
            outlines.append({**spoke_point(label, values.get(label, 0.0)), "group": group, "order": position})
    colour, _, shape = _group_encodings(alt, drawn_groups, colour_order)
    x_axis = alt.X("x:Q", axis=None, scale=alt.Scale(domain=[-2.4, 2.4]))
    y_axis = alt.Y("y:Q", axis=None, scale=alt.Scale(domain=[-1.3, 1.3]))
    layers = [
        alt.Chart(alt.Data(values=rings))
        .mark_line(color=_GRID, strokeWidth=1)
        .encode(x=x_axis, y=y_axis, detail="ring:N", order="order:Q"),
        alt.Chart(alt.Data(values=spokes)).mark_rule(color=_GRID).encode(x=x_axis, y=y_axis, x2="x2:Q", y2="y2:Q"),
        # Neighbours at the bottom would overlap if their middles were at their spokes.
        *(
            alt.Chart(
                alt.Data(
                    values=[
                        {**label_point, "label": label}
                        for label_point, label in label_points
                        if low <= label_point["x"] <= high
                    ]
                )
            )
            .mark_text(color=_INK, limit=165, fontSize=12, align=alignment)
            .encode(x=x_axis, y=y_axis, text="label:N")
            for alignment, (low, high) in side_ranges.items()
        ),
        *_dashed_layer_by_group(
            alt.Chart(alt.Data(values=outlines)).encode(x=x_axis, y=y_axis, color=colour, order="order:Q"),
            drawn_groups,
            colour_order,
        ),
        alt.Chart(alt.Data(values=outlines))
        .mark_point(filled=True, size=40, opacity=1)
        .encode(x=x_axis, y=y_axis, color=colour, shape=shape),
    ]
    return _render_svg(alt.layer(*layers), height=330, width=610)


def _import_altair() -> Any:
    """Altair, whose types say less than its own checks. It takes a second to import."""
    import altair

    return altair


def _group_encodings(
    alt: Any, drawn_groups: Sequence[str], colour_order: Sequence[str], *, has_lines: bool = False
) -> tuple[Any, Any, Any]:
    """Colour, dashes and shape of each group. The legend shows lines or points, whichever the picture has."""
    names, look_indices = list(drawn_groups), _style_indices(drawn_groups, colour_order)
    looks = {"symbolType": "stroke", "symbolSize": 700} if has_lines else {}
    # Names of one model end with the way it was asked, which must not be cut off.
    room = {"labelLimit": 560, "columns": 1} if max(map(len, names), default=0) > _SHORT_NAME else {"labelLimit": 260}
    legend = alt.Legend(title=None, **room, **looks) if len(names) > 1 else None

    def scale(looks: Sequence[Any]) -> Any:
        return alt.Scale(domain=names, range=looks)

    colours = [_PALETTE[index % len(_PALETTE)] for index in look_indices]
    dashes = [list(_group_mark(_DASHES, index)) for index in look_indices]
    shapes = [_group_mark(_SHAPES, index) for index in look_indices]
    return (
        alt.Color("group:N", scale=scale(colours), legend=legend),
        alt.StrokeDash("group:N", scale=scale(dashes), legend=legend),
        alt.Shape("group:N", scale=scale(shapes), legend=legend),
    )


def _group_mark(marks: Sequence[Any], group_index: int) -> Any:
    """The dashes or shape of a group: another one where the colours begin again."""
    return marks[(group_index + group_index // len(_PALETTE)) % len(marks)]


def _style_indices(drawn_groups: Sequence[str], colour_order: Sequence[str]) -> list[int]:
    """Index of the look that each group has."""
    names = list(drawn_groups)
    order = list(colour_order) if len(colour_order) <= MOST_GROUPS and set(names) <= set(colour_order) else names
    return [order.index(name) for name in names]


def _dashed_layer_by_group(
    lines: Any, drawn_groups: Sequence[str], colour_order: Sequence[str], **line_style: Any
) -> list[Any]:
    """A layer for each group: a scale of dashes would also draw the outlines of the legend's points with them."""
    import json

    return [
        lines.transform_filter(f"datum.group === {json.dumps(name)}").mark_line(
            strokeWidth=2, strokeDash=list(_group_mark(_DASHES, index)), **line_style
        )
        for name, index in zip(drawn_groups, _style_indices(drawn_groups, colour_order), strict=True)
    ]


def _vega_index_expression(field: str, ordered_values: Sequence[str]) -> str:
    import json

    return f"indexof({json.dumps(list(ordered_values))}, datum.{field})"


def _render_svg(chart: Any, **dimensions: int) -> str:
    import vl_convert

    register_font_with_renderer()
    sized = chart.properties(**({"width": WIDTH} | dimensions)) if dimensions else chart
    label_style = {
        "labelColor": _INK,
        "titleColor": _INK,
        "labelFontSize": 12,
        "titleFontSize": 12,
        "titleFontWeight": "normal",
    }
    specification = (
        sized.configure(background="transparent", font=FAMILY)
        .configure_view(stroke=None)
        .configure_axis(**label_style, gridColor=_GRID, domainColor=_INK, tickColor=_INK)
        .configure_legend(
            labelColor=_INK, labelFontSize=12, orient="top", symbolStrokeWidth=2, symbolOpacity=1, columns=3
        )
        .configure_header(labelColor=_INK, labelFontSize=12, labelFontWeight="normal")
        .to_dict()
    )
    drawable = _without_undrawable_characters(specification)
    variants = (drawable, _phone_specification(drawable))
    return "".join(svg_for_page(vl_convert.vegalite_to_svg(variant)) for variant in variants)


def _phone_specification(specification: Any) -> Any:
    """The same picture as wide as a phone: panels one below the other, a legend of one column, labels in lines."""
    line_by_label = {
        label: textwrap.fill(label, _PHONE_LABEL_CHARACTERS, break_long_words=False)
        for label in _row_labels_in(specification)
    }
    phone = _with_phone_labels(specification, line_by_label)
    phone["config"] |= {"text": {"lineBreak": "\n"}, "legend": phone["config"]["legend"] | {"columns": 1}}
    if "facet" in phone:
        return phone | {"columns": 1, "spec": phone["spec"] | {"width": _PHONE_PANEL_WIDTH}}
    line_count = max((line.count("\n") + 1 for line in line_by_label.values()), default=0)
    height = max(phone["height"], _PHONE_LINE_HEIGHT * (line_count + 1) * len(line_by_label))
    return phone | {"width": _PHONE_WIDTH, "height": height, "autosize": {"type": "fit-x", "contains": "padding"}}


def _row_labels_in(specification_part: Any) -> set[str]:
    """The labels of rows, wherever the rows are in a specification."""
    if isinstance(specification_part, dict):
        own_labels = {specification_part["label"]} if isinstance(specification_part.get("label"), str) else set()
        return own_labels.union(*map(_row_labels_in, specification_part.values()))
    return set().union(*map(_row_labels_in, specification_part)) if isinstance(specification_part, list) else set()


def _with_phone_labels(
    specification_part: Any, wrapped_label_by_label: Mapping[str, str], label_limit_px: int = _PHONE_LABELS
) -> Any:
    if isinstance(specification_part, str):
        return wrapped_label_by_label.get(specification_part, specification_part)
    if isinstance(specification_part, list):
        return [_with_phone_labels(member, wrapped_label_by_label, label_limit_px) for member in specification_part]
    if not isinstance(specification_part, dict):
        return specification_part
    members = {
        key: _with_phone_labels(member, wrapped_label_by_label, _PHONE_LEGEND if key == "legend" else label_limit_px)
        for key, member in specification_part.items()
    }
    if "labelLimit" in members:
        members["labelLimit"] = min(label_limit_px, members["labelLimit"])
        if "columns" not in members and label_limit_px == _PHONE_LABELS:
            members["labelExpr"] = "split(datum.label, '\\n')"
    return members


def width_names_and_svgs(svg: BroadAndNarrowSvg, id_prefix: str) -> Sequence[tuple[str, str]]:
    """The SVGs of a picture with the names of their widths: each has ids of its own.

    Args:
        svg: Picture as a chart returns it.
        id_prefix: Name of the picture.
    """
    svgs = [f"<svg{rest}" for rest in svg.split("<svg")[1:]]
    return [
        (width, with_prefixed_ids(width_svg, f"{id_prefix}-{width}"))
        for width, width_svg in zip(("broad", "narrow"), svgs, strict=False)
    ]


def _without_undrawable_characters(specification_part: Any) -> Any:
    """The same without what would end the whole program instead of being drawn: characters that XML does not know."""
    if isinstance(specification_part, str):
        return _NOT_DRAWABLE.sub("\N{REPLACEMENT CHARACTER}", specification_part)
    if isinstance(specification_part, dict):
        return {key: _without_undrawable_characters(member) for key, member in specification_part.items()}
    return (
        [_without_undrawable_characters(member) for member in specification_part]
        if isinstance(specification_part, list)
        else specification_part
    )


_NOT_DRAWABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\u2028\u2029\ud800-\udfff\ufffe\uffff]")
"""Characters that are not a `Char` of XML 1.0, and those that end a line in JavaScript's strings."""


_COLOURS = {_INK: "var(--ink)", _GRID: "var(--grid)"} | {
    colour: f"var(--s{number})" for number, colour in enumerate(_PALETTE, start=1)
}
_STANDINS = re.compile("|".join(_COLOURS))
_NAMESPACES = re.compile(r' xmlns(?::\w+)?="[^"]*"')
_ROLES = re.compile(r' (?:aria-[a-z]+|role|class)="[^"]*"')


def svg_for_page(rendered_svg: str) -> str:
    """An SVG for the page: colours by variable, no namespace (HTML knows it), nothing told to screen readers inside."""
    return _ROLES.sub("", _NAMESPACES.sub("", _STANDINS.sub(lambda match: _COLOURS[match.group()], rendered_svg)))


def with_prefixed_ids(svg: BroadAndNarrowSvg, id_prefix: str) -> BroadAndNarrowSvg:
    """The SVG with ids of its own, so that pictures of one page do not share them."""
    renamed_ids = re.sub(r'\bid="([^"]+)"', rf'id="{id_prefix}-\1"', svg)
    return re.sub(r"url\(#([^)]+)\)", rf"url(#{id_prefix}-\1)", renamed_ids)
