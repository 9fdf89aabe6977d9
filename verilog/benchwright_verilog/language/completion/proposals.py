"""Everything that can be proposed at the cursor, by what is expected there."""

from __future__ import annotations

from collections.abc import Iterator

from benchwright_verilog.language.completion.cursor import ExpectedCode
from benchwright_verilog.language.completion.instance_proposals import (
    module_and_instance_proposals,
    package_proposals,
    unconnected_formal_proposals,
    unit_proposals,
)
from benchwright_verilog.language.completion.name_proposals import member_proposals, scope_name_proposals
from benchwright_verilog.language.completion.proposal import CompletionRequest, Proposal, Rank
from benchwright_verilog.language.completion.word_proposals import (
    keyword_proposals,
    macro_proposals,
    snippet_proposals,
    system_word_proposals,
)


def proposals(request: CompletionRequest) -> Iterator[Proposal]:
    """Everything that may be written."""
    match request.cursor.expected_code:
        case ExpectedCode.NOTHING | ExpectedCode.INCLUDE:
            return
        case ExpectedCode.SYSTEM:
            yield from system_word_proposals(request, Rank.MEMBER)
        case ExpectedCode.MACRO:
            yield from macro_proposals(request, with_directives=True)
        case ExpectedCode.MACRO_NAME:
            yield from macro_proposals(request, with_directives=False)
        case ExpectedCode.PACKAGE:
            yield from package_proposals(request, Rank.MEMBER)
        case ExpectedCode.SCOPED | ExpectedCode.MEMBER:
            yield from member_proposals(request)
        case ExpectedCode.CONNECTED_NAME:
            yield from unconnected_formal_proposals(request, is_after_dot=True)
        case ExpectedCode.CONNECTION:
            yield from unconnected_formal_proposals(request, is_after_dot=False)
            yield from scope_name_proposals(request)
        case _:
            yield from _statement_or_value_proposals(request)


def _statement_or_value_proposals(request: CompletionRequest) -> Iterator[Proposal]:
    expected_code = request.cursor.expected_code
    if expected_code in (
        ExpectedCode.ITEM,
        ExpectedCode.STATEMENT,
        ExpectedCode.EXPRESSION,
        ExpectedCode.TYPE,
        ExpectedCode.PORT_DECLARATION,
    ):
        yield from scope_name_proposals(request)
    if expected_code is ExpectedCode.ITEM:
        yield from module_and_instance_proposals(request)
    if expected_code is ExpectedCode.PORT_DECLARATION:
        yield from unit_proposals(request, ("interface",))
    if expected_code in (
        ExpectedCode.ITEM,
        ExpectedCode.STATEMENT,
        ExpectedCode.EXPRESSION,
        ExpectedCode.TYPE,
        ExpectedCode.PORT_DECLARATION,
    ):
        yield from package_proposals(request, Rank.UNIT)
    if expected_code in (ExpectedCode.STATEMENT, ExpectedCode.EXPRESSION, ExpectedCode.ITEM) and request.word:
        yield from system_word_proposals(request, Rank.SYSTEM)
    yield from keyword_proposals(expected_code, request)
    if expected_code in (ExpectedCode.TOP, ExpectedCode.ITEM, ExpectedCode.STATEMENT):
        yield from snippet_proposals(expected_code, request)
