"""The messages of studies: what walks a participant through one, and what makes an attempt evidence."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, JsonValue

from benchwright_attempts.events import EVENT_TYPES
from benchwright_attempts.evidence import Exposure
from benchwright_server.protocol import Wire, WorkspaceParams
from benchwright_studies.vocabulary import Estimate, QuestionKind, Step

Difficulty = Annotated[int, Field(ge=1, le=5)]
Probability = Annotated[float, Field(ge=0, le=1)]


class StudySummary(Wire):
    """One study that this user takes part in."""

    study: str
    """Its id."""
    title: str
    participant: str
    """The user's pseudonym in it."""
    step: Step
    """What comes next."""
    done: int
    total: int


class StudyList(Wire):
    """Result of `benchwright/studies`."""

    studies: list[StudySummary]


class StudyParams(Wire):
    """Parameters of operations on one study."""

    study: str


class ConsentView(Wire):
    """What a participant agrees to."""

    version: str
    text: str
    """Markdown."""
    given: bool
    """Whether the participant has agreed to this version."""


class StudyQuestionView(Wire):
    """A question of the questionnaire; nothing tells which ones are attention checks."""

    id: str
    ask: str
    kind: QuestionKind
    """`scale` is a whole number from 1 to 5."""
    choices: list[str]
    required: bool


class DeliveryView(Wire):
    """Whether the records of a participant who is through are where the study wants them."""

    arrived: bool
    """If not, it is tried again when the server starts, and with each `study` request."""
    tries: int = 0
    """How often it was tried in vain."""
    told: str = ""
    """What the last try was refused with, as sentences."""


class StudyView(Wire):
    """A study as its participant sees it, and what comes next.

    Result of `study`, `giveConsent`, `withdrawConsent`, `questionnaire`.
    """

    study: str
    title: str
    description: str
    """Markdown."""
    participant: str
    step: Step
    """`consent`, `open`, `forecast`, `work`, `self_estimate`, `questionnaire`, `finished`, `withdrawn`, `closed`."""
    done: int
    """Tasks that are behind, practice left out."""
    total: int
    position: int | None = None
    """Place of the present task, from 1; 0 for practice."""
    practice: bool = False
    problem: str | None = None
    """`pack/id` of the present task."""
    problem_title: str | None = None
    condition: str | None = None
    solver: str | None = None
    """`human`: no help of a model is allowed; `human+copilot`: that of `assistants` is."""
    assistants: list[str] = Field(default_factory=list)
    workspace: str | None = None
    """URI of the present task's folder, once it was opened."""
    consent: ConsentView | None = None
    recording: str
    """`timing`, `edits`, `full`."""
    data_to: str
    """`nowhere`, or where the data go."""
    delivery: DeliveryView | None = None
    """None before the participant is through, and where the data go nowhere."""
    feedback: str
    """What is shown of a run: `none`, `verdict`, `names`, `messages`, `full`."""
    time_limit_s: float | None = None
    runs_allowed: int | None = None
    forecasts: list[Estimate]
    """What to ask in the step `forecast`."""
    self_estimates: list[Estimate]
    """What to ask in the step `self_estimate`."""
    questions: list[StudyQuestionView]
    """What to ask in the step `questionnaire`."""


class GiveConsentParams(StudyParams):
    """Parameters of `benchwright/giveConsent`."""

    version: str
    """Version of the text that was read."""


class WithdrawConsentParams(StudyParams):
    """Parameters of `benchwright/withdrawConsent`."""

    delete: bool = False
    """Also delete everything that was recorded."""


class ForecastParams(WorkspaceParams):
    """Parameters of `benchwright/forecast`."""

    minutes: Annotated[float, Field(gt=0)] | None = None
    difficulty: Difficulty | None = None
    """From 1, very easy, to 5, very hard."""
    prior_exposure: Exposure | None = None
    success: Probability | None = None
    """How probable solving it is, 0 to 1."""


class SelfEstimateParams(WorkspaceParams):
    """Parameters of `benchwright/selfEstimate`."""

    minutes: Annotated[float, Field(gt=0)] | None = None
    difficulty: Difficulty | None = None
    prior_exposure: Exposure | None = None
    external_help: bool | None = None
    help_note: str = ""
    success: Probability | None = None
    """How probable it is that the work is right, 0 to 1."""


class QuestionnaireParams(StudyParams):
    """Parameters of `benchwright/questionnaire`."""

    answers: dict[str, str | int | float | bool]
    """By the question's id."""


class EditReasonView(Wire):
    """Where one edit came from, as the editor says."""

    uri: str
    version: int
    """The document's version after the edit."""
    reason: str
    """The editor's own word: VS Code's `detailedReason.source`."""
    metadata: dict[str, JsonValue] = Field(default_factory=dict)


