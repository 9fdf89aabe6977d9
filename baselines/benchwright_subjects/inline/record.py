"""Record of one site that was played: a line of JSON in the run's folder."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

from benchwright_foundation.model import Model
from benchwright_studies.plan.accept_policy import AcceptPolicy
from benchwright_subjects.inline.failure import ServerEnd, ServerFailure
from benchwright_subjects.inline.policies import RefusalConsequence
from benchwright_subjects.inline.sites import SiteKind
from benchwright_subjects.inline.text.syntactic_units import SyntacticUnit


class RecordPart(Model):
    """Base of what is kept: immutable, refuses unknown fields."""


class OfferOutcome(StrEnum):
    """The outcome of one request."""

    ACCEPTED = "accepted"
    PARTLY_ACCEPTED = "partly_accepted"
    REFUSED = "refused"
    NOTHING_OFFERED = "nothing_offered"
    TIMED_OUT = "timed_out"


SHOWN = frozenset({OfferOutcome.ACCEPTED, OfferOutcome.PARTLY_ACCEPTED, OfferOutcome.REFUSED})


class Step(RecordPart):
    """One request, and what followed."""

    decision: OfferOutcome
    offers: int = 0
    """Items in the answer."""
    offer: str = ""
    """Text that the first would write at the cursor."""
    replaces: tuple[int, int] = (0, 0)
    """Code points left and right of the cursor that it would take away."""
    accepted: str = ""
    typed: str = ""
    """Text that the driver typed after a refusal."""
    deleted: int = 0
    """Characters, without white space, that an accepted offer took away from what was there."""
    repeats_suffix: bool = False
    """True if the first offer only says what follows anyway."""
    next_edits: int | None = None
    """Further edits that the server proposed afterwards; None if it was not asked or does not do that."""
    next_edits_taken: int = 0
    """Of these, the ones that the policy took. Their characters are in no other number."""


class Snapshot(RecordPart):
    """The file after some accepted offers."""

    accepts: int
    is_end: bool
    text: str


class Likeness(RecordPart):
    """The first offer beside what was expected."""

    exact: bool
    """The same but for white space."""
    edit_similarity: float
    identifier_f1: float | None
    """None if there are no identifiers."""
    parses: bool
    """True if the file parses with it."""
    lines_kept: int | None = None
    """Of a replay, how many of its lines the author wrote, there or elsewhere, by the end."""
    lines: int | None = None
    """Of a replay, how many lines it has."""


class Efforts(RecordPart):
    """Characters without white space."""

    expected: int
    """Amount of text that belongs at the site."""
    typed: int
    accepted: int
    kept: int
    """Of those accepted, the ones that somebody who wanted what was expected would keep."""
    deleted: int
    """The others, and what accepted offers took away."""

    @property
    def saved_characters(self) -> int:
        """Not typed, net of what has to be deleted."""
        return self.kept - self.deleted


class AgreementWithAuthor(RecordPart):
    """An offer, or its first line, beside what the author of the attempt wrote by themselves later."""

    is_kept: bool
    """True if the text that passed the hidden tests has it, and the text at the pause had not."""
    earlier_s: float | None
    """Active time from when it would have been shown until the author had written it; None if they never had."""

    @property
    def is_right(self) -> bool:
        """True if it was right before the author got there."""
        return self.is_kept and self.earlier_s is not None and self.earlier_s > 0


class VerdictPair(RecordPart):
    """The hidden tests on the files as they were at a pause, and with the offer in them."""

    outcome_without: str
    outcome_with: str
    passed_without: int
    passed_with: int

    @property
    def is_fewer_passing(self) -> bool | None:
        """True if fewer pass with the offer; None if that is undecided."""
        if "error" in (self.outcome_without, self.outcome_with):
            return None
        is_lost = self.outcome_without == "passed" and self.outcome_with != "passed"
        return is_lost or self.passed_with < self.passed_without


class Hindsight(RecordPart):
    """Evidence from a recorded attempt about the offer at one of its pauses."""

    site: str
    problem: str
    attempt: str
    participant: str
    """Pseudonym."""
    gap_ms: float
    """Length of the pause, in milliseconds."""
    is_known: bool
    """True if a run passed that began after the pause; without it nothing is known of what is right."""
    whole: AgreementWithAuthor | None
    """None if nothing was offered that is long enough, or nothing is known."""
    first_line: AgreementWithAuthor | None
    is_wrong: bool | None = None
    """True if it is neither what was written next nor in the text that passed; None if `whole` is."""
    adds_errors: bool | None = None
    """Of a wrong one, whether slang reports errors that it did not report before."""
    tests: VerdictPair | None = None
    """Of a wrong one that was tested."""


class Times(RecordPart):
    """Values that differ between two runs that are otherwise the same."""

    started: datetime
    wall_s: float
    latencies_ms: tuple[float | None, ...]
    """Of each request, until its answer was there; None if it was given up."""
    drawn_ms: tuple[float | None, ...] = ()
    """Of each offer that an editor drew, until then; None for each request that was given up."""


class ModelUse(RecordPart):
    """Requests of the server to the model of a run at a site."""

    requests: int
    answered: int
    """The others were given up by the server, or the model could not be asked."""
    counted: int
    """Answers of which the model's provider said how many tokens they used. Those of the others are unknown."""
    input_tokens: int
    """Of the prompts, also where the provider had them in a cache."""
    output_tokens: int


class SubjectName(RecordPart):
    """Name of the server's subject."""

    name: str
    version: str
    """As it says at `initialize`."""
    configuration: str
    """SHA-256 over command line, programs, variables' names and profile."""


class SiteRecord(RecordPart):
    """One site, played with one policy."""

    site: str
    problem: str
    problem_digest: str
    path: str
    kind: SiteKind
    unit: SyntacticUnit | None
    subject: SubjectName
    dialect: str
    policy: AcceptPolicy
    mode: RefusalConsequence
    seed: int
    steps: tuple[Step, ...]
    cancelled: int
    """Requests that were given up."""
    failure: ServerFailure | None
    """None if the server behaved."""
    failure_code: int | None
    """Of the server's error."""
    server_end: ServerEnd | None = None
    """Who ended the server that failed; None if nobody had to, or nobody knows, as in older runs."""
    likeness: Likeness | None
    """None if nothing was offered."""
    efforts: Efforts
    golf: float | None
    """0 if each line took one accept, 1 if everything was typed; None if there is too little to type."""
    snapshots: tuple[Snapshot, ...]
    model_use: ModelUse | None = None
    """None if the server's model is its own affair, so that nobody here knows."""
    times: Times

    @property
    def accepts(self) -> int:
        """Offers accepted, whole or in part."""
        return sum(step.decision in (OfferOutcome.ACCEPTED, OfferOutcome.PARTLY_ACCEPTED) for step in self.steps)


def golf_score(efforts: Efforts, accepted_count: int, expected_line_count: int) -> float | None:
    """The score of completion golf (JetBrains), between 0 and 1.

    Moves are characters that are left to type or to delete, and accepts.

    Args:
        efforts: Efforts at the site.
        accepted_count: Offers accepted.
        expected_line_count: Lines of what was expected that are not blank.
    """
    if efforts.expected <= expected_line_count:
        return None
    moves = efforts.expected - efforts.kept + efforts.deleted + accepted_count
    return min(1.0, max(0.0, (moves - expected_line_count) / (efforts.expected - expected_line_count)))
