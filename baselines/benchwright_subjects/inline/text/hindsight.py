"""Offers that would have helped: those at the pauses of a recorded attempt, beside what its author wrote later.

It is counterfactual: with the offer, its author would have gone on otherwise. So this is agreement, not time saved.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from benchwright_attempts.events.events import Regraded, RunFinished, RunStarted
from benchwright_attempts.log.record import AttemptHeader, RecordedEvent
from benchwright_harness.grading.grade import GradingProgress
from benchwright_problems.problem import Problem
from benchwright_problems.verdict import Outcome
from benchwright_subjects.inline import lint
from benchwright_subjects.inline.grading import GradingPlace, grade_files
from benchwright_subjects.inline.record import SHOWN, AgreementWithAuthor, Hindsight, SiteRecord, Step, VerdictPair
from benchwright_subjects.inline.sites import Site
from benchwright_subjects.inline.text.author_text import AuthorWords, author_text_after_events
from benchwright_subjects.inline.text.similarity import non_space_count
from benchwright_verilog.syntax.suffixes import SOURCES
from benchwright_verilog.syntax.surrogates import encode_text

SHORTEST = 8
"""Characters, without white space, of an offer that counts: not `end`, `begin` or a bracket."""


@dataclass
class PauseOffer:
    """An offer at a pause, and what becomes known of it."""

    site: Site
    record: SiteRecord
    step: Step | None = None
    """None if nothing was offered that is long enough."""
    waited_ms: float = 0.0
    """From the last edit until it would have been shown."""
    shown_s: float = 0.0
    """Active time by then."""
    texts: Mapping[str, str] = field(default_factory=dict)
    """The author's files at the pause."""

    @property
    def text_with_offer(self) -> str:
        """The file with the offer in it."""
        left_text, right_text = ("", "") if self.step is None else self._text_around(self.step)
        return left_text + ("" if self.step is None else self.step.offer) + right_text

    def _text_around(self, step: Step) -> tuple[str, str]:
        left_length, right_length = step.replaces
        return self.site.text_before[: len(self.site.text_before) - left_length], self.site.text_after[right_length:]

    def offer_words(self, *, first_line: bool) -> AuthorWords | None:
        """The words that are in a file if the offer is, from the beginning of its line; None if it is too short.

        Args:
            first_line: True for the offer's first line that is not blank, alone.
        """
        if self.step is None:
            return None
        offer = self.step.offer
        if first_line:
            blank = offer[: len(offer) - len(offer.lstrip())]
            offer = blank + (offer.lstrip().splitlines() or [""])[0]
        if non_space_count(offer) < SHORTEST:
            return None
        left_text, _ = self._text_around(self.step)
        return AuthorWords.of_text(left_text[left_text.rfind("\n") + 1 :] + offer)


@dataclass
class _SoughtOffer:
    """Words of an offer, as they are looked for in an attempt."""

    pause_offer: PauseOffer
    offer_words: AuthorWords
    is_kept: bool = False
    count_before: int = 0
    """Number of times that its author had written them at the pause."""
    reached_s: float | None = None
    """Active time when they had written them once more."""

    @property
    def agreement(self) -> AgreementWithAuthor:
        earlier_s = None if self.reached_s is None else round(self.reached_s - self.pause_offer.shown_s, 3)
        return AgreementWithAuthor(is_kept=self.is_kept, earlier_s=earlier_s)


