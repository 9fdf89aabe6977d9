"""The prompt for the assistant's model, and the completion in its reply.

The model sees one open document, as the user sees it, and nothing else: no other file, and never anything of a
problem's hidden part.
"""

from __future__ import annotations

import re

_BEFORE = 6000
_AFTER = 2000
"""Number of characters of the document that are sent."""
_CURSOR = "<CURSOR>"

_TASK = (
    "You complete code in an editor. The user sends a part of a file in which "
    f"{_CURSOR} marks the cursor. Reply with exactly the text to insert at the cursor and nothing else: no"
    " explanation, no Markdown, nothing that is already before or after the cursor. Keep it short: the rest of"
    " the line, or a few lines that belong together. Reply with nothing if there is nothing to add."
)
_FENCE = re.compile(r"\A\s*```[\w+-]*\n(?P<code>.*?)\n?```\s*\Z", re.DOTALL)


def completion_messages(file_name: str, document_text: str, cursor_code_point: int) -> list[dict[str, str]]:
    """The messages that request a completion.

    Args:
        file_name: The file's name, without its folder.
        document_text: The whole document.
        cursor_code_point: The cursor, in code points.
    """
    text_before, text_after = (
        document_text[max(0, cursor_code_point - _BEFORE) : cursor_code_point],
        document_text[cursor_code_point : cursor_code_point + _AFTER],
    )
    marked_text = f"{text_before}{_CURSOR}{text_after}".encode("utf-8", "replace").decode()
    return [
        {"role": "system", "content": _TASK},
        {"role": "user", "content": f"File: {file_name}\n\n{marked_text}"},
    ]


def text_to_insert(reply: str, document_text: str, cursor_code_point: int) -> str:
    """The part of a reply to insert at the cursor; empty if nothing is left."""
    fenced = _FENCE.match(reply)
    code = (fenced["code"] if fenced else reply).replace(_CURSOR, "").rstrip()
    if not code.strip():
        return ""
    line = document_text[document_text.rfind("\n", 0, cursor_code_point) + 1 : cursor_code_point]
    # Models often repeat what is before the cursor, and what follows it.
    if line.strip() and code.startswith(line.lstrip()):
        code = code[len(line.lstrip()) :]
    rest_of_line = document_text[cursor_code_point:].partition("\n")[0].rstrip("\r")
    if rest_of_line.strip() and code.endswith(rest_of_line.strip()):
        code = code[: -len(rest_of_line.strip())].rstrip()
    if "\r\n" in document_text:
        code = code.replace("\r\n", "\n").replace("\n", "\r\n")
    return code
