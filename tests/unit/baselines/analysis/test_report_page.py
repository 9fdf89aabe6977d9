from __future__ import annotations

import itertools
import re
from html.parser import HTMLParser

import pytest

from benchwright_analysis.report.charts import (
    Row,
    interval_chart,
    line_chart,
    note_if_omitted,
    width_names_and_svgs,
    with_prefixed_ids,
)
from benchwright_analysis.report.page import report_page
from benchwright_analysis.report.section import Section, SectionPicture, SortableTable, interval_text
from benchwright_foundation.number_text import number, percent

HOSTILE = '"><script>alert(1)</script><img src=x onerror=alert(2)>'


class Elements(HTMLParser):
    """Every element, and every address it names."""

    def __init__(self) -> None:
        super().__init__()
        self.names: list[str] = []
        self.addresses: list[str] = []
        self.ids: list[str] = []
        self.handlers: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.append(tag)
        for name, value in attrs:
            if name in ("href", "src", "xlink:href", "action", "data"):
                self.addresses.append(value or "")
            if name == "id":
                self.ids.append(value or "")
            if name.startswith("on"):
                self.handlers.append(name)


def hostile_sections() -> list[Section]:
    rows: list[Row] = [{"label": HOSTILE, "group": HOSTILE, "value": 0.5, "low": 0.25, "high": 0.75}]
    table = SortableTable(HOSTILE, (HOSTILE, "n"), [(HOSTILE, 3), (None, 0.25)], HOSTILE)
    svg = interval_chart(rows, [HOSTILE], x_title="x", y_title="")
    pictures = [SectionPicture(name, HOSTILE, HOSTILE, svg, table) for name in ("first", "second")]
    return [Section("support", HOSTILE, (HOSTILE,)), Section("more", HOSTILE, (HOSTILE,), pictures, (table,))]


def parsed_elements(text: str) -> Elements:
    elements = Elements()
    elements.feed(text)
    return elements


def test_names_of_people_models_and_problems_stay_text() -> None:
    elements = parsed_elements(report_page(HOSTILE, HOSTILE, hostile_sections(), {HOSTILE: HOSTILE}))
    assert elements.names.count("script") == 1
    assert "img" not in elements.names
    assert elements.handlers == []


def test_the_page_asks_nothing_of_the_network() -> None:
    text = report_page("Title", "", hostile_sections(), {})
    elements = parsed_elements(text)
    assert [address for address in elements.addresses if not address.startswith("#")] == []
    assert "http:" not in text
    assert "https:" not in text
    assert "default-src 'none'" in text


def test_pictures_of_one_page_do_not_share_ids() -> None:
    named_alike = Section("first", "A section named as its picture")
    ids = parsed_elements(report_page("Title", "", [*hostile_sections(), named_alike], {})).ids
    assert len(ids) == len(set(ids))


def test_every_link_within_the_page_has_its_target() -> None:
    attempts_section = Section("attempts", "Attempts")
    elements = parsed_elements(
        report_page("Title", "", [Section("answer", "The answer"), *hostile_sections(), attempts_section], {})
    )
    assert {address.removeprefix("#") for address in elements.addresses} <= set(elements.ids)


def test_a_picture_takes_its_colours_from_the_page_and_tells_its_words() -> None:
    text = report_page("Title", "", hostile_sections(), {})
    svg = text[text.index("<svg") : text.index("</svg>")]
    assert "var(--ink)" in svg
    assert "var(--s1)" in svg
    assert 'role="img" aria-labelledby="picture-first-name" aria-describedby="picture-first-words"' in svg
    assert "#0102" not in svg


@pytest.mark.parametrize("sign", ["\x00", "\x1b", "\u2028", "\ufffe", "\ud800"])
def test_a_name_with_signs_that_no_picture_can_hold_is_drawn_without_them(sign: str) -> None:
    groups = ["alone", f"a{sign}b"]
    rows: list[Row] = [{"label": group, "group": group, "value": 0.5, "low": 0.25, "high": 0.75} for group in groups]
    assert "a\N{REPLACEMENT CHARACTER}b" in interval_chart(rows, groups, x_title="", y_title="")


def test_a_legend_shows_how_a_model_was_asked_at_the_end_of_its_long_name() -> None:
    groups = [f"model: openai-api/local/student-110b (en, {way})" for way in ("5-shot", "5-shot, steps")]
    rows: list[Row] = [{"label": "all", "value": 0.5, "group": group, "low": 0.4, "high": 0.6} for group in groups]
    svg = interval_chart(rows, groups, x_title="", y_title="")
    assert [group for group in groups if f">{group}</text>" not in svg] == []


def test_a_picture_of_some_groups_says_of_how_many() -> None:
    assert note_if_omitted("abcdefgh", "abcdefghijk") == " Drawn are the first 8 of 11 groups."
    assert note_if_omitted("ab", "ab") == ""


def test_a_cell_shows_the_beginning_of_an_endless_text() -> None:
    text = report_page("T", "", [Section("x", "X", tables=[SortableTable("t", ("a",), [("y" * 10_000,)])])], {})
    assert "y" * 300 + "…" in text
    assert "y" * 301 not in text


