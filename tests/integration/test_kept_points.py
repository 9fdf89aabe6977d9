"""The points that a service keeps are those of its whole gradebook, whatever has happened in a course."""

from __future__ import annotations

import asyncio
import random
import uuid
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import insert, select, update

from benchwright_foundation.home import Home
from benchwright_problems.storage.store import Store
from benchwright_problems.verdict import Digests, Outcome, Reason, TestResult, Verdict
from benchwright_remote.messages import AssignmentView, NewRun, Role, RunState
from benchwright_service.accounts.people import People
from benchwright_service.accounts.roster import Seat
from benchwright_service.accounts.roster_entries import new_account
from benchwright_service.accounts.rosters import RosterFile
from benchwright_service.bench import Administration, open_administration, open_people
from benchwright_service.courses.course_settings import CourseSettings, write_course_settings
from benchwright_service.courses.courses import AssignmentRules
from benchwright_service.courses.people_rows import RowChoice, read_people_rows
from benchwright_service.courses.progress import CourseProgress
from benchwright_service.errors import BenchServiceError
from benchwright_service.grades.gradebook import Gradebooks
from benchwright_service.grades.late_days import LateDays
from benchwright_service.grades.points_table import points_of_students, read_points_table
from benchwright_service.grades.regrades import Regrades
from benchwright_service.grades.staff_decisions import Extension, PointsAdjustment, StaffDecisions
from benchwright_service.points.kept_worth import lock_assignment_and_get_course_part, recompute_worth
from benchwright_service.runs.run_rows import RunRows
from benchwright_service.storage.tables import ATTEMPTS_HELD, HINTS, MEMBERS, RUNS, WORTH
from benchwright_studies.conduct.study_log import StudyLog
from benchwright_teaching.person_ids import PersonIds
from benchwright_teaching.points import AssignmentTimes, CountedRunChoice, GradingRules

from ..support.service.bench_service import DATABASES
from ..support.service.postgres import new_database

COURSE = "arch"
PROBLEMS = ("saturating-counter", "sync-fifo", "amdahl")
STEPS = 50
COMPARED_EVERY = 5


# The first one runs every day.
@pytest.fixture(params=DATABASES[::-1])
def database_url(request: pytest.FixtureRequest) -> str | None:
    return new_database(request.getfixturevalue("postgres")) if request.param == "postgresql" else None


