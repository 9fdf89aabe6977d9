"""Words of a page as Markdown that shows just these words: a stranger's text gets no markup."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from benchwright_exams.structure.text_blocks import Block, BlockKind

_MARKUP = re.compile(r"([\\`*_\[\]<>$|~]|&(?=[#\w]+;)|!(?=\[))")
_LINE_START = re.compile(r"^(\s*)([#+=>-]|\d+(?=[.)](?:\s|$)))")
_LINK = re.compile(r"(?i)\b(https?|ftp|mailto|www)(?=[:.])")
_NOT_IN_ALT = re.compile(r"[\[\]\\`<>!*_|$&\"]")


def escape_paragraph(paragraph_text: str) -> str:
    """One paragraph, shown as it is."""
    escaped_text = _MARKUP.sub(r"\\\1", paragraph_text)
    # An address would become a link, which nobody has looked at.
    escaped_text = _LINK.sub(lambda match: f"{match[1][0]}&#{ord(match[1][1])};{match[1][2:]}", escaped_text)
    return _LINE_START.sub(lambda match: f"{match[1]}{_escaped_line_start(match[2])}", escaped_text)


def _escaped_line_start(first_sign: str) -> str:
    return f"&#{ord(first_sign[0])};{first_sign[1:]}" if first_sign[0].isdigit() else f"\\{first_sign}"


def figure_markdown_link(alternative_text: str, figure_path: str) -> str:
    """A picture; what it shows is said without markup."""
    return f"![{' '.join(_NOT_IN_ALT.sub(' ', alternative_text).split())[:200]}]({figure_path})"


def blocks_markdown(blocks: Sequence[Block], markdown_of_figure: Callable[[Block], str]) -> str:
    """Blocks as Markdown.

    Args:
        blocks: Blocks in their order.
        markdown_of_figure: The Markdown of a figure.
    """
    return "\n\n".join(
        markdown_of_figure(block) if block.kind is BlockKind.FIGURE else _block_markdown(block) for block in blocks
    )


def _block_markdown(block: Block) -> str:
    if block.kind is BlockKind.TEXT:
        return escape_paragraph(block.text)
    longest = max((len(run) for run in re.findall(r"`+", block.text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}\n{block.text}\n{fence}"
