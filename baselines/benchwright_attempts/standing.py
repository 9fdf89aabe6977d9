"""The standing of an attempt: what is known of it, as one view that every page shows in the same words.

The editor, the command line, a course's pages and the report have different facts beside an attempt, and this one rule.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum

from benchwright_attempts.state import CONSENT_WITHDRAWN, AttemptState
from benchwright_attempts.summary.summary import AttemptVerdict, Summary
from benchwright_problems.problem import ProblemKind
from benchwright_problems.reveal import Revealed
from benchwright_problems.verdict import WAITING, Outcome, Reason

RECORDED = "recorded"
"""What is shown of a run in a study that shows no results."""


class Standing(StrEnum):
    """The standing of an attempt, of one of its runs, or of a problem; the values are the words that people read."""

    NOT_BEGUN = "not begun"
    """It was assigned or is in the list, and nobody has opened it."""
    OPEN = "open"
    """It was opened, and nothing has been run or scored."""
    QUEUED = "queued"
    """A run waits until there is room for it."""
    RUNNING = "running"
    """The hidden tests run, or a judge is asked."""
    PASSED = "passed"
    FAILED = "failed"
    WAITING = WAITING
    """The answer is kept until a judge decides it."""
    UNDECIDED = "undecided"
    """The machinery failed, and not the solver; or the attempt ended without a verdict."""
    RECORDED = RECORDED
    """There was a run, and the study shows no results."""
    STALE = "files changed"
    """The files have changed since the newest run."""
    GIVEN_UP = "given up"
    TIMED_OUT = "out of time"
    """A limit ended it, and what was there did not pass."""
    WITHDRAWN = "withdrawn"
    """Its participant took the consent back."""
    SUPERSEDED = "superseded"
    """Of a run: a newer one took its place before it had a verdict."""
    CANCELLED = "cancelled"
    """Of a run: it was stopped before it had a verdict."""

    @property
    def sign(self) -> str:
        """One character for tables: ✓ ✗ ? … – •; empty if nobody has begun."""
        return _SIGNS[self]


_SIGNS: Mapping[Standing, str] = {
    Standing.NOT_BEGUN: "",
    Standing.OPEN: "…",
    Standing.QUEUED: "…",
    Standing.RUNNING: "…",
    Standing.PASSED: "✓",
    Standing.FAILED: "✗",
    Standing.WAITING: "…",
    Standing.UNDECIDED: "?",
    Standing.RECORDED: "•",
    Standing.STALE: "…",
    Standing.GIVEN_UP: "–",
    Standing.TIMED_OUT: "✗",
    Standing.WITHDRAWN: "–",
    Standing.SUPERSEDED: "–",
    Standing.CANCELLED: "–",
}


@dataclass(frozen=True, slots=True)
class ShownVerdict:
    """The verdict of a run or of an answer, as far as it is shown."""

    run: int
    """Number of the run within the attempt, from 1."""
    outcome: str
    """A value of `Outcome`, or `RECORDED`."""
    reason: str = ""
    passed_tests: int | None = None
    """Hidden tests that passed. None if they were not counted."""
    tests: int | None = None
    """Hidden tests. None if they were not counted."""
    decided_at: datetime | None = None
    """Time of the verdict. None if it is unknown."""

    @classmethod
    def from_log(cls, verdict: AttemptVerdict) -> ShownVerdict:
        """A verdict as the log has it."""
        return cls(
            verdict.number, verdict.outcome.value, verdict.reason, verdict.passed, verdict.total, decided_at=verdict.at
        )

    @classmethod
    def from_revealed(cls, run_number: int, revealed: Revealed, decided_at: datetime | None) -> ShownVerdict:
        """A verdict as its solver may see it."""
        return cls(run_number, revealed.outcome, revealed.reason, revealed.passed_count, revealed.total, decided_at)


@dataclass(frozen=True, slots=True)
class PendingRun:
    """A run that has no verdict yet."""

    run: int
    """Number of the run within the attempt, from 1."""
    is_queued: bool = False
    """True if it waits until there is room for it."""


@dataclass(frozen=True, slots=True)
class AttemptView:
    """The standing of an attempt, in words, with the run that they speak of."""

    standing: Standing = Standing.NOT_BEGUN
    short: str = Standing.NOT_BEGUN.value
    """A few words, such as `3/5 passed`."""
    headline: str = "Nobody has opened it"
    """A sentence without its full stop; it names the run."""
    run: int | None = None
    """Number of the run that the words speak of, from 1. None without one."""
    decided_at: datetime | None = None
    """Time of that run's verdict. None if it has none, or if that is unknown."""
    newest_run: int | None = None
    """Number of the attempt's newest run, with or without a verdict. None without one."""
    passed_run: int | None = None
    """Number of the first run that passed. None if none did, or if results are not shown."""

    @property
    def sign(self) -> str:
        """See `Standing.sign`."""
        return self.standing.sign

    @property
    def newer_run(self) -> int | None:
        """Number of the newest run, if the words speak of an older one."""
        return self.newest_run if self.newest_run != self.run else None

    @property
    def is_passed(self) -> bool | None:
        """True for a pass, False if it did not pass, None while that is open or not shown."""
        if self.standing is Standing.PASSED:
            return True
        return False if self.standing in _NOT_PASSED else None