class RandomCourse:
    """A course in which things happen."""

    def __init__(self, seed: int, parts: Administration, people: People, home: Home) -> None:
        self.chance = random.Random(seed)
        self.database = database = parts.database
        self.accounts, self.rosters, self.courses = parts.accounts, parts.rosters, parts.courses
        self.people = people
        # What pages show of attempts is not asked for here.
        log = StudyLog(home.data / "unused.sqlite")
        self.progress = CourseProgress(database, log)
        self.gradebooks = Gradebooks(database, self.progress)
        self.regrades = Regrades(database, Store(home), home, self.gradebooks)
        self.run_rows = RunRows(database)
        self.begun = datetime.now(UTC) - timedelta(days=30)
        self.decisions = StaffDecisions(database)
        self.late_days = LateDays(database, self.begun.timestamp)
        self.run_counts: dict[str, int] = {}
        self.attempts: dict[tuple[str, str, str], str] = {}

    async def assignments(self) -> Sequence[AssignmentView]:
        return await self.courses.all_assignments(COURSE)

    async def students(self) -> Sequence[str]:
        return [student.account for student in await self.progress.students(COURSE)]

    async def workers(self) -> Sequence[str]:
        """Students, and who was dropped: a run of theirs may end later."""
        dropped = [person.account for person in await self.people.dropped_people(COURSE)]
        return [*await self.students(), *dropped]

    def time(self) -> datetime:
        return self.begun + timedelta(hours=self.chance.uniform(0, 20 * 24))

    async def run(self) -> None:
        """A student's run ends, sometimes undecided."""
        await self._end(await self._queued_run())

    async def end_several_runs_at_once(self) -> None:
        """Runs of a class end at the same time, also of one group."""
        runs = [await self._queued_run() for _ in range(6)]
        await asyncio.gather(*(self._end(run) for run in runs))

    async def _queued_run(self) -> str:
        view = self.chance.choice(await self.assignments())
        account, problem = self.chance.choice(await self.workers()), self.chance.choice(view.problems)
        attempt = await self._attempt(account, view, problem)
        self.run_counts[attempt] = number = self.run_counts.get(attempt, 0) + 1
        run = uuid.uuid4().hex
        await self.run_rows.add_and_cancel_older(
            account, attempt, NewRun(id=run, number=number, files={}), self.time().timestamp(), is_scored=False
        )
        return run

    async def _end(self, run: str) -> None:
        begin = update(RUNS).where(RUNS.c.id == run, RUNS.c.state == RunState.QUEUED.value)
        async with self.database.write_transaction() as connection:
            leased = begin.values(state=RunState.RUNNING.value, lease=run).returning(RUNS)
            row = (await connection.execute(leased)).one_or_none()
        # A newer run of its attempt may have ended it.
        if row is not None:
            await self.run_rows.finish_if_leased(row, self._verdict(), self.time().timestamp())

    def _verdict(self) -> Verdict:
        passed = self.chance.randrange(-1, 5)
        tests = tuple(TestResult(name=f"t{number}", passed=number < passed) for number in range(4))
        reason = Reason.TOOL_FAILED if passed < 0 else Reason.PASSED if passed == 4 else Reason.TESTS_FAILED
        return Verdict(reason=reason, tests=tests, digests=Digests(harness="h"))

    async def _attempt(self, account: str, view: AssignmentView, problem: str) -> str:
        key = account, view.id, problem
        if key not in self.attempts:
            self.attempts[key] = attempt = uuid.uuid4().hex
            row = {"attempt": attempt, "account": account, "assignment": view.id, "problem": f"starter/{problem}"}
            async with self.database.write_transaction() as connection:
                facts = {"created": self.time().timestamp(), "clock_difference_s": 0.0}
                await connection.execute(insert(ATTEMPTS_HELD).values(row | facts))
        return self.attempts[key]

    async def take_hint(self) -> None:
        """A student takes a hint that costs something, as the service notes it."""
        attempts = [attempt for (account, *_), attempt in self.attempts.items() if account in await self.students()]
        if not attempts:
            return
        attempt = self.chance.choice(attempts)
        async with self.database.write_transaction() as connection:
            scope = await lock_assignment_and_get_course_part(connection, attempt)
            assert scope is not None
            taken_query = select(HINTS.c.number).where(HINTS.c.attempt == attempt)
            number = len((await connection.execute(taken_query)).all()) + 1
            cost = {"number": number, "cost": 0.15, "at": self.time().timestamp()}
            await connection.execute(insert(HINTS).values({"attempt": attempt} | cost))
            await recompute_worth(connection, scope)

    async def change_rules(self) -> None:
        """A teacher grades an assignment otherwise."""
        view, chance = self.chance.choice(await self.assignments()), self.chance
        grading_rules = GradingRules(
            chance.choice((1, 2.5, 10)),
            chance.choice(list(CountedRunChoice)),
            chance.random() < 0.5,
            chance.choice((0, 10, 33.3)),
            chance.random() < 0.5,
            late_days=chance.choice((0, 2, 5)),
        )
        await self.gradebooks.change_grading_rules(COURSE, view.id, grading_rules)

    async def change_times(self) -> None:
        """A teacher moves the dates of an assignment."""
        view = self.chance.choice(await self.assignments())
        due = self.time() if self.chance.random() < 0.8 else None
        closes = None if self.chance.random() < 0.5 else (due or self.time()) + timedelta(days=3)
        await self.courses.change_assignment(COURSE, view.id, AssignmentRules(due=due, closes=closes))

    async def extend(self) -> None:
        """Students have more time, several at once."""
        students = await self.students()
        extensions = [
            Extension(view.id, account, AssignmentTimes(view.due + timedelta(hours=self.chance.uniform(1, 100))), "ill")
            for view in await self.assignments()
            if view.due is not None
            for account in self.chance.sample(students, self.chance.randrange(3))
        ]
        await self.decisions.give_extensions(COURSE, extensions, "staff")

    async def use_late_days(self) -> None:
        """A student moves a due date, and the group's with it."""
        view, account = self.chance.choice(await self.assignments()), self.chance.choice(await self.students())
        # It may take none, and the student or one of the group may have none left.
        with suppress(BenchServiceError):
            await self.late_days.use(COURSE, view.id, account, self.chance.randrange(1, 3))

    async def adjust(self) -> None:
        """Staff give points or take some."""
        view, account = self.chance.choice(await self.assignments()), self.chance.choice(await self.students())
        points = self.chance.uniform(-3, 3)
        await self.decisions.adjust_points(COURSE, [PointsAdjustment(view.id, account, points, "by hand")], "staff")

    async def regroup(self) -> None:
        """Somebody joins another group, or works alone."""
        account = self.chance.choice(await self.students())
        member = await self.people.member_or_dropped(COURSE, account)
        group = self.chance.choice(("", "north", "south"))
        if self.chance.random() < 0.5:
            assert not await self.people.change_groups_and_find_conflicts(COURSE, {account: (member.group, group)})
        else:
            await self.people.change_section_or_group(COURSE, account, section=None, group=group)

    async def merge_roster(self) -> None:
        """A roster's file has some no longer, has others again, and gives somebody another role."""
        entries = list(await self.rosters.entries(COURSE))
        grader = self.chance.choice([*entries, None])
        dropped = self.chance.sample(entries, min(self.chance.randrange(3), max(0, len(entries) - 4)))
        seats = [
            Seat(line, entry.name, entry.ids, "", Role.GRADER if entry is grader else Role.PARTICIPANT)
            for line, entry in enumerate(entries)
            if entry not in dropped
        ]
        await self.rosters.merge(COURSE, RosterFile(seats, "roster.csv"))

    async def come_with_other_account(self) -> None:
        """Somebody on the roster has an account of their own already."""
        invited = await self.rosters.renew_invitations(COURSE)
        if not invited:
            return
        invitation = self.chance.choice(invited)
        accounts = {entry.ids: entry.account for entry in await self.rosters.entries(COURSE)}
        async with self.database.write_transaction() as connection:
            own_account = await new_account(connection, invitation.seat.name, self.time().timestamp())
        await self.accounts.join_course(own_account, invitation.code)
        absorbed = accounts[invitation.seat.ids]
        self.attempts = {
            (own_account if account == absorbed else account, assignment_id, problem): attempt
            for (account, assignment_id, problem), attempt in self.attempts.items()
        }

    async def regrade(self) -> None:
        """Everything of a problem is judged again; it is accepted or dropped."""
        view = self.chance.choice(await self.assignments())
        problem = self.chance.choice(view.problems)
        judged = select(RUNS).join(ATTEMPTS_HELD, ATTEMPTS_HELD.c.attempt == RUNS.c.attempt)
        judged = judged.where(ATTEMPTS_HELD.c.assignment == view.id, RUNS.c.outcome != "")
        judged = judged.where(ATTEMPTS_HELD.c.problem == f"starter/{problem}")
        async with self.database.read_transaction() as connection:
            if not (await connection.execute(judged)).first():
                return
        regrade_id = await self.regrades.begin_regrade(view, problem, "staff")
        again = select(RUNS.c.id).where(RUNS.c.regrade == regrade_id)
        async with self.database.read_transaction() as connection:
            run_ids = (await connection.execute(again)).scalars().all()
        for run in run_ids:
            await self._end(run)
        regrade = await self.regrades.find_regrade([view], regrade_id)
        assert regrade is not None
        assert regrade.is_complete
        changed_students = await self.regrades.changed_students(COURSE, regrade)
        student_changes = await self.regrades.student_changes(COURSE, regrade, changed_students)
        expected = {change.student.account: change.new_points for change in student_changes}
        if self.chance.random() < 0.5:
            await self.regrades.drop(regrade)
            return
        await self.regrades.accept(regrade)
        book = await self.gradebooks.gradebook(COURSE, [view])
        assert {
            student.account: book.grade(student, view).points
            for student in book.students
            if student.account in expected
        } == expected

    async def delete(self) -> None:
        """Somebody's data are deleted."""
        if len(await self.students()) > 4:
            account = self.chance.choice(await self.workers())
            await self.people.delete_person_and_count_attempts(COURSE, account, "asked for it")
            self.attempts = {key: attempt for key, attempt in self.attempts.items() if key[0] != account}

    async def compare(self) -> None:
        """What is kept is what the whole gradebook works out, in tables and in the order of rows."""
        assignments = await self.assignments()
        book = await self.gradebooks.gradebook(COURSE, assignments)
        points_table = await read_points_table(self.database, COURSE, assignments, book.students)
        worked_out = {
            (student.account, view.id): book.grade(student, view) for student in book.students for view in assignments
        }
        kept = {
            (student.account, view.id): points_table.grade(student, view)
            for student in book.students
            for view in assignments
        }
        assert {key: grade.points for key, grade in kept.items()} == {
            key: grade.points for key, grade in worked_out.items()
        }
        assert {key: grade.is_changed for key, grade in kept.items()} == {
            key: grade.is_extended or bool(grade.late_days or grade.adjustments) for key, grade in worked_out.items()
        }
        async with self.database.read_transaction() as connection:
            kept_accounts = set((await connection.execute(select(WORTH.c.account))).scalars())
        assert kept_accounts <= {student.account for student in book.students}
        sums = {student.account: round(points_table.sum_of_points(student), 3) for student in book.students}
        choice = RowChoice(sort="sum", is_descending=True)
        people_rows = await read_people_rows(
            self.database, COURSE, choice, 100, sort_values=points_of_students(assignments)
        )
        ordered = [sums[row.account] for row in people_rows.rows]
        assert ordered == sorted(ordered, reverse=True)
        pass_counts = {
            student.account: await self.progress.passed_count_by_assignment(student.account, COURSE)
            for student in book.students
        }
        assert pass_counts == {account: await self._passed_counts(account) for account in pass_counts}

    async def _passed_counts(self, account: str) -> dict[str, int]:
        query = (
            select(ATTEMPTS_HELD.c.assignment, ATTEMPTS_HELD.c.problem)
            .join(RUNS, RUNS.c.attempt == ATTEMPTS_HELD.c.attempt)
            .where(ATTEMPTS_HELD.c.account == account, RUNS.c.outcome == Outcome.PASSED.value)
            .distinct()
        )
        async with self.database.read_transaction() as connection:
            passed_assignments = [row.assignment for row in await connection.execute(query)]
        return {assignment: passed_assignments.count(assignment) for assignment in passed_assignments}


