"""Macros as they are defined (IEEE 1800-2023, 22.5), and what their uses expand to."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from benchwright_verilog.language.explanation.comments import documentation_around
from benchwright_verilog.language.explanation.tokens import CLOSING, OPENING, CodeTokenKind, tokens_between

_DEFINE = re.compile(r"(?m)^[ \t]*`define[ \t]+(?P<name>[A-Za-z_][\w$]*|\\[!-~]+)(?P<open>\()?")
_DEEPEST = 32
_LONGEST = 20_000
_MOST_USES = 5_000
_LINE_COMMENT = re.compile(r"//[^\r\n]*")


@dataclass(frozen=True)
class Macro:
    """One definition."""

    name: str
    parameters: tuple[str, ...] | None
    """Each with its default, as in `a=1`; None if it takes no parentheses."""
    body: str
    name_start: int
    """Start of its name, in code points."""
    documentation: str = ""

    @property
    def declaration(self) -> str:
        """The definition as one reads it."""
        takes = f"({', '.join(self.parameters)})" if self.parameters is not None else ""
        return f"`define {self.name}{takes} {self.body}".rstrip()


def macro_at(text: str, name_start: int) -> Macro | None:
    """The macro whose name is defined at an offset."""
    line_start = text.rfind("\n", 0, name_start) + 1
    match = _DEFINE.match(text, line_start)
    return _read_definition(text, match) if match is not None else None


def _read_definition(text: str, match: re.Match[str]) -> Macro:
    offset, parameters = match.end(), None
    if match["open"]:
        parameter_texts, offset = arguments_and_end(text, match.end() - 1)
        parameters = tuple(" ".join(part.split()) for part in parameter_texts) if parameter_texts != [""] else ()
    end = _macro_body_end(text, offset)
    body = _LINE_COMMENT.sub("", text[offset:end]) if '"' not in text[offset:end] else text[offset:end]
    lines = [line.rstrip().removesuffix("\\").rstrip() for line in body.replace("\r\n", "\n").split("\n")]
    comments = documentation_around(text, match.start("name") - len(match[0].split(match["name"])[0].lstrip()), end)
    return Macro(match["name"], parameters, "\n".join(lines).strip(), match.start("name"), comments)


def _macro_body_end(text: str, offset: int) -> int:
    while True:
        ending = text.find("\n", offset)
        if ending < 0:
            return len(text)
        if not text[offset:ending].rstrip("\r").endswith("\\"):
            return ending
        offset = ending + 1


def arguments_and_end(text: str, opening_bracket_offset: int) -> tuple[list[str], int]:
    """The arguments between a pair of parentheses, and the offset behind it; all the rest where it has no end."""
    depth, start = 0, opening_bracket_offset + 1
    arguments: list[str] = []
    for token in tokens_between(text, opening_bracket_offset, min(len(text), opening_bracket_offset + _LONGEST)):
        if token.token_kind is not CodeTokenKind.SYMBOL:
            continue
        if token.text in OPENING:
            depth += 1
        elif token.text in CLOSING:
            depth -= 1
            if depth == 0:
                return [*arguments, text[start : token.start].strip()], token.end
        elif token.text == "," and depth == 1:
            arguments.append(text[start : token.start].strip())
            start = token.end
    return arguments, len(text)


def macro_use_arguments(text: str, name_end_offset: int) -> list[str] | None:
    """The arguments of a macro's use whose name ends at an offset; None if there are no parentheses."""
    opening = re.compile(r"\s*(?=\()").match(text, name_end_offset)
    return arguments_and_end(text, opening.end())[0] if opening is not None else None


class _ExpansionBudget:
    """The rest that may be expanded: macros that use each other twice grow without bounds, even if all are empty."""

    def __init__(self) -> None:
        self.uses = _MOST_USES
        self.characters = _LONGEST

    @property
    def is_left(self) -> bool:
        return self.uses > 0 and self.characters > 0


def expand_use(
    macro: Macro,
    arguments: Sequence[str] | None,
    known_macros: Mapping[str, Macro],
    depth: int = 0,
    budget: _ExpansionBudget | None = None,
) -> str | None:
    """The expansion of a use, including macros in it, up to some length; None if its arguments don't fit."""
    budget = budget or _ExpansionBudget()
    budget.uses -= 1
    body = macro.body
    if macro.parameters is not None:
        if arguments is None or (len(arguments) > len(macro.parameters) and list(arguments) != [""]):
            return None
        values: dict[str, str] = {}
        for index, parameter in enumerate(macro.parameters):
            name, has_default, default = parameter.partition("=")
            argument = arguments[index] if index < len(arguments) else ""
            if not argument and not has_default and index >= len(arguments):
                return None
            values[name.strip()] = argument or default.strip()
        body = _substitute_parameters(body, values)
    budget.characters -= len(body)
    if depth >= _DEEPEST or not budget.is_left:
        return body
    return _expand_macros_in(body, known_macros, depth, budget)


def _substitute_parameters(body: str, texts_by_parameter: Mapping[str, str]) -> str:
    replaced = re.sub(
        r"(?<![\w$`\\.])[A-Za-z_][\w$]*", lambda word: texts_by_parameter.get(word[0], word[0]), _mark_token_joins(body)
    )
    return replaced.replace('`"', '"').replace("\0", "")


def _mark_token_joins(body: str) -> str:
    # Two backticks join what is on either side, after the arguments are substituted.
    return re.sub(r"\s*``\s*", "\0", body)


def _expand_macros_in(body: str, known_macros: Mapping[str, Macro], depth: int, budget: _ExpansionBudget) -> str:
    expanded_parts: list[str] = []
    last_end = 0
    for macro_use in re.finditer(r"`([A-Za-z_][\w$]*)", body):
        if macro_use.start() < last_end or not budget.is_left or (macro := known_macros.get(macro_use[1])) is None:
            continue
        arguments, end = None, macro_use.end()
        if macro.parameters is not None:
            opening = re.compile(r"\s*(?=\()").match(body, end)
            if opening is None:
                continue
            arguments, end = arguments_and_end(body, opening.end())
        expansion = expand_use(macro, arguments, known_macros, depth + 1, budget)
        if expansion is None:
            continue
        expanded_parts += [body[last_end : macro_use.start()], expansion]
        last_end = end
    return "".join([*expanded_parts, body[last_end:]])
