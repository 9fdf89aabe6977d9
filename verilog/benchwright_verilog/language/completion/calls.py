"""The call, instantiation or parameter list around the cursor, even if it is not closed yet."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from benchwright_verilog.language.explanation.tokens import (
    CLOSING,
    OPENING,
    CodeToken,
    CodeTokenKind,
    opening_bracket_index,
)
from benchwright_verilog.syntax.keywords import RESERVED, split_words


class CallKind(Enum):
    """The construct that the parentheses belong to."""

    PORTS = "ports"
    """The connections of an instance."""
    PARAMETERS = "parameters"
    """The parameter values of an instance or class."""
    ARGUMENTS = "arguments"
    """The arguments of a task, function, system task or macro."""
    HEAD = "head"
    """The ports or parameters that a module, task or function declares."""


@dataclass(frozen=True)
class OpenCall:
    """An open pair of parentheses."""

    call_kind: CallKind
    callee_path: tuple[str, ...]
    """The path of what is called or instantiated, such as `("pkg", "::", "f")`; empty for a head."""
    opening_offset: int
    """Place of its opening parenthesis."""
    argument_index: int
    """Number of the argument, counted from 0."""
    argument_name: str | None
    """The name that is being connected, as in `.name(`."""
    taken_names: tuple[str, ...]
    """The names connected before."""
    instance_name: str = ""
    """The name of the instance."""


_STOPS = frozenset(
    split_words(
        "begin end module endmodule always always_comb always_ff always_latch initial final assign endfunction "
        "endtask endcase endgenerate endinterface endpackage endclass fork join"
    )
)
_HEADS = frozenset(split_words("module macromodule interface program class function task property sequence checker"))
_DECLARES = _HEADS | {"automatic", "static"}


@dataclass(frozen=True)
class _OpenBracket:
    bracket_index: int
    comma_count: int
    taken_names: tuple[str, ...]


def is_identifier(token: CodeToken) -> bool:
    """True if a token can name something."""
    return token.token_kind is CodeTokenKind.WORD and token.text not in RESERVED


def innermost_call_around(code: Sequence[CodeToken], end_index: int | None = None) -> OpenCall | None:
    """The innermost call that the end of some tokens is inside of.

    Args:
        code: Tokens without comments.
        end_index: Number of tokens before the place; all by default.
    """
    index_end = len(code) if end_index is None else end_index
    argument_name: str | None = None
    while (opened := _innermost_open_bracket(code, index_end)) is not None:
        index = opened.bracket_index
        if code[index].text == "(":
            if _opens_named_connection(code, index):
                argument_name = code[index - 1].text
                index_end = index - 2
                continue
            call = _classified_call(code, opened, argument_name)
            if call is not None:
                return call
        # A name in parentheses of an expression is not that of the argument further out.
        argument_name = None
        index_end = index
    return None


def call_of_innermost_bracket(code: Sequence[CodeToken]) -> OpenCall | None:
    """The call whose parentheses are the nearest around the end, such as in `f(a, ‸` but not in `f((a‸`."""
    open_call = _innermost_open_bracket(code, len(code))
    if (
        open_call is None
        or code[open_call.bracket_index].text != "("
        or _opens_named_connection(code, open_call.bracket_index)
    ):
        return None
    return _classified_call(code, open_call, None)


def _innermost_open_bracket(code: Sequence[CodeToken], end_index: int) -> _OpenBracket | None:
    depth = commas = 0
    taken_names: list[str] = []
    for index in range(end_index - 1, -1, -1):
        token = code[index]
        if token.token_kind is CodeTokenKind.WORD:
            if token.text in _STOPS:
                return None
        elif token.token_kind is CodeTokenKind.SYMBOL:
            if token.text in CLOSING:
                depth += 1
            elif token.text in OPENING:
                if depth == 0:
                    return _OpenBracket(index, commas, tuple(reversed(taken_names)))
                depth -= 1
            elif depth == 0:
                if token.text == ";":
                    return None
                if token.text == ",":
                    commas += 1
                elif token.text == "." and index + 1 < end_index and _begins_argument(code, index):
                    taken_names.append(code[index + 1].text)
    return None


def _begins_argument(code: Sequence[CodeToken], dot_index: int) -> bool:
    # Where the comma is still missing, the name begins a line or follows a closing parenthesis.
    return dot_index > 0 and code[dot_index - 1].text in ("(", ",", ")")


def _opens_named_connection(code: Sequence[CodeToken], opening_index: int) -> bool:
    return (
        opening_index >= 2
        and code[opening_index - 2].text == "."
        and code[opening_index - 1].token_kind is CodeTokenKind.WORD
        and (opening_index < 3 or _begins_argument(code, opening_index - 2))
    )


def _classified_call(
    code: Sequence[CodeToken], open_bracket: _OpenBracket, argument_name: str | None
) -> OpenCall | None:
    index = open_bracket.bracket_index
    token_before = code[index - 1] if index else None
    if token_before is None:
        return None
    start = code[index].start

    def call(call_kind: CallKind, path: tuple[str, ...], instance: str = "") -> OpenCall:
        return OpenCall(
            call_kind, path, start, open_bracket.comma_count, argument_name, open_bracket.taken_names, instance
        )

    if token_before.text == "#":
        if index >= 2 and is_identifier(code[index - 2]):
            if index >= 3 and code[index - 3].text in _DECLARES:
                return call(CallKind.HEAD, ())
            return call(CallKind.PARAMETERS, hierarchical_name_before(code, index - 1))
        return None
    if token_before.text == ")":
        return call(CallKind.HEAD, ()) if _is_parameter_head(code, index - 1) else None
    if token_before.token_kind in (CodeTokenKind.SYSTEM, CodeTokenKind.MACRO):
        return call(CallKind.ARGUMENTS, (token_before.text,))
    name = index - 1
    while name > 0 and code[name].text == "]":
        name = opening_bracket_index(code, name) - 1
    if name < 0 or not (is_identifier(code[name]) or code[name].text == "new"):
        return None
    previous_token = code[name - 1] if name else None
    if previous_token is not None and (previous_token.text in _HEADS or _is_declared_module_or_routine(code, name)):
        return call(CallKind.HEAD, ())
    if (kind := _instantiated_module_path(code, name)) is not None:
        return call(CallKind.PORTS, kind, code[name].text)
    return call(CallKind.ARGUMENTS, hierarchical_name_before(code, name + 1))


def _is_parameter_head(code: Sequence[CodeToken], closing_index: int) -> bool:
    """True if a parenthesis closes the parameters of a module being declared: `module m #(…)`."""
    opening = opening_bracket_index(code, closing_index)
    if opening < 2 or code[opening - 1].text != "#":
        return False
    # What comes before is the name, or the end of the imports of the head.
    return code[opening - 2].text == ";" or (opening > 2 and code[opening - 3].text in _HEADS)


def _is_declared_module_or_routine(code: Sequence[CodeToken], name_index: int) -> bool:
    """True if a name is that of a function or module being declared: `function automatic pkg::t [3:0] name(`."""
    index = name_index - 1
    for _ in range(24):
        if index < 0:
            return False
        token = code[index]
        if token.text in _HEADS:
            return index == 0 or code[index - 1].text not in ("assert", "assume", "cover")
        if token.text == "]" or (token.text == ")" and name_index - index < 3):
            index = opening_bracket_index(code, index) - 1
            continue
        if not (token.token_kind is CodeTokenKind.WORD or token.text in ("::", "#", ".")):
            return False
        index -= 1
    return False


def _instantiated_module_path(code: Sequence[CodeToken], instance_name_index: int) -> tuple[str, ...] | None:
    """The module of `module #(…) name`, given where the name is."""
    index = instance_name_index - 1
    for _ in range(64):
        if index < 0:
            return None
        if code[index].text == "," and code[index - 1].text == ")":
            # `module first (…), name (`
            first_name = opening_bracket_index(code, index - 1) - 1
            while first_name > 0 and code[first_name].text == "]":
                first_name = opening_bracket_index(code, first_name) - 1
            if first_name <= 0 or not is_identifier(code[first_name]):
                return None
            index = first_name - 1
            continue
        break
    if code[index].text == ")":
        opening = opening_bracket_index(code, index)
        if opening < 2 or code[opening - 1].text != "#" or not is_identifier(code[opening - 2]):
            return None
        return (code[opening - 2].text,)
    if is_identifier(code[index]) and (index == 0 or code[index - 1].text not in (".", "::")):
        return (code[index].text,)
    return None


def trailing_index_count(code: Sequence[CodeToken], end_index: int) -> int:
    """The number of indices that end at some token: 2 of `a[0][i]`. A range, as in `a[3:0]`, is none."""
    count = 0
    while end_index > 0 and code[end_index - 1].text == "]":
        opening = opening_bracket_index(code, end_index - 1)
        if not any(token.text in (":", "+:", "-:") for token in code[opening + 1 : end_index - 1]):
            count += 1
        end_index = opening
    return count


def hierarchical_name_before(code: Sequence[CodeToken], end_index: int) -> tuple[str, ...]:
    """The hierarchical name that ends at some token, with its separators but without selects: `("a", ".", "b")`."""
    path_parts: list[str] = []
    index = end_index - 1
    while index >= 0:
        while index >= 0 and code[index].text == "]":
            index = opening_bracket_index(code, index) - 1
        if index < 0:
            break
        token = code[index]
        if token.text == ")":
            # The value of a call has members too; its name stands for it.
            index = opening_bracket_index(code, index) - 1
            if index > 0 and code[index].text == "#":
                # So does a class with its parameters: `config_db #(int)::`.
                index -= 1
            if index < 0:
                break
            token = code[index]
        if token.token_kind not in (CodeTokenKind.WORD, CodeTokenKind.SYSTEM, CodeTokenKind.MACRO) or (
            token.text in RESERVED and token.text not in ("this", "super", "new", "local")
        ):
            break
        path_parts.append(token.text)
        if index == 0 or code[index - 1].text not in (".", "::"):
            break
        path_parts.append(code[index - 1].text)
        index -= 2
    return tuple(reversed(path_parts))
