"""Which copilot would have helped: offers at the pauses of people's attempts, beside what they wrote later."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from benchwright_analysis.completion.played_runs import PlayedRun
from benchwright_analysis.report.section import Cell, Section, Table, count, with_interval
from benchwright_analysis.statistics.crossed import crossed_mean, crossed_share
from benchwright_analysis.statistics.crossed_design import Cells
from benchwright_judges.agreement.estimators import Estimate
from benchwright_subjects.inline.record import Foresight, Hindsight
from benchwright_subjects.inline.text.hindsight import SHORTEST

PAUSES_MS = (300, 1000)
"""Lengths from which on a stop counts as a pause; those of the run or longer are shown."""
_COUNTERFACTUAL = (
    "This is counterfactual: with the offer, its author would have gone on otherwise. It shows agreement with what "
    "people wrote, not time saved."
)


@dataclass(frozen=True)
class Right:
    """Offers, or their first lines, that were right before their author got there."""

    offers: int
    """Long enough, in attempts that passed afterwards."""
    right: Estimate | None
    """Share of them."""
    minutes_earlier: Estimate | None
    """Mean active time over those that were right."""
    too_late: int
    """In the text that passed, and shown after their author had written it."""
    not_their_own: int
    """In the text that passed, and there by an assistant, the clipboard or another program."""


@dataclass(frozen=True)
class Wrong:
    """Offers that are neither what was written next nor in the text that passed."""

    share: Estimate | None
    """Of the offers that are long enough, in attempts that passed afterwards."""
    lint: Estimate | None
    """Share of the wrong ones."""
    tested: int
    undecided: int
    tests: Estimate | None
    """Share of the tested with which fewer tests pass than without."""
    either: Estimate | None
    """Share of the tested that lint or the tests catch."""


@dataclass(frozen=True)
class Beside:
    """A subject at the pauses of people's attempts."""

    pause_ms: int
    participants: int
    attempts: int
    passed: int
    """Attempts with a pause before a run that passed."""
    helped: Estimate | None
    """Share of them with an offer, or a first line of one, that was right before its author got there."""
    pauses: int
    known: int
    """Pauses before a run that passed."""
    whole: Right
    first_line: Right
    wrong: Wrong


def beside(run: PlayedRun, pause_ms: int) -> Beside:
    """What a run comes to at pauses of at least some length."""
    rows = [one for one in run.hindsight if one.gap_ms >= pause_ms]
    known = [one for one in rows if one.is_known]
    by_attempt: dict[str, list[Hindsight]] = {}
    for one in known:
        by_attempt.setdefault(one.attempt, []).append(one)
    attempts = [ones[0] for ones in by_attempt.values()]
    return Beside(
        pause_ms,
        participants=len({one.participant for one in rows}),
        attempts=len({one.attempt for one in rows}),
        passed=len(attempts),
        helped=_share(attempts, lambda one: any(map(_helps, by_attempt[one.attempt]))),
        pauses=len(rows),
        known=len(known),
        whole=_right(known, lambda one: one.whole),
        first_line=_right(known, lambda one: one.first_line),
        wrong=_wrong([one for one in known if one.is_wrong is not None]),
    )


def _helps(one: Hindsight) -> bool:
    return any(part is not None and part.is_right for part in (one.whole, one.first_line))


def _right(rows: Sequence[Hindsight], part: Callable[[Hindsight], Foresight | None]) -> Right:
    offered = [(one, found) for one in rows if (found := part(one)) is not None]
    right = [(one, found.earlier_s / 60) for one, found in offered if found.is_right and found.earlier_s is not None]
    kept = [found for _, found in offered if found.is_kept]
    is_right = {one.site: each.is_right for one, each in offered}
    earlier = crossed_mean([minutes for _, minutes in right], _cells([one for one, _ in right])) if right else None
    return Right(
        len(offered),
        _share([one for one, _ in offered], lambda one: is_right[one.site]),
        # No offer that was right came after its author.
        None if earlier is None else _at_least_0(earlier.estimate),
        too_late=sum(one.earlier_s is not None and not one.is_right for one in kept),
        not_their_own=sum(one.earlier_s is None for one in kept),
    )


def _wrong(rows: Sequence[Hindsight]) -> Wrong:
    wrong = [one for one in rows if one.is_wrong]
    tested = [one for one in wrong if one.tests is not None]
    decided = [one for one in tested if _fewer(one) is not None]
    return Wrong(
        _share(rows, lambda one: bool(one.is_wrong)),
        _share(wrong, lambda one: bool(one.adds_errors)),
        len(tested),
        len(tested) - len(decided),
        _share(decided, lambda one: bool(_fewer(one))),
        _share(decided, lambda one: bool(one.adds_errors) or bool(_fewer(one))),
    )


def _fewer(one: Hindsight) -> bool | None:
    return None if one.tests is None else one.tests.are_fewer