_NOT_PASSED = frozenset({Standing.FAILED, Standing.TIMED_OUT})


def attempt_view(
    state: AttemptState | None,
    *,
    newest_verdict: ShownVerdict | None = None,
    pending_run: PendingRun | None = None,
    first_passed_run: int | None = None,
    has_changed_files: bool = False,
    is_withdrawn: bool = False,
    problem_kind: ProblemKind = ProblemKind.DESIGN,
) -> AttemptView:
    """The standing of an attempt.

    Args:
        state: State of the attempt. None if it has not been opened.
        newest_verdict: Its newest verdict. None before the first.
        pending_run: The run that has no verdict yet. None if there is none.
        first_passed_run: Number of the first run that passed. None if none did.
        has_changed_files: True if the files are not those of the newest verdict any more.
        is_withdrawn: True if its participant took the consent back.
        problem_kind: Kind of the problem.
    """
    if state is None:
        return AttemptView()
    if newest_verdict is not None and newest_verdict.outcome == RECORDED:
        first_passed_run = None
    base_view = AttemptView(
        run=newest_verdict.run if newest_verdict is not None else None,
        decided_at=newest_verdict.decided_at if newest_verdict is not None else None,
        newest_run=newest_verdict.run if newest_verdict is not None else None,
        passed_run=first_passed_run,
    )
    if is_withdrawn:
        return replace(base_view, standing=Standing.WITHDRAWN, short="withdrawn", headline="Consent was taken back")
    if state is AttemptState.ABANDONED:
        had_passed = f"; run {first_passed_run} had passed" if first_passed_run is not None else ""
        return replace(base_view, standing=Standing.GIVEN_UP, short="given up", headline=f"Given up{had_passed}")
    if pending_run is not None and not state.ended:
        return _pending_view(base_view, pending_run, newest_verdict, problem_kind)
    if newest_verdict is None:
        return _view_without_verdict(base_view, state, problem_kind)
    return _verdict_view(base_view, state, newest_verdict, problem_kind, has_changed_files=has_changed_files)


def _pending_view(
    base_view: AttemptView, pending_run: PendingRun, newest_verdict: ShownVerdict | None, problem_kind: ProblemKind
) -> AttemptView:
    standing = Standing.QUEUED if pending_run.is_queued else Standing.RUNNING
    run_name = _run_or_try_phrase(pending_run.run, problem_kind)
    headline = f"{run_name.capitalize()} {'is queued' if pending_run.is_queued else 'is running'}"
    if newest_verdict is not None:
        verdict_phrase = verdict_words(newest_verdict, problem_kind).short
        headline += f"; {_run_or_try_phrase(newest_verdict.run, problem_kind)}: {verdict_phrase}"
    return replace(
        base_view,
        standing=standing,
        short=f"{run_name} {standing.value}",
        headline=headline,
        run=pending_run.run,
        decided_at=None,
        newest_run=pending_run.run,
    )


def _view_without_verdict(base_view: AttemptView, state: AttemptState, problem_kind: ProblemKind) -> AttemptView:
    if state.ended:
        ending = "The time is over" if state is AttemptState.TIMED_OUT else "It was submitted"
        return replace(
            base_view, standing=Standing.UNDECIDED, short="no verdict", headline=f"{ending}, and there is no verdict"
        )
    nothing_yet = (
        "The hidden tests have not run yet" if problem_kind is ProblemKind.DESIGN else "No answer has been scored yet"
    )
    headline = "The clock has not started" if state is AttemptState.OPEN else nothing_yet
    return replace(base_view, standing=Standing.OPEN, short=Standing.OPEN.value, headline=headline)


