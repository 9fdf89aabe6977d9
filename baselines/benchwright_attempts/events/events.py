"""Events of an attempt: one class for each type of event, and the union that registers them.

A class states everything about its events: fields, what each recording level keeps, what they do to text, state and
clock, and what they say about where an edit came from. `event_body` explains the declarations.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated, ClassVar, Literal, get_args

from pydantic import Field, FiniteFloat, PositiveFloat

from benchwright_attempts.actor import Actor, KnownActor
from benchwright_attempts.events.event_body import Count, EventBody, EventPart, Request, TextEffect
from benchwright_attempts.events.event_types import EventTypes
from benchwright_attempts.events.evidence import (
    Activity,
    Assigned,
    AssistAccepted,
    AssistRejected,
    AssistShown,
    ClockHeld,
    ClockReleased,
    CommandUsed,
    Consent,
    Continued,
    EditReason,
    EditShape,
    Environment,
    Forecast,
    Idle,
    ModelUsage,
    ReplyRead,
    SelfEstimate,
    Suspended,
    TimedOut,
    TimeExcluded,
    ToolCalled,
    ToolFinished,
    Violation,
)
from benchwright_attempts.events.file_text import Change, FilePath, FileText, Sha256, Text
from benchwright_attempts.grading.tests_verdict import TestsVerdict
from benchwright_attempts.state import AttemptState, Transitions, transitions_from, transitions_unchanged
from benchwright_problems.verdict import Outcome


class TextCause(StrEnum):
    """Reason why an event sets the whole text of a file."""

    OPENED = "opened"
    """An editor opened the file with content that was not in the log."""
    OUTSIDE = "outside"
    """Another program changed the file."""
    CREATED = "created"
    WRITTEN = "written"
    """A model or an agent wrote it."""
    DELETED = "deleted"
    DISCARDED = "discarded"
    """An editor closed the file without saving its changes."""
    RESYNC = "resync"
    """The recorder found that its copy was out of step with the editor's."""


_OWN_REASONS = frozenset({"the editor was closed"})
"""Reasons of a pause that Benchwright writes itself."""


class Opened(Request):
    """The problem was opened; always the first event. The clock does not run yet."""

    transitions: ClassVar[Transitions] = {}
    text_effect = TextEffect.SETS

    type: Literal["opened"] = "opened"
    files: Mapping[FilePath, FileText]
    """Every file of the new workspace, so that the log alone can rebuild it."""

    def contents(self) -> Mapping[FilePath, FileText | None]:
        """Every file of the new workspace."""
        return self.files


class Started(Request):
    """The solver started the clock."""

    transitions = transitions_from(AttemptState.OPEN, target_state=AttemptState.RUNNING)
    is_activity = True

    type: Literal["started"] = "started"


class Given(EventBody):
    """The answer was given elsewhere and read from a file: no clock ran before its solver."""

    # It takes the place of a start: the clock never runs. Of an attempt that is here already, it adds what is known.
    transitions: ClassVar[Transitions] = {
        state: state if state.ended else AttemptState.PAUSED for state in AttemptState
    }

    type: Literal["given"] = "given"
    reported_s: PositiveFloat | None = None
    """The time that the file states, in seconds; None if it states none."""


class Paused(Request):
    """The solver paused the clock."""

    transitions = transitions_from(AttemptState.RUNNING, target_state=AttemptState.PAUSED)
    releases_clock = True
    is_activity = True

    type: Literal["paused"] = "paused"
    reason: Text | None = None
    """The reason the solver gave, if any; or that the editor was closed, or which attempt was started instead."""

    def without_text(self) -> Paused:
        """The pause; a reason that the solver wrote is left out."""
        if self.reason is None or self.reason in _OWN_REASONS:
            return self
        return self.model_copy(update={"reason": "(not recorded)"})


class Resumed(Request):
    """The clock runs again after a pause."""

    transitions = transitions_from(AttemptState.PAUSED, target_state=AttemptState.RUNNING)
    is_activity = True

    type: Literal["resumed"] = "resumed"


