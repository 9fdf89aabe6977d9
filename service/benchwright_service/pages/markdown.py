"""Markdown of problems as HTML: without tags of its own, below the page's heading, with its figures."""

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
def _parser() -> MarkdownIt:
    return MarkdownIt("commonmark", {"html": False}).enable("table")


def markdown_html(text: str, figures: Sequence[Figure] = (), *, title: str = "") -> Markup:
    """Returns HTML without scripts, tags or styles of the text's author.

    Args:
        text: Markdown.
        figures: Pictures that it may show by their paths; no other picture is loaded.
        title: Heading that the page has already, and that is left out if the text begins with it.
    """
    markdown_tokens = _parser().parse(text)
    if len(markdown_tokens) > 1 and markdown_tokens[0].type == "heading_open" and markdown_tokens[1].content == title:
        del markdown_tokens[:3]
    headings = [
        markdown_token for markdown_token in markdown_tokens if markdown_token.type in ("heading_open", "heading_close")
    ]
    level_shift = _FIRST_HEADING - min(
        (int(markdown_token.tag[1:]) for markdown_token in headings), default=_FIRST_HEADING
    )
    for markdown_token in headings:
        markdown_token.tag = f"h{min(int(markdown_token.tag[1:]) + level_shift, _DEEPEST_HEADING)}"
    figure_by_path = {figure.path: figure for figure in figures}
    for markdown_token in markdown_tokens:
        if markdown_token.children:
            markdown_token.children = [_harmless_token(child, figure_by_path) for child in markdown_token.children]
    html = _parser().renderer.render(markdown_tokens, _parser().options, {})
    return Markup(html)  # noqa: S704 - it escapes all text, and the parser refuses addresses that run scripts


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
