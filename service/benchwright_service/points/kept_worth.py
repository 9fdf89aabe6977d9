"""The worth of students' work as the database keeps it: changed in the transaction that changes what it follows from.

It is what `work_out_worth` works out, for all problems that have a decided run. Adjustments are no part of it.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from sqlalchemy import ColumnElement, delete, insert, or_, select, union
from sqlalchemy.ext.asyncio import AsyncConnection

from benchwright_service.points.worth import CoursePart, work_out_worth
from benchwright_service.storage.tables import ASSIGNMENTS, ATTEMPTS_HELD, MEMBERS, ROSTER, WORTH
from benchwright_teaching.points import share_before_deductions


async def lock_assignments(connection: AsyncConnection, assignments: Collection[str]) -> None:
    """Makes others who change the worth of work in these assignments wait until this transaction ends.

    Call it before anything is changed: whoever holds a run and waits for its assignment might be waited for.
    """
    query = select(ASSIGNMENTS.c.id).where(ASSIGNMENTS.c.id.in_(assignments)).order_by(ASSIGNMENTS.c.id)
    # Rows that refer to an assignment can still be added.
    await connection.execute(query.with_for_update(key_share=True))


async def lock_assignment_and_get_course_part(connection: AsyncConnection, attempt: str) -> CoursePart | None:
    """The same for the assignment of an attempt.

    Returns:
        The part of the course that the attempt's runs count in. None if the attempt was deleted.
    """
    query = (
        select(ASSIGNMENTS.c.course, ATTEMPTS_HELD.c.assignment, ATTEMPTS_HELD.c.account, ATTEMPTS_HELD.c.problem)
        .join(ATTEMPTS_HELD, ATTEMPTS_HELD.c.assignment == ASSIGNMENTS.c.id)
        .where(ATTEMPTS_HELD.c.attempt == attempt)
        .with_for_update(key_share=True, of=ASSIGNMENTS)
    )
    row = (await connection.execute(query)).one_or_none()
    return CoursePart(row.course, [row.assignment], [row.account], row.problem) if row is not None else None


async def recompute_worth(connection: AsyncConnection, scope: CoursePart) -> None:
    """Works out the worth of a part of a course again and keeps it, with that of everybody's group.

    The transaction has locked the assignments.
    """
    worth = await work_out_worth(connection, scope)
    kept_columns = WORTH.c
    conditions: list[ColumnElement[bool]] = [kept_columns.assignment.in_(worth.rules)]
    if scope.accounts is not None:
        # Also of those who are no longer students.
        accounts = {account for account, _ in worth.by_student} | {*scope.accounts}
        conditions.append(kept_columns.account.in_(accounts))
    if scope.problem_ref:
        conditions.append(kept_columns.problem == scope.problem_ref.partition("/")[2])
    await connection.execute(delete(WORTH).where(*conditions))
    rows = [
        {
            "assignment": assignment,
            "account": account,
            "problem": problem,
            "points": problem_worth.points,
            "run": problem_worth.run.id if problem_worth.run is not None else None,
            "share": None
            if problem_worth.run is None
            else share_before_deductions(problem_worth.run, worth.rules[assignment]),
            "passed": int(problem in student_worth.passed),
        }
        for (account, assignment), student_worth in worth.by_student.items()
        for problem, problem_worth in student_worth.by_problem.items()
    ]
    if rows:
        await connection.execute(insert(WORTH), rows)


async def recompute_worth_of_teams(
    connection: AsyncConnection, course: str, teams: Sequence[str], accounts: Sequence[str]
) -> None:
    """Keeps the worth of work that counts for a group, after people have joined groups or left them.

    Args:
        connection: Transaction that has moved them.
        course: Id of the course.
        teams: Groups that somebody has joined or left.
        accounts: Those who have.
    """
    grouped_query = select(ASSIGNMENTS.c.id).where(ASSIGNMENTS.c.course == course, ASSIGNMENTS.c.by_group != 0)
    grouped_assignments = (await connection.execute(grouped_query)).scalars().all()
    if not grouped_assignments:
        return
    await lock_assignments(connection, grouped_assignments)
    is_concerned = or_(MEMBERS.c.account.in_(accounts), MEMBERS.c.team.in_([team for team in teams if team]))
    members_query = select(MEMBERS.c.account).where(MEMBERS.c.course == course, is_concerned)
    members = (await connection.execute(members_query)).scalars().all()
    await recompute_worth(connection, CoursePart(course, grouped_assignments, [*members, *accounts]))


async def lock_assignments_of_courses(connection: AsyncConnection, courses: Collection[str]) -> None:
    """Does the same as `lock_assignments` for all assignments of courses."""
    query = select(ASSIGNMENTS.c.id).where(ASSIGNMENTS.c.course.in_(courses))
    await lock_assignments(connection, (await connection.execute(query)).scalars().all())


async def recompute_worth_of_people(connection: AsyncConnection, course: str, accounts: Collection[str]) -> None:
    """Keeps the worth of all that people have done in a course, and their groups with them.

    Args:
        connection: Transaction that has made them students, or made them none. It has locked the course's assignments.
        course: Id of the course.
        accounts: Their accounts.
    """
    if not accounts:
        return
    teams = union(
        *(
            select(table.c.team).where(table.c.course == course, table.c.account.in_(accounts), table.c.team != "")
            for table in (MEMBERS, ROSTER)
        )
    )
    members_query = select(MEMBERS.c.account).where(MEMBERS.c.course == course, MEMBERS.c.team.in_(teams))
    members = (await connection.execute(members_query)).scalars().all()
    await recompute_worth(connection, CoursePart(course, accounts={*members, *accounts}))
