"""Runs as the database has them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, NamedTuple

from sqlalchemy import Row, Update, bindparam, func, select, update

from benchwright_foundation.database import Database
from benchwright_problems.test_groups import TestGroup, group_scores, share_of_points
from benchwright_problems.verdict import Outcome, Verdict
from benchwright_remote.messages import NewRun, RunState
from benchwright_service.points.kept_worth import lock_assignment_and_get_course_part, recompute_worth
from benchwright_service.points.worth import DECIDED
from benchwright_service.runs.queue_rows import GOING, level_queue_share
from benchwright_service.storage.tables import ATTEMPTS_HELD, REGRADED, RUNS, SHARES

SUPERSEDED = "superseded"
"""Reason for cancelling a run whose attempt has a newer one."""
_MOST_KNOWN = 20_000
_RUN_OF_ID = select(RUNS).where(RUNS.c.id == bindparam("run"))
"""Made once, because all who wait ask it again and again."""


class QueuedRun(NamedTuple):
    """What came of a request to queue a run."""

    row: Row[Any] | None
    """The run of this id: this one, or that of another request. None if the attempt has another of its number."""
    cancelled: Sequence[str]
    """The older runs that it ended."""


class RunRows:
    """Reads and adds runs.

    Args:
        database: Database of the service.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._problems: dict[str, str] = {}
        """By attempt: they don't change."""

    async def find(self, run: str) -> Row[Any] | None:
        """A run."""
        async with self._database.read_transaction() as connection:
            return (await connection.execute(_RUN_OF_ID, {"run": run})).one_or_none()

    async def add_and_cancel_older(
        self, account: str, attempt: str, new_run: NewRun, queue_time: float, *, is_scored: bool
    ) -> QueuedRun:
        """Keeps a run that waits from now on, and ends those of its attempt that have no verdict yet.

        Args:
            account: Account whose run it is.
            attempt: Attempt whose run it is.
            new_run: The run.
            queue_time: Seconds since 1970.
            is_scored: True for an answer, which needs no worker.
        """
        row = {
            "id": new_run.id,
            "attempt": attempt,
            "account": account,
            "number": new_run.number,
            "files": json.dumps(dict(new_run.files)),
            "state": RunState.QUEUED.value,
            "why": "",
            "queued": queue_time,
            "worker": "",
            "lease": "",
            "tries": 0,
            "scored": int(is_scored),
        }
        # Two requests at once, or another run of this number: the first one counts.
        insertion = self._database.insert_into(RUNS).values(row).on_conflict_do_nothing().returning(RUNS)
        async with self._database.write_transaction() as connection:
            added = (await connection.execute(insertion)).one_or_none()
            if added is not None:
                older = _cancel_update(SUPERSEDED, queue_time).where(RUNS.c.attempt == attempt, RUNS.c.id != new_run.id)
                cancelled = (await connection.execute(older.returning(RUNS.c.id))).scalars().all()
                if not is_scored:
                    await level_queue_share(self._database, connection, account, new_run.id)
                return QueuedRun(added, cancelled)
        return QueuedRun(await self.find(new_run.id), ())

    async def finish_if_leased(
        self,
        run_row: Row[Any],
        verdict: Verdict,
        end_time: float,
        score: float | None = None,
        test_groups: Sequence[TestGroup] = (),
    ) -> bool:
        """Ends a run by a verdict; one that was judged again keeps its old verdict beside the new one.

        Args:
            run_row: The run, with its lease.
            verdict: Whole.
            end_time: Seconds since 1970.
            score: Score from 0 to 1 that a judge gave an answer. None without a judge.
            test_groups: Groups of the problem's hidden tests.

        Returns:
            Whether it counted: the run had not ended, and was still given by this lease.
        """
        verdict_columns = {
            "verdict": verdict.model_dump_json(),
            "outcome": verdict.outcome.value,
            "share": _passed_test_share(verdict, test_groups) if score is None else score,
        }
        run_update = (
            update(RUNS)
            .where(RUNS.c.id == run_row.id, RUNS.c.lease == run_row.lease, RUNS.c.state == RunState.RUNNING.value)
            .where(RUNS.c.regrade == run_row.regrade)
            .values(
                {"state": RunState.DONE.value, "regrade": "", "revision": RUNS.c.revision + 1}
                | ({} if run_row.regrade else verdict_columns | {"ended": end_time})
            )
        )
        owner = run_row.regrade or run_row.account
        charge = update(SHARES).where(SHARES.c.owner == owner).values(used_s=SHARES.c.used_s + verdict.wall_s)
        changes_worth = verdict.outcome.value in DECIDED and not run_row.regrade
        async with self._database.write_transaction() as connection:
            scope = await lock_assignment_and_get_course_part(connection, run_row.attempt) if changes_worth else None
            is_counted = (await connection.execute(run_update)).rowcount == 1
            if is_counted and not run_row.scored:
                await connection.execute(charge)
            if is_counted and scope is not None:
                await recompute_worth(connection, scope)
            if is_counted and run_row.regrade:
                regrade_conditions = REGRADED.c.regrade == run_row.regrade, REGRADED.c.run == run_row.id
                await connection.execute(update(REGRADED).where(*regrade_conditions).values(verdict_columns))
        return is_counted

    async def cancel_unless_ended(self, run: str, reason: str, end_time: float) -> bool:
        """Ends a run without a verdict; False if it has ended already."""
        async with self._database.write_transaction() as connection:
            return (await connection.execute(_cancel_update(reason, end_time).where(RUNS.c.id == run))).rowcount == 1

    async def used_run_count(self, attempt: str) -> int:
        """Returns the number of runs that an attempt has used: all that were not cancelled."""
        query = select(func.count()).where(RUNS.c.attempt == attempt, RUNS.c.state != RunState.CANCELLED.value)
        async with self._database.read_transaction() as connection:
            return int((await connection.execute(query)).scalar_one())

    async def problem_ref_of(self, attempt: str) -> str:
        """The problem of an attempt, `pack/id`."""
        known_problem = self._problems.get(attempt)
        if known_problem is not None:
            return known_problem
        query = select(ATTEMPTS_HELD.c.problem).where(ATTEMPTS_HELD.c.attempt == attempt)
        async with self._database.read_transaction() as connection:
            problem = str((await connection.execute(query)).scalar_one())
        if len(self._problems) >= _MOST_KNOWN:
            self._problems.clear()
        self._problems[attempt] = problem
        return problem


def _cancel_update(reason: str, end_time: float) -> Update:
    values = {"state": RunState.CANCELLED.value, "why": reason, "ended": end_time, "revision": RUNS.c.revision + 1}
    return update(RUNS).where(RUNS.c.state.in_(GOING), RUNS.c.regrade == "").values(values)


def _passed_test_share(verdict: Verdict, test_groups: Sequence[TestGroup]) -> float:
    """Share of the points of groups, or without groups of the hidden tests, that passed, from 0 to 1."""
    if verdict.outcome is Outcome.PASSED:
        return 1.0
    if scores := group_scores(test_groups, verdict.tests):
        return share_of_points(scores)
    return sum(test.passed for test in verdict.tests) / len(verdict.tests) if verdict.tests else 0.0
