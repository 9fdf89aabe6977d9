"""Regrading: all runs of a problem again after it was corrected; staff see who it changes before it counts."""

from __future__ import annotations

import asyncio
import json
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import ColumnElement, Row, Select, func, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from benchwright_attempts.grading.run_records import RunRecords
from benchwright_foundation.database import Database
from benchwright_foundation.home import Home
from benchwright_problems.storage.store import Store
from benchwright_problems.verdict import Outcome
from benchwright_remote.messages import AssignmentView, Role, RunState
from benchwright_service.courses.progress import CourseStudent
from benchwright_service.errors import BenchServiceError
from benchwright_service.grades.gradebook import Gradebooks
from benchwright_service.mail.queueing import queueing_changed_grades
from benchwright_service.points.kept_worth import lock_assignments, recompute_worth
from benchwright_service.points.worth import DECIDED, CoursePart
from benchwright_service.runs.queue_rows import level_queue_share
from benchwright_service.storage.tables import (
    ACCOUNTS,
    ASSIGNMENTS,
    ATTEMPTS_HELD,
    MEMBERS,
    REGRADED,
    REGRADES,
    RUNS,
    moment,
)

_Outcomes = Mapping[str, tuple[Outcome, float]]


class RegradeState(StrEnum):
    """State of a regrade."""

    BEGUN = "begun"
    ACCEPTED = "accepted"
    DROPPED = "dropped"


@dataclass(frozen=True)
class OutdatedRunCount:
    """Number of runs of a problem that were judged by something else than what judges now."""

    runs: int
    of: int
    last: str
    """The newest regrade; empty if there was none."""
    is_going: bool


@dataclass(frozen=True)
class Regrade:
    """One regrade."""

    id: str
    problem: str
    state: RegradeState
    by: str
    """The name of who began it."""
    created: datetime
    assignment: AssignmentView
    runs: int
    ended: int
    """Of the runs, those that have a new verdict."""
    undecided: int
    """Of these, those that could not be judged: their old verdict stays."""

    @property
    def is_complete(self) -> bool:
        """True if it can be accepted."""
        return self.ended == self.runs


@dataclass(frozen=True)
class RunChange:
    """A run whose outcome, or share of hidden tests, is another one."""

    number: int
    queued: datetime
    old: str
    new: str
    old_share: float
    new_share: float
    old_harness: str
    """The beginning of the digest of what decided; empty if unknown."""
    new_harness: str


@dataclass(frozen=True)
class StudentChange:
    """A student whose runs it changes."""

    student: CourseStudent
    points: float
    new_points: float
    run_changes: Sequence[RunChange]


