"""The comments that document a declaration: lines above it, and what follows on its last line."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

_RULER = re.compile(r"[\s\-=*/#+~_.]*")
_TOOL = re.compile(r"\s*(?:verilator|verible|synopsys|synthesis|pragma|spyglass|verilog_format|slang)\b", re.IGNORECASE)
_TRAILING = re.compile(r"[\s,;)]*?[ \t]*(?://[/!<]*(?P<line>[^\r\n]*)|/\*[*!<]*(?P<block>.*?)\*/[ \t,;]*(?=[\r\n]|\Z))")
_MOST_LINES = 60


def documentation_around(text: str, declaration_start: int, declaration_end: int) -> str:
    """Return the text of the comments around a declaration, as Markdown; empty where there are none.

    Args:
        text: The text of the declaring file, or of as much around the declaration as matters.
        declaration_start: Start of the declaration.
        declaration_end: End of the declaration.
    """
    comment_texts = [_leading_comment(text, declaration_start), _trailing_comment(text, declaration_end)]
    return "\n\n".join(part for part in comment_texts if part)


def _leading_comment(text: str, declaration_start: int) -> str:
    line = text.rfind("\n", 0, declaration_start) + 1
    if text[line:declaration_start].strip():
        return ""
    lines_above: list[str] = []
    is_block = False
    while line > 0 and len(lines_above) < _MOST_LINES:
        line_before = text.rfind("\n", 0, line - 1) + 1
        content = text[line_before : line - 1].strip()
        if is_block or (content.endswith("*/") and (content.startswith("/*") or "/*" not in content)):
            lines_above.append(content)
            is_block = not content.startswith("/*")
        elif content.startswith("//"):
            lines_above.append(content)
        elif not (content.startswith("(*") and content.endswith("*)")):
            break
        line = line_before
    return "" if is_block else _text_of_comment_lines(reversed(lines_above))


def _trailing_comment(text: str, declaration_end: int) -> str:
    line_end = re.compile(r"[\r\n]|\Z").search(text, declaration_end)
    limit = line_end.start() if line_end else len(text)
    match = _TRAILING.match(text, declaration_end, limit)
    if match is None:
        return ""
    return _text_of_comment_lines([match["line"] if match["line"] is not None else match["block"]])


def _text_of_comment_lines(lines: Iterable[str]) -> str:
    kept_lines: list[str] = []
    for line in lines:
        content = re.sub(r"\s*\*+/\s*$", "", re.sub(r"^\s*(?://[/!<]*|/\*[*!<]*|\*(?!/))", "", line)).rstrip()
        if _TOOL.match(content):
            continue
        kept_lines.append("" if _RULER.fullmatch(content) else content)
    return "\n".join(_dedent_all_but_first(kept_lines)).strip()


def _dedent_all_but_first(lines: Sequence[str]) -> list[str]:
    # The first line of a block comment begins behind its opening, the others behind a star.
    first_line, other_lines = (lines[0].lstrip(), lines[1:]) if lines else ("", [])
    margin = min((len(line) - len(line.lstrip()) for line in other_lines if line), default=0)
    return [first_line, *(line[margin:] for line in other_lines)]
