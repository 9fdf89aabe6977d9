"""Prints what the client is generated from: the `benchwright/*` messages, settings, sandboxes and question formats.

Run as `python -m benchwright_server.references.schema`.
"""

from __future__ import annotations

import json
import sys
from typing import Any

from pydantic import JsonValue, TypeAdapter
from pydantic.json_schema import models_json_schema

from benchwright_foundation import distribution
from benchwright_harness.sandbox.registry import sandbox_kind, sandbox_names
from benchwright_problems.problem import QuestionFormat
from benchwright_server.features.agent.agent_tools import AGENT_OPERATIONS
from benchwright_server.features.attempt.explanations import EXPLAIN_OPERATIONS
from benchwright_server.features.attempt.own_tests import OWN_TEST_OPERATIONS
from benchwright_server.features.authoring.authoring import AUTHORING_OPERATIONS
from benchwright_server.features.authoring.exam_review import EXAM_OPERATIONS
from benchwright_server.features.authoring.organised_studies import ORGANISED_STUDY_OPERATIONS
from benchwright_server.features.authoring.question_form import QUESTION_FORM_OPERATIONS
from benchwright_server.features.authoring.question_tries import QUESTION_TRY_OPERATIONS
from benchwright_server.features.design.declaring_files import DECLARATION_OPERATIONS
from benchwright_server.features.design.design_views import VIEW_OPERATIONS
from benchwright_server.features.design.instances import DESIGN_OPERATIONS
from benchwright_server.features.design.macro_expansion import EXPANSION_OPERATIONS
from benchwright_server.features.design.project_lists import LIST_OPERATIONS
from benchwright_server.features.design.waveforms import WAVEFORM_OPERATIONS
from benchwright_server.operations.catalogue import OPERATIONS
from benchwright_server.operations.operation import Operation
from benchwright_server.protocol.explanations import GeneratedPart
from benchwright_server.protocol.grading import LINES
from benchwright_server.protocol.messages import Wire
from benchwright_server.protocol.own_tests import OwnTestDebugger
from benchwright_server.references.language import setting_description
from benchwright_server.settings import flat_settings

EVERY_OPERATION: tuple[Operation[Any, Any, Any], ...] = (
    *OPERATIONS,
    *DESIGN_OPERATIONS,
    *AGENT_OPERATIONS,
    *VIEW_OPERATIONS,
    *EXPLAIN_OPERATIONS,
    *EXPANSION_OPERATIONS,
    *LIST_OPERATIONS,
    *DECLARATION_OPERATIONS,
    *OWN_TEST_OPERATIONS,
    *WAVEFORM_OPERATIONS,
    *AUTHORING_OPERATIONS,
    *QUESTION_FORM_OPERATIONS,
    *QUESTION_TRY_OPERATIONS,
    *EXAM_OPERATIONS,
    *ORGANISED_STUDY_OPERATIONS,
)
"""Every `benchwright/*` request and notification of a client: on attempts, then on designs."""


def message_schema() -> dict[str, JsonValue]:
    """All messages and grading lines as `$defs`, and a table of the operations."""
    messages: dict[type[Wire], None] = dict.fromkeys(
        model for operation in EVERY_OPERATION for model in (operation.params, operation.result_type)
    ) | dict.fromkeys((GeneratedPart, OwnTestDebugger, *LINES))
    model_modes: list[tuple[type[Wire], str]] = [(model, "serialization") for model in messages]
    _, schema = models_json_schema(model_modes, by_alias=True, title="Benchwright messages")  # type: ignore[arg-type]
    schema["operations"] = {
        operation.name: {
            "params": operation.params.__name__,
            "result": operation.result_type.__name__,
            "request": operation.is_request,
        }
        for operation in EVERY_OPERATION
    }
    return schema


def setting_schemas() -> dict[str, JsonValue]:
    """The JSON Schema of each setting, by its name."""
    return {
        name: {
            **TypeAdapter(kind).json_schema(),
            **({"minimum": 0} if kind is int else {}),
            "default": TypeAdapter(kind).dump_python(default, mode="json"),
            "description": setting_description(settings_class, field),
        }
        for name, kind, default, settings_class, field in flat_settings()
    }


def sandbox_descriptions() -> dict[str, JsonValue]:
    """What each sandbox is, by its name, the default first."""
    return {name: sandbox_kind(name).description for name in sandbox_names()}


def question_formats() -> list[JsonValue]:
    """Every question format: its value, its label in English, and what answers its questions."""
    return [
        {"value": style.value, "label": style.label, "answeredBy": style.answered_by.value} for style in QuestionFormat
    ]


if __name__ == "__main__":
    client_schema = {
        **message_schema(),
        "settings": setting_schemas(),
        "sandboxes": sandbox_descriptions(),
        "questionFormats": question_formats(),
        "distribution": distribution.NAME,
    }
    json.dump(client_schema, sys.stdout, indent=1)
