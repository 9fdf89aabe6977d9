"""The `benchwright/*` messages: every operation that an editor can request beyond standard LSP.

Each operation is served twice with the same parameters and result: as the request
`benchwright/<name>` and as the `workspace/executeCommand` command `benchwright.<name>`
whose single argument is the parameter object. Field names are camelCase on the wire.

`client-vscode` generates its TypeScript types from this module.
"""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict
from pydantic.alias_generators import to_camel

from benchwright_attempts.clock.clock import AttemptState
from benchwright_attempts.standing import Standing


class Wire(BaseModel):
    """Base of every message: immutable, camelCase, rejects unknown fields."""

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
    """One row of the problem list, without anything hidden."""

    ref: str
    """`pack/id`, the name that every operation uses."""
    id: str
    title: str
    kind: str
    """`design`, `text` or `question`."""
    category: str
    """Category id, such as `cid003`; the question format for questions without one."""
    category_name: str
    difficulty: str
    state: Standing
    """The user's standing with it after all attempts: nothing takes a pass back."""
    sign: str
    """One character for tables, such as `✓`; empty if it has not been begun."""
    run: int | None = None
    """Number of the run that `state` speaks of, within its attempt."""
    best_time_s: float | None = None
    """Shortest active time to a submission that passed, and in which no agent had a part, in seconds."""
    passed_with_agent: bool = False
    """True if an agent had a part in every attempt that passed."""
    attempts: int = 0
    has_unfinished: bool = False
    """True if an attempt at it has not ended, which opening it continues."""


class PackSummary(Wire):
    """One pack and its problems, in pack order."""

    name: str
    title: str
    version: str
    license: str
    problems: list[ProblemSummary]
    service: str = ""
    """Address of the bench service that has its hidden part; empty if that is on this machine."""
    due: str | None = None
    """ISO 8601, UTC: when the assignment is due, if it says so."""
    assistance: str | None = None
    """The assignment's rule on help by models, and how that is checked. Null if it says nothing."""


class SignInParams(Wire):
    """Parameters of `benchwright/signIn`."""

    url: str
    """The service's address."""
    code: str
    """The invitation to a course."""
    name: str = ""
    """The name by which the course's staff call the person; not needed by who has an account there."""


class SignInByBrowserParams(Wire):
    """Parameters of `benchwright/signInByBrowser` and `signInFinish`."""

    url: str
    """The service's address."""


class SignInCode(Wire):
    """Result of `benchwright/signInByBrowser`."""

    code: str
    """The code that the page has to show, too."""
    address: str
    """The page, with the code in it."""
    expires_s: float


class SignedInto(Wire):
    """Result of `benchwright/signIn` and `signInFinish`."""

    url: str
    """The service's address, as it is kept."""
    name: str
    courses: list[str]
    """Titles of all courses of the account."""


class ServiceAccount(Wire):
    """An account at a bench service."""

    url: str
    """The service's address."""
    name: str


class ServiceAccounts(Wire):
    """Result of `benchwright/accounts` and `signOut`: where this user has signed in."""

    accounts: list[ServiceAccount]


class SignOutParams(Wire):
    """Parameters of `benchwright/signOut`."""

    url: str
    """The service's address."""


class PackList(Wire):
    """Result of `benchwright/packs`."""

    packs: list[PackSummary]


class OpenParams(Wire):
    """Parameters of `benchwright/open`."""

    problem: str
    """`pack/id`."""
    fresh: bool = False
    """Begin a new attempt in a new workspace even if an unfinished one exists."""
    guided: bool = False
    """True if a guide leads through it: such an attempt is practice, and no report counts it. One that is unfinished is
    continued."""


class WorkspaceFile(Wire):
    """A file of a workspace."""

    uri: str
    path: str
    """Relative to the workspace, with forward slashes."""
    editable: bool
    """True if the harness takes this file from the solver."""


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
    """The number of hidden tests that passed, and of all."""

    passed: int
    total: int


class TestLine(Wire):
    """One hidden test as far as the reveal policy shows it."""

    name: str
    passed: bool
    message: str | None = None
    """Failure message, if the reveal policy shows it."""
    sim_time: str | None = None
    """Simulated time until it failed, such as `1,230 ns`; only with the message."""


