"""The words of a piece of text, also of one that is half typed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import Enum
from typing import NamedTuple


class CodeTokenKind(Enum):
    """The kind of a token."""

    WORD = "word"
    """An identifier or keyword, an escaped identifier too."""
    SYSTEM = "system"
    """`$display`, or a lone `$`."""
    MACRO = "macro"
    """A directive or the use of a macro, with its backtick."""
    NUMBER = "number"
    STRING = "string"
    COMMENT = "comment"
    SYMBOL = "symbol"


class CodeToken(NamedTuple):
    """One token. Offsets are code points of the whole text."""

    token_kind: CodeTokenKind
    text: str
    start: int
    end: int


_TOKEN = re.compile(
    r"(?P<comment>//[^\r\n]*|/\*.*?(?:\*/|\Z))"
    r'|(?P<string>"(?:[^"\\\r\n]|\\(?:\r\n|.))*"?)'
    r"|(?P<number>[0-9][0-9_]*(?:\.[0-9_]+)?(?:[eE][+-]?[0-9]+)?(?:\s*'[sS]?[bodhBODH]\s*[0-9a-fA-FxXzZ?_]+)?"
    r"|'[sS]?[bodhBODH]\s*[0-9a-fA-FxXzZ?_]+|'[01xXzZ](?![\w$]))"
    r"|(?P<word>[A-Za-z_][\w$]*|\\[!-~]+)"
    r"|(?P<system>\$[\w$]*)"
    r"|(?P<macro>`[A-Za-z_][\w$]*|``?|`\")"
    r"|(?P<symbol>::|<<<=|>>>=|<<=|>>=|<=|>=|===|!==|==\?|!=\?|==|!=|&&|\|\||<->|->>|->|=>|\*>|<<<|>>>|<<|>>"
    r"|\+\+|--|\+=|-=|\*=|/=|%=|&=|\|=|\^=|\.\*|##|#=#|#-#|@@|\*\*|'\{|'\(|[^\s\w])",
    re.DOTALL,
)
_KINDS = {kind.value: kind for kind in CodeTokenKind}


def tokens_between(text: str, start_offset: int, end_offset: int) -> list[CodeToken]:
    """The tokens between two offsets; one that crosses the end is cut there."""
    return [
        CodeToken(_KINDS[match.lastgroup or "symbol"], match[0], *match.span())
        for match in _TOKEN.finditer(text, start_offset, end_offset)
    ]


OPENING = frozenset({"(", "[", "{", "'{", "'("})
CLOSING = frozenset({")", "]", "}"})


def opening_bracket_index(code: Sequence[CodeToken], closing_index: int) -> int:
    """The index of the bracket that the one at `closing_index` closes; -1 where there is none."""
    depth = 0
    for index in range(closing_index, -1, -1):
        text = code[index].text
        if code[index].token_kind is not CodeTokenKind.SYMBOL:
            continue
        if text in CLOSING:
            depth += 1
        elif text in OPENING:
            depth -= 1
            if depth == 0:
                return index
    return -1
