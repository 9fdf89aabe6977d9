"""What can happen in an attempt: one model per kind of event, told apart by `type`."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated, Literal

from pydantic import Field, FiniteFloat, TypeAdapter

from benchwright_attempts.event_body import Count, EventBody
from benchwright_attempts.evidence import (
    Activity,
    Assigned,
    AssistAccepted,
    AssistRejected,
    AssistShown,
    ClockHeld,
    ClockReleased,
    CommandUsed,
    Consent,
    EditReason,
    EditShape,
    Environment,
    Forecast,
    Idle,
    ModelUsage,
    SelfEstimate,
    Suspended,
    TimedOut,
    Violation,
)
from benchwright_attempts.file_text import Change, FilePath, FileText, Sha256, Text


class Outcome(StrEnum):
    """What a run or a judgement came to. `error` means that nothing could be decided."""

    PASSED = "passed"
    FAILED = "failed"
    ERROR = "error"


class TextCause(StrEnum):
    """Why a file's text is known anew, other than through edits."""

    OPENED = "opened"
    """An editor opened the file with a text the log did not know."""
    OUTSIDE = "outside"
    """Another program changed the file."""
    CREATED = "created"
    WRITTEN = "written"
    """A model or an agent wrote it."""
    DELETED = "deleted"
    DISCARDED = "discarded"
    """An editor closed the file and dropped what was not saved."""
    RESYNC = "resync"
    """The recorder noticed that it had lost track."""


class Opened(EventBody):
    """The problem was opened; always the first event. The clock does not run yet."""

    type: Literal["opened"] = "opened"
    files: Mapping[FilePath, FileText]
    """Every file of the new workspace, so that the log alone can rebuild it."""


class Started(EventBody):
    """The solver started the clock."""

    type: Literal["started"] = "started"


class Paused(EventBody):
    """The clock was stopped for a while."""

    type: Literal["paused"] = "paused"
    reason: Text | None = None
    """What the solver gave as the reason, if anything."""


class Resumed(EventBody):
    """The clock runs again after a pause."""

    type: Literal["resumed"] = "resumed"


class Edit(EventBody):
    """The solver changed a file in the editor."""

    type: Literal["edit"] = "edit"
    path: FilePath
    version: int | None = None
    """The editor's version number of the document after the change."""
    changes: tuple[Change, ...]


class TextSet(EventBody):
    """A file's whole text is known anew: opened in an editor, changed outside, created, deleted."""

    type: Literal["text"] = "text"
    path: FilePath
    cause: TextCause
    file: FileText | None
    """`None` when the file is gone."""


class Save(EventBody):
    """A file was written to disk."""

    type: Literal["save"] = "save"
    path: FilePath
    sha256: Sha256
    """Digest of the bytes on disk."""
    size: Count
    """Bytes on disk."""


class RunStarted(EventBody):
    """The hidden tests began to run on a snapshot of the workspace."""

    type: Literal["run_started"] = "run_started"
    run: str
    """Unique id of the run."""
    number: int = Field(ge=1)
    """Which try of the attempt this is."""
    snapshot: Mapping[FilePath, Sha256]
    """Digest of each file the harness took."""


class RunFinished(EventBody):
    """The hidden tests came to a verdict."""

    type: Literal["run_finished"] = "run_finished"
    run: str
    number: int = Field(ge=1)
    outcome: Outcome
    reason: str
    """`passed`, `tests_failed`, `timeout` ...: a stable word."""
    message: Text = ""
    """The sentence the solver saw; never more than the reveal policy allows."""
    passed: Count | None = None
    """Hidden tests passed; `None` if they could not be counted."""
    total: Count | None = None
    wall_s: FiniteFloat = Field(ge=0)
    """Duration of the run in seconds."""
    digests: Mapping[str, str] = Field(default_factory=dict)
    """What made the verdict: problem, harness, toolchain, sandbox."""


