"""Ranges that can be folded, found by words alone: nothing has to be complete for it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from lsprotocol.types import FoldingRangeKind

from benchwright_verilog.syntax.tokens import Token, TokenKind, tokens_of
from benchwright_verilog.syntax.units import Shape, Unit


@dataclass(frozen=True)
class Fold:
    """A range of UTF-8 bytes that can be folded."""

    start: int
    end: int
    kind: FoldingRangeKind | None = None
    hides_last: bool = False
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
    in_head: bool


def folds_of(shape: Shape) -> list[Fold]:
    """The folds of a unit, those of conditional compilation left out: these may hold several units."""
    tokens = tokens_of(shape)
    return [*_blocks(tokens), *_comments(shape, tokens), *_imports(tokens)]


def conditions_of(shape: Shape) -> tuple[tuple[bytes, int], ...]:
    """The directives of conditional compilation in a unit, and where each begins; made once through `Shape.once`."""
    if b"`" not in shape.data:
        return ()
    return tuple(
        (token.text, token.start)
        for token in tokens_of(shape)
        if token.kind is TokenKind.DIRECTIVE and token.text in _CONDITIONS | _BRANCHES
    )


def conditional_folds(units: Sequence[Unit]) -> Iterator[Fold]:
    """The branches of conditional compilation in a whole text."""
    begun: list[int] = []
    for unit in units:
        for word, start in unit.shape.once(conditions_of):
            offset = unit.start + start
            if word in _BRANCHES and begun:
                yield Fold(begun.pop(), offset)
            if word in _CONDITIONS or word in (b"`elsif", b"`else"):
                begun.append(offset + len(word))


def _blocks(tokens: Sequence[Token]) -> Iterator[Fold]:
    begun: list[_OpenFold] = []
    previous = b""
    for token in tokens:
        if token.kind not in (TokenKind.KEYWORD, TokenKind.MARK):
            previous = token.text if token.kind is not TokenKind.COMMENT else previous
            continue
        word = token.text
        if word in _CLOSERS:
            openers = _CLOSERS[word]
            index = next((index for index in range(len(begun) - 1, -1, -1) if begun[index].word in openers), -1)
            # What was opened since and is not closed is dropped. A bracket closes nothing outside its block.
            if index >= 0 and (len(word) > 1 or all(open_.word in _BRACKETS for open_ in begun[index:])):
                yield Fold(begun[index].start, token.start)
                del begun[index:]
        elif word in _OPENERS and previous not in _NOT_AFTER.get(word, frozenset()):
            begun.append(_OpenFold(word, token.end, word in _WITH_HEAD))
        elif word == b";" and begun and begun[-1].in_head:
            begun[-1].start, begun[-1].in_head = token.end, False
        previous = word


_BRACKETS = frozenset({b"(", b"[", b"{"})


def _comments(shape: Shape, tokens: Sequence[Token]) -> Iterator[Fold]:
    """Block comments, and line comments that follow each other with nothing else on their lines."""
    lines = shape.lines
    run: list[Token] = []
    regions: list[int] = []
    for token in tokens:
        is_line = token.kind is TokenKind.COMMENT and token.text.startswith(b"//")
        if is_line:
            words = token.text.lstrip(b"/ \t#").split(None, 1)
            if words and words[0] == b"region":
                regions.append(token.end)
            elif words and words[0] == b"endregion" and regions:
                yield Fold(regions.pop(), token.end, FoldingRangeKind.Region, hides_last=True)
        stands_alone = is_line and not shape.data[_line_start(shape, token.start) : token.start].strip()
        follows = run and lines.line_of_byte(run[-1].start) + 1 == lines.line_of_byte(token.start)
        if not (stands_alone and follows):
            yield from _run(run, FoldingRangeKind.Comment)
            run = []
        if stands_alone:
            run.append(token)
        elif token.kind is TokenKind.COMMENT and not is_line:
            yield Fold(token.start + 2, token.end, FoldingRangeKind.Comment, hides_last=True)
    yield from _run(run, FoldingRangeKind.Comment)


def _imports(tokens: Sequence[Token]) -> Iterator[Fold]:
    """Imports and includes that follow each other."""
    words = [token for token in tokens if token.kind is not TokenKind.COMMENT]
    run: list[Token] = []
    index = 0
    while index < len(words):
        ends = index
        if words[index].text == b"`include":
            ends = index + 2
        elif words[index].text == b"import":
            ends = next(
                (end + 1 for end in range(index, min(index + 64, len(words))) if words[end].text == b";"), index
            )
        if ends == index:
            yield from _run(run, FoldingRangeKind.Imports)
            run = []
            index += 1
        else:
            run += words[index:ends]
            index = ends
    yield from _run(run, FoldingRangeKind.Imports)


def _run(run: Sequence[Token], kind: FoldingRangeKind) -> Iterator[Fold]:
    if len(run) > 1:
        yield Fold(run[0].end, run[-1].end, kind, hides_last=True)


def _line_start(shape: Shape, byte: int) -> int:
    return shape.lines.to_byte(shape.lines.line(shape.lines.line_of_byte(byte) + 1)[0])
