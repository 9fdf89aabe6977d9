"""The messages of studies: those that guide a participant, and those that record evidence about an attempt."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, JsonValue

from benchwright_attempts.events.events import EVENT_TYPES
from benchwright_attempts.events.evidence import Exposure
from benchwright_server.protocol.messages import Wire, WorkspaceParams
from benchwright_studies.plan.information import InformationKind
from benchwright_studies.plan.vocabulary import ForecastKind, ParticipantStep, QuestionKind

Difficulty = Annotated[int, Field(ge=1, le=5)]
Probability = Annotated[float, Field(ge=0, le=1)]


class StudySummary(Wire):
    """One study that this user takes part in."""

    study: str
    """Its id."""
    title: str
    participant: str
    """The user's pseudonym in it."""
    step: ParticipantStep
    """The next step."""
    done: int
    total: int


class StudyList(Wire):
    """Result of `benchwright/studies`."""

    studies: list[StudySummary]


class StudyParams(Wire):
    """Parameters of operations on one study."""

    study: str


class ConsentView(Wire):
    """The text that a participant agrees to."""

    version: str
    text: str
    """Markdown."""
    given: bool
    """True if the participant has agreed to this version."""


class StudyQuestionView(Wire):
    """A question of the questionnaire; attention checks are not marked."""

    id: str
    ask: str
    kind: QuestionKind
    """`scale` is a whole number from 1 to 5."""
    choices: list[str]
    required: bool


class DeliveryView(Wire):
    """The delivery of the records of a participant who has finished to the study's destination."""

    arrived: bool
    """If not, delivery is retried when the server starts and at each `study` request."""
    tries: int = 0
    """Number of failed attempts at delivery."""
    told: str = ""
    """The reason why the last delivery failed, as sentences."""


class InformationView(Wire):
    """A sentence about the study that follows from its file, such as where the data go, or how many tasks there are."""

    kind: InformationKind
    """Its subject. A client that shows another language words it by this."""
    value: str
    """The place, number or name in it; empty if it has none."""
    text: str
    """The sentence in English."""


class ForecastFile(Wire):
    """A file of a problem, to read before forecasting."""

    path: str
    text: str


class ForecastView(Wire):
    """The problem of which a forecast is asked, as far as solvers see it. Nothing in it depends on the assignment."""

    number: int
    """Of this forecast, from 1, in the order of the study file."""
    total: int
    statement: str
    """Markdown."""
    files: list[ForecastFile]
    """The files that the task starts from."""
    pictures: dict[str, str]
    """Path of a picture in the statement → its content, as a `data:` address."""


class StudyView(Wire):
    """A study as its participant sees it, with the next step.

    Result of `study`, `giveConsent`, `withdrawConsent`, `forecast`, `unlock`, `questionnaire`.
    """

    study: str
    title: str
    description: str
    """Markdown."""
    participant: str
    step: ParticipantStep
    """`consent`, `forecast`, `unlock`, `open`, `work`, `self_estimate`, `questionnaire`, `finished`, `withdrawn`, \
`closed`."""
    done: int
    """Number of completed tasks, without practice."""
    total: int
    position: int | None = None
    """Number of the current task, from 1; 0 for practice."""
    practice: bool = False
    problem: str | None = None
    """`pack/id` of the current task, or of the problem to forecast."""
    problem_title: str | None = None
    problem_kind: str | None = None
    """`design`, `question` or `text`; null if there is no such problem here."""
    to_forecast: ForecastView | None = None
    """Only in the step `forecast`."""
    receipt: str | None = None
    """Only in the step `unlock`: what to tell the organisers, who then give the code. It is the beginning of the digest
    of the participant's journal, so it holds the forecasts as they are. Null there if a service conducts the study: it
    gives the code itself, and `study` asks it again."""
    condition: str | None = None
    """Null until every forecast is given and the assignment is drawn."""
    solver: str | None = None
    """`human`: no model may help; `human+copilot`: those in `assistants` may; `human+agent`: agents may too."""
    assistants: list[str] = Field(default_factory=list)
    workspace: str | None = None
    """URI of the current task's folder, once it has been opened."""
    consent: ConsentView | None = None
    recording: str
    """`timing`, `edits`, `full`."""
    data_to: str
    """The destination of the data, such as the address of the service that conducts the study; or `nowhere`."""
    information: list[InformationView]
    """To be shown with the consent text, which can't contradict it."""
    delivery: DeliveryView | None = None
    """Null until the participant has finished, and if the data are not delivered."""
    feedback: str
    """The part of a run that is shown: a reveal policy of problems, or `none`."""
    time_limit_s: float | None = None
    runs_allowed: int | None = None
    forecasts: list[str]
    """The forecasts to ask for in the step `forecast`: names of the parameters of `benchwright/forecast`."""
    self_estimates: list[ForecastKind]
    """The estimates to ask for in the step `self_estimate`."""
    questions: list[StudyQuestionView]
    """The questions to ask in the step `questionnaire`."""


class GiveConsentParams(StudyParams):
    """Parameters of `benchwright/giveConsent`."""

    version: str
    """Version of the consent form that was read."""