def _verdict_view(
    base_view: AttemptView,
    state: AttemptState,
    shown_verdict: ShownVerdict,
    problem_kind: ProblemKind,
    *,
    has_changed_files: bool,
) -> AttemptView:
    phrases, standing = verdict_words(shown_verdict, problem_kind), verdict_standing(shown_verdict)
    short, headline = phrases.short, f"{phrases.headline} ({_run_or_try_phrase(shown_verdict.run, problem_kind)})"
    if base_view.passed_run is not None and standing is not Standing.PASSED:
        headline += f"; {_run_or_try_phrase(base_view.passed_run, problem_kind)} had passed"
    if state is AttemptState.TIMED_OUT:
        headline = f"Out of time. {headline}"
        if standing is Standing.FAILED:
            standing, short = Standing.TIMED_OUT, f"out of time, {short}"
    elif has_changed_files and not state.ended:
        files = "files have" if problem_kind is ProblemKind.DESIGN else "answer has"
        standing, short = Standing.STALE, f"{short}, changed since"
        headline += f"; the {files} changed since"
    return replace(base_view, standing=standing, short=short, headline=headline)


def _run_or_try_phrase(run_number: int, problem_kind: ProblemKind) -> str:
    return f"{'run' if problem_kind is ProblemKind.DESIGN else 'try'} {run_number}"


def summary_view(
    summary: Summary,
    problem_kind: ProblemKind = ProblemKind.DESIGN,
    *,
    are_results_shown: bool = True,
    judged_paths: Iterable[str] = (),
) -> AttemptView:
    """The standing of an attempt by its log alone.

    Args:
        summary: Summary of its events.
        problem_kind: Kind of the problem.
        are_results_shown: True if its results may be shown.
        judged_paths: The files that are judged, if that is known; otherwise those of the newest verdict.
    """
    verdict = summary.verdict
    shown_verdict = ShownVerdict.from_log(verdict) if verdict is not None else None
    if shown_verdict is not None and not are_results_shown:
        shown_verdict = ShownVerdict(shown_verdict.run, RECORDED, RECORDED, decided_at=shown_verdict.decided_at)
    return attempt_view(
        summary.state,
        newest_verdict=shown_verdict,
        pending_run=PendingRun(max(summary.open_run_numbers_by_id.values()))
        if summary.open_run_numbers_by_id
        else None,
        first_passed_run=summary.first_pass.number if summary.first_pass is not None else None,
        has_changed_files=verdict is not None and has_changed_files(summary, judged_paths),
        is_withdrawn=summary.abandon_reason == CONSENT_WITHDRAWN,
        problem_kind=problem_kind,
    )


def has_changed_files(summary: Summary, judged_paths: Iterable[str] = ()) -> bool:
    """True if the files on disk are not those of the newest verdict any more; False before the first verdict.

    Args:
        summary: Summary of the attempt.
        judged_paths: The files that are judged, if that is known; otherwise those of the newest verdict.
    """
    if summary.verdict is None:
        return False
    snapshot = summary.verdict.snapshot
    paths = {*snapshot, *judged_paths}
    return any(summary.files.get(path) != snapshot.get(path) for path in paths) if snapshot else False


def problem_view(views_newest_first: Iterable[AttemptView]) -> AttemptView:
    """Somebody's standing with a problem, after all attempts at it: as in the newest, and nothing takes a pass back.

    Args:
        views_newest_first: Views of the attempts, the newest first.
    """
    newest: AttemptView | None = None
    for view in views_newest_first:
        if view.passed_run is not None:
            return _view_of_passed_run(view, view.passed_run)
        newest = newest or view
    return newest or AttemptView()


def _view_of_passed_run(view_with_pass: AttemptView, passed_run_number: int) -> AttemptView:
    if view_with_pass.standing is Standing.PASSED:
        return view_with_pass
    return replace(
        view_with_pass,
        standing=Standing.PASSED,
        short=f"passed in run {passed_run_number}",
        headline=f"Run {passed_run_number} passed; {view_with_pass.short} since",
        run=passed_run_number,
        decided_at=None,
    )


