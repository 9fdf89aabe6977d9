"""Names that macros could put together and no single token shows, and places where tools end a macro differently."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from benchwright_harness.scan.rules import rule_by_system_task, rule_of_system_task
from benchwright_harness.scan.tokens import SourceToken, comments_before

_BODY = re.compile(r"(?:[^\\\n]|\\.)*", re.DOTALL)
_DANGEROUS = frozenset({"file", "store", "system", "native", "arguments", "finish", "wave", "load"})
_DIRECTIVES = ("`include", "`line", "`uselib", "`pragma", "`protect", "`systemc_", "`verilator_config", "`ifdef")
_CONDITIONS = {"`ifdef": 1, "`ifndef": 1, "`endif": -1, "`else": 0, "`elsif": 0}
# What may follow the `$` that is the end of a queue or a range.
_BEHIND_END = frozenset({"CloseBracket", "Colon", "Minus", "Plus"})
_NEVER_TASKS = frozenset({"Comma", "CloseParenthesis", "MacroPaste"})
Findings = Iterator[tuple[str, str, int]]


_OUTSIDE: frozenset[str] = frozenset({""})
"""In place of a macro's parameters."""


def macro_findings(source_text: str, tokens: list[SourceToken]) -> Findings:
    """Findings about the whole of a file's macros and conditions."""
    body_end, quotes, brackets, conditions = 0, 0, 0, 0
    parameters = _OUTSIDE
    for index, token in enumerate(tokens):
        if parameters is not _OUTSIDE and source_text.find("/", token.previous_end, token.start) >= 0:
            yield from _comment_findings(source_text, token, body_end, quotes)
        if token.start >= body_end and parameters is not _OUTSIDE:
            parameters, quotes, brackets = _OUTSIDE, 0, 0
        in_macro = parameters is not _OUTSIDE
        if in_macro and token.kind == "StringLiteral":
            for name in parameters:
                if re.search(rf"\b{re.escape(name)}\b", token.text):
                    yield "tool-branch", f"the macro's parameter {name} in a string", token.start
        if token.text in _CONDITIONS and token.kind == "Directive":
            yield from _condition_findings(token, conditions, in_macro)
            conditions += _CONDITIONS[token.text]
        if token.kind == "EndOfFile":
            if conditions > 0:
                yield "ambiguous", "a condition without its `endif", token.start
            return
        next_token = tokens[index + 1]
        ends_macro = in_macro and next_token.start >= body_end
        if token.kind == "Directive" and token.text == "`define":
            body_match = _BODY.match(source_text, token.end)
            body_end = body_match.end() if body_match else token.end
            parameters, quotes, brackets = _parameter_names(tokens, index), 0, 0
            if next_token.text.startswith("`") or f"`{next_token.text}" in _CONDITIONS or next_token.text == "include":
                yield "ambiguous", f"`define {next_token.text}", token.start
        brackets += (token.kind == "OpenBracket") - (token.kind == "CloseBracket")
        quotes += token.kind == "MacroQuote"
        if token.text[:1] in ("$", "`"):
            yield from _assembled_name_findings(token, next_token, ends_macro, brackets > 0, parameters)


def _parameter_names(tokens: list[SourceToken], define_index: int) -> frozenset[str]:
    """The names of a macro's parameters."""
    if (
        define_index + 2 >= len(tokens)
        or tokens[define_index + 2].text != "("
        or tokens[define_index + 2].start != tokens[define_index + 2].previous_end
    ):
        return frozenset()
    names, depth, expects = set(), 0, False
    for token in tokens[define_index + 2 :]:
        if expects and token.kind not in {"OpenParenthesis"}:
            names.add(token.text)
        depth += (token.text in {"(", "[", "{"}) - (token.text in {")", "]", "}"})
        expects = depth == 1 and token.text in {"(", ","}
        if depth == 0 or token.kind == "EndOfFile":
            break
    return frozenset(names)


def _comment_findings(text: str, token: SourceToken, macro_body_end: int, quote_count: int) -> Findings:
    for comment in comments_before(text, token):
        if comment.start >= macro_body_end:
            return
        if quote_count % 2:
            yield "ambiguous", "a comment inside of a macro's string", comment.start
        elif "\n" in comment.text:
            yield "tool-branch", "a comment of several lines in a macro", comment.start
        elif comment.text.startswith("//") and comment.text.rstrip().endswith("\\"):
            yield "tool-branch", "a comment that goes on in the next line of a macro", comment.start


def _condition_findings(token: SourceToken, open_condition_count: int, is_in_macro: bool) -> Findings:
    if is_in_macro:
        yield "tool-branch", f"{token.text} in a macro", token.start
    elif open_condition_count <= 0 and token.text not in {"`ifdef", "`ifndef"}:
        yield "ambiguous", f"{token.text} without its condition", token.start


def _assembled_name_findings(
    token: SourceToken,
    next_token: SourceToken,
    is_last_of_macro: bool,
    is_in_brackets: bool,
    macro_parameters: frozenset[str],
) -> Findings:
    """Findings if what begins with a dollar sign or a backtick could become the name of something else."""
    touches = next_token.start == token.end and next_token.kind in {"Directive", "MacroPaste", "MacroQuote"}
    if token.kind == "Dollar":
        if is_last_of_macro or not is_in_brackets or next_token.kind not in _BEHIND_END:
            yield "assembled", "$", token.start
    elif token.kind == "SystemIdentifier":
        name = token.text[1:]
        goes_on = is_last_of_macro or touches or next_token.kind in _NEVER_TASKS
        if name in macro_parameters or (
            _begins_dangerous_task(name) and (rule_of_system_task(name) == "unknown" or goes_on)
        ):
            yield "assembled", token.text, token.start
    elif token.kind == "Directive":
        begins_directive = token.text[1:] in macro_parameters or any(
            directive.startswith(token.text) for directive in _DIRECTIVES
        )
        if token.text[1:] in macro_parameters or (begins_directive and touches and next_token.kind == "MacroPaste"):
            yield "assembled", token.text, token.start
    elif token.text == "`":
        yield "assembled", token.text, token.start


@lru_cache(maxsize=4096)
def _begins_dangerous_task(task_prefix: str) -> bool:
    own_rule = rule_by_system_task().get(task_prefix)
    names = (task_name for task_name, rule in rule_by_system_task().items() if rule in _DANGEROUS and rule != own_rule)
    return any(task_name != task_prefix and task_name.startswith(task_prefix) for task_name in names)
