"""The tokens of source code, even if broken: comments, strings, numbers, keywords, names (IEEE 1800-2023, clause 5)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

from benchwright_verilog.syntax.keywords import RESERVED
from benchwright_verilog.syntax.units import ItemText


class TokenKind(Enum):
    """Kind of a word by its letters alone."""

    COMMENT = "comment"
    STRING = "string"
    NUMBER = "number"
    KEYWORD = "keyword"
    DIRECTIVE = "directive"
    """A grave accent and a name: `` `define``, or a macro's use."""
    SYSTEM = "system"
    """A dollar sign and a name."""
    NAME = "name"
    MARK = "mark"
    """One character of punctuation."""


@dataclass(frozen=True, slots=True)
class WordToken:
    """One word, by UTF-8 bytes."""

    token_kind: TokenKind
    start: int
    end: int
    text: bytes
    """Of comments and strings only the first characters are of interest, but all are here."""


_TOKEN = re.compile(
    rb"""
    (?P<comment>//[^\r\n]*|/\*.*?(?:\*/|\Z))
    |(?P<string>\"\"\".*?(?:\"\"\"|\Z)|"(?:[^"\\\r\n]|\\\r\n|\\.)*"?)
    |(?P<directive>`[A-Za-z_][\w$]*)
    |(?P<system>\$[A-Za-z_$][\w$]*)
    |(?P<number>\d[\d_]*\.\d[\d_]*(?:[eE][+-]?\d[\d_]*)?(?:[munpf]?s\b)?|\d[\d_]*[eE][+-]?\d[\d_]*
        |(?:\d[\d_]*[ \t]*)?'[sS]?[bBoOdDhH][ \t]*[\da-fA-FxXzZ?_]+|'[01xXzZ](?![\w$])|\d[\d_]*(?:[munpf]?s\b)?)
    |(?P<name>[A-Za-z_\x80-\xff][\w$\x80-\xff]*|\\[^\s]+)
    |(?P<mark>[(){}\[\];:,.\#@=])
    """,
    re.VERBOSE | re.DOTALL,
)
_KINDS = {kind.value: kind for kind in TokenKind}

KEYWORDS = frozenset(word.encode() for word in RESERVED)


def tokens_of(item_text: ItemText) -> list[WordToken]:
    """The words of a unit. They are many, so what is made of them is kept and not they themselves."""
    return list(_tokens(item_text.data))


def _tokens(data: bytes) -> Iterator[WordToken]:
    for match in _TOKEN.finditer(data):
        text = match[0]
        token_kind = _KINDS[match.lastgroup or ""]
        if token_kind is TokenKind.NAME and text in KEYWORDS:
            token_kind = TokenKind.KEYWORD
        yield WordToken(token_kind, match.start(), match.end(), text)