def hindsight_at_pauses(
    header: AttemptHeader,
    events: Sequence[RecordedEvent],
    played_sites: Sequence[tuple[Site, SiteRecord]],
    pause_ms: int,
    public_files: Mapping[str, str],
) -> list[tuple[PauseOffer, Hindsight]]:
    """Hindsight on the offers at an attempt's pauses.

    Args:
        header: The attempt's.
        events: All of it, in order.
        played_sites: Its pauses, with what was offered there.
        pause_ms: Time after an edit at which the server is asked.
        public_files: The problem's public files.
    """
    passing = _start_seq_of_last_pass(events)
    offers = [_first_long_offer(site, record, pause_ms) for site, record in played_sites if site.pause is not None]
    whole_offers, first_lines = (
        [_sought_words_if_long(offer, first_line=is_first) for offer in offers] for is_first in (False, True)
    )
    sought = [sought_offer for sought_offer in (*whole_offers, *first_lines) if sought_offer is not None]
    _compare_with_passing_text(events, offers, sought, passing)
    _set_times_reached(events, [sought_offer for sought_offer in sought if sought_offer.is_kept])
    hindsights = []
    for offer, all_of_it, sought_line in zip(offers, whole_offers, first_lines, strict=True):
        is_known = passing is not None and _pause_seq(offer) < passing
        pause_hindsight = Hindsight(
            site=offer.site.id,
            problem=offer.site.problem,
            attempt=header.id,
            participant=header.solver,
            gap_ms=round(offer.site.pause.gap_ms if offer.site.pause is not None else 0.0, 3),
            is_known=is_known,
            whole=all_of_it.agreement if all_of_it is not None and is_known else None,
            first_line=sought_line.agreement if sought_line is not None and is_known else None,
        )
        hindsights.append((offer, _with_fault_flags(offer, pause_hindsight, public_files)))
    return hindsights


def _with_fault_flags(offer: PauseOffer, hindsight: Hindsight, public_files: Mapping[str, str]) -> Hindsight:
    if hindsight.whole is None:
        return hindsight
    is_next = offer.record.likeness is not None and offer.record.likeness.exact
    is_wrong = not is_next and not hindsight.whole.is_kept
    if not is_wrong:
        return hindsight.model_copy(update={"is_wrong": False})
    sources = {
        path: text for path, text in {**public_files, **offer.texts}.items() if path.endswith(tuple(SOURCES))
    } | {offer.site.path: offer.site.text_before + offer.site.text_after}
    adds = lint.has_new_errors(sources, {**sources, offer.site.path: offer.text_with_offer})
    return hindsight.model_copy(update={"is_wrong": True, "adds_errors": adds})


def _start_seq_of_last_pass(events: Sequence[RecordedEvent]) -> int | None:
    """Number of the event at which the last run that passed began; None if none did."""
    began: dict[int, int] = {}
    outcomes: dict[int, Outcome] = {}
    for recorded in events:
        match recorded.event:
            case RunStarted() as event:
                began[event.number] = recorded.seq
            case RunFinished() | Regraded() as event:
                outcomes[event.number] = event.outcome
            case _:
                pass
    return max(
        (
            began[run_number]
            for run_number, outcome in outcomes.items()
            if outcome is Outcome.PASSED and run_number in began
        ),
        default=None,
    )


def _first_long_offer(site: Site, record: SiteRecord, pause_ms: int) -> PauseOffer:
    for step, latency in zip(record.steps, record.times.latencies_ms, strict=False):
        if step.decision in SHOWN and non_space_count(step.offer) >= SHORTEST:
            return PauseOffer(site, record, step, pause_ms + (latency or 0.0))
    return PauseOffer(site, record)


def _sought_words_if_long(offer: PauseOffer, *, first_line: bool) -> _SoughtOffer | None:
    sought_words = offer.offer_words(first_line=first_line)
    return None if sought_words is None else _SoughtOffer(offer, sought_words)


def _pause_seq(offer: PauseOffer) -> int:
    return 0 if offer.site.pause is None else offer.site.pause.seq


