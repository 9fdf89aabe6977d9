"""The report as one HTML file that asks nothing of the network."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from html import escape
from importlib import resources

from benchwright_analysis.html_file import html_file_text
from benchwright_analysis.report.charts import width_names_and_svgs
from benchwright_analysis.report.fonts import font_face_css
from benchwright_analysis.report.section import Cell, Section, SectionPicture, SortableTable, counted
from benchwright_foundation.number_text import UNKNOWN, four_digit_number

_UNBROKEN = 26
"""Cells up to this length stay on one line."""
_LONGEST = 300
"""Characters shown of a cell; the exported files have all of it."""


SKIPS = (("answer", "the answer"), ("attempts", "the table of attempts"))
FILES = (
    "The same numbers are in `report.json`, the rows in `attempts.csv` and `attempts.parquet`; `codebook.md` says what "
    "each column means. Intervals are 95 %."
)


def report_page(
    title: str,
    subtitle: str,
    sections: Sequence[Section],
    version_by_source: Mapping[str, str],
    *,
    skip_links: Sequence[tuple[str, str]] = SKIPS,
    files_note: str = FILES,
) -> str:
    """The whole file.

    Args:
        title: Title of the report.
        subtitle: Under it.
        sections: Sections in order; the one called `support` is the box at the top.
        version_by_source: Sources of the report: name → version or digest.
        skip_links: Sections that the keyboard reaches at once, with what they are called there.
        files_note: Note on the files beside the page.
    """
    style, script = font_face_css() + _resource_text("page.css"), _resource_text("page.js")
    links = "".join(f'<li><a href="#{section.id}">{escape(section.title)}</a></li>' for section in sections)
    skipping = "\n".join(
        f'<a class="skip" href="#{target}">Skip to {escape(label)}</a>' for target, label in skip_links
    )
    # A report without a sentence for its answer begins with its first charts.
    has_headline = any(section.headline for section in sections)
    opened = "" if has_headline else next((section.id for section in sections if section.pictures), "")
    source_rows = "".join(
        f"<dt>{escape(name)}</dt><dd>{escape(value)}</dd>" for name, value in version_by_source.items()
    )
    body = f"""{skipping}
<header>
<h1>{escape(title)}</h1>
<p class="soft">{escape(subtitle)}</p>
</header>
<nav aria-label="Sections"><ul>{links}</ul></nav>
<main>
{"".join(_section_html(section, is_open=section.id == opened) for section in sections)}
</main>
<footer>
<h2>How this was made</h2>
<p>{_sentence_html(files_note)}</p>
<dl>{source_rows}</dl>
</footer>"""
    return html_file_text(title, style, script, body, extra_policy_directives="img-src data:; font-src data:")


def _resource_text(file_name: str) -> str:
    return (resources.files("benchwright_analysis.report") / file_name).read_text(encoding="utf-8")


def _section_html(section: Section, *, is_open: bool) -> str:
    if section.is_list:
        sentences = "<ul>" + "".join(f"<li>{_sentence_html(sentence)}</li>" for sentence in section.lead) + "</ul>"
    else:
        sentences = "".join(f"<p>{_sentence_html(sentence)}</p>" for sentence in section.lead)
    if section.is_empty:
        sentences = f'<p class="soft">{_sentence_html(section.empty_reason)}</p>'
    if section.badge:
        sentences = f'<p class="role {section.role}">{escape(section.badge)}</p>{sentences}'
    pictures_html = "".join(_picture_html(picture) for picture in section.pictures)
    pictures_html = f'<div class="pictures">{pictures_html}</div>' if pictures_html else ""
    tables_html = "".join(_picture_tables_html(section)) + "".join(
        _folded_table_html(table) if table.detail else _table_html(table) for table in section.tables
    )
    if section.headline:
        content = f'<p class="headline">{_sentence_html(section.headline)}</p>{pictures_html}{sentences}{tables_html}'
    elif section.is_list or is_open or not pictures_html + tables_html:
        content = sentences + pictures_html + tables_html
    else:
        title_html = _fold_title_html(section)
        fold = f'<details class="fold"><summary>{title_html}</summary>{pictures_html}{tables_html}</details>'
        content = sentences + fold
    return (
        f'<section id="{section.id}" aria-labelledby="{section.id}-title">'
        f'<h2 id="{section.id}-title">{escape(section.title)}</h2>{content}</section>\n'
    )


def _fold_title_html(section: Section) -> str:
    """What a fold holds, with the section's name for those who hear it alone."""
    chart_count, table_count = len(section.pictures), len(section.all_tables)
    contents = [counted(chart_count, "chart")] if chart_count else []
    contents += [counted(table_count, "table")] if table_count else []
    return f'{" and ".join(contents)}<span class="heard"> of {escape(section.title)}</span>'