def test_references_inside_a_picture_follow_its_ids() -> None:
    assert with_prefixed_ids('<g id="a" clip-path="url(#a)">', "p") == '<g id="p-a" clip-path="url(#p-a)">'


def test_an_empty_section_says_why() -> None:
    assert "Nobody came." in report_page("T", "", [Section("x", "X", empty_reason="Nobody came.")], {})


def test_numbers_read_as_people_write_them() -> None:
    assert (percent(0.5), percent(None), percent(0.123)) == ("50 %", "–", "12.3 %")
    assert (number(-1.25), number(-0.001), number(None)) == ("\N{MINUS SIGN}1.25", "0.00", "–")
    assert (interval_text(0.1, 0.25, as_share=True), interval_text(None, 3.0)) == ("10 to 25 %", "up to 3.00")


def test_a_group_keeps_its_colour_in_a_picture_without_the_others() -> None:
    rows: list[Row] = [{"label": "l", "group": "second", "value": 0.5, "low": 0.25, "high": 0.75}]
    assert colour_variables(
        interval_chart(rows, ["second"], colour_order=["first", "second"], x_title="", y_title="")
    ) == {"var(--s2)"}
    assert colour_variables(interval_chart(rows, ["second"], x_title="", y_title="")) == {"var(--s1)"}


def colour_variables(svg: str) -> set[str]:
    return set(re.findall(r"var\(--s\d\)", svg))


def test_each_of_many_groups_is_drawn_and_no_two_look_alike() -> None:
    groups = [f"model {number:02}" for number in range(20)]
    rows: list[Row] = [
        {"label": "all", "group": group, "value": 0.5, "low": 0.4, "high": 0.6, "x": x, "y": x}
        for group in groups
        for x in (0, 1)
    ]
    (_, interval_svg), _ = width_names_and_svgs(interval_chart(rows, groups, x_title="", y_title=""), "p")
    marks = re.findall(r'<path[^>]* d="([^"]+)" fill="(var\(--s\d\))"', interval_svg)
    # In the legend they are smaller.
    assert len({*marks}) == 2 * len(groups)
    (_, line_svg), _ = width_names_and_svgs(line_chart(rows, groups, x_title="", y_title=""), "p")
    assert [group for group in groups if f">{group}<" not in line_svg] == []
    strokes = re.findall(r'stroke="(var\(--s\d\))" stroke-width="2" stroke-dasharray="([\d,]+)"', line_svg)
    assert len({*strokes}) == len(groups)


def test_a_picture_has_a_width_for_phones_with_all_of_its_words() -> None:
    label = "Design specification to RTL translation (cid003)"
    rows: list[Row] = [{"label": label, "group": "a", "value": 0.5, "low": 0.4, "high": 0.6}]
    svg_by_width = dict(width_names_and_svgs(interval_chart(rows, ["a"], x_title="", y_title=""), "p"))
    widths = {name: float(re.findall(r'width="([\d.]+)"', svg)[0]) for name, svg in svg_by_width.items()}
    assert widths["narrow"] <= 350 < widths["broad"]
    shown = {name: " ".join(re.findall(r">([^<>]+)</t", svg)) for name, svg in svg_by_width.items()}
    assert [word for word, text in itertools.product(label.split(), shown.values()) if word not in text] == []


def test_a_page_begins_with_its_answer_and_folds_the_rest() -> None:
    picture_section = hostile_sections()[1]
    answer_section = Section(
        "answer", "The answer", ("Exploratory.",), picture_section.pictures[:1], headline="Study s: 5 min."
    )
    text = report_page("Title", "", [answer_section, picture_section], {})
    assert text.index("Study s: 5 min.") < text.index("<svg") < text.index("Exploratory.") < text.index("<table>")
    assert text.count('<details class="fold">') == 1
    assert "2 charts and 1 table<span" in text
    assert 'class="fold"' not in report_page("T", "", [picture_section], {}), "the first charts are in view"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0"),
        (12345.6, "12,346"),
        (1234567.0, "1,234,567"),
        (12.3456, "12.35"),
        (-0.25, "\N{MINUS SIGN}0.25"),
        (0.00001, "0.00001"),
        (100.0, "100"),
        (999.96, "1,000"),
    ],
)
def test_a_cell_has_a_number_without_an_exponent(value: float, text: str) -> None:
    page = report_page("T", "", [Section("x", "X", tables=[SortableTable("t", ("a",), [(value,)])])], {})
    assert f'<td class="n">{text}</td>' in page


def test_a_column_of_numbers_is_aligned_and_one_of_words_is_not() -> None:
    table_rows = [("a", "50 % (10 to 90 %)", 3, "P1"), ("b", "\N{EN DASH}", None, "3 of 4")]
    page = report_page("T", "", [Section("x", "X", tables=[SortableTable("t", ("w", "s", "n", "m"), table_rows)])], {})
    assert re.findall(r'<th scope="col"( class="n")?>', page) == ["", ' class="n"', ' class="n"', ""]
