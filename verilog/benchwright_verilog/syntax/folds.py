"""Ranges that can be folded, found by words alone: nothing has to be complete for it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from lsprotocol.types import FoldingRangeKind

from benchwright_verilog.syntax.tokens import TokenKind, WordToken, tokens_of
from benchwright_verilog.syntax.units import ItemText, TopLevelItem


@dataclass(frozen=True)
class FoldingSpan:
    """A range of UTF-8 bytes that can be folded."""

    start: int
    end: int
    kind: FoldingRangeKind | None = None
    hides_last_line: bool = False
    """True if its last line can go too, because what closes it is not there."""


_CLOSERS: dict[bytes, frozenset[bytes]] = {
    b"end": frozenset({b"begin"}),
    b"endmodule": frozenset({b"module", b"macromodule"}),
    b"endinterface": frozenset({b"interface"}),
    b"endpackage": frozenset({b"package"}),
    b"endprogram": frozenset({b"program"}),
    b"endprimitive": frozenset({b"primitive"}),
    b"endconfig": frozenset({b"config"}),
    b"endchecker": frozenset({b"checker"}),
    b"endclass": frozenset({b"class"}),
    b"endfunction": frozenset({b"function"}),
    b"endtask": frozenset({b"task"}),
    b"endcase": frozenset({b"case", b"casex", b"casez", b"randcase"}),
    b"endgenerate": frozenset({b"generate"}),
    b"endspecify": frozenset({b"specify"}),
    b"endtable": frozenset({b"table"}),
    b"endgroup": frozenset({b"covergroup"}),
    b"endclocking": frozenset({b"clocking"}),
    b"endproperty": frozenset({b"property"}),
    b"endsequence": frozenset({b"sequence", b"randsequence"}),
    b"join": frozenset({b"fork"}),
    b"join_any": frozenset({b"fork"}),
    b"join_none": frozenset({b"fork"}),
    b")": frozenset({b"("}),
    b"]": frozenset({b"["}),
    b"}": frozenset({b"{"}),
}
_OPENERS = frozenset(opener for openers in _CLOSERS.values() for opener in openers)
_WITH_HEAD = _OPENERS - {b"begin", b"fork", b"generate", b"specify", b"table", b"(", b"[", b"{"} - _CLOSERS[b"endcase"]
"""Openers with a head up to a semicolon; the fold begins after it, so that a list of ports in it folds by itself."""
_NOT_AFTER = {b"fork": frozenset({b"disable", b"wait"}), b"interface": frozenset({b"virtual"})}
_BRANCHES = frozenset({b"`elsif", b"`else", b"`endif"})
_CONDITIONS = frozenset({b"`ifdef", b"`ifndef"})


@dataclass
class _OpenFold:
    word: bytes
    start: int
    is_in_head: bool


def folds_without_conditionals(item_text: ItemText) -> list[FoldingSpan]:
    """The folds of a unit, those of conditional compilation left out: these may hold several units."""
    tokens = tokens_of(item_text)
    return [*_block_folds(tokens), *_comment_folds(item_text, tokens), *_import_folds(tokens)]


def conditional_directives_and_starts(item_text: ItemText) -> tuple[tuple[bytes, int], ...]:
    """The directives of conditional compilation in a unit, and where each begins; see `Shape.kept_result`."""
    if b"`" not in item_text.data:
        return ()
    return tuple(
        (token.text, token.start)
        for token in tokens_of(item_text)
        if token.token_kind is TokenKind.DIRECTIVE and token.text in _CONDITIONS | _BRANCHES
    )


def conditional_folds(units: Sequence[TopLevelItem]) -> Iterator[FoldingSpan]:
    """The branches of conditional compilation in a whole text."""
    branch_starts: list[int] = []
    for unit in units:
        for word, start in unit.item_text.kept_result(conditional_directives_and_starts):
            offset = unit.start + start
            if word in _BRANCHES and branch_starts:
                yield FoldingSpan(branch_starts.pop(), offset)
            if word in _CONDITIONS or word in (b"`elsif", b"`else"):
                branch_starts.append(offset + len(word))


def _block_folds(tokens: Sequence[WordToken]) -> Iterator[FoldingSpan]:
    open_folds: list[_OpenFold] = []
    previous_word = b""
    for token in tokens:
        if token.token_kind not in (TokenKind.KEYWORD, TokenKind.MARK):
            previous_word = token.text if token.token_kind is not TokenKind.COMMENT else previous_word
            continue
        word = token.text
        if word in _CLOSERS:
            openers = _CLOSERS[word]
            index = next(
                (index for index in range(len(open_folds) - 1, -1, -1) if open_folds[index].word in openers), -1
            )
            # What was opened since and is not closed is dropped. A bracket closes nothing outside its block.
            if index >= 0 and (len(word) > 1 or all(open_.word in _BRACKETS for open_ in open_folds[index:])):
                yield FoldingSpan(open_folds[index].start, token.start)
                del open_folds[index:]
        elif word in _OPENERS and previous_word not in _NOT_AFTER.get(word, frozenset()):
            open_folds.append(_OpenFold(word, token.end, word in _WITH_HEAD))
        elif word == b";" and open_folds and open_folds[-1].is_in_head:
            open_folds[-1].start, open_folds[-1].is_in_head = token.end, False
        previous_word = word


_BRACKETS = frozenset({b"(", b"[", b"{"})


def _comment_folds(item_text: ItemText, tokens: Sequence[WordToken]) -> Iterator[FoldingSpan]:
    """Block comments, and line comments that follow each other with nothing else on their lines."""
    lines = item_text.lines
    comment_run: list[WordToken] = []
    regions: list[int] = []
    for token in tokens:
        is_line = token.token_kind is TokenKind.COMMENT and token.text.startswith(b"//")
        if is_line:
            comment_words = token.text.lstrip(b"/ \t#").split(None, 1)
            if comment_words and comment_words[0] == b"region":
                regions.append(token.end)
            elif comment_words and comment_words[0] == b"endregion" and regions:
                yield FoldingSpan(regions.pop(), token.end, FoldingRangeKind.Region, hides_last_line=True)
        stands_alone = is_line and not item_text.data[_line_start_byte(item_text, token.start) : token.start].strip()
        follows = comment_run and lines.line_index_of_byte(comment_run[-1].start) + 1 == lines.line_index_of_byte(
            token.start
        )
        if not (stands_alone and follows):
            yield from _fold_of_run_if_several(comment_run, FoldingRangeKind.Comment)
            comment_run = []
        if stands_alone:
            comment_run.append(token)
        elif token.token_kind is TokenKind.COMMENT and not is_line:
            yield FoldingSpan(token.start + 2, token.end, FoldingRangeKind.Comment, hides_last_line=True)
    yield from _fold_of_run_if_several(comment_run, FoldingRangeKind.Comment)


def _import_folds(tokens: Sequence[WordToken]) -> Iterator[FoldingSpan]:
    """Imports and includes that follow each other."""
    code_tokens = [token for token in tokens if token.token_kind is not TokenKind.COMMENT]
    import_run: list[WordToken] = []
    index = 0
    while index < len(code_tokens):
        end_index = index
        if code_tokens[index].text == b"`include":
            end_index = index + 2
        elif code_tokens[index].text == b"import":
            end_index = next(
                (end + 1 for end in range(index, min(index + 64, len(code_tokens))) if code_tokens[end].text == b";"),
                index,
            )
        if end_index == index:
            yield from _fold_of_run_if_several(import_run, FoldingRangeKind.Imports)
            import_run = []
            index += 1
        else:
            import_run += code_tokens[index:end_index]
            index = end_index
    yield from _fold_of_run_if_several(import_run, FoldingRangeKind.Imports)


def _fold_of_run_if_several(token_run: Sequence[WordToken], kind: FoldingRangeKind) -> Iterator[FoldingSpan]:
    if len(token_run) > 1:
        yield FoldingSpan(token_run[0].end, token_run[-1].end, kind, hides_last_line=True)


def _line_start_byte(item_text: ItemText, byte: int) -> int:
    return item_text.lines.to_byte(item_text.lines.line_bounds(item_text.lines.line_index_of_byte(byte) + 1)[0])
