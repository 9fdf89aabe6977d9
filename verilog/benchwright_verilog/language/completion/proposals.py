"""Everything that can be proposed at the cursor, by what is expected there."""

from __future__ import annotations

from collections.abc import Iterator

from benchwright_verilog.language.completion.cursor import Expected
from benchwright_verilog.language.completion.instance_proposals import connections, instances, packages, units
from benchwright_verilog.language.completion.name_proposals import members, names
from benchwright_verilog.language.completion.proposal import CompletionRequest, Proposal, Rank
from benchwright_verilog.language.completion.word_proposals import macros, snippets, system_words, words_of_language


def proposals(request: CompletionRequest) -> Iterator[Proposal]:
    """Everything that may be written."""
    match request.cursor.expected_code:
        case Expected.NOTHING | Expected.INCLUDE:
            return
        case Expected.SYSTEM:
            yield from system_words(request, Rank.MEMBER)
        case Expected.MACRO:
            yield from macros(request, with_directives=True)
        case Expected.MACRO_NAME:
            yield from macros(request, with_directives=False)
        case Expected.PACKAGE:
            yield from packages(request, Rank.MEMBER)
        case Expected.SCOPED | Expected.MEMBER:
            yield from members(request)
        case Expected.CONNECTED_NAME:
            yield from connections(request, dotted=True)
        case Expected.CONNECTION:
            yield from connections(request, dotted=False)
            yield from names(request)
        case _:
            yield from _at_start_or_in_expression(request)


def _at_start_or_in_expression(request: CompletionRequest) -> Iterator[Proposal]:
    expected_code = request.cursor.expected_code
    if expected_code in (
        Expected.ITEM,
        Expected.STATEMENT,
        Expected.EXPRESSION,
        Expected.TYPE,
        Expected.PORT_DECLARATION,
    ):
        yield from names(request)
    if expected_code is Expected.ITEM:
        yield from instances(request)
    if expected_code is Expected.PORT_DECLARATION:
        yield from units(request, ("interface",))
    if expected_code in (
        Expected.ITEM,
        Expected.STATEMENT,
        Expected.EXPRESSION,
        Expected.TYPE,
        Expected.PORT_DECLARATION,
    ):
        yield from packages(request, Rank.UNIT)
    if expected_code in (Expected.STATEMENT, Expected.EXPRESSION, Expected.ITEM) and request.word:
        yield from system_words(request, Rank.SYSTEM)
    yield from words_of_language(expected_code, request)
    if expected_code in (Expected.TOP, Expected.ITEM, Expected.STATEMENT):
        yield from snippets(expected_code, request)
