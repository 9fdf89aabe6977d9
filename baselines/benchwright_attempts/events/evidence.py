"""Raw facts that make a log evidence: consent, forecasts, who wrote which text, in which environment."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated, ClassVar, Literal

from pydantic import Field, FiniteFloat, JsonValue, PositiveFloat

from benchwright_attempts.actor import Actor
from benchwright_attempts.assigned_subject import AssignedSubject
from benchwright_attempts.attribution_method import AttributionMethod
from benchwright_attempts.events.event_body import Count, EditEvidence, EventBody, EventPart, TextEffect
from benchwright_attempts.events.file_text import FilePath, Sha256, ShapeOfChange, Text
from benchwright_attempts.state import AttemptState, transitions_from, transitions_unchanged

Difficulty = Annotated[int, Field(ge=1, le=5)]


class Recording(StrEnum):
    """Level of detail at which the solver's work is recorded."""

    TIMING = "timing"
    """Time and result of what happened; no text, and no file name of an edit."""
    EDITS = "edits"
    """Also where and how much was edited, without the text."""
    FULL = "full"
    """Everything: every file can be rebuilt from the log."""


class Exposure(StrEnum):
    """Earlier exposure of the solver to the problem."""

    NONE = "none"
    SIMILAR = "similar"
    """A similar problem."""
    SAME = "same"
    """This very problem."""


# Studies


class Assigned(EventBody):
    """The attempt belongs to a study: the terms under which it is made."""

    type: Literal["assigned"] = "assigned"
    study: str
    study_sha256: Sha256
    """Digest of the study file in force."""
    participant: str
    """Pseudonym."""
    condition: str
    """Name of the condition in the study file."""
    solver: str
    """`human`, `human+copilot`, `model`, `agent`."""
    assistants: tuple[str, ...] = ()
    """Extensions that the condition allows as assistants."""
    aids: tuple[str, ...] | None = None
    """Values of `Aid` that the condition allows; None if it names none."""
    subject: AssignedSubject | None = None
    """The program that the condition names; None if it names none."""
    position: Count
    """Position of the task in the participant's order, from 1; 0 for practice."""
    practice: bool = False
    recording: Recording
    time_limit_s: PositiveFloat | None = None
    runs_allowed: Count | None = None
    """Runs of the hidden tests that are allowed; `None` for no limit."""
    feedback: str = "full"
    """Part of a run that is shown: a reveal policy of problems, or `none`."""
    forecasts: tuple[str, ...] = ()
    """Questions that are asked before the clock starts."""
    self_estimates: tuple[str, ...] = ()
    """Questions that are asked afterwards."""
    clock_stops_for: tuple[str, ...] = ()
    """`harness`, `judge`: what holds the clock while it works."""
    clock: str = "shown"
    """View of the clock that the solver had until the self-estimate was in: `hidden`, `remaining`, `shown`."""


class Consent(EventBody):
    """The participant's consent in force when the attempt began, or its withdrawal."""

    type: Literal["consent"] = "consent"
    study: str
    version: str
    """Version of the consent text."""
    sha256: Sha256
    """Digest of the consent text that was shown."""
    given: bool
    """`False` if it was withdrawn."""
    recording: Recording
    """The recording level that was agreed to."""


class Forecast(EventBody):
    """The solver's forecast before starting the clock."""

    type: Literal["forecast"] = "forecast"
    minutes: PositiveFloat | None = None
    """Expected duration under the attempt's condition; only of forecasts that were not made blind."""
    minutes_without_ai: PositiveFloat | None = None
    """Expected duration if no model helps."""
    minutes_with_ai: PositiveFloat | None = None
    """Expected duration with the assistants that the study allows."""
    difficulty: Difficulty | None = None
    prior_exposure: Exposure | None = None
    success: FiniteFloat | None = Field(default=None, ge=0, le=1)
    """Probability of solving the problem."""
    blind: bool = False
    """True if it was made before anything of the assignment was shown. The participant's journal holds it with its \
place before the draw; the attempt has a copy."""


class SelfEstimate(EventBody):
    """The solver's own estimates, asked after the end."""

    transitions = transitions_unchanged(*AttemptState)

    type: Literal["self_estimate"] = "self_estimate"
    minutes: PositiveFloat | None = None
    """Estimated duration."""
    difficulty: Difficulty | None = None
    prior_exposure: Exposure | None = None
    external_help: bool | None = None
    """True if anything outside the editor helped: a person, a web page, a chat elsewhere."""
    help_note: Text = ""
    solved: FiniteFloat | None = Field(default=None, ge=0, le=1)
    """Probability that the work is correct."""

    def without_text(self) -> SelfEstimate:
        """The estimates, without the note."""
        return self.model_copy(update={"help_note": ""})


class Violation(EventBody):
    """Something that the condition does not allow was observed; it was flagged, not prevented."""

    type: Literal["violation"] = "violation"
    rule: str
    """A stable word: `ai_extension`, `ai_setting`, `assist_accepted`, `chat_edit` ..."""
    detail: Text = ""


