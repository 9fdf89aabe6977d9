"""Which offers would have helped: those at the pauses of a recorded attempt, beside what its author wrote later.

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
from benchwright_subjects.inline.grading import Where, grade_files
from benchwright_subjects.inline.record import SHOWN, Compared, Foresight, Hindsight, SiteRecord, Step
from benchwright_subjects.inline.sites import Site
from benchwright_subjects.inline.text.author_text import Words, moments
from benchwright_subjects.inline.text.similarity import effort
from benchwright_verilog.syntax.suffixes import SOURCES
from benchwright_verilog.syntax.surrogates import encode_text

SHORTEST = 8
"""Characters, without white space, of an offer that counts: not `end`, `begin` or a bracket."""


@dataclass
class Offered:
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
        left, right = ("", "") if self.step is None else self._around(self.step)
        return left + ("" if self.step is None else self.step.offer) + right

    def _around(self, step: Step) -> tuple[str, str]:
        left, right = step.replaces
        return self.site.before[: len(self.site.before) - left], self.site.after[right:]

    def wanted(self, *, first_line: bool) -> Words | None:
        """What has to be in a file for the offer to be in it, from the beginning of its line; None if it is too short.

        Args:
            first_line: Of the offer's first line that is not blank, alone.
        """
        if self.step is None:
            return None
        offer = self.step.offer
        if first_line:
            blank = offer[: len(offer) - len(offer.lstrip())]
            offer = blank + (offer.lstrip().splitlines() or [""])[0]
        if effort(offer) < SHORTEST:
            return None
        left, _ = self._around(self.step)
        return Words.of(left[left.rfind("\n") + 1 :] + offer)


@dataclass
class _Sought:
    """Words of an offer, as they are looked for in an attempt."""

    offered: Offered
    words: Words
    is_kept: bool = False
    before: int = 0
    """How often its author had written them at the pause."""
    reached_s: float | None = None
    """Active time when they had written them once more."""

    @property
    def found(self) -> Foresight:
        earlier_s = None if self.reached_s is None else round(self.reached_s - self.offered.shown_s, 3)
        return Foresight(is_kept=self.is_kept, earlier_s=earlier_s)


def look_back(
    header: AttemptHeader,
    events: Sequence[RecordedEvent],
    played: Sequence[tuple[Site, SiteRecord]],
    pause_ms: int,
    public: Mapping[str, str],
) -> list[tuple[Offered, Hindsight]]:
    """What an attempt says of the offers at its pauses.

    Args:
        header: The attempt's.
        events: All of it, in order.
        played: Its pauses, with what was offered there.
        pause_ms: Time after an edit at which the server is asked.
        public: The problem's public files.
    """
    passing = _passing(events)
    offers = [_offered(site, record, pause_ms) for site, record in played if site.pause is not None]
    whole, first = ([_sought(one, first_line=is_first) for one in offers] for is_first in (False, True))
    sought = [one for one in (*whole, *first) if one is not None]
    _compare(events, offers, sought, passing)
    _reach(events, [one for one in sought if one.is_kept])
    found = []
    for one, all_of_it, line in zip(offers, whole, first, strict=True):
        is_known = passing is not None and _seq(one) < passing
        result = Hindsight(
            site=one.site.id,
            problem=one.site.problem,
            attempt=header.id,
            participant=header.solver,
            gap_ms=round(one.site.pause.gap_ms if one.site.pause is not None else 0.0, 3),
            is_known=is_known,
            whole=all_of_it.found if all_of_it is not None and is_known else None,
            first_line=line.found if line is not None and is_known else None,
        )
        found.append((one, _with_faults(one, result, public)))
    return found


def _with_faults(one: Offered, found: Hindsight, public: Mapping[str, str]) -> Hindsight:
    if found.whole is None:
        return found
    is_next = one.record.likeness is not None and one.record.likeness.exact
    is_wrong = not is_next and not found.whole.is_kept
    if not is_wrong:
        return found.model_copy(update={"is_wrong": False})
    sources = {path: text for path, text in {**public, **one.texts}.items() if path.endswith(tuple(SOURCES))} | {
        one.site.path: one.site.before + one.site.after
    }
    adds = lint.has_new_errors(sources, {**sources, one.site.path: one.applied})
    return found.model_copy(update={"is_wrong": True, "adds_errors": adds})


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
        (began[one] for one, found in outcomes.items() if found is Outcome.PASSED and one in began), default=None
    )


def _offered(site: Site, record: SiteRecord, pause_ms: int) -> Offered:
    for step, latency in zip(record.steps, record.times.latencies_ms, strict=False):
        if step.decision in SHOWN and effort(step.offer) >= SHORTEST:
            return Offered(site, record, step, pause_ms + (latency or 0.0))
    return Offered(site, record)


def _sought(one: Offered, *, first_line: bool) -> _Sought | None:
    words = one.wanted(first_line=first_line)
    return None if words is None else _Sought(one, words)


def _seq(one: Offered) -> int:
    return 0 if one.site.pause is None else one.site.pause.seq


def _compare(
    events: Sequence[RecordedEvent], offers: Sequence[Offered], sought: Sequence[_Sought], passing: int | None
) -> None:
    """Compares the text at each pause with the one that passed."""
    at: dict[int, list[Offered]] = {}
    for one in offers:
        at.setdefault(_seq(one), []).append(one)
    there: dict[int, int] = {}
    for recorded, now in moments(events):
        for one in at.get(recorded.seq, ()):
            one.texts, one.shown_s = now.texts, now.active_s(one.waited_ms)
            for each in sought:
                if each.offered is one:
                    there[id(each)] = len(now.words(one.site.path).places(each.words))
                    each.before = now.written(one.site.path, each.words)
        if recorded.seq == passing:
            words = {path: now.words(path) for path in {each.offered.site.path for each in sought}}
            for each in sought:
                often = len(words[each.offered.site.path].places(each.words))
                each.is_kept = id(each) in there and often > there[id(each)]
            return


def _reach(events: Sequence[RecordedEvent], kept: Sequence[_Sought]) -> None:
    """Finds when the author had written what was offered."""
    waiting = list(kept)
    for recorded, now in moments(events):
        if not waiting:
            return
        path = getattr(recorded.event, "path", None)
        for each in waiting:
            one = each.offered
            if recorded.seq > _seq(one) and path == one.site.path and now.written(path, each.words) > each.before:
                each.reached_s = now.active_s()
        waiting = [each for each in waiting if each.reached_s is None]


async def with_tests(
    found: Sequence[tuple[Offered, Hindsight]],
    problems: Mapping[str, Problem],
    where: Where,
    most: int,
    seed: int,
    on_progress: Callable[[Progress], None],
) -> list[Hindsight]:
    """The same, with the hidden tests on wrong offers: on the files as they were, and with the offer.

    Args:
        found: Offers, with what is known of them.
        problems: PACK/ID → with its hidden part.
        where: Where the tests run.
        most: How many offers are tested; the seed draws them.
        seed: Of the sample.
        on_progress: Called as verdicts come.
    """
    wrong = [place for place, (_, one) in enumerate(found) if one.is_wrong]
    chance = random.Random(f"{seed}:hindsight")  # noqa: S311 - a sample, not a secret
    drawn = sorted(chance.sample(wrong, min(most, len(wrong))))
    if not drawn:
        return [one for _, one in found]
    offers = [found[place][0] for place in drawn]
    solutions = [
        (problems[one.site.problem], _files(problems[one.site.problem], one, text))
        for one in offers
        for text in (one.site.before + one.site.after, one.applied)
    ]
    verdicts = await grade_files(solutions, where, on_progress)
    tests = {
        place: Compared(
            outcome_without=without.outcome.value,
            outcome_with=applied.outcome.value,
            passed_without=without.passed_tests,
            passed_with=applied.passed_tests,
        )
        for place, without, applied in zip(drawn, verdicts[::2], verdicts[1::2], strict=True)
    }
    return [one.model_copy(update={"tests": tests.get(place)}) for place, (_, one) in enumerate(found)]


def _files(problem: Problem, one: Offered, text: str) -> dict[str, bytes]:
    """The author's files that the problem asks for."""
    texts = {**one.texts, one.site.path: text}
    return {path: encode_text(texts[path]) for path in problem.public.expected if path in texts}
