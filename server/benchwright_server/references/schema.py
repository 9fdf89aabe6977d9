"""Prints the JSON Schema of the `benchwright/*` messages; the client's types are generated from it.

Run as `python -m benchwright_server.references.schema`.
"""

from __future__ import annotations

import json
import sys

from pydantic import JsonValue
from pydantic.json_schema import models_json_schema

from benchwright_server.features.every_operation import EVERY_OPERATION
from benchwright_server.protocol.explanations import GeneratedPart
from benchwright_server.protocol.grading import LINES
from benchwright_server.protocol.messages import Wire
from benchwright_server.protocol.own_tests import OwnTestDebugger


def message_schema() -> dict[str, JsonValue]:
    """All messages and grading lines as `$defs`, and a table of the operations."""
    messages: dict[type[Wire], None] = dict.fromkeys(
        model for operation in EVERY_OPERATION for model in (operation.params, operation.result)
    ) | dict.fromkeys((GeneratedPart, OwnTestDebugger, *LINES))
    pairs: list[tuple[type[Wire], str]] = [(model, "serialization") for model in messages]
    _, schema = models_json_schema(pairs, by_alias=True, title="Benchwright messages")  # type: ignore[arg-type]
    schema["operations"] = {
        operation.name: {
            "params": operation.params.__name__,
            "result": operation.result.__name__,
            "request": operation.is_request,
        }
        for operation in EVERY_OPERATION
    }
    return schema


if __name__ == "__main__":
    json.dump(message_schema(), sys.stdout, indent=1)
