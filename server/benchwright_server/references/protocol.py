"""Prints `docs/reference/protocol.md`: every operation and every message, generated from the models.

Run as `python -m benchwright_server.references.protocol > docs/reference/protocol.md`.
"""

from __future__ import annotations

import json
import sys
import types
from collections.abc import Iterator
from enum import Enum
from typing import Annotated, Any, Union, get_args, get_origin

from pydantic import JsonValue

from benchwright_server.features.attempt.own_tests import DEBUGGER
from benchwright_server.features.authoring.authoring import PROVED
from benchwright_server.features.requests import REQUEST_FAILED
from benchwright_server.operations.catalogue import CHANGED, Operation
from benchwright_server.protocol import agent as agent_protocol
from benchwright_server.protocol import aids as aid_protocol
from benchwright_server.protocol import authoring as authoring_protocol
from benchwright_server.protocol import design as design_protocol
from benchwright_server.protocol import design_views as design_views_protocol
from benchwright_server.protocol import exams as exam_protocol
from benchwright_server.protocol import explanations as explain_protocol
from benchwright_server.protocol import numbers as numbers_protocol
from benchwright_server.protocol import organised_studies as organised_studies_protocol
from benchwright_server.protocol import own_tests as own_test_protocol
from benchwright_server.protocol import question_form as question_form_protocol
from benchwright_server.protocol import studies as study_protocol
from benchwright_server.protocol import waveforms as waveform_protocol
from benchwright_server.protocol.authoring import ProblemProof
from benchwright_server.protocol.explanations import GeneratedPart
from benchwright_server.protocol.messages import AttemptStatus, Wire
from benchwright_server.protocol.own_tests import OwnTestDebugger
from benchwright_server.references.schema import EVERY_OPERATION

_HEAD = f"""\
# Protocol

What an editor can request of `benchwright lsp` beyond standard LSP 3.17. Generated from the models in
`benchwright_server.protocol.messages` by `python -m benchwright_server.references.protocol`; do not edit.

Every request is served twice, with the same parameters and the same result: as `benchwright/<name>`, and
as the `workspace/executeCommand` command `benchwright.<name>` whose only argument is the parameter object.
Unknown fields are rejected.

A request that fails is answered with an error whose message is a sentence for the user: code
{REQUEST_FAILED} (`RequestFailed`) if the state does not allow it or something is missing, -32602
(`InvalidParams`) if the parameters are not as described here, -32603 (`InternalError`) for unexpected
errors. Requests see every document change and save that was sent before them.

## Standard LSP

| method | what happens |
| --- | --- |
| `textDocument/didOpen`, `didChange` | Incremental synchronisation; slang analyses the document when typing pauses. |
| `textDocument/didSave` | Verilator lints; while the clock runs, the hidden tests run too. A newer save cancels \
an older run. |
| `textDocument/didClose` | Unsaved changes are recorded as discarded; the file's diagnostics are cleared. |
| `textDocument/diagnostic`, `publishDiagnostics` | Findings of slang, Verilator and verible for a file, \
merged: pulled by an editor that can, pushed to any other. |
| `textDocument/codeLens` | One lens above the first module of a file that is judged, such as \
`▶ Run hidden tests · ✗ 3/5 passed · 0.8 s · run 4`. |
| `$/progress` | One per run, titled "Hidden tests"; cancelling it cancels the run. |
| `shutdown` | Stops runs, pauses running clocks, and writes pending events. |
"""

_OTHERS = (
    study_protocol,
    numbers_protocol,
    design_protocol,
    agent_protocol,
    design_views_protocol,
    explain_protocol,
    own_test_protocol,
    waveform_protocol,
    aid_protocol,
    authoring_protocol,
    question_form_protocol,
    exam_protocol,
    organised_studies_protocol,
)
"""The modules of messages besides `protocol`, in the page's order."""


def protocol_page() -> str:
    """The whole page, Markdown."""
    return "\n".join(_page_lines())


def _page_lines() -> Iterator[str]:
    yield _HEAD
    yield "## Operations\n"
    yield "| name | parameters | result | what it does |"
    yield "| --- | --- | --- | --- |"
    for operation in EVERY_OPERATION:
        result = _model_link(operation.result_type) if operation.is_request else "(a notification to the server)"
        yield f"| `{operation.name}` | {_model_link(operation.params)} | {result} | {operation.does} |"
    yield (
        f"\nThe server sends `{CHANGED}`, a notification with {_model_link(AttemptStatus)}, "
        "whenever the status changes,"
    )
    yield f"`{DEBUGGER}` with {_model_link(OwnTestDebugger)} when a test waits for a debugger, and `{PROVED}` with"
    yield f"{_model_link(ProblemProof)} when the proof of a problem that was saved has ended."
    yield "\n## Messages"
    for model in _reached_models(EVERY_OPERATION):
        yield from _message_section(model)


def _message_section(model: type[Wire]) -> Iterator[str]:
    yield f"\n### {model.__name__}\n"
    yield " ".join((model.__doc__ or "").split())
    if not model.model_fields:
        return
    yield "\n| field | type | |"
    yield "| --- | --- | --- |"
    for field in model.model_fields.values():
        default = "" if field.is_required() else f"Default: `{_json(field.get_default(call_default_factory=True))}`."
        meaning = " ".join(filter(None, (" ".join((field.description or "").split()), default)))
        yield f"| `{field.alias}` | {_type_text(field.annotation)} | {meaning} |"


def _reached_models(operations: tuple[Operation[Any, Any, Any], ...]) -> list[type[Wire]]:
    """Every model that is reached, in the order of `protocol`."""
    message_models: set[type[Wire]] = set()

    def reach(annotation: object) -> None:
        if isinstance(annotation, type) and issubclass(annotation, Wire) and annotation not in message_models:
            message_models.add(annotation)
            for field in annotation.model_fields.values():
                reach(field.annotation)
        for inner in get_args(annotation):
            reach(inner)

    for operation in operations:
        reach(operation.params)
        reach(operation.result_type)
    reach(GeneratedPart)
    reach(OwnTestDebugger)
    definitions = [*vars(sys.modules[Wire.__module__]).values()]
    for other_module in _OTHERS:
        definitions += vars(other_module).values()
    return sorted(message_models, key=definitions.index)


def _type_text(annotation: object) -> str:
    if get_origin(annotation) is Annotated:
        return _type_text(get_args(annotation)[0])
    if get_origin(annotation) in (Union, types.UnionType):
        return " or ".join(_type_text(inner) for inner in get_args(annotation))
    if get_origin(annotation) is list:
        return f"list of {_type_text(get_args(annotation)[0])}"
    if get_origin(annotation) is dict:
        return f"object of {_type_text(get_args(annotation)[1])}"
    if annotation is JsonValue:
        return "any JSON value"
    if annotation is types.NoneType:
        return "null"
    if isinstance(annotation, type) and issubclass(annotation, Enum):
        return ", ".join(f"`{member.value}`" for member in annotation)
    if isinstance(annotation, type) and issubclass(annotation, Wire):
        return _model_link(annotation)
    return {str: "string", int: "integer", float: "number", bool: "boolean"}[annotation]  # type: ignore[index]


def _model_link(model: type[Wire]) -> str:
    return f"[{model.__name__}](#{model.__name__.lower()})"


def _json(value: JsonValue) -> str:
    return json.dumps(value)


if __name__ == "__main__":
    sys.stdout.write(protocol_page() + "\n")
