"""The code that can be written at the cursor, judged by the code before it.

| code, with the cursor at `‸` | expected |
| --- | --- |
| `module m; ‸` | an item |
| `always_comb begin ‸` | a statement |
| `assign y = a & ‸` | an expression |
| `fifo u_fifo (.‸` | the name of a port of `fifo` |
| `import pkg::‸` | something that `pkg` declares |
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum

from benchwright_verilog.language.blocks import BLOCKS, open_blocks_and_is_procedural
from benchwright_verilog.language.completion.calls import (
    CallKind,
    OpenCall,
    call_of_innermost_bracket,
    hierarchical_name_before,
    innermost_call_around,
    is_identifier,
    trailing_index_count,
)
from benchwright_verilog.language.explanation.tokens import (
    CLOSING,
    OPENING,
    CodeToken,
    CodeTokenKind,
    opening_bracket_index,
    tokens_between,
)
from benchwright_verilog.syntax.keywords import RESERVED, split_words


class ExpectedCode(Enum):
    """The kind of code that can be written."""

    NOTHING = "nothing"
    """A new name, an operator, or text that is not code."""
    TOP = "top"
    ITEM = "item"
    STATEMENT = "statement"
    EXPRESSION = "expression"
    TYPE = "type"
    PORT_DECLARATION = "port declaration"
    CONNECTION = "connection"
    """The next connection of an instance: `.name(…)`, or an expression by position."""
    CONNECTED_NAME = "connected name"
    """After the dot of `.name(…)`."""
    MEMBER = "member"
    """After the dot of a hierarchical name."""
    SCOPED = "scoped"
    """After `::`."""
    PACKAGE = "package"
    MACRO = "macro"
    """After a backtick."""
    MACRO_NAME = "macro name"
    """After `ifdef` and the like."""
    SYSTEM = "system"
    INCLUDE = "include"


@dataclass(frozen=True)
class Cursor:
    """A cursor and the code around it. Offsets are code points."""

    expected_code: ExpectedCode
    word_start: int
    """Start of the word at the cursor."""
    offset: int
    word_end: int
    """End of that word, which may be behind the cursor."""
    word: str
    """The part of it before the cursor."""
    path: tuple[str, ...] = ()
    """The path before the dot or the `::`, with its own separators."""
    path_index_count: int = 0
    """Number of indices between that path and the dot."""
    call: OpenCall | None = None
    """The call, instantiation or declaration around the cursor."""
    assigned_path: tuple[str, ...] = ()
    """The path that a value is assigned to here, or compared with: `a.b` in `a.b <= ‸`, `a.b == ‸`, `case (a.b) ‸` and
    `a.b inside {‸`."""
    assigned_index_count: int = 0
    """Number of indices behind that path: 1 in `a.b[0] = ‸`."""
    is_procedural: bool = False
    open_blocks: tuple[str, ...] = ()
    """The blocks that are open, the outermost first."""


_WINDOW = 8_000
"""Number of characters before the cursor that are read."""
_SHORT = 1_000
"""Up to this many characters, everything is read."""
_BEGINNING = re.compile(
    r"(?m)^[ \t]*(?:(?:end)?(?:module|interface|package|program|class)\b|(?:macro)module\b)(?!.*\bimport\b)"
)
_ITEM = re.compile(r"(?m)^[ \t]*(?:always(?:_comb|_ff|_latch)?|initial|final|assign|function|task)\b")
_WORD_BEFORE = re.compile(r"[`$]?(?:[A-Za-z_][\w$]*)?\Z")
_WORD_AFTER = re.compile(r"[\w$]*")
_INCLUDE = re.compile(r'`include\s*["<]([^">\r\n]*)\Z')

_LINE_DIRECTIVES = frozenset(
    split_words(
        "`timescale `default_nettype `define `line `pragma `undef `ifdef `ifndef `elsif `include `begin_keywords "
        "`unconnected_drive"
    )
)
_LONE_DIRECTIVES = frozenset({"`else", "`endif", "`resetall", "`celldefine", "`endcelldefine", "`nounconnected_drive"})
_STARTERS = (
    {"begin", "end", "else", "join", "join_any", "join_none", "generate", "fork", "forever", "do", "unique", "unique0"}
    | {"priority", "initial", "final", "always", "always_comb", "always_latch", "endspecify"}
    | set(BLOCKS.values())
)
_CONTROLS = {"if", "while", "for", "foreach", "repeat", "always", "wait", "always_ff", "always_latch", "always_comb"}
_EXPRESSION_AFTER = frozenset(
    split_words(
        "return assign posedge negedge edge or and iff inside with dist force release deassign not case casex casez "
        "until throughout within intersect disable if while repeat matches accept_on reject_on"
    )
)
_TYPE_AFTER = frozenset(
    split_words(
        "typedef input output inout ref parameter localparam const var static automatic function virtual extends "
        "rand randc implements local protected type"
    )
)


def cursor_at(text: str, cursor_code_point: int) -> Cursor:
    """The cursor at a code point, and what can be written there."""
    window_start = _nearest_module_or_item_start(text, cursor_code_point)
    read_tokens = tokens_between(text, window_start, cursor_code_point)
    word = _word_before(text, cursor_code_point)
    start = cursor_code_point - len(word)
    tail = _WORD_AFTER.match(text, cursor_code_point)
    end = tail.end() if tail and word[:1] != "$" else cursor_code_point
    if (
        read_tokens
        and read_tokens[-1].token_kind is CodeTokenKind.COMMENT
        and _is_open_comment(text, read_tokens[-1], cursor_code_point)
    ):
        return Cursor(ExpectedCode.NOTHING, cursor_code_point, cursor_code_point, cursor_code_point, "")
    included = _INCLUDE.search(text, max(window_start, cursor_code_point - 300), cursor_code_point)
    if included:
        return _include_cursor(text, included, cursor_code_point)
    if (
        read_tokens
        and read_tokens[-1].token_kind is CodeTokenKind.STRING
        and read_tokens[-1].end == cursor_code_point
        and not _is_closed_string(read_tokens[-1].text)
    ):
        return Cursor(ExpectedCode.NOTHING, cursor_code_point, cursor_code_point, cursor_code_point, "")
    if read_tokens and read_tokens[-1].token_kind is CodeTokenKind.NUMBER and read_tokens[-1].end == cursor_code_point:
        return Cursor(ExpectedCode.NOTHING, cursor_code_point, cursor_code_point, cursor_code_point, "")
    code = _without_comments_and_directives(text, [token for token in read_tokens if token.end <= start], start)
    blocks, is_procedural = open_blocks_and_is_procedural(code)
    call = innermost_call_around(code)
    assigned_end = _assigned_path_end_index(code) or _compared_path_end_index(code, blocks)
    unplaced = Cursor(
        ExpectedCode.NOTHING,
        start,
        cursor_code_point,
        end,
        word,
        (),
        trailing_index_count(code, len(code) - 1),
        call,
        hierarchical_name_before(code, assigned_end),
        trailing_index_count(code, assigned_end),
        is_procedural,
        tuple(blocks),
    )
    expected_code, path = _expected_and_path(text, code, unplaced)
    return replace(unplaced, expected_code=expected_code, path=path)


def call_at(text: str, cursor_code_point: int) -> OpenCall | None:
    """The call, instantiation or parameter list around a code point."""
    window_start = _nearest_module_or_item_start(text, cursor_code_point)
    read_tokens = tokens_between(text, window_start, cursor_code_point)
    if (
        read_tokens
        and read_tokens[-1].token_kind is CodeTokenKind.COMMENT
        and _is_open_comment(text, read_tokens[-1], cursor_code_point)
    ):
        return None
    return innermost_call_around(_without_comments_and_directives(text, read_tokens, cursor_code_point))


def _nearest_module_or_item_start(text: str, offset: int) -> int:
    """The place to start reading: at the header of a module if it is near, else at an item."""
    far = max(0, offset - _WINDOW)
    if offset <= _SHORT:
        return 0
    for pattern in (_BEGINNING, _ITEM) if far else (_BEGINNING,):
        match_starts = [match.start() for match in pattern.finditer(text, far, offset)]
        while match_starts and text.rfind("/*", far, match_starts[-1]) > text.rfind("*/", far, match_starts[-1]):
            match_starts.pop()
        if match_starts:
            return match_starts[-1]
    return text.find("\n", far) + 1 if far else 0


def _word_before(text: str, offset: int) -> str:
    match = _WORD_BEFORE.search(text, max(0, offset - 200), offset)
    word = match[0] if match else ""
    # `8'hff` and `12ab` are numbers, not words.
    character_before = text[offset - len(word) - 1 : offset - len(word)]
    return (
        ""
        if character_before and (character_before.isdigit() or character_before == "'") and word[:1] not in "`$"
        else word
    )


def _is_open_comment(text: str, comment_token: CodeToken, offset: int) -> bool:
    if comment_token.text.startswith("//"):
        return not any(end in text[comment_token.end : offset] for end in "\r\n")
    return comment_token.end == offset and not (len(comment_token.text) >= 4 and comment_token.text.endswith("*/"))


def _is_closed_string(string_token_text: str) -> bool:
    return len(string_token_text) >= 2 and string_token_text.endswith('"')


def _include_cursor(text: str, include_match: re.Match[str], offset: int) -> Cursor:
    name = include_match[1]
    start = offset - len(name.rpartition("/")[2])
    tail = re.compile(r'[^"/>\s]*').match(text, offset)
    return Cursor(
        ExpectedCode.INCLUDE,
        start,
        offset,
        tail.end() if tail else offset,
        text[start:offset],
        (name[: start - offset or None],),
    )


def _without_comments_and_directives(text: str, read_tokens: Sequence[CodeToken], offset: int) -> list[CodeToken]:
    """Tokens that are code: without comments, and without directives on lines of their own that have ended."""
    code: list[CodeToken] = []
    skip_until = -1
    for token in read_tokens:
        if token.start < skip_until or token.token_kind is CodeTokenKind.COMMENT:
            continue
        if token.token_kind is CodeTokenKind.MACRO and token.text in _LINE_DIRECTIVES:
            ending = _end_of_continued_line(text, token.end)
            if ending < offset:
                skip_until = ending
                continue
        elif token.token_kind is CodeTokenKind.MACRO and token.text in _LONE_DIRECTIVES:
            continue
        code.append(token)
    return code


def _end_of_continued_line(text: str, offset: int) -> int:
    while True:
        ending = text.find("\n", offset)
        if ending < 0:
            return len(text)
        if text[offset:ending].rstrip("\r").endswith("\\"):
            offset = ending + 1
            continue
        return ending


def _expected_and_path(text: str, code: Sequence[CodeToken], cursor: Cursor) -> tuple[ExpectedCode, tuple[str, ...]]:
    word = cursor.word
    last_token = code[-1] if code else None
    if (
        last_token is not None
        and last_token.token_kind is CodeTokenKind.MACRO
        and last_token.text in ("`ifdef", "`ifndef", "`elsif", "`undef")
    ):
        return ExpectedCode.MACRO_NAME, ()
    if word.startswith("`"):
        return ExpectedCode.MACRO, ()
    if word.startswith("$"):
        return ExpectedCode.SYSTEM, ()
    if last_token is None:
        return ExpectedCode.TOP, ()
    if last_token.text == "." and last_token.token_kind is CodeTokenKind.SYMBOL:
        return _expected_after_dot(code, cursor)
    if last_token.text == "::":
        return ExpectedCode.SCOPED, hierarchical_name_before(code, len(code) - 1)
    if last_token.text == "import" or (last_token.text == "," and _is_in_import(code)):
        return ExpectedCode.PACKAGE, ()
    direct = call_of_innermost_bracket(code)
    if last_token.text in ("(", ",") and last_token.token_kind is CodeTokenKind.SYMBOL and direct is not None:
        if direct.call_kind is CallKind.HEAD:
            return ExpectedCode.PORT_DECLARATION, ()
        if direct.call_kind in (CallKind.PORTS, CallKind.PARAMETERS):
            return ExpectedCode.CONNECTION, ()
        return ExpectedCode.EXPRESSION, ()
    return _expected_after_token(text, code, cursor, last_token), ()


def _is_in_import(code: Sequence[CodeToken]) -> bool:
    for token in reversed(code):
        if token.text == ";":
            return False
        if token.text == "import":
            return True
        if token.token_kind is CodeTokenKind.SYMBOL and token.text not in (",", "::", "*"):
            return False
    return False


def _expected_after_dot(code: Sequence[CodeToken], cursor: Cursor) -> tuple[ExpectedCode, tuple[str, ...]]:
    previous_token = code[-2] if len(code) > 1 else None
    if previous_token is None:
        return ExpectedCode.NOTHING, ()
    if previous_token.text in ("(", ","):
        direct = call_of_innermost_bracket(code[:-1])
        if direct is not None and direct.call_kind is not CallKind.HEAD:
            return ExpectedCode.CONNECTED_NAME, ()
    if previous_token.text == ")" and cursor.call is not None and cursor.call.call_kind is CallKind.PORTS:
        # A comma is missing: `.a(x) .‸`.
        opening = opening_bracket_index(code, len(code) - 2)
        if opening >= 2 and code[opening - 2].text == ".":
            return ExpectedCode.CONNECTED_NAME, ()
    return ExpectedCode.MEMBER, hierarchical_name_before(code, len(code) - 1)


def _expected_after_token(text: str, code: Sequence[CodeToken], cursor: Cursor, last_token: CodeToken) -> ExpectedCode:
    if last_token.token_kind is CodeTokenKind.WORD and last_token.text in RESERVED:
        return _expected_after_keyword(code, cursor, last_token)
    if last_token.token_kind is CodeTokenKind.SYMBOL:
        return _expected_after_symbol(code, cursor, last_token)
    if last_token.token_kind is CodeTokenKind.MACRO:
        # A macro may stand for a whole item; on the same line what comes next can't be known.
        return (
            _expected_where_item_begins(cursor)
            if "\n" in text[last_token.end : cursor.word_start]
            else ExpectedCode.NOTHING
        )
    if last_token.token_kind is CodeTokenKind.WORD and _ends_with_block_label(code):
        return _expected_where_item_begins(cursor)
    return ExpectedCode.NOTHING


def _expected_after_keyword(code: Sequence[CodeToken], cursor: Cursor, last_token: CodeToken) -> ExpectedCode:
    if last_token.text in _STARTERS:
        return _expected_where_item_begins(cursor)
    if last_token.text in _EXPRESSION_AFTER:
        return ExpectedCode.EXPRESSION
    if last_token.text in _TYPE_AFTER:
        return ExpectedCode.TYPE
    return ExpectedCode.NOTHING


def _expected_after_symbol(code: Sequence[CodeToken], cursor: Cursor, last_token: CodeToken) -> ExpectedCode:
    mark = last_token.text
    if mark == ";":
        return _expected_where_item_begins(cursor)
    if mark == ")":
        opening = opening_bracket_index(code, len(code) - 1)
        previous_token = code[opening - 1] if opening > 0 else None
        if previous_token is None:
            return ExpectedCode.NOTHING
        if previous_token.text in ("case", "casex", "casez", "inside"):
            return ExpectedCode.EXPRESSION
        if previous_token.text in _CONTROLS or previous_token.text in ("@", "#"):
            return (
                ExpectedCode.NOTHING
                if previous_token.text == "#" and opening > 1 and is_identifier(code[opening - 2])
                else _expected_where_item_begins(cursor)
            )
        if previous_token.token_kind is CodeTokenKind.MACRO:
            return _expected_where_item_begins(cursor)
        return ExpectedCode.NOTHING
    if mark == ":":
        if len(code) > 1 and code[-2].text in _STARTERS:
            return ExpectedCode.NOTHING
        if (
            cursor.open_blocks[-1:]
            and cursor.open_blocks[-1].endswith("case")
            and not _has_question_mark_in_statement(code)
        ):
            return ExpectedCode.STATEMENT if cursor.is_procedural else ExpectedCode.ITEM
        return ExpectedCode.EXPRESSION
    if mark == "*":
        # `@*` and `@(*)` end there.
        return ExpectedCode.STATEMENT if len(code) > 1 and code[-2].text == "@" else ExpectedCode.EXPRESSION
    if mark in CLOSING or mark in ("#", "##", ".*", "'"):
        return ExpectedCode.NOTHING
    if mark == ",":
        return ExpectedCode.EXPRESSION if cursor.call or _is_comma_between_values(code) else ExpectedCode.NOTHING
    return ExpectedCode.EXPRESSION


def _is_comma_between_values(code: Sequence[CodeToken]) -> bool:
    """True if a comma separates values, not the names of a declaration."""
    depth = 0
    for token in reversed(code):
        if token.token_kind is CodeTokenKind.SYMBOL:
            if token.text in CLOSING:
                depth += 1
            elif token.text in OPENING:
                if depth == 0:
                    return True
                depth -= 1
            elif token.text == ";":
                return False
        elif depth == 0 and token.text in ("assign", "case"):
            return True
    return False


def _has_question_mark_in_statement(code: Sequence[CodeToken]) -> bool:
    for token in reversed(code):
        if token.text == "?":
            return True
        if token.text in (";", "begin", "end", "endcase", "case", "casez", "casex"):
            return False
    return False


def _ends_with_block_label(code: Sequence[CodeToken]) -> bool:
    """True if the last word is the name of `begin : name` or `endmodule : name`."""
    return len(code) > 2 and code[-2].text == ":" and code[-3].text in _STARTERS


def _expected_where_item_begins(cursor: Cursor) -> ExpectedCode:
    if cursor.is_procedural:
        return ExpectedCode.STATEMENT
    if not cursor.open_blocks:
        return ExpectedCode.TOP
    return ExpectedCode.TYPE if cursor.open_blocks[-1] == "struct" else ExpectedCode.ITEM


_COMPARISONS = frozenset({"==", "!=", "===", "!==", "==?", "!=?"})
_CASES = frozenset({"case", "casex", "casez"})


def _compared_path_end_index(code: Sequence[CodeToken], blocks: Sequence[str]) -> int:
    """The number of tokens up to the path that is compared with the cursor's, or is in the `case (…)` around it."""
    if code and code[-1].text in _COMPARISONS:
        return len(code) - 1
    opening = _innermost_open_bracket_index(code)
    if opening is not None and code[opening - 1].text == "inside":
        return opening - 1
    if not blocks or blocks[-1] != "procedural case":
        return 0
    depth = 0
    for index in range(len(code) - 1, -1, -1):
        if code[index].text == "endcase":
            depth += 1
        elif code[index].text in _CASES:
            depth -= 1
            if depth < 0:
                end = _closing_bracket_index(code, index + 1)
                # Only what is nothing but a path has a type that is known.
                return (
                    end
                    if all(token.text in (".", "::") or _is_part_of_path(token) for token in code[index + 2 : end])
                    else 0
                )
    return 0