# Who wrote which text


class AssistShown(EventBody):
    """A completion was shown as ghost text or in a list."""

    reveals_content = True

    type: Literal["assist_shown"] = "assist_shown"
    assist: str
    """Unique id of this proposal."""
    provider: str
    """`benchwright`, or the id of an extension, such as `github.copilot`."""
    path: FilePath
    version: int | None = None
    """Version of the document it was computed for."""
    offset: Count | None = None
    """Position at which it would be inserted, in code points."""
    length: Count = 0
    """Code points proposed."""
    text: Text | None = None
    """The proposed text; left out below the recording level `full`."""
    trigger: str = ""
    """`automatic` or `invoked`."""
    model: str = ""

    def without_text(self) -> AssistShown:
        """Place, time and size of the proposal."""
        return self.model_copy(update={"text": None})


class AssistAccepted(EventBody):
    """A proposal was accepted, whole or in part."""

    is_activity = True
    reveals_content = True
    evidence = EditEvidence.SAME_VERSION

    type: Literal["assist_accepted"] = "assist_accepted"
    assist: str
    provider: str
    path: FilePath
    version: int | None = None
    """Version of the document after it was inserted."""
    length: Count = 0
    """Code points accepted."""
    partial: bool = False
    """True if only a word or a line of it was accepted."""


class AssistRejected(EventBody):
    """A proposal disappeared without being accepted."""

    is_activity = True
    reveals_content = True

    type: Literal["assist_rejected"] = "assist_rejected"
    assist: str
    provider: str
    path: FilePath
    reason: str = ""
    """A stable word: `dismissed`, `typed_over`, `superseded` ..."""


class EditReason(EventBody):
    """The editor reported where an edit came from."""

    reveals_content = True
    evidence = EditEvidence.SAME_VERSION
    columns: ClassVar[Mapping[str, str]] = {"path": "path"}

    type: Literal["edit_reason"] = "edit_reason"
    path: FilePath
    version: int
    """Version of the document after the edit."""
    reason: str
    """The editor's name for the source, such as `inlineCompletionAccept`, `Chat.applyEdits`, `cursor`, `snippet`."""
    metadata: Mapping[str, JsonValue] = Field(default_factory=dict)
    """Further properties of the source, such as `{"kind": "paste"}`."""
    method: AttributionMethod = AttributionMethod.CHANGE_REASON

    def without_text(self) -> EditReason:
        """The source, and those of its properties that name features of the editor.

        VS Code marks what it may report with dollar signs: `$extensionId`.
        """
        kept_metadata = {name: value for name, value in self.metadata.items() if name.lstrip("$") in _FEATURES}
        return self.model_copy(update={"metadata": kept_metadata})


_FEATURES = frozenset({"kind", "name", "source", "providerId", "extensionId", "extensionVersion", "type", "mode"})
"""Properties of an edit's source that name features of the editor; others may quote text."""


class CommandUsed(EventBody):
    """A command that inserts text ran: accept, paste."""

    is_activity = True
    reveals_content = True
    evidence = EditEvidence.NEXT_EDIT

    type: Literal["command"] = "command"
    command: str
    """Its id, such as `editor.action.inlineSuggest.commit`."""
    path: FilePath | None = None
    version: int | None = None
    """The document's version just before."""
    length: Count | None = None
    """Code points on the clipboard, for a paste."""


# What an agent calls


class ToolCalled(EventBody):
    """An agent calls one of its tools, such as an edit or a command in a terminal; it may still be refused."""

    is_activity = True
    reveals_content = True

    type: Literal["tool_called"] = "tool_called"
    call: str
    """Unique id of the call in the attempt."""
    tool: Text
    """The agent's name for the tool, or for the call."""
    kind: str
    """Kind of the tool, a word of the Agent Client Protocol: `edit`, `execute`, `read` ... `other`."""
    arguments: Text = ""
    """The arguments as JSON: their beginning, if they are long."""

    def without_text(self) -> ToolCalled:
        """The call without its arguments; what an agent calls a call may quote them."""
        return self.model_copy(update={"tool": "", "arguments": ""})


class ToolFinished(EventBody):
    """An agent's call of a tool has ended."""

    reveals_content = True

    type: Literal["tool_finished"] = "tool_finished"
    call: str
    """As in `tool_called`."""
    outcome: str
    """`completed`, `failed` or `refused`."""
    approval: str
    """`granted` or `refused` by the policy of the run; `unasked` if the agent asked for no permission."""
    result: Text = ""
    """What the agent was given by the tool: its beginning, if it is long."""

    def without_text(self) -> ToolFinished:
        """The outcome."""
        return self.model_copy(update={"result": ""})


# The machine


class InstalledExtension(EventPart):
    """One extension of the editor."""

    id: str
    version: str
    active: bool = False
    ai: bool = False
    """True if it is known to generate code with a model."""