def _compare_with_passing_text(
    events: Sequence[RecordedEvent],
    offers: Sequence[PauseOffer],
    sought_offers: Sequence[_SoughtOffer],
    passing_seq: int | None,
) -> None:
    """Compares the text at each pause with the one that passed."""
    offers_by_seq: dict[int, list[PauseOffer]] = {}
    for offer in offers:
        offers_by_seq.setdefault(_pause_seq(offer), []).append(offer)
    earlier_counts: dict[int, int] = {}
    for recorded, author_text in author_text_after_events(events):
        for offer in offers_by_seq.get(recorded.seq, ()):
            offer.texts, offer.shown_s = author_text.texts_by_path, author_text.active_s(offer.waited_ms)
            for sought_offer in sought_offers:
                if sought_offer.pause_offer is offer:
                    earlier_counts[id(sought_offer)] = len(
                        author_text.words(offer.site.path).word_spans(sought_offer.offer_words)
                    )
                    sought_offer.count_before = author_text.author_written_count(
                        offer.site.path, sought_offer.offer_words
                    )
        if recorded.seq == passing_seq:
            words_by_path = {
                path: author_text.words(path)
                for path in {sought_offer.pause_offer.site.path for sought_offer in sought_offers}
            }
            for sought_offer in sought_offers:
                often = len(words_by_path[sought_offer.pause_offer.site.path].word_spans(sought_offer.offer_words))
                sought_offer.is_kept = id(sought_offer) in earlier_counts and often > earlier_counts[id(sought_offer)]
            return


def _set_times_reached(events: Sequence[RecordedEvent], kept_offers: Sequence[_SoughtOffer]) -> None:
    """Finds when the author had written what was offered."""
    unreached_offers = list(kept_offers)
    for recorded, author_text in author_text_after_events(events):
        if not unreached_offers:
            return
        path = getattr(recorded.event, "path", None)
        for sought_offer in unreached_offers:
            offer = sought_offer.pause_offer
            if (
                recorded.seq > _pause_seq(offer)
                and path == offer.site.path
                and author_text.author_written_count(path, sought_offer.offer_words) > sought_offer.count_before
            ):
                sought_offer.reached_s = author_text.active_s()
        unreached_offers = [sought_offer for sought_offer in unreached_offers if sought_offer.reached_s is None]


async def run_tests_on_wrong_offers(
    hindsights: Sequence[tuple[PauseOffer, Hindsight]],
    problems: Mapping[str, Problem],
    grading_place: GradingPlace,
    sample_size: int,
    seed: int,
    on_progress: Callable[[GradingProgress], None],
) -> list[Hindsight]:
    """The same, with the hidden tests on wrong offers: on the files as they were, and with the offer.

    Args:
        hindsights: Offers, with what is known of them.
        problems: PACK/ID → with its hidden part.
        grading_place: Place in which the tests run.
        sample_size: Number of offers that are tested; the seed draws them.
        seed: Seed of the sample.
        on_progress: Called as verdicts come.
    """
    wrong_indexes = [index for index, (_, hindsight) in enumerate(hindsights) if hindsight.is_wrong]
    chance = random.Random(f"{seed}:hindsight")  # noqa: S311 - a sample, not a secret
    drawn_indexes = sorted(chance.sample(wrong_indexes, min(sample_size, len(wrong_indexes))))
    if not drawn_indexes:
        return [hindsight for _, hindsight in hindsights]
    offers = [hindsights[index][0] for index in drawn_indexes]
    solutions = [
        (problems[offer.site.problem], _files_with_text(problems[offer.site.problem], offer, text))
        for offer in offers
        for text in (offer.site.text_before + offer.site.text_after, offer.text_with_offer)
    ]
    verdicts = await grade_files(solutions, grading_place, on_progress)
    tests = {
        index: VerdictPair(
            outcome_without=verdict_without.outcome.value,
            outcome_with=applied.outcome.value,
            passed_without=verdict_without.passed_tests,
            passed_with=applied.passed_tests,
        )
        for index, verdict_without, applied in zip(drawn_indexes, verdicts[::2], verdicts[1::2], strict=True)
    }
    return [hindsight.model_copy(update={"tests": tests.get(index)}) for index, (_, hindsight) in enumerate(hindsights)]


def _files_with_text(problem: Problem, offer: PauseOffer, text: str) -> dict[str, bytes]:
    """The author's files that the problem asks for."""
    texts = {**offer.texts, offer.site.path: text}
    return {path: encode_text(texts[path]) for path in problem.public.expected if path in texts}
