"""Messages of solvers and workers to a bench service, and its answers: JSON over HTTP, below `/api/v1`."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated

from pydantic import AwareDatetime, Field, JsonValue

from benchwright_attempts.events.file_text import Sha256
from benchwright_attempts.log.anchors import Anchor
from benchwright_attempts.log.record import AttemptHeader
from benchwright_foundation.model import Message, Number, UtcTime
from benchwright_problems.aids import Aid
from benchwright_problems.assistance import Assistance
from benchwright_problems.problem import Pack, Problem
from benchwright_problems.reveal import Reveal
from benchwright_problems.verdict import CompilerMessage, Verdict

MOST_EVENTS = 5_000
"""Events that one request takes."""

MOST_ENTRIES = 2_000
"""Entries of a participant's journal."""

LINK_PREFIX = "bwl_"
"""The beginning of a code that signs in once, whoever was signed in before."""

Id = Annotated[str, Field(pattern=r"^[0-9a-f]{32}$")]
Line = Annotated[str, Field(max_length=4 << 20)]
TEXT = r"^[^\x00]*$"
"""No null byte, which PostgreSQL stores in no text."""
Name = Annotated[str, Field(min_length=1, max_length=200, pattern=TEXT)]
Path = Annotated[str, Field(min_length=1, max_length=1_000, pattern=TEXT)]
Secret = Annotated[str, Field(min_length=1, max_length=200, pattern=TEXT)]
Base64 = Annotated[str, Field(pattern=r"^[A-Za-z0-9+/]*={0,2}$")]


class Role(StrEnum):
    """Role of somebody in a course."""

    OWNER = "owner"
    STAFF = "staff"
    GRADER = "grader"
    MONITOR = "monitor"
    PARTICIPANT = "participant"


class Join(Message):
    """Joining a course by an invitation."""

    code: Secret
    name: Name
    """The person's name for the course's staff."""


class JoinAnother(Message):
    """Joining a course by an invitation, with an account that is there."""

    code: Secret


class Membership(Message):
    """A course that an account belongs to."""

    course: str
    title: str
    role: Role
    section: str = ""
    zone: str = "UTC"
    """IANA name of the course's time zone."""


class Me(Message):
    """The account that asks."""

    account: str
    name: str
    courses: tuple[Membership, ...]


class Joined(Message):
    """A new account, or a course more."""

    token: str
    """Shown this once."""
    me: Me


class NewDevice(Message):
    """A program that is to be signed in by a browser."""

    name: Name
    """Name that it has given to this machine, such as the computer's name."""


class Device(Message):
    """Data that such a program shows and keeps."""

    secret: str
    """Only the program has it."""
    code: str
    """Code that a person confirms in the browser, such as `BCDF-GHJK`."""
    address: str
    """Address at which the code is confirmed."""
    expires_s: float
    interval_s: float
    """Time between two questions of the program, in seconds."""


class DeviceAsk(Message):
    """Asks how far it is."""

    secret: Secret


class DeviceState(StrEnum):
    """Progress of signing in by a browser."""

    WAITING = "waiting"
    GRANTED = "granted"
    DENIED = "denied"
    EXPIRED = "expired"
    TAKEN = "taken"
    """The token was returned before."""


class DeviceProgress(Message):
    """The answer to it."""

    state: DeviceState
    joined: Joined | None = None
    """Once, when it was granted."""


class AssignmentView(Message):
    """Work that a course asks for."""

    id: str
    course: str
    title: str
    pack: str
    pack_digest: str
    """Of the public part; changes when a problem is corrected."""
    problems: tuple[str, ...]
    """Ids within the pack."""
    opens: AwareDatetime | None = None
    """The time from which work can start; at once if not given."""
    due: AwareDatetime | None = None
    closes: AwareDatetime | None = None
    """After this nothing is graded; never if not given."""
    most_runs: int | None = None
    """Number of runs an attempt may ask for; any number if not given."""
    reveal: Reveal | None = None
    """The most that is shown of a verdict; what each problem says if not given."""
    reveal_after_due: Reveal | None = None
    """The same once it is due; as before if not given."""
    reveal_after_closing: Reveal | None = None
    """The same once it is closed; as before if not given."""
    assistance: Assistance | None = None
    """Models that may help; nothing is said if not given."""
    aids: tuple[Aid, ...] | None = None
    """The aids that students may use; all if not given."""
    records_less: bool = False
    """True if attempts of who asks are to be recorded at the level `timing`: the service takes no others."""


class PublicPack(Message):
    """The public part of a pack."""

    digest: str
    pack: Pack


class StudyAssignment(Message):
    """The problems of one pack in a study."""

    id: str
    pack: str
    """Its name in the study file."""


class EnrolledStudy(Message):
    """A study that the account takes part in."""

    study: str
    title: str
    file: JsonValue
    """A `ParticipantFile`: the rules, and the participant's row of the plan, encrypted. None if no place was left."""
    assignments: tuple[StudyAssignment, ...] = ()