class Regrades:
    """Begins and ends regrades; the service's workers do the runs.

    Args:
        database: Database of the service.
        store: Has the problems as they are now.
        home: Home folders with the raw logs.
        gradebooks: Know what runs are worth.
        clock: Seconds since 1970.
    """

    def __init__(
        self,
        database: Database,
        store: Store,
        home: Home,
        gradebooks: Gradebooks,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._database = database
        self._store = store
        self._home = home
        self._gradebooks = gradebooks
        self._now = clock

    async def outdated_runs(self, assignment: AssignmentView, problem: str) -> OutdatedRunCount:
        """Returns the runs that a regrade of a problem would be about."""
        current_harness = await self._current_harness_digest(assignment, problem)
        newest_query = (
            select(REGRADES.c.id, REGRADES.c.state)
            .where(REGRADES.c.assignment == assignment.id, REGRADES.c.problem == problem)
            .order_by(REGRADES.c.created.desc())
            .limit(1)
        )
        async with self._database.read_transaction() as connection:
            runs = (await connection.execute(_judged_runs_query(assignment, problem))).all()
            newest_regrade = (await connection.execute(newest_query)).one_or_none()
            accepted_runs = await _runs_judged_by_accepted_regrades(connection, assignment, problem, current_harness)
        outdated_count = sum(
            run.id not in accepted_runs and _harness_digest_of_verdict(run.verdict) != current_harness for run in runs
        )
        is_going = newest_regrade is not None and newest_regrade.state == RegradeState.BEGUN
        return OutdatedRunCount(
            outdated_count, len(runs), newest_regrade.id if newest_regrade is not None else "", is_going
        )

    async def begin_regrade(self, assignment: AssignmentView, problem: str, staff_account: str) -> str:
        """Runs all files again that have a verdict; returns the regrade's id.

        Raises:
            BenchServiceError: Nothing has run, or another regrade of the problem is neither accepted nor dropped.
        """
        harness = await self._current_harness_digest(assignment, problem)
        regrade = uuid.uuid4().hex
        row = {"id": regrade, "assignment": assignment.id, "problem": problem, "harness": harness, "by": staff_account}
        row |= {"state": RegradeState.BEGUN.value}
        going = select(REGRADES.c.id).where(
            REGRADES.c.assignment == assignment.id,
            REGRADES.c.problem == problem,
            REGRADES.c.state == RegradeState.BEGUN.value,
        )
        async with self._database.write_transaction() as connection:
            # Two that begin at once wait for each other here.
            lock = update(ASSIGNMENTS).where(ASSIGNMENTS.c.id == assignment.id).values(title=ASSIGNMENTS.c.title)
            await connection.execute(lock)
            if (await connection.execute(going)).first() is not None:
                raise BenchServiceError(f"a regrade of {problem} is going on; accept or drop it first")
            runs = (await connection.execute(_judged_runs_query(assignment, problem))).all()
            if not runs:
                raise BenchServiceError(f"no run of {problem} has a verdict, so there is nothing to regrade")
            await connection.execute(insert(REGRADES).values({**row, "created": self._now()}))
            old_verdicts = [
                {
                    "regrade": regrade,
                    "run": run.id,
                    "old_verdict": run.verdict,
                    "old_outcome": run.outcome,
                    "old_share": run.share,
                }
                for run in runs
            ]
            await connection.execute(insert(REGRADED), old_verdicts)
            requeue = update(RUNS).where(RUNS.c.id.in_(select(REGRADED.c.run).where(REGRADED.c.regrade == regrade)))
            values = {"state": RunState.QUEUED.value, "lease": "", "worker": "", "tries": 0, "regrade": regrade}
            await connection.execute(requeue.values(values))
            await level_queue_share(self._database, connection, regrade)
        return regrade

    async def find_regrade(self, assignments: Sequence[AssignmentView], regrade_id: str) -> Regrade | None:
        """A regrade of one of these assignments."""
        query = (
            select(REGRADES, ACCOUNTS.c.name)
            .outerjoin(ACCOUNTS, ACCOUNTS.c.id == REGRADES.c.by)
            .where(REGRADES.c.id == regrade_id)
        )
        decided_count = func.count().filter(REGRADED.c.outcome.in_(DECIDED))
        counts_query = select(func.count(), func.count(REGRADED.c.verdict), decided_count).where(
            REGRADED.c.regrade == regrade_id
        )
        async with self._database.read_transaction() as connection:
            row = (await connection.execute(query)).one_or_none()
            runs, ended_count, judged_count = (await connection.execute(counts_query)).one()
        view = next(
            (assignment for assignment in assignments if row is not None and assignment.id == row.assignment), None
        )
        if row is None or view is None:
            return None
        state, created = RegradeState(row.state), moment(row.created)
        return Regrade(
            row.id, row.problem, state, row.name or row.by, created, view, runs, ended_count, ended_count - judged_count
        )

    async def changed_students(self, course: str, regrade: Regrade) -> Sequence[CourseStudent]:
        """Students whose runs it changes, by name; also after it was accepted or dropped."""
        query = (
            select(ACCOUNTS.c.id, ACCOUNTS.c.name, MEMBERS.c.section, MEMBERS.c.team)
            .distinct()
            .join(MEMBERS, MEMBERS.c.account == ACCOUNTS.c.id)
            .join(RUNS, RUNS.c.account == ACCOUNTS.c.id)
            .join(REGRADED, REGRADED.c.run == RUNS.c.id)
            .where(REGRADED.c.regrade == regrade.id, *_new_result_conditions())
            .where(MEMBERS.c.course == course, MEMBERS.c.role == Role.PARTICIPANT.value)
        )
        async with self._database.read_transaction() as connection:
            students = [CourseStudent(*row) for row in await connection.execute(query)]
        return sorted(students, key=lambda student: (student.name.lower(), student.account))

    async def student_changes(
        self, course: str, regrade: Regrade, students: Sequence[CourseStudent]
    ) -> Sequence[StudentChange]:
        """Returns the changes of students of `changed_students`."""
        accounts = [student.account for student in students]
        outcomes_query = select(
            *(REGRADED.c[name] for name in ("run", "old_outcome", "old_share", "outcome", "share"))
        ).where(REGRADED.c.regrade == regrade.id)
        changes_query = (
            select(REGRADED, RUNS.c.number, RUNS.c.queued, RUNS.c.account)
            .join(RUNS, RUNS.c.id == REGRADED.c.run)
            .where(REGRADED.c.regrade == regrade.id, RUNS.c.account.in_(accounts), *_new_result_conditions())
            .order_by(RUNS.c.queued)
        )
        async with self._database.read_transaction() as connection:
            rows = (await connection.execute(outcomes_query)).all()
            change_rows = (await connection.execute(changes_query)).all()
        old_outcomes: _Outcomes = {row.run: (Outcome(row.old_outcome), row.old_share) for row in rows}
        new_outcomes: _Outcomes = {row.run: (Outcome(row.outcome), row.share) for row in rows if row.outcome in DECIDED}
        view, gradebooks = regrade.assignment, self._gradebooks
        old_book = await gradebooks.gradebook(course, [view], old_outcomes, accounts=accounts)
        new_book = await gradebooks.gradebook(course, [view], {**old_outcomes, **new_outcomes}, accounts=accounts)
        return [
            StudentChange(
                student,
                old_book.grade(student, view).points,
                new_book.grade(student, view).points,
                [_run_change(row) for row in change_rows if row.account == student.account],
            )
            for student in old_book.students
        ]

    async def accept(self, regrade: Regrade) -> None:
        """From now on, the new verdicts count; the old ones are kept.

        Raises:
            BenchServiceError: Not every run has ended, or it was accepted or dropped before.
        """
        if not regrade.is_complete:
            raise BenchServiceError("runs are missing; wait for them, or drop the regrade")
        view = regrade.assignment
        new_verdicts = (
            select(REGRADED).where(REGRADED.c.regrade == regrade.id, REGRADED.c.outcome.in_(DECIDED)).subquery()
        )
        acceptance = (
            update(RUNS)
            .where(RUNS.c.id == new_verdicts.c.run)
            .values(verdict=new_verdicts.c.verdict, outcome=new_verdicts.c.outcome, share=new_verdicts.c.share)
            .returning(RUNS.c.attempt, RUNS.c.number)
        )
        async with self._database.write_transaction() as connection:
            await lock_assignments(connection, [view.id])
            await self._require_begun_and_end(connection, regrade, RegradeState.ACCEPTED)
            scope = CoursePart(view.course, [view.id], problem_ref=f"{view.pack}/{regrade.problem}")
            async with queueing_changed_grades(self._database, connection, scope, self._now()):
                rows = (await connection.execute(acceptance)).all()
                await recompute_worth(connection, scope)

        def forget_logs() -> None:
            for row in rows:
                RunRecords(self._home, row.attempt).delete_log(row.number)

        await asyncio.to_thread(forget_logs)

    async def drop(self, regrade: Regrade) -> None:
        """The old verdicts stay; what still runs for it no longer counts.

        Raises:
            BenchServiceError: The regrade was accepted or dropped before.
        """
        release = update(RUNS).where(RUNS.c.regrade == regrade.id)
        async with self._database.write_transaction() as connection:
            await self._require_begun_and_end(connection, regrade, RegradeState.DROPPED)
            await connection.execute(release.values(state=RunState.DONE.value, lease="", regrade=""))

    async def _require_begun_and_end(self, connection: AsyncConnection, regrade: Regrade, state: RegradeState) -> None:
        state_update = (
            update(REGRADES)
            .where(REGRADES.c.id == regrade.id, REGRADES.c.state == RegradeState.BEGUN.value)
            .values(state=state.value, ended=self._now())
        )
        if (await connection.execute(state_update)).rowcount != 1:
            raise BenchServiceError("the regrade has been accepted or dropped before")

    async def _current_harness_digest(self, assignment: AssignmentView, problem: str) -> str:
        return (await asyncio.to_thread(self._store.unseal, f"{assignment.pack}/{problem}")).harness_digest


def _judged_runs_query(assignment: AssignmentView, problem: str) -> Select[Any]:
    return (
        select(RUNS.c.id, RUNS.c.verdict, RUNS.c.outcome, RUNS.c.share)
        .join(ATTEMPTS_HELD, ATTEMPTS_HELD.c.attempt == RUNS.c.attempt)
        .where(ATTEMPTS_HELD.c.assignment == assignment.id)
        .where(ATTEMPTS_HELD.c.problem == f"{assignment.pack}/{problem}")
        .where(RUNS.c.state == RunState.DONE.value, RUNS.c.verdict.is_not(None))
    )


async def _runs_judged_by_accepted_regrades(
    connection: AsyncConnection, assignment: AssignmentView, problem: str, harness_digest: str
) -> set[str]:
    """The runs that an accepted regrade by this harness has judged; verdicts on answers do not name it."""
    query = (
        select(REGRADED.c.run)
        .join(REGRADES, REGRADES.c.id == REGRADED.c.regrade)
        .where(REGRADES.c.state == RegradeState.ACCEPTED.value, REGRADES.c.harness == harness_digest)
        .where(REGRADES.c.assignment == assignment.id, REGRADES.c.problem == problem)
    )
    return {row.run for row in await connection.execute(query)}


def _new_result_conditions() -> Sequence[ColumnElement[bool]]:
    """Conditions of runs whose outcome, or share of hidden tests, is another one."""
    is_other = (REGRADED.c.outcome != REGRADED.c.old_outcome) | (REGRADED.c.share != REGRADED.c.old_share)
    return REGRADED.c.outcome.in_(DECIDED), is_other


def _run_change(regraded_run_row: Row[Any]) -> RunChange:
    return RunChange(
        regraded_run_row.number,
        moment(regraded_run_row.queued),
        regraded_run_row.old_outcome,
        regraded_run_row.outcome,
        regraded_run_row.old_share,
        regraded_run_row.share,
        _harness_digest_of_verdict(regraded_run_row.old_verdict)[:12],
        _harness_digest_of_verdict(regraded_run_row.verdict)[:12],
    )


def _harness_digest_of_verdict(verdict_json: str) -> str:
    return str(json.loads(verdict_json)["digests"]["harness"])
