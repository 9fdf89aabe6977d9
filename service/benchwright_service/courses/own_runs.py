"""A student's own runs in an assignment, as much as may be shown of them now."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import select

from benchwright_attempts.standing import Standing
from benchwright_foundation.database import Database
from benchwright_remote.messages import RunView
from benchwright_service.courses.courses import Courses
from benchwright_service.courses.progress import run_standing
from benchwright_service.runs.run_views import RunViews
from benchwright_service.storage.tables import ATTEMPTS_HELD, RUNS, moment

MOST_SHOWN = 10
"""Runs of each problem."""


@dataclass(frozen=True)
class CourseOwnRun:
    """One of them."""

    queued: datetime
    standing: Standing
    view: RunView


class OwnRuns:
    """Reads them.

    Args:
        database: Database of the service.
        courses: Know what may be shown.
        views: Show it.
    """

    def __init__(self, database: Database, courses: Courses, views: RunViews) -> None:
        self._database = database
        self._courses = courses
        self._views = views

    async def newest_runs_by_problem(self, account: str, assignment: str) -> Mapping[str, Sequence[CourseOwnRun]]:
        """By problem, the newest runs, newest first; a problem without runs is left out."""
        query = (
            select(RUNS, ATTEMPTS_HELD.c.problem.label("ref"))
            .join(ATTEMPTS_HELD, ATTEMPTS_HELD.c.attempt == RUNS.c.attempt)
            .where(ATTEMPTS_HELD.c.account == account, ATTEMPTS_HELD.c.assignment == assignment)
            .order_by(RUNS.c.queued.desc(), RUNS.c.number.desc())
        )
        async with self._database.read_transaction() as connection:
            rows = (await connection.execute(query)).all()
        reveal = await self._courses.reveal_limit_now(rows[0].attempt) if rows else None
        runs_by_problem: dict[str, list[CourseOwnRun]] = defaultdict(list)
        for row in rows:
            problem_runs = runs_by_problem[row.ref.partition("/")[2]]
            if len(problem_runs) < MOST_SHOWN:
                problem_runs.append(
                    CourseOwnRun(
                        moment(row.queued),
                        run_standing(row),
                        await self._views.limited_view(row, row.ref, reveal),
                    )
                )
        return runs_by_problem
