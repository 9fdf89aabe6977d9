"""Copilots that would have helped: offers at the pauses of people's attempts, beside what they wrote later."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from benchwright_analysis.completion.played_runs import PlayedRun
from benchwright_analysis.report.section import Cell, Section, SortableTable, counted, text_with_interval
from benchwright_analysis.statistics.crossed import crossed_mean, crossed_share
from benchwright_analysis.statistics.crossed_design import CrossedCells
from benchwright_judges.agreement.estimators import Estimate
from benchwright_subjects.inline.record import AgreementWithAuthor, Hindsight
from benchwright_subjects.inline.text.hindsight import SHORTEST

PAUSES_MS = (300, 1000)
"""Lengths from which on a stop counts as a pause; those of the run or longer are shown."""
_COUNTERFACTUAL = (
    "This is counterfactual: with the offer, its author would have gone on otherwise. It shows agreement with what "
    "people wrote, not time saved."
)


@dataclass(frozen=True)
class RightOffers:
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
class WrongOffers:
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
class PauseSummary:
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
    whole: RightOffers
    first_line: RightOffers
    wrong: WrongOffers


def summarise_pauses(run: PlayedRun, shortest_pause_ms: int) -> PauseSummary:
    """Summary of a run at pauses of at least some length."""
    rows = [pause for pause in run.hindsight if pause.gap_ms >= shortest_pause_ms]
    known_pauses = [pause for pause in rows if pause.is_known]
    by_attempt: dict[str, list[Hindsight]] = {}
    for pause in known_pauses:
        by_attempt.setdefault(pause.attempt, []).append(pause)
    attempts = [attempt_pauses[0] for attempt_pauses in by_attempt.values()]
    return PauseSummary(
        shortest_pause_ms,
        participants=len({pause.participant for pause in rows}),
        attempts=len({pause.attempt for pause in rows}),
        passed=len(attempts),
        helped=_share_of_pauses(
            attempts, lambda pause: any(map(_has_right_offer_or_first_line, by_attempt[pause.attempt]))
        ),
        pauses=len(rows),
        known=len(known_pauses),
        whole=_summarise_right_offers(known_pauses, lambda pause: pause.whole),
        first_line=_summarise_right_offers(known_pauses, lambda pause: pause.first_line),
        wrong=_summarise_wrong_offers([pause for pause in known_pauses if pause.is_wrong is not None]),
    )


def _has_right_offer_or_first_line(pause: Hindsight) -> bool:
    return any(part is not None and part.is_right for part in (pause.whole, pause.first_line))


def _summarise_right_offers(
    pauses: Sequence[Hindsight], agreement_of: Callable[[Hindsight], AgreementWithAuthor | None]
) -> RightOffers:
    offers = [(pause, foresight) for pause in pauses if (foresight := agreement_of(pause)) is not None]
    right_offers = [
        (pause, foresight.earlier_s / 60)
        for pause, foresight in offers
        if foresight.is_right and foresight.earlier_s is not None
    ]
    kept_offers = [foresight for _, foresight in offers if foresight.is_kept]
    is_right = {pause.site: foresight.is_right for pause, foresight in offers}
    minutes_earlier = (
        crossed_mean(
            [minutes for _, minutes in right_offers], _crossed_cells_of_pauses([pause for pause, _ in right_offers])
        )
        if right_offers
        else None
    )
    return RightOffers(
        len(offers),
        _share_of_pauses([pause for pause, _ in offers], lambda pause: is_right[pause.site]),
        # No offer that was right came after its author.
        None if minutes_earlier is None else _with_low_at_least_0(minutes_earlier.estimate),
        too_late=sum(foresight.earlier_s is not None and not foresight.is_right for foresight in kept_offers),
        not_their_own=sum(foresight.earlier_s is None for foresight in kept_offers),
    )


def _summarise_wrong_offers(pauses: Sequence[Hindsight]) -> WrongOffers:
    wrong_pauses = [pause for pause in pauses if pause.is_wrong]
    tested_pauses = [pause for pause in wrong_pauses if pause.tests is not None]
    decided_pauses = [pause for pause in tested_pauses if _has_fewer_passing_tests(pause) is not None]
    return WrongOffers(
        _share_of_pauses(pauses, lambda pause: bool(pause.is_wrong)),
        _share_of_pauses(wrong_pauses, lambda pause: bool(pause.adds_errors)),
        len(tested_pauses),
        len(tested_pauses) - len(decided_pauses),
        _share_of_pauses(decided_pauses, lambda pause: bool(_has_fewer_passing_tests(pause))),
        _share_of_pauses(
            decided_pauses, lambda pause: bool(pause.adds_errors) or bool(_has_fewer_passing_tests(pause))
        ),
    )


def _has_fewer_passing_tests(pause: Hindsight) -> bool | None:
    return None if pause.tests is None else pause.tests.is_fewer_passing


def _share_of_pauses(pauses: Sequence[Hindsight], is_counted: Callable[[Hindsight], bool]) -> Estimate | None:
    return (
        crossed_share([is_counted(pause) for pause in pauses], _crossed_cells_of_pauses(pauses)).estimate
        if pauses
        else None
    )


def _crossed_cells_of_pauses(pauses: Sequence[Hindsight]) -> CrossedCells:
    return CrossedCells([pause.participant for pause in pauses], [pause.problem for pause in pauses])


def _with_low_at_least_0(estimate: Estimate) -> Estimate:
    return Estimate(
        value=estimate.value, low=None if estimate.low is None else max(0.0, estimate.low), high=estimate.high
    )


def replayed_pauses_section(runs: Sequence[PlayedRun]) -> Section:
    """The section of the report."""
    summaries = [
        (run, summarise_pauses(run, pause_ms))
        for run in runs
        if run.hindsight
        for pause_ms in sorted({*PAUSES_MS, run.settings.pause_ms or 0})
        if pause_ms >= (run.settings.pause_ms or 0)
    ]
    title = "Which copilot would have helped"
    if not summaries:
        return Section("beside-people", title, empty_reason="No recorded attempt was replayed.")
    lead = [_COUNTERFACTUAL, *(_right_offers_sentence(run, summary) for run, summary in summaries)]
    labelled_summaries = {f"{run.label} | {summary.pause_ms} ms": summary for run, summary in summaries}
    return Section(
        "beside-people",
        title,
        lead,
        tables=[_replayed_attempts_table(summaries), _right_offers_table(summaries), _wrong_offers_table(summaries)],
        numbers=labelled_summaries,
    )


def _right_offers_sentence(run: PlayedRun, summary: PauseSummary) -> str:
    subject = f"{run.label}, pauses of {summary.pause_ms} ms or more"
    if not summary.first_line.offers:
        return f"{subject}: nothing was offered that can be compared with what passed."
    return (
        f"{subject}: {_estimate_or_dash(summary.whole.right, as_share=True)} of "
        f"{counted(summary.whole.offers, 'offer')} "
        "were right before their "
        f"author got there, by {_estimate_or_dash(summary.whole.minutes_earlier)} minutes of active time; of the first "
        "lines, "
        f"{_estimate_or_dash(summary.first_line.right, as_share=True)} of {summary.first_line.offers:,}."
    )


def _replayed_attempts_table(summaries: Sequence[tuple[PlayedRun, PauseSummary]]) -> SortableTable:
    columns = ("subject", "pauses from", "participants", "attempts", "passed", "helped", "pauses", "before a pass")
    rows: list[Sequence[Cell]] = [
        (
            *_label_and_pause_cells(run, summary),
            summary.participants,
            summary.attempts,
            summary.passed,
            _estimate_or_dash(summary.helped, as_share=True),
            summary.pauses,
            summary.known,
        )
        for run, summary in summaries
    ]
    note = (
        "Pauses after which their author wrote on at the cursor. Passed: attempts with a pause before a run that "
        "passed. "
        "Helped: share of these with an offer, or a first line of one, that was right before its author got there."
    )
    return SortableTable("Attempts that were replayed", columns, rows, note)


def _right_offers_table(summaries: Sequence[tuple[PlayedRun, PauseSummary]]) -> SortableTable:
    columns = ("subject", "pauses from", "of", "offers", "right before", "minutes earlier", "too late", "not their own")
    rows: list[Sequence[Cell]] = [
        (
            *_label_and_pause_cells(run, summary),
            name,
            right_offers.offers,
            _estimate_or_dash(right_offers.right, as_share=True),
            _estimate_or_dash(right_offers.minutes_earlier),
            right_offers.too_late,
            right_offers.not_their_own,
        )
        for run, summary in summaries
        for name, right_offers in (("whole offers", summary.whole), ("first lines", summary.first_line))
    ]
    note = (
        f"Offers of {SHORTEST} characters or more, white space aside, in attempts that passed afterwards. Right before:"
        " the text that passed has the offer, with the beginning of its line, and their author wrote it by themselves "
        "after it would have been shown. Minutes are active time, on average over those that were right. Too late: "
        "shown after its author had written it. Not their own: an assistant, the clipboard or another program brought "
        f"it. Intervals hold for other participants at other problems. {_COUNTERFACTUAL}"
    )
    return SortableTable("Right before their author got there", columns, rows, note)


def _wrong_offers_table(summaries: Sequence[tuple[PlayedRun, PauseSummary]]) -> SortableTable:
    columns = (
        *("subject", "pauses from", "wrong", "caught by lint", "tested", "undecided", "caught by tests"),
        "by lint or tests",
    )
    rows: list[Sequence[Cell]] = [
        (
            *_label_and_pause_cells(run, summary),
            _estimate_or_dash(summary.wrong.share, as_share=True),
            _estimate_or_dash(summary.wrong.lint, as_share=True),
            summary.wrong.tested,
            summary.wrong.undecided,
            _estimate_or_dash(summary.wrong.tests, as_share=True),
            _estimate_or_dash(summary.wrong.either, as_share=True),
        )
        for run, summary in summaries
    ]
    note = (
        "Wrong: neither what was written next nor in the text that passed, which another right solution may be too. "
        "Caught by lint: slang reports an error that it did not report without the offer. Caught by tests: fewer of "
        "the hidden tests pass with it than without it, in the files as they were at the pause; the last two are "
        "shares of the tested that are decided."
    )
    return SortableTable("Wrong offers", columns, rows, note)


def _label_and_pause_cells(run: PlayedRun, summary: PauseSummary) -> tuple[str, str]:
    return run.label, f"{summary.pause_ms} ms"


def _estimate_or_dash(estimate: Estimate | None, *, as_share: bool = False) -> str:
    if estimate is None or estimate.value is None:
        return "–"
    return text_with_interval(estimate, as_share=as_share)
