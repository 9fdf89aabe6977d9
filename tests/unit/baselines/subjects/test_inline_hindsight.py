from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import pytest

from benchwright_attempts.events.events import Edit, Event, Opened, Paused, Resumed, RunFinished, RunStarted, Started
from benchwright_attempts.events.evidence import EditReason
from benchwright_attempts.events.file_text import Change, FileText
from benchwright_attempts.log.record import AttemptHeader, Moment, RecordedEvent
from benchwright_problems.verdict import Outcome
from benchwright_studies.plan.accept_policy import AcceptPolicy
from benchwright_subjects.inline.policies import RefusalConsequence
from benchwright_subjects.inline.record import (
    Efforts,
    Hindsight,
    Likeness,
    OfferOutcome,
    SiteRecord,
    Step,
    SubjectName,
    Times,
    VerdictPair,
)
from benchwright_subjects.inline.recorded_pauses import pause_sites
from benchwright_subjects.inline.sites import Site, SiteKind
from benchwright_subjects.inline.text.author_text import AuthorWords
from benchwright_subjects.inline.text.hindsight import hindsight_at_pauses

PATH = "rtl/m.sv"
START = "module m (input logic a, b, output logic y, z);\n\nendmodule\n"
HOLE = START.index("\n") + 1
MORNING = datetime(2026, 3, 1, 9, tzinfo=UTC)
HEADER = AttemptHeader(
    id="a1",
    problem="starter/m",
    problem_digest="d",
    workspace="/w",
    solver="P7",
    condition="human",
    created=MORNING,
)


class Author:
    """Somebody at work, second by second."""

    def __init__(self) -> None:
        self.events: list[RecordedEvent] = []
        self.version = 1
        self.cursor = HOLE
        self.add_event(0, Opened(files={PATH: FileText.of_text(START)}))
        self.add_event(0, Started())

    def add_event(self, offset_s: float, event: Event) -> None:
        moment = Moment(MORNING + timedelta(seconds=offset_s), round(offset_s * 1e9), "p")
        self.events.append(RecordedEvent("a1", len(self.events) + 1, moment, event, "", ""))

    def write(self, offset_s: float, text: str, *, reason: str = "cursor", kind: str = "type") -> None:
        """Puts text at the end of what was written."""
        self.version += 1
        change = Change(start=self.cursor, end=self.cursor, text=text)
        self.add_event(offset_s, Edit(path=PATH, version=self.version, changes=(change,)))
        self.add_event(offset_s, EditReason(path=PATH, version=self.version, reason=reason, metadata={"kind": kind}))
        self.cursor += len(text)

    def remove(self, offset_s: float, text: str) -> None:
        self.version += 1
        change = Change(start=self.cursor - len(text), end=self.cursor, text="")
        self.add_event(offset_s, Edit(path=PATH, version=self.version, changes=(change,)))
        self.cursor -= len(text)

    def test(self, offset_s: float, number: int, outcome: Outcome) -> None:
        self.add_event(offset_s, RunStarted(run=str(number), number=number, snapshot={}))
        has_passed = outcome is Outcome.PASSED
        reason = "passed" if has_passed else "tests_failed"
        self.add_event(offset_s, RunFinished(run=str(number), number=number, outcome=outcome, reason=reason, wall_s=0))

    def sites(self) -> list[Site]:
        return pause_sites("starter/m", "a1", self.events, 1000)

    def judged(self, offer: str, *, pause: int = 0, latency_ms: float = 0.0, exact: bool = False) -> Hindsight:
        """Hindsight on an offer at one of the pauses."""
        site = self.sites()[pause]
        ((_, hindsight),) = hindsight_at_pauses(
            HEADER, self.events, [(site, site_record(site, offer, latency_ms, exact))], 1000, {}
        )
        return hindsight