class NewJournal(Message):
    """A participant's journal of a study."""

    lines: Annotated[tuple[Mapping[str, JsonValue], ...], Field(max_length=MOST_ENTRIES)]
    """All entries, in order, as exports have them."""


class JournalTaken(Message):
    """The service has the journal on its disk."""

    entries: int
    """Number of entries that are here."""
    code: str = ""
    """Opens the participant's assignment. Empty before the forecasts are here."""


class Whereabouts(StrEnum):
    """Place of a participant in a study."""

    FREE = "free"
    """Nobody has the place."""
    JOINED = "joined"
    """Somebody has the place, and has not begun."""
    BETWEEN_TASKS = "between tasks"
    """At the consent, a forecast, a question or before the next task."""
    WORKING = "working"
    PAUSED = "paused"
    STUCK = "stuck"
    """The clock runs, and nothing was done for long."""
    SILENT = "silent"
    """The clock runs, and the machine was not heard of for long."""
    FINISHED = "finished"
    DROPPED_OUT = "dropped out"
    """Consent was taken back."""
    CLOSED = "closed"
    """The study is over."""


class WatchedParticipant(Message):
    """A participant as monitors see one: neither condition nor outcome."""

    participant: str
    where: Whereabouts
    done: int = 0
    """Tasks done, without practice."""
    total: int = 0
    task: int | None = None
    """Rank of the present task, from 1; 0 for practice."""
    heard: AwareDatetime | None = None
    """The newest record, by the service's clock."""
    worked: AwareDatetime | None = None
    """The newest record of the present task that the participant caused."""


class StudyWatch(Message):
    """A study as its monitors see it."""

    study: str
    title: str
    digest: str
    """Of its data, once it is closed."""
    participants: tuple[WatchedParticipant, ...]


class NewEvents(Message):
    """Events of one attempt, in order, as the solver's log has them."""

    header: AttemptHeader
    assignment: Name
    lines: Annotated[tuple[Line, ...], Field(max_length=MOST_EVENTS)]
    """Each the canonical JSON of a record, as exports have it: ASCII, so that any editor's text survives."""
    now: UtcTime
    """The solver's clock at sending."""


class EventsTaken(Message):
    """Progress of the service with an attempt: what is acknowledged is on its disk."""

    anchor: Anchor | None
    """Countersigned; none before the first event."""
    clock_difference_s: float
    """The service's clock minus the solver's."""


class NewRun(Message):
    """Files to run the hidden tests on, or an answer to score."""

    id: Id
    """Made by the solver; the same one again is the same run."""
    number: Annotated[Number, Field(ge=1)]
    """Rank in the attempt."""
    files: Annotated[dict[Path, Sha256], Field(max_length=1_000)]
    contents: Mapping[Sha256, Base64] = Field(default={}, max_length=1_000)
    """Files that the service may lack, compressed (RFC 1950)."""


class MissingFiles(Message):
    """Contents that have to be sent with the run."""

    missing: tuple[Sha256, ...]


class RunState(StrEnum):
    """Progress of a run."""

    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    CANCELLED = "cancelled"


class TestView(Message):
    """A hidden test, as far as it is shown."""

    name: str
    passed: bool
    message: str | None = None
    sim_time: str | None = None


class VerdictView(Message):
    """A verdict, as far as it is shown: see `benchwright_problems.reveal`."""

    outcome: str
    reason: str
    message: str
    policy: str
    passed: int | None = None
    total: int | None = None
    tests: tuple[TestView, ...] = ()
    compiler: tuple[CompilerMessage, ...] = ()
    log: str | None = None
    wall_s: float = 0.0


class RunView(Message):
    """A run."""

    id: Id
    number: int
    state: RunState
    revision: int
    """Grows with each change: a request may wait for the next."""
    place: int | None = None
    """In the queue, from 1."""
    step: str = ""
    """The step that runs now, such as `2 of 3: simulate`."""
    verdict: VerdictView | None = None
    why: str = ""
    """Reason for cancelling it, a stable word."""


class JobAsk(Message):
    """A worker asks for work."""

    worker: Name


class Job(Message):
    """A run for a worker. Holds hidden parts."""

    run: Id
    lease: Id
    lease_s: float
    """Without a word within this many seconds the run is given to another worker."""
    problem: Problem
    files: dict[Path, Base64]
    """Compressed."""


class JobStep(Message):
    """The run that a worker has; also a sign of life."""

    lease: Id
    number: Number = 0
    of: Number = 0
    name: Annotated[str, Field(max_length=200)] = ""


class JobResult(Message):
    """The outcome of a run. Holds hidden facts."""

    lease: Id
    verdict: Verdict
    log: Base64 = ""
    """The end of the raw output, compressed."""


class JobStanding(Message):
    """The answer to a worker's word."""

    wanted: bool
    """False if the run was cancelled, or is another worker's by now."""


class HealthReport(Message):
    """State of the service: whether it works."""

    status: str
    version: str
    details: Mapping[str, JsonValue] = Field(default={})


class PublicKey(Message):
    """The service's key."""

    key: str
    """Ed25519, base64."""
