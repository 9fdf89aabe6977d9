"""Reading the JSON object of a model's reply, strictly."""

from __future__ import annotations

import json
import re
from typing import Any

_THOUGHTS = re.compile(r"<think(?:ing)?>.*?</think(?:ing)?>", re.DOTALL | re.IGNORECASE)


def read_only_object(text: str) -> dict[str, Any]:
    """The only JSON object in a reply. A code fence or words may surround it, but no second object.

    What a reasoning model writes into `<think>…</think>` is not its reply, unless there is nothing else.

    Raises:
        ValueError: The reply has no object, more than one, or one that gives a field twice.
    """
    reply_text = _THOUGHTS.sub("", text)
    return _only_json_object(reply_text if reply_text.strip() else text)


def _only_json_object(reply_text: str) -> dict[str, Any]:
    decoder = json.JSONDecoder(object_pairs_hook=_object_without_duplicates, parse_constant=_reject_constant)
    objects: list[dict[str, Any]] = []
    position = reply_text.find("{")
    while position >= 0:
        try:
            value, end = decoder.raw_decode(reply_text, position)
        except RecursionError as error:
            raise ValueError("the reply is nested too deeply") from error
        except json.JSONDecodeError:
            position = reply_text.find("{", position + 1)
            continue
        objects.append(value)
        position = reply_text.find("{", end)
    if len(objects) != 1:
        raise ValueError("the reply holds no JSON object" if not objects else "the reply holds several JSON objects")
    return objects[0]


def _object_without_duplicates(fields_and_values: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(fields_and_values)
    if len(fields) < len(fields_and_values):
        raise ValueError("the reply gives a field twice")
    return fields


def _reject_constant(constant_name: str) -> None:
    raise ValueError("the reply holds a number that JSON does not have")
