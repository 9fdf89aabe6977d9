"""Markdown of problems and of people as HTML: without tags of its own, below the page's heading, with its figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache

from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup

from benchwright_problems.problem import Figure

_FIRST_HEADING, _DEEPEST_HEADING = 2, 6
_FOREIGN = ("http://", "https://", "mailto:")
"""Beginnings of addresses that lead somewhere from a page; a problem's other links are to files of its workspace."""


@cache
def _parser(*, keeps_lines: bool = False) -> MarkdownIt:
    return MarkdownIt("commonmark", {"html": False, "breaks": keeps_lines}).enable("table")


def markdown_html(
    text: str,
    figures: Sequence[Figure] = (),
    *,
    title: str = "",
    first_heading_level: int = _FIRST_HEADING,
    keeps_lines: bool = False,
) -> Markup:
    """Returns HTML without scripts, tags or styles of the text's author.

    Args:
        text: Markdown.
        figures: Pictures that it may show by their paths; no other picture is loaded.
        title: Heading that the page has already, and that is left out if the text begins with it.
        first_heading_level: Level of the highest heading.
        keeps_lines: True if a line's end is one on the page too, as people expect who know no Markdown.
    """
    parser = _parser(keeps_lines=keeps_lines)
    markdown_tokens = parser.parse(text)
    if len(markdown_tokens) > 1 and markdown_tokens[0].type == "heading_open" and markdown_tokens[1].content == title:
        del markdown_tokens[:3]
    headings = [
        markdown_token for markdown_token in markdown_tokens if markdown_token.type in ("heading_open", "heading_close")
    ]
    level_shift = first_heading_level - min(
        (int(markdown_token.tag[1:]) for markdown_token in headings), default=first_heading_level
    )
    for markdown_token in headings:
        markdown_token.tag = f"h{min(int(markdown_token.tag[1:]) + level_shift, _DEEPEST_HEADING)}"
    figure_by_path = {figure.path: figure for figure in figures}
    for markdown_token in markdown_tokens:
        if markdown_token.children:
            markdown_token.children = [_harmless_token(child, figure_by_path) for child in markdown_token.children]
    html = parser.renderer.render(markdown_tokens, parser.options, {})
    return Markup(html)  # noqa: S704 - it escapes all text, and the parser refuses addresses that run scripts


def is_plain_text(text: str) -> bool:
    """True if a page shows a text exactly as it was typed."""
    inline_tokens = [child for markdown_token in _parser().parse(text) for child in markdown_token.children or ()]
    return [(child.type, child.content) for child in inline_tokens] == [("text", text.strip())]


def shown_figure_paths(text: str) -> frozenset[str]:
    """Paths of the pictures that a text asks for."""
    inline_tokens = [child for markdown_token in _parser().parse(text) for child in markdown_token.children or ()]
    return frozenset(str(child.attrGet("src")) for child in inline_tokens if child.type == "image")


def _harmless_token(markdown_token: Token, figure_by_path: Mapping[str, Figure]) -> Token:
    if markdown_token.type == "image":
        figure = figure_by_path.get(str(markdown_token.attrGet("src")))
        if figure is None:
            return Token("text", "", 0, content=markdown_token.content)
        markdown_token.attrSet("src", f"data:{figure.media_type.value};base64,{figure.data}")
        if not markdown_token.content:
            markdown_token.children = [Token("text", "", 0, content=figure.alt)]
    elif markdown_token.type == "link_open" and not str(markdown_token.attrGet("href")).startswith(_FOREIGN):
        markdown_token.attrs = {}
    return markdown_token