class Edit(EventBody):
    """The solver changed a file in the editor."""

    is_activity = True
    reveals_content = True
    text_effect = TextEffect.EDITS

    type: Literal["edit"] = "edit"
    path: FilePath
    version: int | None = None
    """The editor's version number of the document after the change."""
    changes: tuple[Change, ...]

    def without_text(self) -> EditShape:
        """Place and size of the edit."""
        return EditShape(path=self.path, version=self.version, changes=tuple(change.shape for change in self.changes))


class TextSet(Request):
    """The whole content of a file was set, other than by an edit."""

    is_activity = True
    reveals_content = True
    text_effect = TextEffect.SETS
    columns: ClassVar[Mapping[str, str]] = {"path": "path"}

    type: Literal["text"] = "text"
    path: FilePath
    cause: TextCause
    file: FileText | None
    """`None` if the file was deleted."""
    put_in: Count | None = None
    """Code points, white space aside, that it puts in place of others; None if they were not counted."""

    def contents(self) -> Mapping[FilePath, FileText | None]:
        """The one file."""
        return {self.path: self.file}

    def without_text(self) -> TextSet:
        """The file and its digest."""
        if self.file is None:
            return self
        return self.model_copy(update={"file": self.file.model_copy(update={"text": None})})


class Save(EventBody):
    """A file was written to disk."""

    is_activity = True
    reveals_content = True
    text_effect = TextEffect.CHECKS

    type: Literal["save"] = "save"
    path: FilePath
    sha256: Sha256
    """Digest of the bytes on disk."""
    size: Count
    """Bytes on disk."""


class RunStarted(Request):
    """The hidden tests began to run on a snapshot of the workspace."""

    is_activity = True

    type: Literal["run_started"] = "run_started"
    run: str
    """Unique id of the run."""
    number: int = Field(ge=1)
    """Number of the submission within the attempt, from 1."""
    snapshot: Mapping[FilePath, Sha256]
    """Digest of each file that was tested."""


class RunFinished(TestsVerdict):
    """The hidden tests ended with a verdict."""

    type: Literal["run_finished"] = "run_finished"
    run: str


class RunCancelled(EventBody):
    """A run ended without a verdict."""

    type: Literal["run_cancelled"] = "run_cancelled"
    run: str
    number: int = Field(ge=1)
    reason: str
    """A stable word: `newer_save`, `solver`, `closing` ..."""


class VoteCast(EventPart):
    """One vote on an answer, without its reasons: they may quote the answer key."""

    judge: str
    """A model's configured name, or a person's pseudonym."""
    label: str
    """A value of the rubric's scale; empty if the reply could not be parsed."""
    cost_usd: FiniteFloat = Field(default=0.0, ge=0)
    cached: bool = False
    """True if it is a stored vote on the same answer."""


class JudgedBy(EventPart):
    """Judgement of an answer: method, rubric and votes."""

    method: str
    """`deterministic`, `reader`, `model` or `person`."""
    status: str
    """A stable word: `scored`, `pending`, `error` ..."""
    score: FiniteFloat | None = None
    """0 to 1."""
    label: str = ""
    """The winning label on the rubric's scale."""
    rubric: str = ""
    """The rubric's name and content hash, or name and version of the rules that read the answer."""
    votes: tuple[VoteCast, ...] = ()
    tie_break: bool = False
    cost_usd: FiniteFloat = Field(default=0.0, ge=0)
    metrics: Mapping[str, FiniteFloat] = Field(default_factory=dict)


class Answered(Request):
    """A question's answer was judged, or stored to be judged later."""

    is_activity = True
    columns: ClassVar[Mapping[str, str]] = {"outcome": "outcome", "reason": "reason"}

    type: Literal["answered"] = "answered"
    number: int = Field(ge=1)
    """Number of the submission within the attempt, from 1."""
    outcome: Outcome
    reason: str
    message: Text = ""
    """The sentence that the solver saw."""
    snapshot: Mapping[FilePath, Sha256]
    """Digest of each file that was judged."""
    wall_s: FiniteFloat = Field(default=0.0, ge=0)
    digests: Mapping[str, str] = Field(default_factory=dict)
    """Digests of what produced the verdict: problem, judge."""
    judged_by: JudgedBy | None = None


