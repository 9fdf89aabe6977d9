"""Values changed in a TOML file that somebody writes: comments, order and everything else stay."""

from __future__ import annotations

import copy
import tomllib
from collections.abc import Mapping, Sequence
from typing import Any

from benchwright_authoring.problem_files.toml_places import TomlPath, TomlPlaces
from benchwright_foundation.toml_text import toml_value_text

_ONLY_YOU = "{} is written in a way that only you can change: open the file and edit it there"


class TomlEditError(ValueError):
    """A value is written in a way that can't be changed without writing the file anew."""


def with_toml_values(toml_text: str, new_values: Mapping[str, object]) -> str:
    """A text of TOML with other values.

    Args:
        toml_text: Is TOML.
        new_values: Values by their keys at the top; None removes one; what a table no longer has is removed from it.

    Raises:
        TomlEditError: Names the key.
        tomllib.TOMLDecodeError: The text is not TOML.
    """
    if "\r\n" in toml_text:
        return with_toml_values(toml_text.replace("\r\n", "\n"), new_values).replace("\n", "\r\n")
    try:
        return _with_table(toml_text, (), tomllib.loads(toml_text), new_values)
    except (AttributeError, KeyError, TypeError) as error:
        # A value of another type than the new one, or one that only TOML has, such as a date.
        raise TomlEditError(_ONLY_YOU.format("a value")) from error


def _with_table(
    toml_text: str, table_path: TomlPath, old_values: Mapping[str, Any], new_values: Mapping[str, object]
) -> str:
    for name, value in new_values.items():
        path, old = (*table_path, name), old_values.get(name)
        if old == value:
            continue
        is_written_out = TomlPlaces(toml_text).value_span_if_written(path) is None
        if isinstance(value, Mapping) and (not table_path if old is None else is_written_out):
            if old is None:
                toml_text = f"{toml_text.rstrip()}\n\n[{name}]\n".lstrip()
            toml_text = _with_table(toml_text, path, old or {}, _with_none_for_removed_keys(old or {}, value))
        elif isinstance(value, Sequence) and not isinstance(value, str) and old is not None and is_written_out:
            toml_text = _with_array_of_tables(toml_text, path, old, value)
        else:
            toml_text = _require_only_this_changed(toml_text, path, value, _with_value(toml_text, path, value))
    return toml_text


def _with_array_of_tables(
    toml_text: str, array_path: TomlPath, old_tables: Sequence[Any], new_tables: Sequence[object]
) -> str:
    """An array whose tables have headers, `[[…]]`."""
    changed_text = toml_text
    for number in reversed(range(len(new_tables), len(old_tables))):
        changed_text = _without_key(changed_text, (*array_path, number))
    for number, value in enumerate(new_tables):
        if not isinstance(value, Mapping):
            break
        if number < len(old_tables):
            for name, field_value in _with_none_for_removed_keys(old_tables[number], value).items():
                if old_tables[number].get(name) != field_value:
                    changed_text = _with_value(changed_text, (*array_path, number, name), field_value)
        else:
            insert_offset = _end_of_line(changed_text, TomlPlaces(changed_text).table_end((*array_path, number - 1)))
            lines = "".join(f"{name} = {_toml_value_text(field_value)}\n" for name, field_value in value.items())
            header = ".".join(part for part in array_path if isinstance(part, str))
            text_before = _with_final_line_break(changed_text[:insert_offset])
            changed_text = f"{text_before}\n[[{header}]]\n{lines}{changed_text[insert_offset:]}"
    return _require_only_this_changed(toml_text, array_path, list(new_tables) or None, changed_text)


def _with_none_for_removed_keys(
    old_values: Mapping[str, Any], new_values: Mapping[str, object]
) -> Mapping[str, object]:
    """The values after a change, and None for what is there no more."""
    return {**{name: None for name in old_values if name not in new_values}, **new_values}


def _require_only_this_changed(old_text: str, changed_path: TomlPath, changed_value: object, new_text: str) -> str:
    """The text after a change, if it changed this value and nothing else."""
    expected_document = tomllib.loads(old_text)
    table: Any = expected_document
    for path_part in changed_path[:-1]:
        table = table.setdefault(path_part, {}) if isinstance(path_part, str) else table[path_part]
    if changed_value is None:
        table.pop(changed_path[-1], None)
    else:
        table[changed_path[-1]] = copy.copy(changed_value)
    try:
        is_as_wanted = tomllib.loads(new_text) == expected_document
    except tomllib.TOMLDecodeError:
        is_as_wanted = False
    if not is_as_wanted:
        raise TomlEditError(_ONLY_YOU.format(".".join(map(str, changed_path))))
    return new_text


def _with_value(toml_text: str, key_path: TomlPath, new_value: object) -> str:
    if new_value is None:
        return _without_key(toml_text, key_path)
    toml_places = TomlPlaces(toml_text)
    if (span := toml_places.value_span_if_written(key_path)) is not None:
        if toml_places.has_comment(span):
            raise TomlEditError(f"{'.'.join(map(str, key_path))} has comments: open the file and edit it there")
        return f"{toml_text[: span.start]}{_toml_value_text(new_value)}{toml_text[span.end :]}"
    end = toml_places.table_end(key_path[:-1])
    insert_offset = _end_of_line(toml_text, end) if end else 0
    text_before, text_behind = _with_final_line_break(toml_text[:insert_offset]), toml_text[insert_offset:]
    return f"{text_before}{key_path[-1]} = {_toml_value_text(new_value)}\n{text_behind}"


def _without_key(toml_text: str, key_path: TomlPath) -> str:
    """Without the lines of a key, and of all below it."""
    for span in reversed(TomlPlaces(toml_text).entry_spans_at_and_below(key_path)):
        toml_text = toml_text[: _start_of_line(toml_text, span.start)] + toml_text[_end_of_line(toml_text, span.end) :]
    return toml_text


def _toml_value_text(new_value: object) -> str:
    if not isinstance(new_value, str) or "\n" not in new_value:
        return toml_value_text(new_value)
    lines = (toml_value_text(line)[1:-1] for line in new_value.split("\n"))
    return '"""\n' + "\n".join(lines) + '"""'


def _with_final_line_break(toml_text: str) -> str:
    return toml_text if not toml_text or toml_text.endswith("\n") else f"{toml_text}\n"


def _start_of_line(toml_text: str, offset: int) -> int:
    return toml_text.rfind("\n", 0, offset) + 1


def _end_of_line(toml_text: str, offset: int) -> int:
    """Behind the line break; the end of the text if the last line has none."""
    return line_break + 1 if (line_break := toml_text.find("\n", offset)) >= 0 else len(toml_text)