def site_record(site: Site, offer: str, latency_ms: float, exact: bool) -> SiteRecord:
    return SiteRecord(
        site=site.id,
        problem=site.problem,
        problem_digest="d",
        path=site.path,
        kind=SiteKind.REPLAY,
        unit=None,
        subject=SubjectName(name="s", version="1", configuration="c"),
        dialect="lsp",
        policy=AcceptPolicy.NEVER,
        mode=RefusalConsequence.ASSISTED,
        seed=1,
        steps=(Step(decision=OfferOutcome.REFUSED, offers=1, offer=offer),),
        cancelled=0,
        failure=None,
        failure_code=None,
        likeness=Likeness(exact=exact, edit_similarity=0, identifier_f1=None, parses=True),
        efforts=Efforts(expected=1, typed=0, accepted=0, kept=0, deleted=0),
        golf=None,
        snapshots=(),
        times=Times(started=MORNING, wall_s=0, latencies_ms=(latency_ms,)),
    )


def typed(author: Author, offset_s: float, text: str) -> None:
    for index, letter in enumerate(text):
        author.write(offset_s + index / 100, letter)


def author_who_solved() -> Author:
    """Pauses after the first second, and writes the rest within half a minute."""
    author = Author()
    typed(author, 1, "assign ")
    typed(author, 31, "y = (a & b);")
    typed(author, 61, "\nassign z = a;")
    author.test(90, 1, Outcome.PASSED)
    return author


def test_an_offer_that_its_author_typed_later_was_right_before() -> None:
    hindsight = author_who_solved().judged("y = (a & b);")
    assert hindsight.is_known
    assert hindsight.whole is not None
    assert hindsight.whole.is_right
    # Shown a second after `assign `, which took 0.06 s; the last character came 0.11 s after 31.
    assert hindsight.whole.earlier_s == pytest.approx(31.11 - 1.06 - 1, abs=0.001)
    assert hindsight.is_wrong is False
    assert hindsight.participant == "P7"


def test_white_space_does_not_count_but_what_it_separates_does() -> None:
    hindsight = author_who_solved().judged("y=(a&b);\nassign  z=a;")
    assert hindsight.whole is not None
    assert hindsight.whole.is_right
    apart = author_who_solved().judged("y = (a & b);assignz = a;")
    assert apart.whole is not None
    assert not apart.whole.is_kept


def test_a_slow_server_was_not_there_before() -> None:
    hindsight = author_who_solved().judged("y = (a & b);", latency_ms=60_000)
    assert hindsight.whole is not None
    assert hindsight.whole.is_kept
    assert not hindsight.whole.is_right


def test_the_first_line_may_be_right_where_the_whole_is_wrong() -> None:
    hindsight = author_who_solved().judged("y = (a & b);\nassign z = 1'b0;")
    assert hindsight.whole is not None
    assert hindsight.first_line is not None
    assert (hindsight.whole.is_right, hindsight.first_line.is_right, hindsight.is_wrong) == (False, True, True)


def test_short_offers_do_not_count() -> None:
    hindsight = author_who_solved().judged("y = a;")
    assert hindsight.whole is None
    assert hindsight.is_wrong is None


def test_the_same_elsewhere_on_another_line_is_not_what_was_offered() -> None:
    author = Author()
    typed(author, 1, "assign ")
    typed(author, 31, "z = 0; wire y = (a & b);")
    author.test(90, 1, Outcome.PASSED)
    hindsight = author.judged("y = (a & b);")
    assert hindsight.whole is not None
    assert not hindsight.whole.is_kept


def test_what_an_assistant_or_the_clipboard_brought_was_not_written_by_its_author() -> None:
    for reason, kind in (("inlineCompletionAccept", ""), ("cursor", "paste")):
        author = Author()
        typed(author, 1, "assign ")
        author.write(31, "y = (a & b);", reason=reason, kind=kind)
        author.test(90, 1, Outcome.PASSED)
        hindsight = author.judged("y = (a & b);")
        assert hindsight.whole is not None
        assert hindsight.whole.is_kept
        assert hindsight.whole.earlier_s is None
        assert not hindsight.whole.is_right


