"""What tools for agents answer, as programs read it: each has a schema, and its text is the same as JSON."""

from __future__ import annotations

import json
from typing import Any

from pydantic import BaseModel, Field, JsonValue

from benchwright_attempts.state import AttemptState
from benchwright_server.protocol.messages import StandingView, VerdictView


class ToolResult(BaseModel):
    """Base of the results; a list of the text is in the only field of its result."""


class PlainText(ToolResult):
    """Prose or a file, for people and models."""

    text: str


class StatusResult(ToolResult):
    """State of the attempt."""

    state: AttemptState
    view: StandingView
    verdict: VerdictView | None = None
    runs: int
    runs_allowed: int | None = None
    running: bool
    assistance: str | None = None
    aids: list[str]
    active_s: float | None = None
    remaining_s: float | None = None
    recording: str
    study: str | None = None


class ListedFile(BaseModel):
    """A file of the workspace."""

    path: str
    bytes: int
    is_tested: bool


class FilesResult(ToolResult):
    """The files of the workspace."""

    files: list[ListedFile]


class ListedFinding(BaseModel):
    """What a tool says of a line."""

    line: int = Field(description="From 1.")
    level: str
    source: str
    rule: str | None = None
    message: str


class FindingsResult(ToolResult):
    """The findings of a file."""

    findings: list[ListedFinding]


class Instance(BaseModel):
    """An instance of a module."""

    path: str
    module: str
    parameters: dict[str, JsonValue]
    has_children: bool


class InstancesResult(ToolResult):
    """Tops or children."""

    instances: list[Instance]


class FlowSignal(BaseModel):
    """A signal that is read or written."""

    path: str
    part: str | None = None


class Flow(BaseModel):
    """An assignment or a connection."""

    kind: str
    text: str
    instance: str | None = None
    signals: list[FlowSignal]
    file: str | None = None
    line: int | None = None


class SignalFlows(ToolResult):
    """What drives a signal, or what it drives."""

    signal: str
    port_of_top: str | None = None
    drivers: list[Flow] | None = None
    loads: list[Flow] | None = None
    is_complete: bool


class TakenHint(BaseModel):
    """A hint with its text."""

    number: int
    text: str


class NextHint(BaseModel):
    """The next hint, without its text."""

    number: int
    costs: str
    waits_for: str | None = None


class HintsResult(ToolResult):
    """The hints that were taken, and the next one."""

    hints: int
    taken: list[TakenHint]
    next: NextHint | None = None


class OwnTest(BaseModel):
    """A test in the workspace."""

    id: str
    kind: str
    cases: list[str]
    file: str | None = None
    line: int | None = None


class OwnTestsResult(ToolResult):
    """The tests in the workspace."""

    tests: list[OwnTest]


class OwnTestOutcome(BaseModel):
    """The outcome of one test."""

    id: str
    outcome: str
    reason: str | None = None
    message: str | None = None
    expected: str | None = None
    got: str | None = None
    sim_time_ns: float | None = None
    file: str | None = None
    line: int | None = None


class OwnTestRunResult(BaseModel):
    """A run of a file."""

    file: str
    top: str | None = None
    simulator: str | None = None
    results: list[OwnTestOutcome]
    output: str | None = None
    waves: str | None = None


class OwnTestRunsResult(ToolResult):
    """Runs of the tests in the workspace."""

    passed: bool
    runs: list[OwnTestRunResult]


class WaveSignal(BaseModel):
    """A signal of a waveform."""

    path: str
    bits: int | None = None


class WaveSignalsResult(ToolResult):
    """A page of the signals of a waveform."""

    tick: str
    total: int
    signals: list[WaveSignal]


class WaveValuesResult(ToolResult):
    """Values at a time."""

    tick: str
    time: int
    values: dict[str, str | None]
    values_before: dict[str, str | None] | None = None


class WaveChangeResult(ToolResult):
    """A change."""

    tick: str
    time: int
    value: str | None


class WaveTrace(BaseModel):
    """A signal between two times."""

    path: str
    is_missing: bool
    times: list[int]
    values: list[str | None]


class WaveWindowResult(ToolResult):
    """Signals between two times."""

    tick: str
    traces: list[WaveTrace]


def result_schema(result_type: type[ToolResult]) -> dict[str, Any]:
    """The JSON Schema of a result; what is null may be left out."""
    schema = result_type.model_json_schema(by_alias=False, mode="serialization")
    _make_nullable_fields_optional(schema)
    return schema


def structured_result(result_type: type[ToolResult], result_text: str) -> dict[str, Any]:
    """The result of a tool from its text.

    Args:
        result_type: Of the tool.
        result_text: JSON, unless the result is plain text.
    """
    if result_type is PlainText:
        return {"text": result_text}
    value = json.loads(result_text)
    return {next(iter(result_type.model_fields)): value} if isinstance(value, list) else dict(value)


def _make_nullable_fields_optional(schema: dict[str, Any]) -> None:
    for part in (schema, *schema.get("$defs", {}).values()):
        # Messages of the editor's forbid further fields, which they may get.
        part.pop("additionalProperties", None) if part.get("properties") else None
        properties = part.get("properties", {})
        required = [name for name in part.get("required", ()) if not _can_be_null(properties.get(name, {}))]
        if "required" in part:
            part["required"] = required


def _can_be_null(schema: dict[str, Any]) -> bool:
    return schema.get("type") == "null" or any(map(_can_be_null, schema.get("anyOf", ())))
