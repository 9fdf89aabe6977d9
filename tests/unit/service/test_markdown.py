"""Markdown of problems on the service's pages: what its author can't do to the page."""

from __future__ import annotations

import base64
from html.parser import HTMLParser

import pytest

from benchwright_problems.figure import MediaType
from benchwright_problems.problem import Figure
from benchwright_service.pages.markdown import is_plain_text, markdown_html, shown_figure_paths

SVG = base64.b64encode(b'<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"></svg>').decode()
FIGURE = Figure(path="cache.svg", media_type=MediaType.SVG, data=SVG, alt="A cache")


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>",
        '<img src="x" onerror="alert(1)">',
        "[read](javascript:alert(1))",
        "[read](vbscript:alert(1))",
        "[read](data:text/html;base64,PHNjcmlwdD4=)",
        "![x](javascript:alert(1))",
        '![x](https://example.org/track.png "t")',
        "<style>main { display: none }</style>",
        '<a href="https://example.org" style="position: fixed">x</a>',
    ],
)
@pytest.mark.parametrize("keeps_lines", [False, True])
def test_no_script_style_or_foreign_picture_of_an_author_is_in_the_page(text: str, *, keeps_lines: bool) -> None:
    parsed_page = _Elements()
    parsed_page.feed(markdown_html(text, keeps_lines=keeps_lines))
    assert {tag for tag, _ in parsed_page.elements} == {"p"}
    assert [attributes for _, attributes in parsed_page.elements if attributes] == []


class _Elements(HTMLParser):
    """The elements that a browser would make of a text."""

    def __init__(self) -> None:
        super().__init__()
        self.elements: list[tuple[str, object]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, attrs))


def test_headings_are_below_the_pages_own_and_none_is_left_out() -> None:
    assert [line[:4] for line in markdown_html("# A\n\n## B\n").splitlines()] == ["<h2>", "<h3>"]
    assert [line[:4] for line in markdown_html("### A\n\n#### B\n").splitlines()] == ["<h2>", "<h3>"]


def test_what_people_type_keeps_its_lines_and_stays_below_the_pages_headings() -> None:
    assert markdown_html("a\nb") == "<p>a\nb</p>\n"
    assert markdown_html("a\nb", keeps_lines=True) == "<p>a<br />\nb</p>\n"
    assert markdown_html("# Points: 4 of 4", first_heading_level=3) == "<h3>Points: 4 of 4</h3>\n"


@pytest.mark.parametrize(
    ("text", "is_plain"),
    [
        ("It's 3 < 4 & so on.", True),
        ("", False),
        ("a\nb", False),
        ("# a", False),
        ("- a", False),
        ("a `b`", False),
        ("> " * 30 + "a", False),
        ("[a]: b", False),
        ("&amp;", False),
    ],
)
def test_a_text_that_is_shown_otherwise_than_it_was_typed_is_told(text: str, *, is_plain: bool) -> None:
    assert is_plain_text(text) is is_plain


def test_pictures_that_a_text_shows_are_told_from_those_that_it_names() -> None:
    assert shown_figure_paths("![Ways](cache.svg), see `![x](code.png)` and other.svg") == {"cache.svg"}


def test_a_title_that_the_page_has_is_not_repeated() -> None:
    assert markdown_html("# Ways\n\n## Sets\n", title="Ways") == "<h2>Sets</h2>\n"
    assert markdown_html("# Ways\n", title="Other") == "<h2>Ways</h2>\n"


def test_a_figure_is_shown_with_what_it_is() -> None:
    assert markdown_html("![](cache.svg)", [FIGURE]) == (
        f'<p><img src="data:image/svg+xml;base64,{SVG}" alt="A cache" /></p>\n'
    )
    assert 'alt="Ways"' in markdown_html("![Ways](cache.svg)", [FIGURE])
    assert markdown_html("![Ways](other.svg)", [FIGURE]) == "<p>Ways</p>\n"


def test_links_lead_to_other_sites_and_not_to_files_of_a_workspace() -> None:
    assert markdown_html("[a](https://example.org)") == '<p><a href="https://example.org">a</a></p>\n'
    assert markdown_html("[a](docs/spec.md)") == "<p><a>a</a></p>\n"