def test_without_a_run_that_passed_afterwards_nothing_is_known() -> None:
    author = Author()
    author.test(0.5, 1, Outcome.PASSED)
    typed(author, 1, "assign ")
    typed(author, 31, "y = (a & b);")
    author.test(90, 2, Outcome.FAILED)
    hindsight = author.judged("y = (a & b);")
    assert not hindsight.is_known
    assert hindsight.whole is None
    assert hindsight.is_wrong is None


def test_what_was_deleted_before_the_tests_passed_was_not_right() -> None:
    author = Author()
    typed(author, 1, "assign ")
    typed(author, 31, "y = (a & b);")
    author.remove(50, "y = (a & b);")
    typed(author, 60, "y = a | b;")
    author.test(90, 1, Outcome.PASSED)
    hindsight = author.judged("y = (a & b);")
    assert hindsight.whole is not None
    assert not hindsight.whole.is_kept
    assert author.judged("y = (a & b);", exact=True).is_wrong is False


def test_a_stopped_clock_and_long_gaps_do_not_count_as_earlier() -> None:
    author = Author()
    typed(author, 1, "assign ")
    author.add_event(11, Paused())
    author.add_event(1011, Resumed())
    typed(author, 1012, "y = (a & b);")
    author.test(1090, 1, Outcome.PASSED)
    hindsight = author.judged("y = (a & b);")
    assert hindsight.whole is not None
    assert hindsight.whole.earlier_s == pytest.approx(10, abs=0.2)


def test_lint_would_have_caught_a_wrong_offer() -> None:
    hindsight = author_who_solved().judged("y = not_declared & b;")
    assert (hindsight.is_wrong, hindsight.adds_errors) == (True, True)
    assert author_who_solved().judged("y = a ^ b; // other").adds_errors is False


def test_an_offer_that_replaces_what_was_typed_is_applied_there() -> None:
    site = author_who_solved().sites()[0]
    step = Step(decision=OfferOutcome.REFUSED, offers=1, offer="assign y = (a & b);", replaces=(len("assign "), 0))
    refused_record = site_record(site, "", 0, exact=False).model_copy(update={"steps": (step,)})
    ((pause_offer, hindsight),) = hindsight_at_pauses(
        HEADER, author_who_solved().events, [(site, refused_record)], 1000, {}
    )
    assert pause_offer.text_with_offer == START[:HOLE] + "assign y = (a & b);" + START[HOLE:]
    assert hindsight.whole is not None
    assert hindsight.whole.is_right


@pytest.mark.parametrize(
    ("unapplied", "applied", "fewer"),
    [
        (("failed", 3), ("failed", 1), True),
        (("failed", 0), ("failed", 0), False),
        (("passed", 3), ("failed", 3), True),
        (("failed", 3), ("error", 0), None),
    ],
)
def test_tests_catch_an_offer_if_fewer_pass_with_it(
    unapplied: tuple[str, int], applied: tuple[str, int], fewer: bool | None
) -> None:
    comparison = VerdictPair(
        outcome_without=unapplied[0],
        passed_without=unapplied[1],
        outcome_with=applied[0],
        passed_with=applied[1],
    )
    assert comparison.is_fewer_passing is fewer


@pytest.mark.parametrize(
    ("text", "phrase", "word_spans"),
    [
        ("a ; a ; a ;", "a;", [(0, 3), (4, 7), (8, 11)]),
        ("a ; a ; a ;", "a;a;", [(0, 7), (4, 11)]),
        ("assign y;", "sign y;", []),
        ("x", "", []),
    ],
)
def test_words_are_found_wherever_they_follow_each_other(
    text: str, phrase: str, word_spans: Sequence[tuple[int, int]]
) -> None:
    assert AuthorWords.of_text(text).word_spans(AuthorWords.of_text(phrase)) == word_spans