class RunCancelled(EventBody):
    """A run ended without a verdict."""

    type: Literal["run_cancelled"] = "run_cancelled"
    run: str
    number: int = Field(ge=1)
    reason: str
    """`newer_save`, `solver`, `closing` ...: a stable word."""


class VoteCast(EventBody):
    """One vote on an answer: what it said, not why, as reasons may quote the key."""

    judge: str
    """A model's name as configured, or a person's pseudonym."""
    label: str
    """On the rubric's scale; empty if nothing could be made of the reply."""
    cost_usd: FiniteFloat = Field(default=0.0, ge=0)
    cached: bool = False
    """Whether it was cast earlier, on the same answer."""


class JudgedBy(EventBody):
    """Who judged an answer, by what, and how the votes fell."""

    method: str
    """`deterministic`, `model` or `person`."""
    status: str
    """`scored`, `pending`, `error` ...: a stable word."""
    score: FiniteFloat | None = None
    """0 to 1."""
    label: str = ""
    """The winning label on the rubric's scale."""
    rubric: str = ""
    """Its name and content hash."""
    votes: tuple[VoteCast, ...] = ()
    tie_break: bool = False
    cost_usd: FiniteFloat = Field(default=0.0, ge=0)
    metrics: Mapping[str, FiniteFloat] = Field(default_factory=dict)


class Answered(EventBody):
    """A question's answer was judged, or kept to be judged later."""

    type: Literal["answered"] = "answered"
    number: int = Field(ge=1)
    """Which try of the attempt this is."""
    outcome: Outcome
    reason: str
    message: Text = ""
    """The sentence the solver saw."""
    snapshot: Mapping[FilePath, Sha256]
    """Digest of each file that was judged."""
    wall_s: FiniteFloat = Field(default=0.0, ge=0)
    digests: Mapping[str, str] = Field(default_factory=dict)
    """What made the verdict: problem, judge."""
    judged_by: JudgedBy | None = None


class Judged(EventBody):
    """An answer that waited was judged by a model or a person; the attempt may have ended long before."""

    type: Literal["judged"] = "judged"
    number: int = Field(ge=1)
    """Which try of the attempt the answer was."""
    sha256: Sha256
    """Digest of the answer."""
    outcome: Outcome
    reason: str
    message: Text = ""
    judged_by: JudgedBy


class ProblemCount(EventBody):
    """How many problems one tool reports for a file."""

    errors: Count
    warnings: Count


class Diagnostics(EventBody):
    """What the solver sees marked in a file."""

    type: Literal["diagnostics"] = "diagnostics"
    path: FilePath
    counts: Mapping[str, ProblemCount]
    """By source: `slang`, `verilator`, `verible` ..."""


class Focus(EventBody):
    """The editor window gained or lost the keyboard."""

    type: Literal["focus"] = "focus"
    focused: bool


class Tick(EventBody):
    """Heartbeat while the clock runs: after a crash the time up to the newest one is known."""

    type: Literal["tick"] = "tick"


class Interrupted(EventBody):
    """A new process took over an attempt that another one had left running."""

    type: Literal["interrupted"] = "interrupted"


class Submitted(EventBody):
    """The solver handed in the work; ends the attempt."""

    type: Literal["submitted"] = "submitted"


class Abandoned(EventBody):
    """The solver gave up; ends the attempt."""

    type: Literal["abandoned"] = "abandoned"
    reason: Text | None = None


Event = Annotated[
    Opened
    | Started
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
    | Diagnostics
    | Focus
    | Tick
    | Interrupted
    | Submitted
    | Abandoned
    | TimedOut
    | Assigned
    | Consent
    | Forecast
    | SelfEstimate
    | Violation
    | AssistShown
    | AssistAccepted
    | AssistRejected
    | EditReason
    | EditShape
    | CommandUsed
    | Environment
    | Idle
    | Suspended
    | ClockHeld
    | ClockReleased
    | ModelUsage
    | Activity,
    Field(discriminator="type"),
]
"""Any event."""

EVENT: TypeAdapter[Event] = TypeAdapter(Event)
"""Reads an event from the value its JSON stands for."""