@pytest.mark.sampled
@pytest.mark.parametrize("seed", range(1, 6))
async def test_kept_points_are_those_of_the_whole_gradebook(
    seed: int, tmp_path: Path, database_url: str | None
) -> None:
    home = Home.from_environment({"BENCHWRIGHT_HOME": str(tmp_path)})
    async with (
        open_administration(home, database_url) as parts,
        open_people(home, database_url) as people,
    ):
        await parts.courses.create(COURSE, "Computer architecture")
        for number in range(3):
            await parts.courses.make_assignment(COURSE, "starter", title=f"Week {number}", problems=PROBLEMS)
        await write_course_settings(parts.database, COURSE, CourseSettings("Computer architecture", late_days=5))
        await _enrol(parts, 8)
        course = RandomCourse(seed, parts, people, home)
        for _ in range(6):
            await course.change_rules()
            await course.change_times()
        happenings = (
            [course.run] * 8
            + [course.end_several_runs_at_once] * 2
            + [course.take_hint, course.change_rules, course.change_times, course.extend]
        )
        happenings += [course.adjust, course.regroup, course.regrade, course.delete]
        happenings += [course.use_late_days] * 4
        happenings += [course.merge_roster, course.come_with_other_account]
        for step in range(STEPS):
            await course.chance.choice(happenings)()
            if step % COMPARED_EVERY == COMPARED_EVERY - 1:
                await course.compare()


async def _enrol(parts: Administration, number: int) -> None:
    seats = [Seat(i, f"Student {i}", PersonIds(email=f"s{i}@example.org"), "", None) for i in range(number)]
    await parts.rosters.merge(COURSE, RosterFile(seats, "roster.csv"))
    grouped = [entry.account for entry in await parts.rosters.entries(COURSE) if entry.name < "Student 3"]
    async with parts.database.write_transaction() as connection:
        await connection.execute(update(MEMBERS).where(MEMBERS.c.account.in_(grouped)).values(team="north"))
