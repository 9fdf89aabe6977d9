"""Bodies of an API's endpoints in which one value is as large, as deep or as strange as JSON can say it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

EXTREMES = {
    "10^30": "1" + "0" * 30,
    "-10^30": "-1" + "0" * 30,
    "2^31": str(2**31),
    "2^63-1": str(2**63 - 1),
    "2^63": str(2**63),
    "5000 digits": "9" * 5_000,
    "fraction": "1.5",
    "10^308": "1e308",
    "infinite": "1e999",
    "Infinity": "Infinity",
    "NaN": "NaN",
    "null": "null",
    "surrogate": r'"\ud800"',
    "surrogate in a name": r'{"\udfff": 1}',
    "null byte": r'"\u0000"',
    "deep": "[" * 100_000 + "]" * 100_000,
    "open": "[" * 100_000,
    "deep objects": '{"a":' * 100_000 + "1" + "}" * 100_000,
    "300 deep": "[" * 300 + "]" * 300,
    "first year": '"0001-01-01T00:00:00+23:59"',
    "last year": '"9999-12-31T23:59:59-23:59"',
    "no zone": '"2026-11-20T09:30:00"',
}
"""JSON text by what is strange about it."""


def extreme_bodies(valid_body: Any) -> Iterator[tuple[str, str]]:
    """Each a valid body but for one value; and what is strange about which.

    Args:
        valid_body: A JSON value.
    """
    for name, text in EXTREMES.items():
        yield f"{name}: whole", text
        for path in _leaf_paths(valid_body):
            marked = _with_value(valid_body, path, _MARK)
            yield f"{name}: {'/'.join(map(str, path))}", json.dumps(marked).replace(json.dumps(_MARK), text)


def valid_instance(schema: Mapping[str, Any], shapes: Mapping[str, Any]) -> Any:
    """A value that a JSON schema of pydantic's describes, with one of whatever there may be several of.

    Args:
        schema: The schema.
        shapes: Named schemas of the document.
    """
    if "$ref" in schema:
        return valid_instance(shapes[schema["$ref"].rpartition("/")[2]], shapes)
    for key in ("anyOf", "allOf", "oneOf"):
        if key in schema:
            return valid_instance(schema[key][0], shapes)
    if "const" in schema or "enum" in schema:
        return schema.get("const", schema.get("enum", [None])[0])
    match schema.get("type"):
        case "object" if "properties" in schema:
            return {name: valid_instance(field, shapes) for name, field in schema["properties"].items()}
        case "object":
            names = schema.get("propertyNames", {"type": "string"})
            values = schema.get("additionalProperties")
            return {valid_instance(names, shapes): valid_instance(values if isinstance(values, dict) else {}, shapes)}
        case "array" if "prefixItems" in schema:
            return [valid_instance(item, shapes) for item in schema["prefixItems"]]
        case "array":
            return [valid_instance(schema.get("items", {}), shapes)]
        case "integer" | "number":
            return schema.get("minimum", 1)
        case "boolean":
            return True
        case "string":
            return _text(schema)
    return 1


_MARK = "the value that is replaced"


def _text(schema: Mapping[str, Any]) -> str:
    if schema.get("format") == "date-time":
        return "2026-11-20T09:30:00Z"
    by_pattern = {r"^[0-9a-f]{32}$": "0" * 32, r"^[0-9a-f]{64}$": "0" * 64, r"^[A-Za-z0-9+/]*={0,2}$": ""}
    return str(by_pattern.get(schema.get("pattern", ""), (schema.get("examples") or ["a"])[0]))


def _leaf_paths(value: Any) -> Iterator[tuple[str | int, ...]]:
    members = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, member in members:
        yield (key,)
        for path in _leaf_paths(member):
            yield (key, *path)


def _with_value(value: Any, path: tuple[str | int, ...], new_value: Any) -> Any:
    if not path:
        return new_value
    copy: Any = dict(value) if isinstance(value, dict) else list(value)
    copy[path[0]] = _with_value(value[path[0]], path[1:], new_value)
    return copy