def _is_part_of_path(token: CodeToken) -> bool:
    return is_identifier(token) or token.text in ("[", "]", "this") or token.token_kind is CodeTokenKind.NUMBER


def _closing_bracket_index(code: Sequence[CodeToken], opening_index: int) -> int:
    """The bracket that closes another; the end of the tokens if none does."""
    depth = 0
    for index in range(opening_index, len(code)):
        if code[index].token_kind is CodeTokenKind.SYMBOL:
            depth += (code[index].text in OPENING) - (code[index].text in CLOSING)
            if depth == 0:
                return index
    return len(code)


def _innermost_open_bracket_index(code: Sequence[CodeToken]) -> int | None:
    """The innermost bracket that is open at the end."""
    depth = 0
    for index in range(len(code) - 1, 0, -1):
        if code[index].token_kind is CodeTokenKind.SYMBOL:
            depth += (code[index].text in CLOSING) - (code[index].text in OPENING)
            if depth < 0:
                return index
            if code[index].text == ";":
                return None
    return None


def _assigned_path_end_index(code: Sequence[CodeToken]) -> int:
    """The number of tokens up to the `=` or `<=` before the cursor, whose left side is assigned."""
    depth = 0
    for index in range(len(code) - 1, -1, -1):
        token = code[index]
        if token.token_kind is CodeTokenKind.SYMBOL:
            if token.text in CLOSING:
                depth += 1
            elif token.text in OPENING:
                depth -= 1
                if depth < 0:
                    depth = 0
            elif token.text == ";":
                return 0
            elif token.text in ("=", "<=", "+=", "-=", "&=", "|=", "^=") and depth == 0:
                return index
        elif (
            token.token_kind is CodeTokenKind.WORD
            and depth == 0
            and token.text in ("begin", "if", "else", "while", "for", "return")
        ):
            return 0
    return 0
