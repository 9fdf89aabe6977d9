"""Deciding a verdict that only the machinery kept undecided: the same files are graded again, and nobody is asked."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from benchwright_attempts.errors import AttemptError
from benchwright_attempts.events.events import Regraded
from benchwright_attempts.grading.grading import GradingOutcome, ignore_step
from benchwright_attempts.grading.run_records import RunRecords
from benchwright_attempts.summary.replay import recorded_contents
from benchwright_attempts.summary.summary import AttemptVerdict, Summary
from benchwright_problems.verdict import Outcome, Reason

if TYPE_CHECKING:
    # The database library takes a third of a second to import: nobody pays before a log is needed.
    from benchwright_attempts.log.log import EventLog
    from benchwright_attempts.services import Services


def is_regradable(verdict: AttemptVerdict) -> bool:
    """True if another run of the same files may decide; answers that wait for a judge are not run again."""
    return verdict.outcome is Outcome.ERROR and Reason(verdict.reason).is_worth_a_retry


async def regrade_if_undecided(services: Services[EventLog], attempt: str) -> GradingOutcome | None:
    """Runs the hidden tests again on what the newest verdict of an attempt is about, if that decided nothing.

    A verdict that decides is recorded and counts for that try, also after the attempt has ended.

    Args:
        services: Services of the process.
        attempt: Its id.

    Returns:
        The verdict; None if the newest one was decided, or waits for a judge.

    Raises:
        AttemptError: The log does not have the files, because their text was not recorded.
    """
    summary: Summary = await asyncio.to_thread(services.attempts.summary, attempt)
    verdict = summary.verdict
    if verdict is None or not is_regradable(verdict):
        return None
    header = await asyncio.to_thread(services.log.header, attempt)
    files = recorded_contents(await asyncio.to_thread(services.log.events, attempt), verdict.snapshot)
    if missing := sorted(verdict.snapshot.keys() - files.keys()):
        raise AttemptError(
            f"Attempt {attempt} can't be graded again: the log does not have the text of {missing[0]}, because the"
            f" study records {header.recording.value}."
        )
    run_records = RunRecords(services.home, attempt)
    with run_records.open_log(verdict.number) as raw:
        grading_outcome = await services.grading.run(
            header.problem, files, attempt=attempt, run_number=verdict.number, log=raw, before_step=ignore_step
        )
    new_verdict = grading_outcome.verdict
    if new_verdict.outcome is not Outcome.ERROR:
        run_records.keep_verdict(verdict.number, new_verdict)
        await services.log.append(attempt, Regraded.of(verdict.number, new_verdict))
    return grading_outcome
