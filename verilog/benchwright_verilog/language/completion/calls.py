"""The call, instantiation or parameter list around the cursor, even if it is not closed yet."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from benchwright_verilog.language.explanation.tokens import CLOSING, OPENING, Kind, Token, opening_of
from benchwright_verilog.syntax.keywords import RESERVED, words


class CallKind(Enum):
    """What the parentheses belong to."""

    PORTS = "ports"
    """The connections of an instance."""
    PARAMETERS = "parameters"
    """The parameter values of an instance or class."""
    ARGUMENTS = "arguments"
    """The arguments of a task, function, system task or macro."""
    HEAD = "head"
    """The ports or parameters that a module, task or function declares."""


@dataclass(frozen=True)
class Call:
    """An open pair of parentheses."""

    kind: CallKind
    path: tuple[str, ...]
    """What is called or instantiated, such as `("pkg", "::", "f")`; empty for a head."""
    start: int
    """Where its opening parenthesis is."""
    argument: int
    """Which of its arguments, counted from 0."""
    named: str | None
    """The name that is being connected, as in `.name(`."""
    taken: tuple[str, ...]
    """The names connected before."""
    instance: str = ""
    """The name of the instance."""


_STOPS = frozenset(
    words(
        "begin end module endmodule always always_comb always_ff always_latch initial final assign endfunction "
        "endtask endcase endgenerate endinterface endpackage endclass fork join"
    )
)
_HEADS = frozenset(words("module macromodule interface program class function task property sequence checker"))
_DECLARES = _HEADS | {"automatic", "static"}


@dataclass(frozen=True)
class _Open:
    index: int
    commas: int
    taken: tuple[str, ...]


def is_name(token: Token) -> bool:
    """Whether a token can name something."""
    return token.kind is Kind.WORD and token.text not in RESERVED


def call_around(found: Sequence[Token], end: int | None = None) -> Call | None:
    """The innermost call that the end of some tokens is inside of.

    Args:
        found: Tokens without comments.
        end: How many of them come before the place; all by default.
    """
    at = len(found) if end is None else end
    named: str | None = None
    while (opened := _open_bracket(found, at)) is not None:
        index = opened.index
        if found[index].text == "(":
            if _is_connection(found, index):
                named = found[index - 1].text
                at = index - 2
                continue
            call = _call_of(found, opened, named)
            if call is not None:
                return call
        # A name in parentheses of an expression is not that of the argument further out.
        named = None
        at = index
    return None


def directly_inside(found: Sequence[Token]) -> Call | None:
    """The call whose parentheses are the nearest around the end, such as in `f(a, ‸` but not in `f((a‸`."""
    opened = _open_bracket(found, len(found))
    if opened is None or found[opened.index].text != "(" or _is_connection(found, opened.index):
        return None
    return _call_of(found, opened, None)


def _open_bracket(found: Sequence[Token], end: int) -> _Open | None:
    depth = commas = 0
    taken: list[str] = []
    for at in range(end - 1, -1, -1):
        token = found[at]
        if token.kind is Kind.WORD:
            if token.text in _STOPS:
                return None
        elif token.kind is Kind.SYMBOL:
            if token.text in CLOSING:
                depth += 1
            elif token.text in OPENING:
                if depth == 0:
                    return _Open(at, commas, tuple(reversed(taken)))
                depth -= 1
            elif depth == 0:
                if token.text == ";":
                    return None
                if token.text == ",":
                    commas += 1
                elif token.text == "." and at + 1 < end and _begins_argument(found, at):
                    taken.append(found[at + 1].text)
    return None


def _begins_argument(found: Sequence[Token], dot: int) -> bool:
    # Where the comma is still missing, the name begins a line or follows a closing parenthesis.
    return dot > 0 and found[dot - 1].text in ("(", ",", ")")


def _is_connection(found: Sequence[Token], index: int) -> bool:
    return (
        index >= 2
        and found[index - 2].text == "."
        and found[index - 1].kind is Kind.WORD
        and (index < 3 or _begins_argument(found, index - 2))
    )


def _call_of(found: Sequence[Token], opened: _Open, named: str | None) -> Call | None:
    index = opened.index
    before = found[index - 1] if index else None
    if before is None:
        return None
    start = found[index].start

    def call(kind: CallKind, path: tuple[str, ...], instance: str = "") -> Call:
        return Call(kind, path, start, opened.commas, named, opened.taken, instance)

    if before.text == "#":
        if index >= 2 and is_name(found[index - 2]):
            if index >= 3 and found[index - 3].text in _DECLARES:
                return call(CallKind.HEAD, ())
            return call(CallKind.PARAMETERS, path_before(found, index - 1))
        return None
    if before.text == ")":
        return call(CallKind.HEAD, ()) if _is_parameter_head(found, index - 1) else None
    if before.kind in (Kind.SYSTEM, Kind.MACRO):
        return call(CallKind.ARGUMENTS, (before.text,))
    name = index - 1
    while name > 0 and found[name].text == "]":
        name = opening_of(found, name) - 1
    if name < 0 or not (is_name(found[name]) or found[name].text == "new"):
        return None
    previous = found[name - 1] if name else None
    if previous is not None and (previous.text in _HEADS or _is_head(found, name)):
        return call(CallKind.HEAD, ())
    if (kind := _instantiated(found, name)) is not None:
        return call(CallKind.PORTS, kind, found[name].text)
    return call(CallKind.ARGUMENTS, path_before(found, name + 1))


def _is_parameter_head(found: Sequence[Token], closing: int) -> bool:
    """Whether a parenthesis closes the parameters of a module being declared: `module m #(…)`."""
    opening = opening_of(found, closing)
    if opening < 2 or found[opening - 1].text != "#":
        return False
    # What comes before is the name, or the end of the imports of the head.
    return found[opening - 2].text == ";" or (opening > 2 and found[opening - 3].text in _HEADS)


def _is_head(found: Sequence[Token], name: int) -> bool:
    """Whether a name is that of a function or module being declared: `function automatic pkg::t [3:0] name(`."""
    at = name - 1
    for _ in range(24):
        if at < 0:
            return False
        token = found[at]
        if token.text in _HEADS:
            return at == 0 or found[at - 1].text not in ("assert", "assume", "cover")
        if token.text == "]" or (token.text == ")" and name - at < 3):
            at = opening_of(found, at) - 1
            continue
        if not (token.kind is Kind.WORD or token.text in ("::", "#", ".")):
            return False
        at -= 1
    return False


def _instantiated(found: Sequence[Token], name: int) -> tuple[str, ...] | None:
    """The module of `module #(…) name`, given where the name is."""
    at = name - 1
    for _ in range(64):
        if at < 0:
            return None
        if found[at].text == "," and found[at - 1].text == ")":
            # `module first (…), name (`
            first = opening_of(found, at - 1) - 1
            while first > 0 and found[first].text == "]":
                first = opening_of(found, first) - 1
            if first <= 0 or not is_name(found[first]):
                return None
            at = first - 1
            continue
        break
    if found[at].text == ")":
        opening = opening_of(found, at)
        if opening < 2 or found[opening - 1].text != "#" or not is_name(found[opening - 2]):
            return None
        return (found[opening - 2].text,)
    if is_name(found[at]) and (at == 0 or found[at - 1].text not in (".", "::")):
        return (found[at].text,)
    return None


def path_before(found: Sequence[Token], end: int) -> tuple[str, ...]:
    """The hierarchical name that ends at some token, with its separators but without selects: `("a", ".", "b")`."""
    parts: list[str] = []
    at = end - 1
    while at >= 0:
        while at >= 0 and found[at].text == "]":
            at = opening_of(found, at) - 1
        if at < 0:
            break
        token = found[at]
        if token.text == ")":
            # The value of a call has members too; its name stands for it.
            at = opening_of(found, at) - 1
            if at > 0 and found[at].text == "#":
                # So does a class with its parameters: `config_db #(int)::`.
                at -= 1
            if at < 0:
                break
            token = found[at]
        if token.kind not in (Kind.WORD, Kind.SYSTEM, Kind.MACRO) or (
            token.text in RESERVED and token.text not in ("this", "super", "new", "local")
        ):
            break
        parts.append(token.text)
        if at == 0 or found[at - 1].text not in (".", "::"):
            break
        parts.append(found[at - 1].text)
        at -= 2
    return tuple(reversed(parts))
