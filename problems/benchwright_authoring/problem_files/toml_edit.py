"""Values changed in a TOML file that somebody writes: comments, order and everything else stay."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping

from benchwright_authoring.problem_files.toml_places import Path, TomlPlaces
from benchwright_problems.toml_text import toml_value


class TomlEditError(ValueError):
    """A value is written in a way that can't be changed without writing the file anew."""


def with_values(text: str, values: Mapping[str, object]) -> str:
    """A text of TOML with other values.

    Args:
        text: Is TOML.
        values: By their keys at the top; a table of strings stays a table, None removes a key.

    Raises:
        TomlEditError: Names the key.
        tomllib.TOMLDecodeError: The text is not TOML.
    """
    wanted = tomllib.loads(text)
    for name, value in values.items():
        if wanted.get(name) == value:
            continue
        if isinstance(value, Mapping) and TomlPlaces(text).value((name,)) is None:
            text = _with_table(text, name, wanted.get(name, {}), value)
        else:
            text = _with_value(text, (name,), value)
        wanted[name] = value
        if value is None:
            del wanted[name]
        try:
            changed = tomllib.loads(text)
        except tomllib.TOMLDecodeError:
            changed = {}
        if changed != wanted:
            raise TomlEditError(f"{name} is written in a way that only you can change: open the file and edit it there")
    return text


def _with_table(text: str, name: str, before: Mapping[str, object], after: Mapping[str, object]) -> str:
    if name not in tomllib.loads(text):
        text = f"{text.rstrip()}\n\n[{name}]\n"
    for key in {**before, **after}:
        if before.get(key) != after.get(key):
            text = _with_value(text, (name, key), after.get(key))
    return text


def _with_value(text: str, path: Path, value: object) -> str:
    places = TomlPlaces(text)
    span = places.value(path)
    if span is not None and value is not None:
        return f"{text[: span.start]}{toml_value(value)}{text[span.end :]}"
    if span is not None:
        return text[: _start_of_line(text, places.key(path).start)] + text[_end_of_line(text, span.end) :]
    if value is None:
        return text
    end = places.end_of(path[:-1])
    at = _end_of_line(text, end) if end else 0
    before = text[:at] if not at or text[:at].endswith("\n") else f"{text[:at]}\n"
    return f"{before}{path[-1]} = {toml_value(value)}\n{text[at:]}"


def _start_of_line(text: str, offset: int) -> int:
    return text.rfind("\n", 0, offset) + 1


def _end_of_line(text: str, offset: int) -> int:
    """Behind the line break; the end of the text if the last line has none."""
    return found + 1 if (found := text.find("\n", offset)) >= 0 else len(text)
