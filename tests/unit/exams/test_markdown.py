from __future__ import annotations

import pytest
from markdown_it import MarkdownIt

from benchwright_exams.model.lines import text_without_spaces_and_hyphens
from benchwright_exams.review import markdown
from benchwright_exams.structure.text_blocks import Block, BlockKind

HOSTILE = [
    "<script>alert(1)</script>",
    "![x](https://example.invalid/x.png)",
    "[a](command:x) and <https://example.invalid>",
    "# no heading",
    "1. no list",
    "- no list",
    "> no quotation",
    "`code` ``more``",
    "*a* **b** __c__ ~~d~~ $e$",
    "a | b",
    "--- +++ ===",
    "&lt; &#60; &amp;",
    "https://example.invalid www.example.invalid",
    "a\\b \\\\",
    "``` fence",
    "~~~ fence",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_a_strangers_text_is_shown_as_it_is(text: str) -> None:
    tokens = MarkdownIt("commonmark").enable("strikethrough").parse(markdown.escape_paragraph(text))
    assert [token.type for token in tokens] == ["paragraph_open", "inline", "paragraph_close"]
    inline_tokens = tokens[1].children or []
    assert {token.type for token in inline_tokens} <= {"text", "text_special"}
    assert "".join(token.content for token in inline_tokens) == text


def test_a_listing_can_not_end_its_fence() -> None:
    rendered = markdown.blocks_markdown([Block(kind=BlockKind.LISTING, text="a\n```\n# b")], lambda _: "")
    (token,) = MarkdownIt("commonmark").parse(rendered)
    assert (token.type, token.content) == ("fence", "a\n```\n# b\n")


def test_a_pictures_text_can_not_end_it() -> None:
    assert markdown.figure_markdown_link("a](x) ![b", "figures/p1-1.png") == "![a (x) b](figures/p1-1.png)"


def test_words_are_on_a_page_whatever_its_lines() -> None:
    page = "A carry-\nlookahead adder is\nfast. It is large."
    assert text_without_spaces_and_hyphens("A carry-lookahead adder is fast.") in text_without_spaces_and_hyphens(page)
    assert text_without_spaces_and_hyphens(
        "A carry-lookahead adder is not fast."
    ) not in text_without_spaces_and_hyphens(page)