def cancelled_run_standing(cancel_reason: str) -> Standing:
    """The standing of a run that was ended without a verdict.

    Args:
        cancel_reason: The reason for it, a stable word of the log's or the service's.
    """
    return Standing.SUPERSEDED if cancel_reason in {"newer_save", "superseded"} else Standing.CANCELLED


def verdict_standing(shown_verdict: ShownVerdict) -> Standing:
    """The standing of one run that has a verdict."""
    if shown_verdict.outcome == RECORDED:
        return Standing.RECORDED
    if shown_verdict.reason in _WAITS:
        return Standing.WAITING
    return _STANDINGS[Outcome(shown_verdict.outcome)]


_STANDINGS = {
    Outcome.PASSED: Standing.PASSED,
    Outcome.FAILED: Standing.FAILED,
    Outcome.ERROR: Standing.UNDECIDED,
}
_WAITS = frozenset(reason.value for reason in Reason if reason.waits_for_judge)


@dataclass(frozen=True, slots=True)
class VerdictWords:
    """One verdict in words, short and as a headline."""

    short: str
    """A few words, such as `3/5 passed`."""
    headline: str
    """A sentence without its full stop."""


_FAILURES: Mapping[str, VerdictWords] = {
    Reason.BUILD_FAILED: VerdictWords("build failed", "The design does not build"),
    Reason.NO_RESULTS: VerdictWords("no results", "The simulation ended before its tests"),
    Reason.TIMEOUT: VerdictWords("time limit", "The run reached its time limit"),
    Reason.MEMORY: VerdictWords("memory limit", "The run used too much memory"),
    Reason.FOLDER_QUOTA: VerdictWords("file quota exceeded", "The run wrote too much"),
    Reason.OUTPUT_QUOTA: VerdictWords("too much output", "The run printed too much"),
    Reason.EMPTY: VerdictWords("empty", "There is no answer"),
    Reason.DECLINED: VerdictWords("no answer", "The answer declines to solve the problem"),
    Reason.UNREADABLE: VerdictWords("unreadable", "The answer can't be read"),
    Reason.REFUSED: VerdictWords("refused", "The design was not run because it uses a forbidden construct"),
    Reason.TAMPERED: VerdictWords("results not credible", "The results of the run contradict each other"),
}
"""Failures that are not about single tests."""
_UNDECIDED: Mapping[str, str] = {
    Reason.MACHINE_BUSY: "machine overloaded",
    Reason.SANDBOX_UNAVAILABLE: "no sandbox",
    Reason.TOOLS_DISAGREE: "tools read different designs",
    Reason.NOT_PROVED: "neither proved nor refuted",
    Reason.BAD_HARNESS: "tests can't run",
}
"""Words for reasons whose own name says too little."""


def verdict_words(shown_verdict: ShownVerdict, problem_kind: ProblemKind) -> VerdictWords:
    """The words for one verdict, whichever run it is of."""
    match verdict_standing(shown_verdict):
        case Standing.RECORDED:
            return VerdictWords("recorded", "The run was recorded")
        case Standing.WAITING:
            return VerdictWords(WAITING, "The answer is waiting for a judge")
        case Standing.UNDECIDED:
            cause = _UNDECIDED.get(shown_verdict.reason) or shown_verdict.reason.replace("_", " ")
            return VerdictWords(cause, f"Undecided: {cause}")
        case standing:
            has_passed = standing is Standing.PASSED
    if not has_passed and shown_verdict.reason in _FAILURES:
        return _FAILURES[shown_verdict.reason]
    if problem_kind is not ProblemKind.DESIGN:
        word = "correct" if has_passed else "incorrect"
        return VerdictWords(word, f"The answer is {word}")
    counts = "" if shown_verdict.tests is None else f"{shown_verdict.passed_tests} of {shown_verdict.tests}"
    short = (
        shown_verdict.outcome
        if shown_verdict.tests is None
        else f"{shown_verdict.passed_tests}/{shown_verdict.tests} passed"
    )
    if has_passed:
        return VerdictWords(short, f"Hidden tests passed: {counts}" if counts else "Hidden tests passed")
    if counts and shown_verdict.passed_tests == shown_verdict.tests:
        short += ", but failed"
    return VerdictWords(short, f"Hidden tests failed: {counts} passed" if counts else "Hidden tests failed")
