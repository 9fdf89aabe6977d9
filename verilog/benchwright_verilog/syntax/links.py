"""Files that a document names: `include` in a design, links and code spans in Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import unquote

from benchwright_verilog.syntax.tokens import TokenKind, tokens_of
from benchwright_verilog.syntax.units import ItemText

_ANGLED = re.compile(rb"[ \t]*<([^>\r\n]*)>")
_MARKDOWN = re.compile(r"\]\(<?([^()<>\s]+)>?(?:\s+\"[^\"]*\")?\)|(?<!`)`([^`\s]+)`(?!`)")
_FENCE = re.compile(r"(?ms)^ {0,3}(```+|~~~+)[^\n]*\n.*?(?:^ {0,3}\1[`~]*[ \t]*$|\Z)")


@dataclass(frozen=True)
class FileMention:
    """Place at which a document names a file."""

    start: int
    end: int
    name: str


def includes_of(item_text: ItemText) -> list[FileMention]:
    """The files that a unit includes, by UTF-8 bytes of the name without its quotes."""
    if b"`include" not in item_text.data:
        return []
    includes: list[FileMention] = []
    tokens = tokens_of(item_text)
    for index, token in enumerate(tokens):
        if token.token_kind is not TokenKind.DIRECTIVE or token.text != b"`include":
            continue
        next_token = tokens[index + 1] if index + 1 < len(tokens) else None
        if next_token is not None and next_token.token_kind is TokenKind.STRING:
            name = next_token.text.strip(b'"')
            includes.append(FileMention(next_token.start + 1, next_token.start + 1 + len(name), name.decode()))
        elif (angled := _ANGLED.match(item_text.data, token.end)) is not None:
            includes.append(FileMention(angled.start(1), angled.end(1), angled[1].decode()))
    return includes


def files_named_in_markdown(text: str) -> Iterator[FileMention]:
    """Link targets in Markdown, and its code spans; code blocks are left out. Offsets are code points."""
    fences = [(fence.start(), fence.end()) for fence in _FENCE.finditer(text)]
    for match in _MARKDOWN.finditer(text):
        if any(start <= match.start() < end for start, end in fences):
            continue
        group = 1 if match[1] is not None else 2
        name = match[group].split("#", 1)[0]
        yield FileMention(match.start(group), match.end(group), unquote(name) if group == 1 else name)
