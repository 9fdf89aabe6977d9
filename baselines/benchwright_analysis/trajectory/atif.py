"""The Agent Trajectory Interchange Format, ATIF: RFC 0001 of Harbor, as the models of harbor 0.26.0 have it.

Files of versions 1.0 to 1.8 are read; version 1.8 is written. Whoever wrote a file may be wrong or hostile: what it has
to hold is checked, and its size, depth and numbers are limited.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import ConfigDict, Field, FiniteFloat, JsonValue, ValidationError, model_validator

from benchwright_attempts.errors import TrajectoryError
from benchwright_foundation.json_text import parse_untrusted_json
from benchwright_foundation.model import Model

VERSION = "ATIF-v1.8"
LARGEST_BYTES = 128 * 1024**2
_MOST_STEPS = 200_000
_DEEPEST_SUBAGENT = 8
_Count = Annotated[int, Field(ge=0)]
_Cost = Annotated[FiniteFloat, Field(ge=0)]
Extra = Mapping[str, JsonValue]


class _Part(Model):
    model_config = ConfigDict(defer_build=False)


class MediaSource(_Part):
    """A picture or a sound beside the file."""

    media_type: str
    path: str
    duration_sec: FiniteFloat | None = Field(default=None, ge=0)


class ContentPart(_Part):
    """A part of a message that is more than text."""

    type: Literal["text", "image", "audio"]
    text: str | None = None
    source: MediaSource | None = None

    @model_validator(mode="after")
    def _check_content(self) -> Self:
        if (self.text is not None) != (self.type == "text") or (self.source is not None) != (self.type != "text"):
            raise ValueError("a part of type text has `text`, and one of type image or audio has `source`")
        return self


Content = str | tuple[ContentPart, ...]


class ToolCall(_Part):
    """Something that the solver did."""

    tool_call_id: str
    function_name: str
    arguments: Mapping[str, JsonValue]
    extra: Extra | None = None


class SubagentReference(_Part):
    """Where the trajectory of a delegated agent is."""

    trajectory_id: str | None = None
    session_id: str | None = None
    trajectory_path: str | None = None
    extra: Extra | None = None

    @model_validator(mode="after")
    def _check_resolvable(self) -> Self:
        if self.trajectory_id is None and self.trajectory_path is None:
            raise ValueError("`trajectory_id` or `trajectory_path` is missing")
        return self


class ObservationResult(_Part):
    """The result of one call, or of none."""

    source_call_id: str | None = None
    content: Content | None = None
    subagent_trajectory_ref: tuple[SubagentReference, ...] | None = None
    extra: Extra | None = None


class Observation(_Part):
    """What the solver saw afterwards."""

    results: tuple[ObservationResult, ...]


class Metrics(_Part):
    """What a step took of a model."""

    prompt_tokens: _Count | None = None
    """Those from a cache included."""
    completion_tokens: _Count | None = None
    cached_tokens: _Count | None = None
    cost_usd: _Cost | None = None
    prompt_token_ids: tuple[int, ...] | None = None
    completion_token_ids: tuple[int, ...] | None = None
    logprobs: tuple[FiniteFloat, ...] | None = None
    extra: Extra | None = None


class Step(_Part):
    """One turn of the solver, of a person who asks it, or of the system."""

    step_id: int = Field(ge=1)
    timestamp: str | None = None
    source: Literal["system", "user", "agent"]
    """The solver is the `agent`, also if it is a person."""
    model_name: str | None = None
    reasoning_effort: str | FiniteFloat | None = None
    message: Content
    reasoning_content: str | None = None
    tool_calls: tuple[ToolCall, ...] | None = None
    observation: Observation | None = None
    metrics: Metrics | None = None
    is_copied_context: bool | None = None
    llm_call_count: _Count | None = None
    """0 if no model was asked."""
    extra: Extra | None = None

    @model_validator(mode="after")
    def _check_step(self) -> Self:
        if self.timestamp is not None:
            try:
                datetime.fromisoformat(self.timestamp)
            except ValueError:
                raise ValueError("`timestamp` is no time of ISO 8601") from None
        names = {
            "agent": (),
            "user": ("model_name", "reasoning_effort", "reasoning_content", "tool_calls", "metrics"),
            "system": ("model_name", "reasoning_effort", "reasoning_content", "tool_calls", "metrics"),
        }[self.source]
        if self.source == "agent" and self.llm_call_count == 0:
            names = ("metrics", "reasoning_content")
        if given := [name for name in names if getattr(self, name) is not None]:
            whose = "a step without a call of a model" if self.source == "agent" else f"a step of source {self.source}"
            raise ValueError(f"`{given[0]}` is not for {whose}")
        call_ids = {call.tool_call_id for call in self.tool_calls or ()}
        for result in self.observation.results if self.observation is not None else ():
            if result.source_call_id is not None and result.source_call_id not in call_ids:
                raise ValueError(f"`source_call_id` {result.source_call_id[:80]!r} names no call of this step")
        return self

    @property
    def moment(self) -> datetime | None:
        """When it was, if the step says so with a time zone."""
        moment = datetime.fromisoformat(self.timestamp) if self.timestamp is not None else None
        return moment if moment is not None and moment.tzinfo is not None else None

    @property
    def text(self) -> str:
        """The text of its message."""
        return content_text(self.message)


class Agent(_Part):
    """Who solves: an agent, a model, or a person."""

    name: str
    version: str
    model_name: str | None = None
    tool_definitions: tuple[Mapping[str, JsonValue], ...] | None = None
    extra: Extra | None = None


class FinalMetrics(_Part):
    """What all steps took."""

    total_prompt_tokens: _Count | None = None
    total_completion_tokens: _Count | None = None
    total_cached_tokens: _Count | None = None
    total_cost_usd: _Cost | None = None
    total_steps: _Count | None = None
    extra: Extra | None = None


class Trajectory(_Part):
    """One attempt, step by step."""

    schema_version: Literal[
        "ATIF-v1.0",
        "ATIF-v1.1",
        "ATIF-v1.2",
        "ATIF-v1.3",
        "ATIF-v1.4",
        "ATIF-v1.5",
        "ATIF-v1.6",
        "ATIF-v1.7",
        "ATIF-v1.8",
    ] = "ATIF-v1.8"
    session_id: str | None = None
    trajectory_id: str | None = None
    agent: Agent
    steps: tuple[Step, ...] = Field(min_length=1, max_length=_MOST_STEPS)
    notes: str | None = None
    final_metrics: FinalMetrics | None = None
    continued_trajectory_ref: str | None = None
    extra: Extra | None = None
    subagent_trajectories: tuple[Trajectory, ...] | None = None

    @model_validator(mode="after")
    def _check_numbers_and_names(self) -> Self:
        for number, step in enumerate(self.steps, 1):
            if step.step_id != number:
                raise ValueError(f"steps[{number - 1}]: `step_id` is {step.step_id}, where {number} is next")
        names = [subagent.trajectory_id for subagent in self.subagent_trajectories or ()]
        if None in names or len(set(names)) != len(names):
            raise ValueError("each of `subagent_trajectories` needs a `trajectory_id` of its own")
        return self

    def as_json(self) -> str:
        """The text of a file, which ends with a line end."""
        return self.model_dump_json(exclude_none=True, indent=1) + "\n"


def content_text(content: Content | None) -> str:
    """The text of a message or of a result; a picture or a sound is its place in brackets."""
    if content is None or isinstance(content, str):
        return content or ""
    return "\n".join(
        content_part.text or ""
        if content_part.source is None
        else f"[{content_part.source.media_type}: {content_part.source.path}]"
        for content_part in content
    )


def read_trajectory(file: Path) -> Trajectory:
    """Read a trajectory that somebody else may have written.

    Raises:
        TrajectoryError: It can't be read; the message names the line or the field.
    """
    try:
        if file.stat().st_size > LARGEST_BYTES:
            raise TrajectoryError(f"{file} is larger than {LARGEST_BYTES >> 20} MB. Split the trajectory.")
        text = file.read_bytes().decode()
    except OSError as error:
        raise TrajectoryError(f"{file} can't be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise TrajectoryError(f"{file} is not UTF-8 at byte {error.start}. Export the trajectory again.") from error
    try:
        value = parse_untrusted_json(text)
    except ValueError as error:
        line = getattr(error, "lineno", None)
        place = f"{file}:{line}" if line is not None else str(file)
        words = getattr(error, "msg", None) or str(error)
        raise TrajectoryError(f"{place}: {words}. Export the trajectory again.") from error
    _refuse_deep_subagents(file, value)
    try:
        return Trajectory.model_validate(value)
    except ValidationError as error:
        error_details = error.errors(include_url=False, include_context=False, include_input=False)
        # Of a union, the type that fits best is the one whose flaw is deepest.
        deepest = max(
            error_details, key=lambda details: (details["loc"][:1] == error_details[0]["loc"][:1], len(details["loc"]))
        )
        field = "".join(
            f"[{location_key}]" if isinstance(location_key, int) else f".{_printable_beginning(location_key)}"
            for location_key in deepest["loc"]
            # Pydantic also names the types of a union.
            if isinstance(location_key, int) or (location_key not in ("str", "float") and "[" not in location_key)
        ).lstrip(".")
        words = deepest["msg"].removeprefix("Value error, ")
        raise TrajectoryError(
            f"{file}: {f'{field}: ' if field else ''}{words}. It is no {VERSION} or older; ask its author for one."
        ) from error


def _printable_beginning(name: str) -> str:
    return "".join(letter if letter.isprintable() else "?" for letter in name[:80])


def _refuse_deep_subagents(file: Path, value: object) -> None:
    nested_trajectories: list[object] = [value]
    for _ in range(_DEEPEST_SUBAGENT):
        nested_trajectories = [
            subagent
            for trajectory in nested_trajectories
            if isinstance(trajectory, dict) and isinstance(trajectory.get("subagent_trajectories"), list)
            for subagent in trajectory["subagent_trajectories"]
        ]
        if not nested_trajectories:
            return
    raise TrajectoryError(
        f"{file}: subagent_trajectories: more than {_DEEPEST_SUBAGENT} agents delegate to each other. Leave some out."
    )