class CompilerLine(Wire):
    """A fault that a compiler found in a file of the workspace."""

    path: str
    """Relative to the workspace, with forward slashes."""
    line: int
    """From 1."""
    column: int | None = None
    """From 1; null if the compiler names none."""
    text: str


class QualityLine(Wire):
    """One measure of a design that passed, beside its reference."""

    measure: str
    """`gates`, `flip_flops`, `latches`, `depth` (gates on the longest path) or `findings` (of lint)."""
    solution: int | None
    reference: int | None
    """Null if it is unknown."""


class GroupLine(Wire):
    """A group of hidden tests in one run."""

    title: str
    points: float
    """The most that it brings, beside the other groups, where an assignment gives partial credit."""
    passed: bool
    """True if all of its tests passed, so that it brings them."""


class VerdictView(Wire):
    """The part of one run or judgement that the solver may see."""

    outcome: str
    """`passed`, `failed` or `error`; `recorded` in a study that does not show results."""
    reason: str
    """`passed`, `tests_failed`, `timeout`, `tool_missing` ...; a stable identifier."""
    message: str
    """One sentence for the user, with the next step if there is one."""
    tests: TestCount | None = None
    lines: list[TestLine] | None = None
    """Null if the policy hides them."""
    compiler: list[CompilerLine] | None = None
    """The reasons why the design does not build, if compilers said them of the solver's own files."""
    test_groups: list[GroupLine] | None = None
    """The groups of hidden tests, where the problem has some and the policy shows the tests."""
    quality: list[QualityLine] | None = None
    """Of a design that passed, once the attempt has ended."""
    log: str | None = None
    """Null if the policy hides it."""
    reveal: str
    """The policy that shaped this view; `none` in a study that does not show results."""
    policy_sentence: str
    """The part of a run that the policy shows, such as `This problem shows test names only.`"""
    wall_s: float
    """Duration of the run in seconds."""
    number: int
    """Number of the try within the attempt, from 1."""
    finished_at: str
    """ISO 8601, UTC."""


class StandingView(Wire):
    """The standing of an attempt, in words for every page, and the run that they speak of."""

    standing: Standing
    """In one word."""
    sign: str
    """One character for tables, such as `✓`."""
    short: str
    """A few words, such as `3/5 passed` or `run 4 queued`."""
    headline: str
    """A sentence without its full stop that names the run, such as `Hidden tests failed: 3 of 5 passed (run 3)`."""
    run: int | None = None
    """Number of the run that the words speak of, from 1; null before the first."""
    decided_at: str | None = None
    """ISO 8601, UTC: when that run had its verdict; null if it has none."""
    newest_run: int | None = None
    """Number of the newest run, with or without a verdict. What shows an older one says so."""


class ProblemPageParams(Wire):
    """Parameters of `benchwright/problemPage`."""

    problem: str
    """`pack/id`."""


class PastAttempt(Wire):
    """One of the user's own attempts at a problem."""

    attempt: str
    view: StandingView
    """Its standing."""
    begun: str
    """The time at which the problem was opened, ISO 8601."""
    active_s: float | None
    """Time on its clock, in seconds; null if it had none."""
    runs: int
    """Number of its verdicts."""
    ended: bool
    has_texts: bool
    """True if its files can be read in the log."""


class BestSolution(Wire):
    """The user's solution of a design problem with the fewest gates, and of those the one with the shortest path."""

    attempt: str
    quality: list[QualityLine] | None
    """Null if it was not measured."""


class ReferenceFile(Wire):
    """A file of the reference solution."""

    path: str
    text: str


class ProblemPage(Wire):
    """Result of `benchwright/problemPage`: everything that the user may see of a problem without opening it."""

    statement: str
    """In Markdown."""
    expected: list[str]
    """Paths of the files that are taken from the solver."""
    attempts: list[PastAttempt]
    """The newest first; none of studies."""
    solutions: int = 0
    """Number of those that ended with a pass at the design problem as it is now."""
    best: BestSolution | None = None
    reference: list[ReferenceFile] | None = None
    """Null unless the reveal policy shows it, the user has solved the problem, no attempt at it is unfinished, and no
    study asks it."""
    explanation: str | None = None
    """The author's explanation of the solution, in Markdown. Shown like the reference, whatever the policy."""