class Environment(EventBody):
    """The editor that the solver works with. Nothing in it identifies the machine."""

    type: Literal["environment"] = "environment"
    editor: str
    """`Visual Studio Code 1.105.1`, `code-server 4.104.0` ..."""
    platform: str = ""
    """`linux`, `darwin`, `win32`."""
    extensions: tuple[InstalledExtension, ...] = ()
    ai_features: Mapping[str, bool] = Field(default_factory=dict)
    """Setting or feature → whether it is enabled."""
    settings: Mapping[str, JsonValue] = Field(default_factory=dict)
    """Values of settings that affect the result."""
    change_reasons: bool = False
    """True if the editor reports the reason for each edit."""


class Idle(EventBody):
    """The solver became idle, or active again."""

    type: Literal["idle"] = "idle"
    idle: bool
    after_s: FiniteFloat = Field(default=0.0, ge=0)
    """Seconds without input."""


class Suspended(EventBody):
    """Wall and monotonic time diverged: the computer slept, or its clock was set."""

    type: Literal["suspended"] = "suspended"
    wall_s: FiniteFloat
    """Wall time since the previous check."""
    mono_s: FiniteFloat
    """Monotonic time since the previous check."""


class ClockHeld(EventBody):
    """The clock stops while a machine works; the attempt continues."""

    transitions = transitions_unchanged(AttemptState.RUNNING)
    holds_clock = True

    type: Literal["clock_held"] = "clock_held"
    reason: str
    """`harness` or `judge`; `submitting`, `limit` or `regrading` while the last files are graded."""


class ClockReleased(EventBody):
    """The machine is done, and the clock runs again."""

    # A pause or an end in between has released the clock already.
    transitions = transitions_unchanged(AttemptState.RUNNING, AttemptState.PAUSED)
    releases_clock = True

    type: Literal["clock_released"] = "clock_released"
    reason: str


class TimeExcluded(EventBody):
    """Time before this event does not count for the solver: a provider's, or that of work that is done again."""

    type: Literal["time_excluded"] = "time_excluded"
    excluded_s: FiniteFloat = Field(gt=0)
    """Seconds by which the clock is set back."""
    reason: str
    """`provider`: the model's provider failed, or let it wait. `repeated`: what was done since the checkpoint from \
which the solver continues."""


class Continued(EventBody):
    """After an interruption, a model or an agent continues from a checkpoint, or begins again."""

    transitions = transitions_unchanged(AttemptState.RUNNING)

    type: Literal["continued"] = "continued"
    checkpoint: Count | None = None
    """Number of the newest event when the checkpoint was made; null if it begins again, from the starting files."""


class TimedOut(EventBody):
    """A limit ended the attempt."""

    transitions = transitions_from(AttemptState.RUNNING, AttemptState.PAUSED, target_state=AttemptState.TIMED_OUT)
    releases_clock = True

    type: Literal["timed_out"] = "timed_out"
    reason: str
    """A stable word: `time_limit`, `token_limit`, `study_closed` ..."""
    limit: PositiveFloat | None = None
    """The limit: seconds, or tokens."""


# Models


class ModelUsage(EventBody):
    """Tokens and cost of a model, for the attempt or a part of it; several events add up."""

    # A provider's bill may come after the end.
    transitions = transitions_unchanged(*AttemptState)

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
    """`provider`, or the name of the tokenizer that counted."""
    parameters: Mapping[str, JsonValue] = Field(default_factory=dict)
    """Temperature, seed and other parameters, as they were sent; `prompts` and `prompts_sha256` name the prompt \
set, `shots` says how many solved questions came before, `steps` whether steps were asked for, `knowledge_cutoff` the \
end of what the model was trained on, if it is known."""


class ReplyRead(EventBody):
    """A reply to a design problem was read: these parts of it became files."""

    type: Literal["reply_read"] = "reply_read"
    files: tuple[FilePath, ...]
    block_labels: tuple[str, ...] = ()
    """The blocks of the reply that the only file comes from; empty if the reply is that file, or names its files."""
    modules: tuple[str, ...] = ()
    """Modules, packages and interfaces taken: the wanted one and those that it uses."""
    ignored: tuple[str, ...] = ()
    """What was not taken, and why: earlier versions, what is not used, other languages."""

    def without_text(self) -> ReplyRead:
        """The files alone: other names are the solver's."""
        return ReplyRead(files=self.files)


# Below the recording level `full`


class Activity(EventBody):
    """Stands in for an event that the recording level leaves out."""

    is_activity = True
    text_effect = TextEffect.HIDES_ALL

    type: Literal["activity"] = "activity"
    of: str
    """Type of the event that was left out: `edit`, `text`, `save` ..."""
    actor: Actor | None = None
    """Who asked for what was left out, if it was a request."""


class EditShape(EventBody):
    """An edit without its text, at the recording level `edits`."""

    is_activity = True
    reveals_content = True
    text_effect = TextEffect.HIDES_FILE

    type: Literal["edit_shape"] = "edit_shape"
    path: FilePath
    version: int | None = None
    changes: tuple[ShapeOfChange, ...]
