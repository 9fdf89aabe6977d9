"""Proposals of the language's own words, macros and snippets."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from functools import cache
from typing import TYPE_CHECKING

from benchwright_verilog.language.blocks import BLOCKS
from benchwright_verilog.language.completion.cursor import ExpectedCode
from benchwright_verilog.language.completion.proposal import (
    CompletionRequest,
    Proposal,
    ProposalKind,
    Rank,
    constant_documentation_maker,
    escape_for_snippet,
    is_fuzzy_match,
)
from benchwright_verilog.language.explanation.known_macros import KnownMacros
from benchwright_verilog.language.explanation.system_tasks import system_tasks_by_name
from benchwright_verilog.syntax import keywords

if TYPE_CHECKING:
    from benchwright_snippets import Snippet

_PROCEDURAL_SNIPPET = re.compile(r"\s*(?:if|case|for|foreach|while|repeat|begin|@|#|return)\b|\s*\$")
_DESIGN_SNIPPET = re.compile(r"\s*(?:module|package|interface|program|class|primitive|checker)\b|\s*`")

_UNITS = frozenset({"module", "macromodule", "interface", "package", "program", "class", "primitive", "checker"})


def system_word_proposals(request: CompletionRequest, rank: int) -> Iterator[Proposal]:
    """System tasks and functions; where a value is wanted, functions first."""
    in_expression = request.cursor.expected_code is ExpectedCode.EXPRESSION or (
        request.cursor.expected_code is ExpectedCode.SYSTEM
        and bool(request.cursor.assigned_path or request.cursor.call)
    )
    word = request.word or "$"
    if len(word) == 1 and word != "$":
        # Without a dollar sign it may be anything else as well.
        return
    for name, system_task in system_tasks_by_name().items():
        if not (is_fuzzy_match(word[1:], name[1:]) if word.startswith("$") else name[1:].startswith(word.lower())):
            continue
        misplaced = in_expression and not system_task.is_function
        detail = f"{system_task.result_type or 'task'} ({', '.join(system_task.parameters)})"
        snippet = f"\\{name}(${{1:{system_task.parameters[0].strip('[]…')}}})" if system_task.parameters else ""
        if system_task.parameters and system_task.parameters[0].startswith("["):
            snippet = f"\\{name}($1)"
        documentation = constant_documentation_maker(
            f"```systemverilog\n{system_task.signature}\n```\n\n{system_task.description}"
        )
        yield Proposal(name, ProposalKind.FUNCTION, rank + (8 if misplaced else 0), detail, "", snippet, documentation)


def macro_proposals(request: CompletionRequest, *, with_directives: bool) -> Iterator[Proposal]:
    """Macros that are defined, and directives if they are wanted too."""
    known_macros = KnownMacros(request.analysis, request.read_text)
    tick = "`" if with_directives else ""
    word = request.word.lstrip("`")
    for name in request.analysis.macros.last_definitions_by_name:
        if not is_fuzzy_match(word, name) or (macro := known_macros.get(name)) is None:
            continue
        snippet = ""
        if with_directives and macro.parameters is not None:
            stops = ", ".join(
                f"${{{index}:{escape_for_snippet(parameter.partition('=')[0].strip())}}}"
                for index, parameter in enumerate(macro.parameters, 1)
            )
            snippet = f"{tick}{name}({stops})"
        documentation = f"```systemverilog\n{macro.declaration}\n```"
        if macro.documentation:
            documentation += f"\n\n{macro.documentation}"
        yield Proposal(
            f"{tick}{name}",
            ProposalKind.MACRO,
            Rank.MEMBER,
            macro.body.split("\n", 1)[0],
            "",
            snippet,
            constant_documentation_maker(documentation),
        )
    if with_directives:
        for name, documentation in keywords.DIRECTIVES.items():
            if is_fuzzy_match(word, name):
                yield Proposal(
                    f"`{name}",
                    ProposalKind.KEYWORD,
                    Rank.NAMED,
                    "",
                    make_documentation=constant_documentation_maker(documentation),
                )


_KEYWORDS = {
    ExpectedCode.TOP: keywords.DESIGN_ELEMENTS,
    ExpectedCode.ITEM: tuple(dict.fromkeys(keywords.ITEMS + keywords.TYPES + keywords.NETS)),
    ExpectedCode.STATEMENT: tuple(dict.fromkeys(keywords.STATEMENTS + keywords.TYPES)),
    ExpectedCode.EXPRESSION: keywords.EXPRESSIONS,
    ExpectedCode.TYPE: tuple(dict.fromkeys(keywords.TYPES + keywords.NETS)),
    ExpectedCode.PORT_DECLARATION: keywords.PORTS,
}


def keyword_proposals(expected_code: ExpectedCode, request: CompletionRequest) -> Iterator[Proposal]:
    """Keywords that are possible at the cursor."""
    word = request.word
    if not word and expected_code is not ExpectedCode.TOP:
        return
    closing_nothing = _ends_of_blocks_not_open(request.cursor.open_blocks)
    for keyword in _KEYWORDS.get(expected_code, ()):
        if keyword.lower().startswith(word.lower()) and not keyword.startswith("`") and keyword not in closing_nothing:
            yield Proposal(keyword, ProposalKind.KEYWORD, Rank.KEYWORD)


def _ends_of_blocks_not_open(blocks: Sequence[str]) -> AbstractSet[str]:
    """The words that close a block of another kind; empty where the source begins after the header."""
    if not blocks or blocks[0] not in _UNITS:
        return frozenset()
    open_ends = {BLOCKS[kind] for block in blocks if (kind := block.removeprefix("procedural ")) in BLOCKS}
    return frozenset(BLOCKS.values()) - open_ends


@cache
def _snippets_with_expected_code() -> tuple[tuple[ExpectedCode, Snippet], ...]:
    from benchwright_snippets import systemverilog_snippets

    placed_snippets = []
    for snippet in systemverilog_snippets():
        snippet_text = snippet.expanded_code.lstrip()
        if _DESIGN_SNIPPET.match(snippet_text):
            expected_code = ExpectedCode.TOP
        else:
            expected_code = ExpectedCode.STATEMENT if _PROCEDURAL_SNIPPET.match(snippet_text) else ExpectedCode.ITEM
        placed_snippets.append((expected_code, snippet))
    return tuple(placed_snippets)


def snippet_proposals(expected_code: ExpectedCode, request: CompletionRequest) -> Iterator[Proposal]:
    """Snippets, by their prefix."""
    if not request.has_snippets or not request.word:
        return
    for snippet_place, snippet in _snippets_with_expected_code():
        if snippet_place is not expected_code and not (
            expected_code is ExpectedCode.ITEM and snippet.prefix in ("for", "if", "case")
        ):
            continue
        if snippet.prefix.lower().startswith(request.word.lower()):
            documentation = constant_documentation_maker(
                f"{snippet.description}\n\n```systemverilog\n{snippet.expanded_code}\n```"
            )
            yield Proposal(
                snippet.prefix,
                ProposalKind.SNIPPET,
                Rank.SNIPPET,
                snippet.name,
                snippet.expanded_code,
                snippet.body,
                documentation,
            )