def _picture_html(picture: SectionPicture) -> str:
    # Sections have names of their own, and some share theirs with their picture.
    name = f"picture-{picture.id}"
    label = f'role="img" aria-labelledby="{name}-name" aria-describedby="{name}-words"'
    svgs_html = "".join(
        svg.replace("<svg ", f'<svg class="{width}" {label} ', 1)
        for width, svg in width_names_and_svgs(picture.svg, name)
    )
    return (
        f'<figure id="{name}"><h3 id="{name}-name">{escape(picture.title)}</h3>'
        f'<div class="wide" role="group" aria-labelledby="{name}-name" tabindex="0">{svgs_html}</div>'
        f'<figcaption id="{name}-words">{_sentence_html(picture.alt)}</figcaption></figure>'
    )


def _picture_tables_html(section: Section) -> list[str]:
    """The tables that only pictures have, each once."""
    shown_anyway = {id(table) for table in section.tables}
    return [_folded_table_html(table, "Numbers: ") for table in section.all_tables if id(table) not in shown_anyway]


def _folded_table_html(table: SortableTable, title_prefix: str = "") -> str:
    return f"<details><summary>{title_prefix}{escape(table.title)}</summary>{_table_html(table)}</details>"


def _table_html(table: SortableTable) -> str:
    numeric_columns = [
        bool(table.rows) and all(_is_numeric(row[index]) for row in table.rows) for index in range(len(table.columns))
    ]
    heads = "".join(
        f'<th scope="col"{_NUMERIC if is_numeric else ""}>{escape(name)}</th>'
        for name, is_numeric in zip(table.columns, numeric_columns, strict=True)
    )
    rows_html = "".join(
        "<tr>"
        + "".join(
            _cell_html(cell, is_numeric=is_numeric) for cell, is_numeric in zip(row, numeric_columns, strict=True)
        )
        + "</tr>"
        for row in table.rows
    )
    note = f'<p class="note">{_sentence_html(table.note)}</p>' if table.note else ""
    return (
        f'<div class="wide" role="group" aria-label="{escape(table.title)}" tabindex="0"><table>'
        f"<caption>{escape(table.title)}</caption><thead><tr>{heads}</tr></thead><tbody>{rows_html}</tbody></table></div>{note}"
    )


_NUMERIC = ' class="n"'
_NUMBER = re.compile(r"[<+\N{MINUS SIGN}-]? ?\d[\d.,]*(?: ?%)?(?: \([^()]*\))?\Z")


def _is_numeric(cell: Cell) -> bool:
    """True if a cell has a number, also one with its interval, or a dash for one."""
    if isinstance(cell, str):
        return len(cell) <= _UNBROKEN and (cell == UNKNOWN or _NUMBER.match(cell) is not None)
    return not isinstance(cell, bool)


def _cell_html(cell: Cell, *, is_numeric: bool) -> str:
    attributes = _NUMERIC if is_numeric else ""
    if cell is None:
        return f"<td{attributes}>{UNKNOWN}</td>"
    if isinstance(cell, bool):
        return f"<td>{'yes' if cell else 'no'}</td>"
    if isinstance(cell, int):
        return f"<td{attributes}>{cell:,}</td>"
    if isinstance(cell, float):
        return f"<td{attributes}>{four_digit_number(cell)}</td>"
    if len(cell) > _UNBROKEN:
        return f"<td>{escape(_shortened_cell_text(cell))}</td>"
    # Where there is no room for both, a line ends before the interval, not in it.
    value, bracket, interval_text = cell.partition(" (")
    spread = f" <span>({escape(interval_text)}</span>" if bracket else ""
    return f'<td class="{"n" if is_numeric else "short"}">{escape(value)}{spread}</td>'


def _sentence_html(sentence: str) -> str:
    """A sentence, with the words between backticks as code."""
    return _CODE.sub(r"<code>\1</code>", escape(sentence))


_CODE = re.compile("`([^`\n]+)`")


def _shortened_cell_text(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
