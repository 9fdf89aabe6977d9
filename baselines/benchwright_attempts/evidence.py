"""Events that make a log evidence: who agreed to what, what was expected, who wrote which text, on which machine.

The facts are kept raw. What they mean is worked out later, by `attribution` and the statistics.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated, Literal

from pydantic import Field, FiniteFloat, JsonValue, PositiveFloat

from benchwright_attempts.event_body import Count, EventBody
from benchwright_attempts.file_text import FilePath, Sha256, Text

Difficulty = Annotated[int, Field(ge=1, le=5)]


class Recording(StrEnum):
    """How much of what a person does is recorded."""

    TIMING = "timing"
    """When something happened and what came out of it; no text, no file name of an edit."""
    EDITS = "edits"
    """Also where and how much was edited, but none of the text."""
    FULL = "full"
    """Everything: the log rebuilds every file."""


class Exposure(StrEnum):
    """Whether the solver has met the problem before."""

    NONE = "none"
    SIMILAR = "similar"
    """A problem much like it."""
    SAME = "same"
    """This very problem."""


class AttributionMethod(StrEnum):
    """How it became known where an edit came from; the best first."""

    CHANGE_REASON = "change_reason"
    """The editor itself said so (VS Code's `textDocumentChangeReason`)."""
    OWN_PROVIDER = "own_provider"
    """Our own completion provider offered the text and was told that it was accepted."""
    WRAPPED_COMMAND = "wrapped_command"
    """A command for accepting or pasting ran just before."""
    HEURISTIC = "heuristic"
    """Nothing told; it is a guess from the edit's shape."""


# Studies


class Assigned(EventBody):
    """The attempt belongs to a study; what its plan says about it."""

    type: Literal["assigned"] = "assigned"
    study: str
    study_sha256: Sha256
    """Digest of the study file that was in force."""
    participant: str
    """Pseudonym."""
    condition: str
    """Its name in the study file."""
    solver: str
    """`human`, `human+copilot`, `model`, `agent`."""
    assistants: tuple[str, ...] = ()
    """Extensions that the condition allows to help."""
    position: Count
    """Place of the task in the participant's order, from 1; 0 for practice."""
    practice: bool = False
    recording: Recording
    time_limit_s: PositiveFloat | None = None
    runs_allowed: Count | None = None
    """Submissions to the hidden tests that are allowed; `None` for any number."""
    feedback: str = "full"
    """What is shown of a run: `none`, `verdict`, `names`, `messages`, `full`."""
    forecasts: tuple[str, ...] = ()
    """What is asked before the clock starts."""
    self_estimates: tuple[str, ...] = ()
    """What is asked afterwards."""
    clock_stops_for: tuple[str, ...] = ()
    """`harness`, `judge`: what stops the clock while it runs."""


class Consent(EventBody):
    """The participant's agreement that stood when the attempt began, or its withdrawal."""

    type: Literal["consent"] = "consent"
    study: str
    version: str
    """Version of the consent text."""
    sha256: Sha256
    """Digest of the text that was shown."""
    given: bool
    """`False`: taken back."""
    recording: Recording
    """What was agreed to be recorded."""


class Forecast(EventBody):
    """What the solver expected before starting the clock."""

    type: Literal["forecast"] = "forecast"
    minutes: PositiveFloat | None = None
    """How long it will take."""
    difficulty: Difficulty | None = None
    prior_exposure: Exposure | None = None
    success: FiniteFloat | None = Field(default=None, ge=0, le=1)
    """How probable solving it is."""


class SelfEstimate(EventBody):
    """What the solver says afterwards."""

    type: Literal["self_estimate"] = "self_estimate"
    minutes: PositiveFloat | None = None
    """How long it seemed to take."""
    difficulty: Difficulty | None = None
    prior_exposure: Exposure | None = None
    external_help: bool | None = None
    """Whether anything outside the editor helped: a person, a web page, a chat elsewhere."""
    help_note: Text = ""
    solved: FiniteFloat | None = Field(default=None, ge=0, le=1)
    """How probable it is, to the solver, that the work is right."""


class Violation(EventBody):
    """Something that the condition does not allow was seen; flagged, not prevented."""

    type: Literal["violation"] = "violation"
    rule: str
    """`ai_extension`, `ai_setting`, `assist_accepted`, `chat_edit` ...: a stable word."""
    detail: Text = ""


# Who wrote which text


class AssistShown(EventBody):
    """A completion was shown as ghost text or in a list."""

    type: Literal["assist_shown"] = "assist_shown"
    assist: str
    """Unique id of this offer."""
    provider: str
    """`benchwright`, or the id of the extension, such as `github.copilot`."""
    path: FilePath
    version: int | None = None
    """The document's version that it was made for."""
    offset: Count | None = None
    """Where it would be inserted, in code points."""
    length: Count = 0
    """Code points offered."""
    text: Text | None = None
    """What was offered; left out below the recording level `full`."""
    trigger: str = ""
    """`automatic` or `invoked`."""
    model: str = ""


class AssistAccepted(EventBody):
    """An offer was taken, whole or in part."""

    type: Literal["assist_accepted"] = "assist_accepted"
    assist: str
    provider: str
    path: FilePath
    version: int | None = None
    """The document's version after it was put in."""
    length: Count = 0
    """Code points taken."""
    partial: bool = False
    """A word or a line of it only."""


class AssistRejected(EventBody):
    """An offer went away without being taken."""

    type: Literal["assist_rejected"] = "assist_rejected"
    assist: str
    provider: str
    path: FilePath
    reason: str = ""
    """`dismissed`, `typed_over`, `superseded` ...: a stable word."""


class EditReason(EventBody):
    """What the editor said about where an edit came from; belongs to the edit of the same path and version."""

    type: Literal["edit_reason"] = "edit_reason"
    path: FilePath
    version: int
    """The document's version after the edit."""
    reason: str
    """The editor's own word, such as `inlineCompletionAccept`, `Chat.applyEdits`, `cursor`, `snippet`."""
    metadata: Mapping[str, JsonValue] = Field(default_factory=dict)
    """What it said besides, such as `{"kind": "paste"}`."""
    method: AttributionMethod = AttributionMethod.CHANGE_REASON


class CommandUsed(EventBody):
    """A command ran that puts text into a file: accept, paste."""

    type: Literal["command"] = "command"
    command: str
    """Its id, such as `editor.action.inlineSuggest.commit`."""
    path: FilePath | None = None
    version: int | None = None
    """The document's version just before."""
    length: Count | None = None
    """Code points on the clipboard, for a paste."""


# The machine


class InstalledExtension(EventBody):
    """One extension of the editor."""

    id: str
    version: str
    active: bool = False
    ai: bool = False
    """Whether it is known to write code by a model."""


class Environment(EventBody):
    """The editor the solver works with. Nothing in it names the machine."""

    type: Literal["environment"] = "environment"
    editor: str
    """`Visual Studio Code 1.105.1`, `code-server 4.104.0` ..."""
    platform: str = ""
    """`linux`, `darwin`, `win32`."""
    extensions: tuple[InstalledExtension, ...] = ()
    ai_features: Mapping[str, bool] = Field(default_factory=dict)
    """Setting or feature → whether it is on."""
    settings: Mapping[str, JsonValue] = Field(default_factory=dict)
    """Settings that bear on the result, as they are."""
    change_reasons: bool = False
    """Whether the editor tells the reason of each edit."""


class Idle(EventBody):
    """Nothing was typed or moved for a while, or something is again."""

    type: Literal["idle"] = "idle"
    idle: bool
    after_s: FiniteFloat = Field(default=0.0, ge=0)
    """How long nothing had happened."""


class Suspended(EventBody):
    """Wall and monotonic time parted: the computer slept, or its clock was set."""

    type: Literal["suspended"] = "suspended"
    wall_s: FiniteFloat
    """Wall time that passed since the last look."""
    mono_s: FiniteFloat
    """Monotonic time that passed meanwhile."""


class ClockHeld(EventBody):
    """The clock stands while a machine works, as the study wants it; the attempt goes on."""

    type: Literal["clock_held"] = "clock_held"
    reason: str
    """`harness` or `judge`."""


class ClockReleased(EventBody):
    """The clock runs again."""

    type: Literal["clock_released"] = "clock_released"
    reason: str


class TimedOut(EventBody):
    """A limit ended the attempt."""

    type: Literal["timed_out"] = "timed_out"
    reason: str
    """`time_limit`, `token_limit`, `study_closed` ...: a stable word."""
    limit: PositiveFloat | None = None
    """The limit: seconds, or tokens."""


# Models


class ModelUsage(EventBody):
    """What a model used for the attempt, or a part of it; several add up."""

    type: Literal["model_usage"] = "model_usage"
    model: str
    """Provider and model, such as `openai/gpt-5`."""
    calls: Count = 0
    input_tokens: Count = 0
    output_tokens: Count = 0
    reasoning_tokens: Count = 0
    """Of the output tokens."""
    cache_read_tokens: Count = 0
    cache_write_tokens: Count = 0
    total_tokens: Count = 0
    cost_usd: FiniteFloat | None = Field(default=None, ge=0)
    wall_s: FiniteFloat | None = Field(default=None, ge=0)
    counted_by: str = "provider"
    """`provider`, or the tokenizer that counted."""
    parameters: Mapping[str, JsonValue] = Field(default_factory=dict)
    """Temperature, seed and the like, as they were sent."""


# Below the recording level `full`


class Activity(EventBody):
    """Something was done that the recording level keeps to itself."""

    type: Literal["activity"] = "activity"
    of: str
    """The kind of event in whose place this stands: `edit`, `text`, `save` ..."""


class ShapeOfChange(EventBody):
    """A change without its text. Offsets count code points."""

    start: Count | None = None
    end: Count | None = None
    length: Count
    """Code points put in."""
    lines: Count
    """Line ends put in."""


class EditShape(EventBody):
    """An edit without its text."""

    type: Literal["edit_shape"] = "edit_shape"
    path: FilePath
    version: int | None = None
    changes: tuple[ShapeOfChange, ...]