class WithdrawConsentParams(StudyParams):
    """Parameters of `benchwright/withdrawConsent`."""

    delete: bool = False
    """Also delete all recorded data."""


class ForecastParams(StudyParams):
    """Parameters of `benchwright/forecast`."""

    problem: str
    """`pack/id`, as the step names it."""
    minutes_without_ai: Annotated[float, Field(gt=0)] | None = None
    """The minutes that it takes if no model helps."""
    minutes_with_ai: Annotated[float, Field(gt=0)] | None = None
    """The minutes that it takes with the assistants that the study allows."""
    difficulty: Difficulty | None = None
    """From 1, very easy, to 5, very hard."""
    prior_exposure: Exposure | None = None
    success: Probability | None = None
    """Probability of solving it, 0 to 1."""


class UnlockParams(StudyParams):
    """Parameters of `benchwright/unlock`."""

    code: str
    """From the organisers."""


class SelfEstimateParams(WorkspaceParams):
    """Parameters of `benchwright/selfEstimate`."""

    minutes: Annotated[float, Field(gt=0)] | None = None
    difficulty: Difficulty | None = None
    prior_exposure: Exposure | None = None
    external_help: bool | None = None
    help_note: str = ""
    success: Probability | None = None
    """Probability that the solution is correct, 0 to 1."""


class QuestionnaireParams(StudyParams):
    """Parameters of `benchwright/questionnaire`."""

    answers: dict[str, str | int | float | bool]
    """Answers by question id."""


class EditReasonView(Wire):
    """The origin of one edit, as reported by the editor."""

    uri: str
    version: int
    """The document's version after the edit."""
    reason: str
    """The editor's own term: VS Code's `detailedReason.source`."""
    metadata: dict[str, JsonValue] = Field(default_factory=dict)


class EditReasonsParams(Wire):
    """Parameters of `benchwright/editReasons`: any number of edits in any documents."""

    edits: list[EditReasonView]


class CommandParams(WorkspaceParams):
    """Parameters of `benchwright/commandUsed`: a wrapped command for accepting or pasting ran.

    `uri` is the document that it changes.
    """

    command: str
    """Its id, such as `editor.action.inlineSuggest.commit`."""
    version: int | None = None
    """The document's version just before the command ran."""
    length: int | None = None
    """Number of code points on the clipboard, for a paste."""


class ExtensionView(Wire):
    """One extension of the editor."""

    id: str
    version: str
    active: bool = False
    ai: bool = False
    """True if it is known to generate code with a model."""


class EnvironmentParams(WorkspaceParams):
    """Parameters of `benchwright/environment`: the solver's editor; sent when an attempt opens and when it changes.

    It must not identify the machine or the person.
    """

    editor: str
    """Name and version."""
    platform: str = ""
    extensions: list[ExtensionView] = Field(default_factory=list)
    ai_features: dict[str, bool] = Field(default_factory=dict)
    """Setting or feature → whether it is on."""
    settings: dict[str, JsonValue] = Field(default_factory=dict)
    change_reasons: bool = False
    """True if the editor reports the reason for each edit."""


class IdleParams(WorkspaceParams):
    """Parameters of `benchwright/idle`: the user became idle, or active again."""

    idle: bool
    after_s: float = 0.0


class ReplayParams(Wire):
    """Parameters of `benchwright/replay`."""

    attempt: str
    """The attempt's id, or a prefix of it."""


class Span(Wire):
    """An interval on an attempt's timeline, in seconds from its opening."""

    from_s: float
    to_s: float
    what: str
    """The reason for a pause, or the standing of a run, such as `passed`, `undecided` or `superseded`."""
    run: int | None = None
    """Number of the run; null for a pause."""


EventType = Annotated[str, Field(json_schema_extra={"enum": list(EVENT_TYPES.classes)})]
"""Name of a registered type of event."""


class ReplayMark(Wire):
    """One event of an attempt."""

    seq: int
    at_s: float
    """Seconds from the opening, by the monotonic clock."""
    kind: EventType
    """Type of the event; see `codebook.md`."""
    path: str | None = None
    origin: str | None = None
    """Of an edit: `typed`, `paste`, `completion` ..."""
    length: int | None = None
    """Of an edit: number of code points inserted."""


class ReplayView(Wire):
    """Result of `benchwright/replay`: the timeline for a scrubber."""

    attempt: str
    problem: str
    duration_s: float
    paths: list[str]
    """Every file that ever existed in the attempt."""
    marks: list[ReplayMark]
    pauses: list[Span]
    runs: list[Span]
    complete: bool
    """True if file contents were recorded, so that `replayAt` can show them."""


class ReplayAtParams(ReplayParams):
    """Parameters of `benchwright/replayAt`."""

    seq: int
    """The event after which to rebuild the files."""


class ReplayedText(Wire):
    """One file at one point in an attempt."""

    path: str
    text: str | None
    """Null if the log does not have it."""


class ReplayedFiles(Wire):
    """Result of `benchwright/replayAt`."""

    seq: int
    files: list[ReplayedText]


class TracePage(Wire):
    """Result of `benchwright/trace`: an HTML page of its own that asks nothing of the network."""

    page: str
