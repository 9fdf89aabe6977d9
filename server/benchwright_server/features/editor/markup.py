"""Markdown in the form that a client shows."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from lsprotocol import types

if TYPE_CHECKING:
    from benchwright_server.editor_server import EditorServer


def supported_markup(server: EditorServer, formats_capability_path: str, markdown: str) -> types.MarkupContent:
    """Markdown in the first form that the client supports; as it is if the client does not say."""
    formats = server.client.capability_strings(formats_capability_path)
    if formats and "markdown" not in formats:
        return types.MarkupContent(types.MarkupKind.PlainText, without_markdown_marks(markdown))
    return types.MarkupContent(types.MarkupKind.Markdown, markdown)


def without_markdown_marks(markdown: str) -> str:
    """Markdown as we write it, without its marks."""
    lines = [line.rstrip() for line in markdown.splitlines() if not re.match(r"```|\|[ -|]*\|$", line)]
    plain_lines = (re.sub(r" ?\| ?", "  ", line).strip() if line.startswith("|") else line for line in lines)
    return "\n".join(plain_lines).replace("`", "")
