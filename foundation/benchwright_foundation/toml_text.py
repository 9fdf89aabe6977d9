"""Values of a pack's files as TOML."""

from __future__ import annotations

import json


def toml_table_text(values_by_key: dict[str, object]) -> str:
    """Strings, numbers, lists of strings and tables of strings as TOML; nothing for None."""
    lines = [
        f"{name} = {toml_value_text(value)}"
        for name, value in values_by_key.items()
        if not isinstance(value, dict | None)
    ]
    for name, toml_table in values_by_key.items():
        if isinstance(toml_table, dict) and toml_table:
            lines += ["", f"[{name}]", *(f"{key} = {toml_value_text(value)}" for key, value in toml_table.items())]
    return "\n".join(lines) + "\n"


def toml_value_text(value: object) -> str:
    """A value as it is written after its key."""
    if isinstance(value, list | tuple):
        return "[" + "".join(f"\n    {toml_value_text(element)}," for element in value) + ("\n]" if value else "]")
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {toml_value_text(element)}" for key, element in value.items()) + " }"
    if isinstance(value, str):
        # A basic string of TOML is one of JSON without escaped slashes and halves of surrogates; DEL has to be escaped.
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    return json.dumps(value)