class Judged(EventBody):
    """A stored answer was judged by a model or a person, possibly long after the attempt ended."""

    transitions = transitions_unchanged(*(state for state in AttemptState if state is not AttemptState.OPEN))
    columns: ClassVar[Mapping[str, str]] = {"outcome": "outcome", "reason": "reason"}

    type: Literal["judged"] = "judged"
    number: int = Field(ge=1)
    """Number of the submission within the attempt, from 1."""
    sha256: Sha256
    """Digest of the answer."""
    outcome: Outcome
    reason: str
    message: Text = ""
    judged_by: JudgedBy
    replaces: bool = False
    """True if it takes the place of a decided verdict: the key or the rules have changed since."""


class Regraded(TestsVerdict):
    """The same files were graded again, possibly long after the attempt ended."""

    transitions = transitions_unchanged(*(state for state in AttemptState if state is not AttemptState.OPEN))

    type: Literal["regraded"] = "regraded"
    replaces: bool = False
    """True if it takes the place of a decided verdict: harness, key or rules have changed since. Else it decides what \
was undecided."""


class Reflected(EventBody):
    """A model was asked, after the end, why the attempt failed. Its tokens are no part of what the attempt used."""

    transitions = transitions_unchanged(*(state for state in AttemptState if state.ended))

    type: Literal["reflected"] = "reflected"
    number: int = Field(ge=1)
    """Number of the try that failed."""
    model: str
    """Provider and model that was asked, such as `openai/gpt-5`."""
    text: Text
    """Text of the reflection."""
    prompt_sha256: Sha256
    """Digest of the question, without what differs from attempt to attempt."""
    input_tokens: Count = 0
    output_tokens: Count = 0
    total_tokens: Count = 0
    cost_usd: FiniteFloat | None = Field(default=None, ge=0)

    def without_text(self) -> Reflected:
        """That a model was asked, and what that took."""
        return self.model_copy(update={"text": ""})


class ErrorsClassified(EventBody):
    """Judges, or a person who corrects them, named the errors in a wrong answer. Reasons are kept with judgements."""

    transitions = transitions_unchanged(*(state for state in AttemptState if state.ended))

    type: Literal["errors_classified"] = "errors_classified"
    number: int = Field(ge=1)
    """Number of the try that failed."""
    types: tuple[str, ...]
    """Those that count: a person's, or those that more than half of the judges name; none if they agree on none."""
    people: Mapping[str, tuple[str, ...]] = {}
    """Person → the types that they name; empty if judges were asked."""
    judges: Mapping[str, tuple[str, ...]]
    """Judge → the types that it names, of judges whose reply could be used."""
    rubric: str
    """Name of the set of labels, `@`, and the beginning of the digest of the instructions to judges."""
    cost_usd: FiniteFloat = Field(default=0.0, ge=0)


class ProblemCount(EventPart):
    """Number of diagnostics that one tool reports for a file."""

    errors: Count
    warnings: Count


class Diagnostics(EventBody):
    """The diagnostics that are shown for a file changed."""

    reveals_content = True

    type: Literal["diagnostics"] = "diagnostics"
    path: FilePath
    counts: Mapping[str, ProblemCount]
    """Source → number of diagnostics: `slang`, `verilator`, `verible` ..."""


class Focus(EventBody):
    """The editor window gained or lost focus."""

    is_activity = True

    type: Literal["focus"] = "focus"
    focused: bool


class Tick(EventBody):
    """Heartbeat while the clock runs: after a crash, time is known up to the latest one."""

    type: Literal["tick"] = "tick"


class Interrupted(EventBody):
    """A new process resumed an attempt that another one had left running."""

    # The new process knows nothing of a run that died with the old one.
    transitions = transitions_unchanged(AttemptState.RUNNING)
    releases_clock = True

    type: Literal["interrupted"] = "interrupted"


class Submitted(Request):
    """The solver submitted the work; ends the attempt."""

    transitions = transitions_from(AttemptState.RUNNING, AttemptState.PAUSED, target_state=AttemptState.SUBMITTED)
    releases_clock = True
    is_activity = True

    type: Literal["submitted"] = "submitted"


