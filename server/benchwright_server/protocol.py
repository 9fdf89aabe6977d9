"""The `benchwright/*` messages: every operation an editor can ask for, beyond standard LSP.

Each operation is served twice with the same parameters and result: as the request
`benchwright/<name>` and as the `workspace/executeCommand` command `benchwright.<name>`
whose single argument is the parameter object. Field names are camelCase on the wire.

`client-vscode` generates its TypeScript types from this module.
"""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict
from pydantic.alias_generators import to_camel

from benchwright_attempts.attempts import ProblemState
from benchwright_attempts.clock import AttemptState


class Wire(BaseModel):
    """Base of every message: immutable, camelCase, refuses unknown fields."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        alias_generator=to_camel,
        populate_by_name=True,
        use_attribute_docstrings=True,
    )


class Nothing(Wire):
    """Parameters of an operation that takes none."""


class ProblemSummary(Wire):
    """One row of the problem list: nothing of the hidden part."""

    ref: str
    """`pack/id`, the name every operation takes."""
    id: str
    title: str
    kind: str
    """`design`, `text` or `question`."""
    category: str
    """Category id, such as `cid003`; the question format for questions without one."""
    category_name: str
    difficulty: str
    state: ProblemState
    best_time_s: float | None = None
    """Shortest active time to a passing submission, in seconds."""
    attempts: int = 0


class PackSummary(Wire):
    """One pack and its problems, in pack order."""

    name: str
    title: str
    version: str
    license: str
    problems: list[ProblemSummary]


class PackList(Wire):
    """Result of `benchwright/packs`."""

    packs: list[PackSummary]


class OpenParams(Wire):
    """Parameters of `benchwright/open`."""

    problem: str
    """`pack/id`."""
    fresh: bool = False
    """Begin a new attempt in a new workspace even if an unfinished one exists."""


class WorkspaceFile(Wire):
    """A file of a workspace."""

    uri: str
    path: str
    """Relative to the workspace, with forward slashes."""
    editable: bool
    """Whether the harness takes this file from the solver."""


class WorkspaceParams(Wire):
    """Parameters of every operation on one open workspace."""

    uri: str
    """The workspace folder, or any file in it."""


class PauseParams(WorkspaceParams):
    """Parameters of `benchwright/pause`."""

    reason: str | None = None


class AbandonParams(WorkspaceParams):
    """Parameters of `benchwright/abandon`."""

    reason: str | None = None


class FocusParams(WorkspaceParams):
    """Parameters of `benchwright/focus`: the editor window gained or lost focus."""

    focused: bool


class TestCount(Wire):
    """Hidden tests passed, of how many."""

    passed: int
    total: int


class TestLine(Wire):
    """One hidden test as far as the reveal policy shows it."""

    name: str
    passed: bool
    message: str | None = None
    """Failure message; only under the policies `messages` and `full`."""


class VerdictView(Wire):
    """What the solver may know of one run or judgement."""

    outcome: str
    """`passed`, `failed` or `error`; `recorded` in a study that does not show results."""
    reason: str
    """`passed`, `tests_failed`, `timeout`, `tool_missing` ...: a stable word."""
    message: str
    """One sentence for people, with the next step where there is one."""
    tests: TestCount | None = None
    lines: list[TestLine] | None = None
    """Only under the policies `names`, `messages` and `full`."""
    log: str | None = None
    """Only under the policy `full`."""
    reveal: str
    """The policy that shaped this view."""
    wall_s: float
    """Duration of the run in seconds."""
    number: int
    """Which try of the attempt this was, from 1."""
    finished_at: str
    """ISO 8601, UTC."""


class AttemptStatus(Wire):
    """An attempt as status bar, tree and results view show it.

    Result of `status`, `start`, `pause`, `resume`, `cancelRun`, `abandon`; also sent by
    the server as the notification `benchwright/attemptChanged` whenever any of it changes.
    """

    attempt: str
    problem: str
    title: str
    kind: str
    workspace: str
    """URI of the workspace folder."""
    state: AttemptState
    elapsed_s: float
    """Wall time from the first start to now or to the end, in seconds."""
    active_s: float
    """Time the clock ran, in seconds."""
    runs: int
    running: bool
    """Whether the hidden tests are running right now."""
    verdict: VerdictView | None = None
    """The newest verdict."""
    study: str | None = None
    """Id of the study it belongs to."""
    practice: bool = False
    """Whether it is the study's practice."""
    recording: str = "full"
    """How much is recorded: `timing`, `edits`, `full`. Shown to the solver as long as it is recorded."""
    held: bool = False
    """Whether the clock stands because the hidden tests or a judge work, as the study wants it."""
    time_limit_s: float | None = None
    """Active time after which the attempt ends by itself."""
    runs_allowed: int | None = None
    """Runs that are allowed; then saving alone runs nothing."""


class OpenedProblem(Wire):
    """Result of `benchwright/open`."""

    status: AttemptStatus
    statement: str
    """URI of the statement in Markdown (`README.md`, or `question.md`)."""
    primary: str
    """URI of the file to edit first (`answer.md` for a question)."""
    files: list[WorkspaceFile]


class Choice(Wire):
    """One choice of a multiple-choice or assertion question."""

    value: str
    """What goes into `answer.md`: `A` ... or `true`/`false`."""
    text: str


class LanguageVariant(Wire):
    """The same question in another language."""

    problem: str
    """`pack/id`, to be opened in its place."""
    language: str
    """BCP 47, such as `zh`."""


class QuestionView(Wire):
    """Result of `benchwright/question`: what an answer form needs."""

    title: str
    format: str
    """`multiple-choice`, `assertion`, `fill-in-the-blank`, `open-ended`, `free-response`."""
    question: str
    """Markdown."""
    choices: list[Choice]
    answer: str
    """URI of `answer.md`."""
    selected: str | None = None
    """The choice that `answer.md` holds now, if it holds one."""
    draft: str | None = None
    """Text of `answer.md` that was typed and not saved before the editor went away; the log kept it."""
    language: str
    """BCP 47."""
    languages: list[LanguageVariant]
    """Where else the question can be read; empty for most."""


class LengthParams(Wire):
    """Parameters of `benchwright/length`."""

    text: str


class Length(Wire):
    """Result of `benchwright/length`."""

    words: int
    tokens: int | None = None
    """As OpenAI's present models count them; none where the table for it is not installed."""


class SubmitSummary(Wire):
    """Result of `benchwright/submit`: how the attempt ended."""

    status: AttemptStatus
    first_pass_s: float | None = None
    """Active time at the first passing verdict, in seconds."""
    first_pass_run: int | None = None
    """Number of that run."""


class DoctorItem(Wire):
    """One thing Benchwright looks for on this machine."""

    name: str
    status: str
    """`ok`, `missing` or `warning`."""
    version: str | None = None
    path: str | None = None
    needed_for: str
    """What does not work without it."""
    hint: str | None = None
    """The next step."""


class DoctorReport(Wire):
    """Result of `benchwright/doctor`."""

    ok: bool
    """Whether the main job works: open a problem, save, get a verdict."""
    items: list[DoctorItem]
