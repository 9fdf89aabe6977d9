"""The words of a study: what a field of its file may say, and the steps that a participant takes."""

from __future__ import annotations

from enum import StrEnum


class AssignmentUnit(StrEnum):
    """Unit that is assigned to a condition."""

    TASK = "task"
    """Within-person: everybody works under every condition, on different problems."""
    PERSON = "person"
    """Between persons: everybody works under one condition only."""
    CLUSTER = "cluster"
    """Between clusters: everybody of a site or section works under its one condition."""


class Order(StrEnum):
    """Rule that determines the order of the tasks."""

    LATIN_SQUARE = "latin-square"
    """Rows of a Williams square: each problem is at each place, and behind each other one, equally often."""
    BLOCKED = "blocked"
    """At random within each difficulty, the easy ones first; conditions are balanced within each difficulty."""
    RANDOM = "random"
    """At random."""


class ForecastKind(StrEnum):
    """Estimates that are asked before and after a task."""

    MINUTES = "minutes"
    DIFFICULTY = "difficulty"
    """From 1, very easy, to 5, very hard."""
    PRIOR_EXPOSURE = "prior_exposure"
    EXTERNAL_HELP = "external_help"
    SUCCESS = "success"
    """Probability that the work is right."""


class Prompts(StrEnum):
    """Prompts with which a model is asked for its reply."""

    BENCHWRIGHT = "benchwright"
    CVDP = "cvdp-1.1"
    CSBENCH = "cs-bench"
    QUARCH = "quarch"
    BENCHWRIGHT_JSON = "benchwright+json"
    """The same in a JSON object, which endpoints with structured output enforce; for questions that a value answers."""
    BENCHWRIGHT_CONFIDENCE = "benchwright+confidence"
    """The same, and how sure the model is of its answer."""
    CVDP_CONFIDENCE = "cvdp-1.1+confidence"
    CSBENCH_CONFIDENCE = "cs-bench+confidence"
    QUARCH_CONFIDENCE = "quarch+confidence"


class QuestionKind(StrEnum):
    """Form of the answer to a question."""

    TEXT = "text"
    NUMBER = "number"
    CHOICE = "choice"
    SCALE = "scale"
    """A whole number from 1 to 5."""
    YES_NO = "yes-no"


class ExclusionCriterion(StrEnum):
    """Property that an exclusion rule checks."""

    FAILED_ATTENTION = "failed_attention"
    """Attention checks answered wrongly."""
    PRIOR_EXPOSURE = "prior_exposure"
    """The problem was known: `is` says from which degree on."""
    EXTERNAL_HELP = "external_help"
    """The participant said that something outside the editor helped."""
    VIOLATIONS = "violations"
    """Violations of the condition that were flagged."""
    ACTIVE_MINUTES = "active_minutes"
    """Active time of a task."""
    UNFOCUSED_SHARE = "unfocused_share"
    """Share of the running time in which the editor was not in front, 0 to 1."""
    SUSPENDED = "suspended"
    """Number of times the computer slept while the clock ran."""
    UNFINISHED_TASKS = "unfinished_tasks"
    """Tasks of the participant that were given up or not begun."""


class Measure(StrEnum):
    """Measure that a study decides on."""

    TIME = "time"
    """Active time to the first pass."""
    SOLVED = "solved"
    """True if the hidden tests or the judge passed the work."""
    SCORE = "score"
    """The best score."""


class Population(StrEnum):
    """Attempts that the primary analysis counts."""

    INTENTION_TO_TREAT = "intention-to-treat"
    """Every task whose condition was drawn, under that condition, whatever happened."""
    PER_PROTOCOL = "per-protocol"
    """Those that no exclusion rule leaves out."""


class Sampling(StrEnum):
    """How participants are drawn from the people that a study is about."""

    CROWDSOURCED = "crowdsourced"
    CONVENIENCE = "convenience"
    """Whoever could be reached: a course, a department, colleagues."""
    RANDOM = "random"
    """By lot, everybody equally probably."""
    STRATIFIED = "stratified"
    """By lot within groups."""
    OTHER = "other"


class EthicsOutcome(StrEnum):
    """Result of an ethics review."""

    APPROVED = "approved"
    EXEMPT = "exempt"
    PENDING = "pending"
    NOT_REVIEWED = "not-reviewed"


class Drop(StrEnum):
    """Data that an exclusion rule leaves out."""

    ATTEMPT = "attempt"
    PARTICIPANT = "participant"


class ParticipantStep(StrEnum):
    """The next thing that a participant has to do."""

    CONSENT = "consent"
    """Read the consent text, and agree or not."""
    OPEN = "open"
    """Open the next problem; the page shows the condition."""
    FORECAST = "forecast"
    """Say what to expect of a problem; nothing of the assignment has been shown yet."""
    UNLOCK = "unlock"
    """Give the code from the organisers that opens the assignment."""
    WORK = "work"
    """Start the clock, or go on, and submit or give up."""
    SELF_ESTIMATE = "self_estimate"
    """Say how it was."""
    QUESTIONNAIRE = "questionnaire"
    FINISHED = "finished"
    WITHDRAWN = "withdrawn"
    """Consent was taken back."""
    CLOSED = "closed"
    """The study is over."""