class Abandoned(Request):
    """The solver gave up; ends the attempt."""

    transitions = transitions_from(
        AttemptState.OPEN, AttemptState.RUNNING, AttemptState.PAUSED, target_state=AttemptState.ABANDONED
    )
    releases_clock = True
    is_activity = True

    type: Literal["abandoned"] = "abandoned"
    reason: Text | None = None


class AidUsed(Request):
    """The solver used an aid: a hint, a schematic, a test of their own."""

    # What began while the clock ran may end after it stopped.
    transitions = transitions_unchanged(*(state for state in AttemptState if state is not AttemptState.OPEN))
    is_activity = True
    reveals_content = True

    type: Literal["aid_used"] = "aid_used"
    aid: str
    """A value of `Aid`."""
    feature: str
    """Feature of the aid, a stable word: `schematic`, `drivers`, `test_run` ..."""
    path: FilePath | None = None
    """The file it was asked about, if any."""
    detail: Text = ""
    """Exact subject: a module, a signal, the name of a test, the id of a hint."""
    outcome: str = ""
    """The outcome, a stable word, of what has one: `passed`, `failed` ..."""
    cost: FiniteFloat = Field(default=0.0, ge=0)
    """Share of the problem's points that it costs, 0 to 1."""
    through: str = "editor"
    """`editor`, or `agent` if an agent asked by a tool."""

    def without_text(self) -> AidUsed:
        """The aid without its detail."""
        return self.model_copy(update={"detail": ""})

    def with_actor_if_missing(self, known_actor: KnownActor | None) -> AidUsed:
        """The same with its actor, and with the way that it takes."""
        use = super().with_actor_if_missing(known_actor)
        return use.model_copy(update={"through": "agent"}) if use.actor is Actor.AGENT else use


class AssistAsked(EventBody):
    """An assistant was asked for a completion, and answered or did not."""

    reveals_content = True

    type: Literal["assist_asked"] = "assist_asked"
    provider: str
    """As in `assist_shown`."""
    path: FilePath
    version: int | None = None
    """Version of the document it was asked about."""
    outcome: str
    """`shown`, `nothing` (it had nothing to offer), `superseded` (the text was changed before it answered) or \
`timed_out` (it did not answer in time)."""
    latency_ms: FiniteFloat | None = Field(default=None, ge=0)
    """From the request to the answer; None if there was none."""


class AgentConnection(EventBody):
    """An agent asked for the attempt's tools, or went away. What is on the disk was examined just before."""

    type: Literal["agent_connection"] = "agent_connection"
    connection: str
    """Id of the connection; there may be several at a time."""
    agent: Text = ""
    """Name and version of the agent, as it says."""
    connected: bool


GUIDED = "guided"
"""Its type."""


class Guided(EventBody):
    """A guide leads through the attempt: it is practice, and no evidence of what anybody can do."""

    type: Literal["guided"] = "guided"


Event = Annotated[
    Opened
    | Started
    | Given
    | Paused
    | Resumed
    | Edit
    | TextSet
    | Save
    | RunStarted
    | RunFinished
    | RunCancelled
    | Answered
    | Judged
    | Regraded
    | Reflected
    | ErrorsClassified
    | Diagnostics
    | Focus
    | Tick
    | Interrupted
    | Continued
    | Submitted
    | Abandoned
    | TimedOut
    | Assigned
    | Consent
    | Forecast
    | SelfEstimate
    | Violation
    | AidUsed
    | AgentConnection
    | AssistShown
    | AssistAccepted
    | AssistAsked
    | AssistRejected
    | EditReason
    | EditShape
    | CommandUsed
    | ToolCalled
    | ToolFinished
    | Environment
    | Guided
    | Idle
    | Suspended
    | ClockHeld
    | ClockReleased
    | ModelUsage
    | ReplyRead
    | TimeExcluded
    | Activity,
    Field(discriminator="type"),
]
"""Any event. A class in this union is registered: recording, replay, report and codebook know it."""

EVENT_TYPES = EventTypes(get_args(get_args(Event)[0]))
