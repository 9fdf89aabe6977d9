"""The blocks of a page of the documentation, as its reader meets them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from markdown_it import MarkdownIt

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = tuple(
    str(file.relative_to(ROOT))
    for file in (ROOT / "README.md", *sorted(DOCS.glob("tutorial/*.md")), *sorted(DOCS.glob("how-to/*.md")))
)
"""All pages that tell somebody what to do."""
_GAP = "…"


@dataclass(frozen=True)
class Block:
    """A fenced block."""

    page: str
    line: int
    """Of its fence, from 1."""
    language: str
    text: str
    output: str | None = None
    """Output of a block of commands, if the page has it. `…` stands for anything, also for whole lines."""

    @property
    def location(self) -> str:
        """For messages."""
        return f"{self.page}:{self.line}"

    @property
    def is_commands(self) -> bool:
        """True if it is typed into a shell."""
        return self.language in ("sh", "console")

    @property
    def script(self) -> str:
        """The commands alone."""
        if self.language == "console":
            return "".join(f"{line[2:]}\n" for line in self.text.splitlines() if line.startswith("$ "))
        return self.text

    @property
    def prints(self) -> str | None:
        """Output that the page says it prints."""
        if self.language == "console":
            lines = [line for line in self.text.splitlines() if not line.startswith("$ ")]
            return "".join(f"{line}\n" for line in lines) or None
        return self.output


def blocks(page: str) -> list[Block]:
    """The blocks of a page, in order.

    Args:
        page: One of `PAGES`. A block `text` right below commands is what they print.
    """
    tokens = MarkdownIt("commonmark").parse((ROOT / page).read_text(encoding="utf-8"))
    page_blocks: list[Block] = []
    previous_type = None
    for token in tokens:
        if token.type == "fence":
            language, line = token.info.strip(), (token.map or [0])[0] + 1
            if language == "text" and previous_type == "fence" and page_blocks[-1].language == "sh":
                last_block = page_blocks.pop()
                page_blocks.append(Block(page, last_block.line, "sh", last_block.text, token.content))
            else:
                page_blocks.append(Block(page, line, language, token.content))
        previous_type = token.type
    return page_blocks


def is_as_printed(expected_output: str, output: str) -> bool:
    """True if an output is what a page shows. Columns count, but not how far they are apart: a pipe has tabs."""

    def plain(text: str) -> str:
        return "\n".join(re.sub(r"[ \t]+", " ", line).strip() for line in text.strip().splitlines())

    pattern = re.escape(plain(expected_output)).replace(re.escape(_GAP), "(?s:.*)")
    return re.fullmatch(pattern, plain(output)) is not None
