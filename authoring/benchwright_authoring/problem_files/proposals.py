"""What can be written at a place of a TOML file that an author writes, and what a field there means."""

from __future__ import annotations

from dataclasses import dataclass

from benchwright_authoring.problem_files.fields import FileFields, field, fields
from benchwright_authoring.problem_files.toml_places import Span, TomlPlaces


@dataclass(frozen=True)
class TomlProposal:
    """Something that can be written."""

    text: str
    """Takes the place of what has been typed of the word."""
    label: str
    about: str
    is_value: bool


def toml_proposals(file: FileFields, text: str, offset: int) -> tuple[Span, list[TomlProposal]]:
    """What can be written at an offset, and what it takes the place of.

    Args:
        file: What it may hold.
        text: Of it.
        offset: In code points.
    """
    places = TomlPlaces(text)
    cursor = places.cursor(offset)
    if cursor is None:
        return Span(offset, offset), []
    if cursor.is_header:
        return cursor.span, [TomlProposal(name, name, about, False) for name, about in _headers(file)]
    if cursor.key is not None:
        found = field(file, (*cursor.table, cursor.key))
        values = found.values if found is not None else ()
        return cursor.span, [TomlProposal(value, value, "", True) for value in values]
    there = places.keys_of(cursor.table)
    return cursor.span, [
        TomlProposal(f"{one.name} = ", one.name, one.about, False)
        for one in fields(file, cursor.table)
        # A table in a table is usually written inline.
        if (cursor.table or not one.is_table) and one.name not in there
    ]


def toml_hover(file: FileFields, text: str, offset: int) -> tuple[Span, str] | None:
    """What the field at an offset means, in Markdown, with the place of its key."""
    found = TomlPlaces(text).at(offset)
    if found is None:
        return None
    path, span = found
    about = field(file, tuple(part for part in path if isinstance(part, str)))
    if about is None:
        return None
    values = f"\n\nOne of {', '.join(f'`{value}`' for value in about.values)}." if about.values else ""
    return span, f"{about.about}{values}"


def _headers(file: FileFields, outer: tuple[str, ...] = ()) -> list[tuple[str, str]]:
    found = []
    for one in fields(file, outer):
        if one.is_table:
            path = (*outer, one.name)
            found += [(".".join(path), one.about), *_headers(file, path)]
    return found