def _share(rows: Sequence[Hindsight], holds: Callable[[Hindsight], bool]) -> Estimate | None:
    return crossed_share([holds(one) for one in rows], _cells(rows)).estimate if rows else None


def _cells(rows: Sequence[Hindsight]) -> Cells:
    return Cells([one.participant for one in rows], [one.problem for one in rows])


def _at_least_0(found: Estimate) -> Estimate:
    return Estimate(value=found.value, low=None if found.low is None else max(0.0, found.low), high=found.high)


def beside_people(runs: Sequence[PlayedRun]) -> Section:
    """The section of the report."""
    found = [
        (run, beside(run, pause_ms))
        for run in runs
        if run.hindsight
        for pause_ms in sorted({*PAUSES_MS, run.settings.pause_ms or 0})
        if pause_ms >= (run.settings.pause_ms or 0)
    ]
    title = "Which copilot would have helped"
    if not found:
        return Section("beside-people", title, without="No recorded attempt was replayed.")
    lead = [_COUNTERFACTUAL, *(_sentence(run, one) for run, one in found)]
    numbers = {f"{run.label} | {one.pause_ms} ms": one for run, one in found}
    return Section(
        "beside-people", title, lead, tables=[_asked(found), _rights(found), _wrongs(found)], numbers=numbers
    )


def _sentence(run: PlayedRun, one: Beside) -> str:
    where = f"{run.label}, pauses of {one.pause_ms} ms or more"
    if not one.first_line.offers:
        return f"{where}: nothing was offered that can be compared with what passed."
    return (
        f"{where}: {_told(one.whole.right, share=True)} of {count(one.whole.offers, 'offer')} were right before their "
        f"author got there, by {_told(one.whole.minutes_earlier)} minutes of active time; of the first lines, "
        f"{_told(one.first_line.right, share=True)} of {one.first_line.offers:,}."
    )


def _asked(found: Sequence[tuple[PlayedRun, Beside]]) -> Table:
    columns = ("subject", "pauses from", "participants", "attempts", "passed", "helped", "pauses", "before a pass")
    rows: list[Sequence[Cell]] = [
        (
            *_name(run, one),
            one.participants,
            one.attempts,
            one.passed,
            _told(one.helped, share=True),
            one.pauses,
            one.known,
        )
        for run, one in found
    ]
    note = (
        "Pauses after which their author wrote on at the cursor. Passed: attempts with a pause before a run that "
        "passed. "
        "Helped: share of these with an offer, or a first line of one, that was right before its author got there."
    )
    return Table("Attempts that were replayed", columns, rows, note)


def _rights(found: Sequence[tuple[PlayedRun, Beside]]) -> Table:
    columns = ("subject", "pauses from", "of", "offers", "right before", "minutes earlier", "too late", "not their own")
    rows: list[Sequence[Cell]] = [
        (
            *_name(run, one),
            name,
            part.offers,
            _told(part.right, share=True),
            _told(part.minutes_earlier),
            part.too_late,
            part.not_their_own,
        )
        for run, one in found
        for name, part in (("whole offers", one.whole), ("first lines", one.first_line))
    ]
    note = (
        f"Offers of {SHORTEST} characters or more, white space aside, in attempts that passed afterwards. Right before:"
        " the text that passed has the offer, with the beginning of its line, and their author wrote it by themselves "
        "after it would have been shown. Minutes are active time, on average over those that were right. Too late: "
        "shown after its author had written it. Not their own: an assistant, the clipboard or another program brought "
        f"it. Intervals hold for other participants at other problems. {_COUNTERFACTUAL}"
    )
    return Table("Right before their author got there", columns, rows, note)


def _wrongs(found: Sequence[tuple[PlayedRun, Beside]]) -> Table:
    columns = (
        *("subject", "pauses from", "wrong", "caught by lint", "tested", "undecided", "caught by tests"),
        "by lint or tests",
    )
    rows: list[Sequence[Cell]] = [
        (
            *_name(run, one),
            _told(one.wrong.share, share=True),
            _told(one.wrong.lint, share=True),
            one.wrong.tested,
            one.wrong.undecided,
            _told(one.wrong.tests, share=True),
            _told(one.wrong.either, share=True),
        )
        for run, one in found
    ]
    note = (
        "Wrong: neither what was written next nor in the text that passed, which another right solution may be too. "
        "Caught by lint: slang reports an error that it did not report without the offer. Caught by tests: fewer of "
        "the hidden tests pass with it than without it, in the files as they were at the pause; the last two are "
        "shares of the tested that are decided."
    )
    return Table("Wrong offers", columns, rows, note)


def _name(run: PlayedRun, one: Beside) -> tuple[str, str]:
    return run.label, f"{one.pause_ms} ms"


def _told(estimate: Estimate | None, *, share: bool = False) -> str:
    if estimate is None or estimate.value is None:
        return "–"
    return with_interval(estimate, share=share)