class AttemptStatus(Wire):
    """An attempt as shown in the status bar, tree and results view.

    Result of `status`, `start`, `pause`, `resume`, `run`, `cancelRun`, `abandon` and `selfEstimate`;
    also sent by the server as the notification `benchwright/attemptChanged` whenever any of it changes.
    """

    attempt: str
    problem: str
    title: str
    kind: str
    workspace: str
    """URI of the workspace folder."""
    state: AttemptState
    elapsed_s: float | None
    """Wall time from the first start to now or to the end, in seconds. Null while the study hides it."""
    active_s: float | None
    """Time during which the clock ran, in seconds. Null while the study hides it."""
    remaining_s: float | None = None
    """The rest of `time_limit_s`, in seconds. Null without a limit, and while the study hides it."""
    runs: int
    running: bool
    """True if the hidden tests are running right now."""
    view: StandingView
    """Its standing: what every page says of it."""
    verdict: VerdictView | None = None
    """The latest verdict, which may be of an older run than `view` speaks of."""
    study: str | None = None
    """Id of the study it belongs to."""
    practice: bool = False
    """True if it is practice: a study's practice task, or the guided first problem."""
    recording: str = "full"
    """The extent of recording: `timing`, `edits`, `full`. Shown to the solver during recording."""
    held: bool = False
    """True if the clock is stopped while the hidden tests or a judge run, as the study requires."""
    time_limit_s: float | None = None
    """Active time after which the attempt ends automatically, in seconds."""
    runs_allowed: int | None = None
    """Number of runs allowed; if set, saving does not start a run."""
    assistance: str | None = None
    """The assignment's rule on help by models, and how that is checked. Null if it says nothing."""
    without_help: bool = False
    """True if the assignment forbids every help by models."""
    aids: list[str] = []
    """Values of `Aid` that the solver may use; a client shows no command of another."""
    read_only: str | None = None
    """The reason why nothing is recorded here: another window or server works on the attempt."""
    not_recorded: str | None = None
    """The reason why the newest events could not be recorded, such as a full disk; gone once recording works again."""


class OpenedProblem(Wire):
    """Result of `benchwright/open`."""

    status: AttemptStatus
    statement: str
    """URI of the statement in Markdown (`README.md`, or `question.md`)."""
    primary: str
    """URI of the file to edit first (`answer.md` for a question)."""
    files: list[WorkspaceFile]


class Choice(Wire):
    """One choice of a question that is answered by choosing."""

    value: str
    """The text that goes into `answer.md`: `A` ... or `true`/`false`; several letters are joined, as in `AC`."""
    text: str


class LanguageVariant(Wire):
    """The same question in another language."""

    problem: str
    """`pack/id` of the problem to open instead."""
    language: str
    """BCP 47, such as `zh`."""


class QuestionView(Wire):
    """Result of `benchwright/question`: what an answer form shows."""

    title: str
    format: str
    """A format of questions, such as `multiple-choice`."""
    question: str
    """Markdown."""
    choices: list[Choice]
    answer: str
    """URI of `answer.md`."""
    selected: str | None = None
    """The choice that `answer.md` currently holds, or the letters of several, as in `AC`; null if none is read."""
    draft: str | None = None
    """Unsaved content of `answer.md` from when the editor last closed, restored from the log."""
    language: str
    """BCP 47."""
    languages: list[LanguageVariant]
    """The same question in other languages; usually empty."""
    scored_on_save: bool
    """True if saving has the answer scored while the clock runs; otherwise only running and submitting do."""


class LengthParams(Wire):
    """Parameters of `benchwright/length`."""

    text: str


class Length(Wire):
    """Result of `benchwright/length`."""

    words: int


class SubmitSummary(Wire):
    """Result of `benchwright/submit`: how the attempt ended."""

    status: AttemptStatus
    first_pass_s: float | None = None
    """Active time at the first passing verdict, in seconds. Null while the study hides it."""
    first_pass_run: int | None = None
    """Number of that run."""


class DoctorItem(Wire):
    """One thing that Benchwright needs on this machine."""

    name: str
    status: str
    """`ok`, `missing` or `warning`."""
    version: str | None = None
    path: str | None = None
    needed_for: str
    """The features that do not work without it."""
    hint: str | None = None
    """The next step."""


class DoctorReport(Wire):
    """Result of `benchwright/doctor`."""

    ok: bool
    """True if the main workflow works: open a problem, save, get a verdict."""
    items: list[DoctorItem]
