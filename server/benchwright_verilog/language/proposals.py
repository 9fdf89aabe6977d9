"""What may be written at a place."""

from __future__ import annotations

from collections.abc import Iterator

from benchwright_verilog.language.instance_proposals import connections, instances, packages, units
from benchwright_verilog.language.name_proposals import members, names
from benchwright_verilog.language.places import Place
from benchwright_verilog.language.proposal import Asked, Proposal, Rank
from benchwright_verilog.language.word_proposals import macros, snippets, system_words, words_of_language


def proposals(asked: Asked) -> Iterator[Proposal]:
    """Everything that may be written."""
    match asked.cursor.place:
        case Place.NOTHING | Place.INCLUDE:
            return
        case Place.SYSTEM:
            yield from system_words(asked, Rank.MEMBER)
        case Place.MACRO:
            yield from macros(asked, with_directives=True)
        case Place.MACRO_NAME:
            yield from macros(asked, with_directives=False)
        case Place.PACKAGE:
            yield from packages(asked, Rank.MEMBER)
        case Place.SCOPED | Place.MEMBER:
            yield from members(asked)
        case Place.CONNECTED_NAME:
            yield from connections(asked, dotted=True)
        case Place.CONNECTION:
            yield from connections(asked, dotted=False)
            yield from names(asked)
        case _:
            yield from _at_start_or_in_expression(asked)


def _at_start_or_in_expression(asked: Asked) -> Iterator[Proposal]:
    place = asked.cursor.place
    if place in (Place.ITEM, Place.STATEMENT, Place.EXPRESSION, Place.TYPE, Place.PORT_DECLARATION):
        yield from names(asked)
    if place is Place.ITEM:
        yield from instances(asked)
    if place is Place.PORT_DECLARATION:
        yield from units(asked, ("interface",))
    if place in (Place.ITEM, Place.STATEMENT, Place.EXPRESSION, Place.TYPE, Place.PORT_DECLARATION):
        yield from packages(asked, Rank.UNIT)
    if place in (Place.STATEMENT, Place.EXPRESSION, Place.ITEM) and asked.word:
        yield from system_words(asked, Rank.SYSTEM)
    yield from words_of_language(place, asked)
    if place in (Place.TOP, Place.ITEM, Place.STATEMENT):
        yield from snippets(place, asked)
