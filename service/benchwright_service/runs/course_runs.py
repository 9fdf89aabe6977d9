"""Runs of a course, page by page, for its staff."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Row, Select, select, tuple_

from benchwright_foundation.database import Database
from benchwright_remote.teaching_messages import RunPage, TaughtRun
from benchwright_service.errors import BenchServiceError
from benchwright_service.storage.tables import ASSIGNMENTS, ATTEMPTS_HELD, RUNS, moment


class CourseRuns:
    """Reads them.

    Args:
        database: Database of the service.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    async def page(self, course: str, *, assignment: str, account: str, after_run: str, limit: int) -> RunPage:
        """Some runs of a course, in the order in which they were asked for.

        Args:
            course: Its id.
            assignment: Assignment whose runs are wanted; all if empty.
            account: Student whose runs are wanted; all if empty.
            after_run: Id of the run after which the page begins; the first page if empty.
            limit: Largest number of runs.

        Raises:
            BenchServiceError: The course has no run `after_run`.
        """
        query = _runs_query(course).order_by(RUNS.c.queued, RUNS.c.id).limit(limit + 1)
        if assignment:
            query = query.where(ATTEMPTS_HELD.c.assignment == assignment)
        if account:
            query = query.where(RUNS.c.account == account)
        async with self._database.read_transaction() as connection:
            if after_run:
                last_row = (await connection.execute(_runs_query(course).where(RUNS.c.id == after_run))).one_or_none()
                if last_row is None:
                    raise BenchServiceError("the course has no run “after” which a page could begin")
                query = query.where(tuple_(RUNS.c.queued, RUNS.c.id) > (last_row.queued, last_row.id))
            rows = (await connection.execute(query)).all()
        runs = tuple(_taught_run(row) for row in rows[:limit])
        return RunPage(runs=runs, next=runs[-1].id if len(rows) > limit else "")


def _runs_query(course: str) -> Select[Any]:
    run_columns = (
        RUNS.c[name]
        for name in ("id", "account", "attempt", "number", "state", "outcome", "share", "queued", "ended", "regrade")
    )
    return (
        select(*run_columns, ATTEMPTS_HELD.c.assignment, ATTEMPTS_HELD.c.problem)
        .join(ATTEMPTS_HELD, ATTEMPTS_HELD.c.attempt == RUNS.c.attempt)
        .join(ASSIGNMENTS, ASSIGNMENTS.c.id == ATTEMPTS_HELD.c.assignment)
        .where(ASSIGNMENTS.c.course == course)
    )


def _taught_run(run_row: Row[Any]) -> TaughtRun:
    return TaughtRun(
        id=run_row.id,
        account=run_row.account,
        assignment=run_row.assignment,
        problem=run_row.problem.partition("/")[2],
        attempt=run_row.attempt,
        number=run_row.number,
        # One that is judged again has the verdict that counts until the new one is accepted.
        state="done" if run_row.regrade else run_row.state,
        outcome=run_row.outcome,
        share=run_row.share,
        queued=moment(run_row.queued),
        ended=moment(run_row.ended),
    )
