"""Offers that would have helped: those at the pauses of a recorded attempt, beside what its author wrote later.

It is counterfactual: with the offer, its author would have gone on otherwise. So this is agreement, not time saved.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from benchwright_attempts.events.events import Regraded, RunFinished, RunStarted
from benchwright_attempts.log.record import AttemptHeader, RecordedEvent
from benchwright_harness.grading.grade import Progress
from benchwright_problems.problem import Problem
from benchwright_problems.verdict import Outcome
from benchwright_subjects.inline import lint
from benchwright_subjects.inline.grading import GradingPlace, grade_files
from benchwright_subjects.inline.record import SHOWN, Foresight, Hindsight, SiteRecord, Step, VerdictPair
from benchwright_subjects.inline.sites import Site
from benchwright_subjects.inline.text.author_text import Words, moments
from benchwright_subjects.inline.text.similarity import effort
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
    def applied(self) -> str:
        """The file with the offer in it."""
        left, right = ("", "") if self.step is None else self._text_around(self.step)
        return left + ("" if self.step is None else self.step.offer) + right

    def _text_around(self, step: Step) -> tuple[str, str]:
        left, right = step.replaces
        return self.site.text_before[: len(self.site.text_before) - left], self.site.text_after[right:]

    def offer_words(self, *, first_line: bool) -> Words | None:
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
        if effort(offer) < SHORTEST:
            return None
        left, _ = self._text_around(self.step)
        return Words.of_text(left[left.rfind("\n") + 1 :] + offer)


@dataclass
class _Sought:
    """Words of an offer, as they are looked for in an attempt."""

    offered: PauseOffer
    words: Words
    is_kept: bool = False
    count_before: int = 0
    """Number of times that its author had written them at the pause."""
    reached_s: float | None = None
    """Active time when they had written them once more."""

    @property
    def foresight(self) -> Foresight:
        earlier_s = None if self.reached_s is None else round(self.reached_s - self.offered.shown_s, 3)
        return Foresight(is_kept=self.is_kept, earlier_s=earlier_s)


def look_back(
    header: AttemptHeader,
    events: Sequence[RecordedEvent],
    played: Sequence[tuple[Site, SiteRecord]],
    pause_ms: int,
    public: Mapping[str, str],
) -> list[tuple[PauseOffer, Hindsight]]:
    """Hindsight on the offers at an attempt's pauses.

    Args:
        header: The attempt's.
        events: All of it, in order.
        played: Its pauses, with what was offered there.
        pause_ms: Time after an edit at which the server is asked.
        public: The problem's public files.
    """
    passing = _passing(events)
    offers = [_offered(site, record, pause_ms) for site, record in played if site.pause is not None]
    whole, first = ([_sought(offer, first_line=is_first) for offer in offers] for is_first in (False, True))
    sought = [sought_offer for sought_offer in (*whole, *first) if sought_offer is not None]
    _compare(events, offers, sought, passing)
    _reach(events, [sought_offer for sought_offer in sought if sought_offer.is_kept])
    hindsights = []
    for offer, all_of_it, line in zip(offers, whole, first, strict=True):
        is_known = passing is not None and _seq(offer) < passing
        result = Hindsight(
            site=offer.site.id,
            problem=offer.site.problem,
            attempt=header.id,
            participant=header.solver,
            gap_ms=round(offer.site.pause.gap_ms if offer.site.pause is not None else 0.0, 3),
            is_known=is_known,
            whole=all_of_it.foresight if all_of_it is not None and is_known else None,
            first_line=line.foresight if line is not None and is_known else None,
        )
        hindsights.append((offer, _with_faults(offer, result, public)))
    return hindsights


def _with_faults(offer: PauseOffer, hindsight: Hindsight, public: Mapping[str, str]) -> Hindsight:
    if hindsight.whole is None:
        return hindsight
    is_next = offer.record.likeness is not None and offer.record.likeness.exact
    is_wrong = not is_next and not hindsight.whole.is_kept
    if not is_wrong:
        return hindsight.model_copy(update={"is_wrong": False})
    sources = {path: text for path, text in {**public, **offer.texts}.items() if path.endswith(tuple(SOURCES))} | {
        offer.site.path: offer.site.text_before + offer.site.text_after
    }
    adds = lint.has_new_errors(sources, {**sources, offer.site.path: offer.applied})
    return hindsight.model_copy(update={"is_wrong": True, "adds_errors": adds})


def _passing(events: Sequence[RecordedEvent]) -> int | None:
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


def _offered(site: Site, record: SiteRecord, pause_ms: int) -> PauseOffer:
    for step, latency in zip(record.steps, record.times.latencies_ms, strict=False):
        if step.decision in SHOWN and effort(step.offer) >= SHORTEST:
            return PauseOffer(site, record, step, pause_ms + (latency or 0.0))
    return PauseOffer(site, record)


def _sought(offer: PauseOffer, *, first_line: bool) -> _Sought | None:
    words = offer.offer_words(first_line=first_line)
    return None if words is None else _Sought(offer, words)


def _seq(offer: PauseOffer) -> int:
    return 0 if offer.site.pause is None else offer.site.pause.seq


def _compare(
    events: Sequence[RecordedEvent], offers: Sequence[PauseOffer], sought: Sequence[_Sought], passing: int | None
) -> None:
    """Compares the text at each pause with the one that passed."""
    offers_by_seq: dict[int, list[PauseOffer]] = {}
    for offer in offers:
        offers_by_seq.setdefault(_seq(offer), []).append(offer)
    earlier_counts: dict[int, int] = {}
    for recorded, now in moments(events):
        for offer in offers_by_seq.get(recorded.seq, ()):
            offer.texts, offer.shown_s = now.texts, now.active_s(offer.waited_ms)
            for sought_offer in sought:
                if sought_offer.offered is offer:
                    earlier_counts[id(sought_offer)] = len(now.words(offer.site.path).places(sought_offer.words))
                    sought_offer.count_before = now.written_count(offer.site.path, sought_offer.words)
        if recorded.seq == passing:
            words = {path: now.words(path) for path in {sought_offer.offered.site.path for sought_offer in sought}}
            for sought_offer in sought:
                often = len(words[sought_offer.offered.site.path].places(sought_offer.words))
                sought_offer.is_kept = id(sought_offer) in earlier_counts and often > earlier_counts[id(sought_offer)]
            return


def _reach(events: Sequence[RecordedEvent], kept_offers: Sequence[_Sought]) -> None:
    """Finds when the author had written what was offered."""
    waiting = list(kept_offers)
    for recorded, now in moments(events):
        if not waiting:
            return
        path = getattr(recorded.event, "path", None)
        for sought_offer in waiting:
            offer = sought_offer.offered
            if (
                recorded.seq > _seq(offer)
                and path == offer.site.path
                and now.written_count(path, sought_offer.words) > sought_offer.count_before
            ):
                sought_offer.reached_s = now.active_s()
        waiting = [sought_offer for sought_offer in waiting if sought_offer.reached_s is None]


async def with_tests(
    hindsights: Sequence[tuple[PauseOffer, Hindsight]],
    problems: Mapping[str, Problem],
    runner_setup: GradingPlace,
    sample_size: int,
    seed: int,
    on_progress: Callable[[Progress], None],
) -> list[Hindsight]:
    """The same, with the hidden tests on wrong offers: on the files as they were, and with the offer.

    Args:
        hindsights: Offers, with what is known of them.
        problems: PACK/ID → with its hidden part.
        runner_setup: Place in which the tests run.
        sample_size: Number of offers that are tested; the seed draws them.
        seed: Seed of the sample.
        on_progress: Called as verdicts come.
    """
    wrong = [index for index, (_, hindsight) in enumerate(hindsights) if hindsight.is_wrong]
    chance = random.Random(f"{seed}:hindsight")  # noqa: S311 - a sample, not a secret
    drawn = sorted(chance.sample(wrong, min(sample_size, len(wrong))))
    if not drawn:
        return [hindsight for _, hindsight in hindsights]
    offers = [hindsights[index][0] for index in drawn]
    solutions = [
        (problems[offer.site.problem], _files(problems[offer.site.problem], offer, text))
        for offer in offers
        for text in (offer.site.text_before + offer.site.text_after, offer.applied)
    ]
    verdicts = await grade_files(solutions, runner_setup, on_progress)
    tests = {
        index: VerdictPair(
            outcome_without=verdict_without.outcome.value,
            outcome_with=applied.outcome.value,
            passed_without=verdict_without.passed_tests,
            passed_with=applied.passed_tests,
        )
        for index, verdict_without, applied in zip(drawn, verdicts[::2], verdicts[1::2], strict=True)
    }
    return [hindsight.model_copy(update={"tests": tests.get(index)}) for index, (_, hindsight) in enumerate(hindsights)]


def _files(problem: Problem, offer: PauseOffer, text: str) -> dict[str, bytes]:
    """The author's files that the problem asks for."""
    texts = {**offer.texts, offer.site.path: text}
    return {path: encode_text(texts[path]) for path in problem.public.expected if path in texts}
