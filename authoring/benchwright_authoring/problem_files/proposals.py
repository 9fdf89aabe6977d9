"""Proposals for a place of a TOML file that an author writes, and the meaning of a field there."""

from __future__ import annotations

from dataclasses import dataclass

from benchwright_authoring.problem_files.fields import FileFields, field_of_key, table_fields
from benchwright_authoring.problem_files.toml_places import TomlPlaces, TomlSpan


@dataclass(frozen=True)
class TomlProposal:
    """Something that can be written."""

    text: str
    """Takes the place of what has been typed of the word."""
    label: str
    description: str
    is_value: bool


def toml_proposals(
    file_fields: FileFields, toml_text: str, cursor_code_point: int
) -> tuple[TomlSpan, list[TomlProposal]]:
    """The proposals at an offset, and the span that they take the place of.

    Args:
        file_fields: Fields that the file may hold.
        toml_text: Text of the file.
        cursor_code_point: Offset in code points.
    """
    toml_places = TomlPlaces(toml_text)
    cursor = toml_places.cursor(cursor_code_point)
    if cursor is None:
        return TomlSpan(cursor_code_point, cursor_code_point), []
    if cursor.is_header:
        return cursor.span, [
            TomlProposal(name, name, description, False) for name, description in _headers_and_descriptions(file_fields)
        ]
    if cursor.key is not None:
        key_field = field_of_key(file_fields, (*cursor.table, cursor.key))
        values = key_field.values if key_field is not None else ()
        return cursor.span, [TomlProposal(value, value, "", True) for value in values]
    written_keys = toml_places.keys_in_table(cursor.table)
    return cursor.span, [
        TomlProposal(f"{table_field.name} = ", table_field.name, table_field.description, False)
        for table_field in table_fields(file_fields, cursor.table)
        # A table in a table is usually written inline.
        if (cursor.table or not table_field.is_table) and table_field.name not in written_keys
    ]


def toml_hover(file_fields: FileFields, toml_text: str, cursor_code_point: int) -> tuple[TomlSpan, str] | None:
    """The meaning of the field at an offset, in Markdown, with the place of its key."""
    key_position = TomlPlaces(toml_text).innermost_key_at(cursor_code_point)
    if key_position is None:
        return None
    path, span = key_position
    hovered_field = field_of_key(file_fields, tuple(part for part in path if isinstance(part, str)))
    if hovered_field is None:
        return None
    values_note = (
        f"\n\nOne of {', '.join(f'`{value}`' for value in hovered_field.values)}." if hovered_field.values else ""
    )
    return span, f"{hovered_field.description}{values_note}"


def _headers_and_descriptions(file_fields: FileFields, outer_table: tuple[str, ...] = ()) -> list[tuple[str, str]]:
    table_headers = []
    for table_field in table_fields(file_fields, outer_table):
        if table_field.is_table:
            path = (*outer_table, table_field.name)
            table_headers += [(".".join(path), table_field.description), *_headers_and_descriptions(file_fields, path)]
    return table_headers
