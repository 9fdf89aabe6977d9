"""Source text as slang's lexer takes it apart: conditions in all branches, macros unexpanded, comments beside."""

from __future__ import annotations

from typing import NamedTuple

_ASCII = bytes(range(128)) + b"\x7f" * 128
_NO_LIMIT = 2**31 - 1


class SourceToken(NamedTuple):
    """One token, and where the one before it ends."""

    kind: str
    """A name of `pyslang.parsing.TokenKind`, such as `SystemIdentifier`."""
    text: str
    start: int
    """In bytes from the start of the file."""
    end: int
    previous_end: int
    """Offset at which the token before this one ends."""


class Comment(NamedTuple):
    """One comment with its marks."""

    text: str
    start: int
    is_closed: bool
    """True if a block comment has its end."""


def as_ascii(content: bytes) -> str:
    """The same length in characters as in bytes; every byte that is not ASCII is a delete character."""
    return content.translate(_ASCII).decode("ascii")


def lexed_tokens(text: str) -> list[SourceToken]:
    """The tokens of a file, the last of which is `EndOfFile`.

    Args:
        text: As `as_ascii` makes it.
    """
    import pyslang  # Imported late: it takes longer than a scan.
    from pyslang.parsing import Lexer, LexerOptions, TokenKind

    lexer_options = LexerOptions()
    # Behind the limit slang reads nothing.
    lexer_options.maxErrors = _NO_LIMIT
    sources, diagnostics = pyslang.SourceManager(), pyslang.Diagnostics()
    memory = pyslang.BumpAllocator()
    lexer = Lexer(sources.assignText(text), memory, diagnostics, sources, lexer_options)
    tokens: list[SourceToken] = []
    end = 0
    while True:
        token = lexer.lex()
        token_kind, raw, start = token.kind, token.rawText, token.location.offset
        previous_end, end = end, start + len(raw)
        tokens.append(SourceToken(token_kind.name, raw, start, end, previous_end))
        if token_kind is TokenKind.EndOfFile:
            return tokens


def comments_before(text: str, token: SourceToken) -> list[Comment]:
    """The comments between a token and the one before it."""
    comments_between = []
    offset = text.find("/", token.previous_end, token.start)
    while offset >= 0:
        if text.startswith("//", offset):
            end = text.find("\n", offset, token.start)
            end = token.start if end < 0 else end
            comments_between.append(Comment(text[offset:end], offset, True))
        else:
            end = text.find("*/", offset + 2, token.start)
            is_closed = end >= 0
            end = end + 2 if is_closed else token.start
            comments_between.append(Comment(text[offset:end], offset, is_closed))
        offset = text.find("/", end, token.start)
    return comments_between