class EditReasonsParams(Wire):
    """Parameters of `benchwright/editReasons`: any number of edits, of any documents."""

    edits: list[EditReasonView]


class CommandParams(WorkspaceParams):
    """Parameters of `benchwright/commandUsed`: a wrapped command for accepting or pasting ran.

    `uri` is the document that it works on.
    """

    command: str
    """Its id, such as `editor.action.inlineSuggest.commit`."""
    version: int | None = None
    """The document's version just before."""
    length: int | None = None
    """Code points on the clipboard, for a paste."""


class ExtensionView(Wire):
    """One extension of the editor."""

    id: str
    version: str
    active: bool = False
    ai: bool = False
    """Whether it is known to write code by a model."""


class EnvironmentParams(WorkspaceParams):
    """Parameters of `benchwright/environment`: what the solver works with; sent when an attempt opens, and on changes.

    Nothing in it may name the machine or the person.
    """

    editor: str
    """Name and version."""
    platform: str = ""
    extensions: list[ExtensionView] = Field(default_factory=list)
    ai_features: dict[str, bool] = Field(default_factory=dict)
    """Setting or feature → whether it is on."""
    settings: dict[str, JsonValue] = Field(default_factory=dict)
    change_reasons: bool = False
    """Whether the editor tells the reason of each edit."""


class IdleParams(WorkspaceParams):
    """Parameters of `benchwright/idle`: nothing was typed or moved for a while, or something is again."""

    idle: bool
    after_s: float = 0.0


class ReplayParams(Wire):
    """Parameters of `benchwright/replay`."""

    attempt: str
    """Its id, or the beginning of it."""


class Span(Wire):
    """A stretch of an attempt's time line, in seconds from its opening."""

    from_s: float
    to_s: float
    what: str
    """Why it was paused; the verdict of a run (`passed`, `failed`, `error`, `cancelled`)."""


EventType = Annotated[str, Field(json_schema_extra={"enum": list(EVENT_TYPES.classes)})]
"""Name of a registered type of event."""


class ReplayMark(Wire):
    """One event of an attempt."""

    seq: int
    at_s: float
    """Seconds from the opening, by monotonic clocks."""
    kind: EventType
    """Type of the event; see `codebook.md`."""
    path: str | None = None
    origin: str | None = None
    """Of an edit: `typed`, `paste`, `completion` ..."""
    length: int | None = None
    """Of an edit: code points put in."""


class ReplayView(Wire):
    """Result of `benchwright/replay`: what a scrubber shows."""

    attempt: str
    problem: str
    duration_s: float
    paths: list[str]
    """Every file there ever was."""
    marks: list[ReplayMark]
    pauses: list[Span]
    runs: list[Span]
    complete: bool
    """Whether texts were recorded, so that `replayAt` can show them."""


class ReplayAtParams(ReplayParams):
    """Parameters of `benchwright/replayAt`."""

    seq: int
    """The event just behind which the files are wanted."""


class ReplayedText(Wire):
    """One file at a point of an attempt."""

    path: str
    text: str | None
    """None where the log does not have it."""


class ReplayedFiles(Wire):
    """Result of `benchwright/replayAt`."""

    seq: int
    files: list[ReplayedText]


class NumbersParams(Wire):
    """Parameters of `benchwright/numbers`."""

    study: str | None = None
    """Only attempts of this study; those outside studies if left out."""


class OthersView(Wire):
    """How others did, where the study lets participants see it and there are five of them or more."""

    attempts: int
    """That have ended."""
    solved: int
    quarter_min: float | None
    """A quarter of them had solved it after so many active minutes (Kaplan and Meier); none if not so many did."""
    half_min: float | None
    three_quarters_min: float | None


class OwnNumber(Wire):
    """One attempt of the user's own."""

    attempt: str
    problem: str
    title: str
    condition: str
    state: str
    passed: bool | None
    """None before the first verdict, and where the study shows no results."""
    score: float | None
    """The best one, from 0 to 1; none like `passed`."""
    active_min: float
    """Minutes on the clock; of a gap without activity no more than the study's threshold (2 outside studies) counts."""
    first_pass_min: float | None
    """Active minutes to the first pass."""
    runs: int
    forecast_min: float | None
    forecast_ratio: float | None
    """Active minutes to the first pass over the forecast; 2 is twice as long as expected."""
    share_by_assistant: float | None
    """Share of the text put in that came from completions or chat."""
    others: OthersView | None
    """None where the study does not show it, while the attempt goes on, and of fewer than five others."""


class OwnNumbers(Wire):
    """Result of `benchwright/numbers`."""

    attempts: list[OwnNumber]
