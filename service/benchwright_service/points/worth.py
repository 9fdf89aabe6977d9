"""Points worked out from runs: what counts of the students of a course, by the rules of its assignments."""

from __future__ import annotations

import asyncio
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, TypeVar

from sqlalchemy import ColumnElement, CompoundSelect, Row, select
from sqlalchemy.ext.asyncio import AsyncConnection

from benchwright_problems.verdict import Outcome
from benchwright_remote.messages import Role
from benchwright_service.errors import BenchServiceError
from benchwright_service.storage.tables import (
    ASSIGNMENTS,
    ATTEMPTS_HELD,
    EXTENSIONS,
    HINTS,
    LATE_DAYS,
    MEMBERS,
    ROSTER,
    RUNS,
    moment,
)
from benchwright_teaching.points import (
    MOST_LATE_DAYS,
    AssignmentTimes,
    CostlyHint,
    CountedRunChoice,
    DecidedRun,
    GradingRules,
    Worth,
    problem_worth,
    runs_with_hint_costs,
    student_times,
)

DECIDED = (Outcome.PASSED.value, Outcome.FAILED.value)
"""Outcomes that count."""

AccountAndAssignment = tuple[str, str]
"""Account and assignment."""
_Fact = TypeVar("_Fact", DecidedRun, CostlyHint)
_FactsByKey = Mapping[AccountAndAssignment, Mapping[str, Sequence[_Fact]]]
_AT_ONCE_IN_LOOP = 2_000
"""Runs up to which points are worked out in the event loop: a thread would take longer."""


@dataclass(frozen=True)
class CoursePart:
    """A part of a course."""

    course: str
    assignments: Collection[str] | None = None
    """None for all."""
    accounts: Collection[str] | None = None
    """Those who work together with one of them are part of it, too. None for all."""
    problem_ref: str = ""
    """`pack/id`; empty for all."""


@dataclass(frozen=True)
class AssignmentWorth:
    """The worth of a student's work in an assignment, before adjustments."""

    by_problem: Mapping[str, Worth]
    """Those that the student, or somebody of the group, has a decided run of."""
    passed: frozenset[str]
    """Problems that a run of the student's own has passed, whatever it counts."""
    times: AssignmentTimes
    is_extended: bool
    late_days: int = 0
    """Late days that the student has used."""


@dataclass(frozen=True)
class CourseWorth:
    """The worth of the work in a part of a course."""

    rules: Mapping[str, GradingRules]
    """By assignment."""
    by_student: Mapping[AccountAndAssignment, AssignmentWorth]
    """Also of those who have done nothing."""


async def work_out_worth(
    connection: AsyncConnection,
    scope: CoursePart,
    replacement_by_run: Mapping[str, tuple[Outcome, float]] = MappingProxyType({}),
    *,
    without_work_of: str = "",
) -> CourseWorth:
    """Works out the worth of a part of a course from its runs: the one rule for every number that is shown.

    Args:
        connection: Reads; what its transaction has written counts.
        scope: Part of the course.
        replacement_by_run: Outcome and share of runs, by id, as if they were these.
        without_work_of: Account whose runs and hints are left out, for its group too.
    """
    assignment_rows = (await connection.execute(select(ASSIGNMENTS).where(*_assignment_conditions(scope)))).all()
    team_by_account = await _team_by_account(connection, scope)
    dropped_teams = await dropped_team_by_account(connection, scope)
    workers = {**dropped_teams, **team_by_account}
    work_conditions: list[ColumnElement[bool]] = [ATTEMPTS_HELD.c.assignment.in_([row.id for row in assignment_rows])]
    if scope.accounts is not None:
        work_conditions.append(ATTEMPTS_HELD.c.account.in_(workers))
    if scope.problem_ref:
        work_conditions.append(ATTEMPTS_HELD.c.problem == scope.problem_ref)
    run_rows = await _run_rows(connection, work_conditions)
    hints = _costly_hints_by_key(await _hint_rows(connection, work_conditions))
    assignment_ids = [row.id for row in assignment_rows]
    extensions = await _extension_times_by_key(connection, scope, assignment_ids, team_by_account)
    late_days = await _late_days_by_key(connection, scope, assignment_ids, team_by_account)

    def by_student() -> dict[AccountAndAssignment, AssignmentWorth]:
        decided_runs = _decided_runs_by_key(run_rows, replacement_by_run)
        for facts_by_key in (decided_runs, hints):
            for key in [key for key in facts_by_key if key[0] == without_work_of]:
                del facts_by_key[key]
        groups = _group_accounts_by_account(workers)
        return {
            (account, row.id): _assignment_worth(
                row,
                decided_runs,
                hints,
                account,
                groups[account] if row.by_group else (account,),
                extensions.get((account, row.id)),
                late_days[account, row.id],
            )
            for account in team_by_account
            for row in assignment_rows
        }

    # Of a large course it takes longer than others should wait.
    worth = by_student() if len(run_rows) <= _AT_ONCE_IN_LOOP else await asyncio.to_thread(by_student)
    return CourseWorth({row.id: grading_rules_of_row(row) for row in assignment_rows}, worth)


def grading_rules_of_row(assignment_row: Row[Any]) -> GradingRules:
    """The rules by which an assignment is graded."""
    return GradingRules(
        assignment_row.points,
        CountedRunChoice(assignment_row.counting),
        bool(assignment_row.partial),
        assignment_row.late_percent,
        bool(assignment_row.by_group),
        assignment_row.graders,
        assignment_row.late_days,
    )


def column_values_of_grading_rules(grading: GradingRules) -> dict[str, Any]:
    """The rules as the table of assignments has them.

    Raises:
        BenchServiceError: A number is out of range.
    """
    if not 0 <= grading.points <= 1_000_000 or not 0 <= grading.late_percent <= 100:
        raise BenchServiceError("points go from 0 to 1,000,000, and what a late day takes from 0 to 100 percent")
    if not 0 <= grading.late_days <= MOST_LATE_DAYS:
        raise BenchServiceError(f"at most {MOST_LATE_DAYS} late days can be used for an assignment")
    if grading.graders not in (1, 2):
        raise BenchServiceError("an answer is graded by one person, or by two and a third if they differ")
    return {
        "points": grading.points,
        "counting": grading.counting.value,
        "partial": int(grading.partial),
        "late_percent": grading.late_percent,
        "by_group": int(grading.by_group),
        "graders": grading.graders,
        "late_days": grading.late_days,
    }


def _assignment_conditions(scope: CoursePart) -> list[ColumnElement[bool]]:
    conditions = [ASSIGNMENTS.c.course == scope.course]
    if scope.assignments is not None:
        conditions.append(ASSIGNMENTS.c.id.in_(scope.assignments))
    return conditions


async def _team_by_account(connection: AsyncConnection, scope: CoursePart) -> Mapping[str, str]:
    """The groups of students."""
    query = select(MEMBERS.c.account, MEMBERS.c.team).where(*_student_conditions(scope))
    if scope.accounts is not None:
        query = query.where(MEMBERS.c.account.in_(scope.accounts) | MEMBERS.c.team.in_(_teams_of_scope(scope)))
    return {row.account: row.team for row in await connection.execute(query)}


async def dropped_team_by_account(connection: AsyncConnection, scope: CoursePart) -> Mapping[str, str]:
    """The groups of students who were dropped from the roster: what they have done for a group is still the group's."""
    query = select(ROSTER.c.account, ROSTER.c.team).where(*_dropped_student_conditions(scope))
    if scope.accounts is not None:
        query = query.where(ROSTER.c.team.in_(_teams_of_scope(scope)))
    return {row.account: row.team for row in await connection.execute(query)}


def _teams_of_scope(scope: CoursePart) -> CompoundSelect[tuple[str]]:
    """The groups of the accounts that a part of a course names."""
    accounts = scope.accounts or ()
    teams = select(MEMBERS.c.team).where(
        *_student_conditions(scope), MEMBERS.c.account.in_(accounts), MEMBERS.c.team != ""
    )
    return teams.union(select(ROSTER.c.team).where(*_dropped_student_conditions(scope), ROSTER.c.account.in_(accounts)))


def _student_conditions(scope: CoursePart) -> Sequence[ColumnElement[bool]]:
    return MEMBERS.c.course == scope.course, MEMBERS.c.role == Role.PARTICIPANT.value


def _dropped_student_conditions(scope: CoursePart) -> Sequence[ColumnElement[bool]]:
    return (
        ROSTER.c.course == scope.course,
        ROSTER.c.role == Role.PARTICIPANT.value,
        ROSTER.c.dropped.is_not(None),
        ROSTER.c.team != "",
    )


async def _run_rows(connection: AsyncConnection, conditions: Sequence[ColumnElement[bool]]) -> Sequence[Row[Any]]:
    query = (
        select(
            ATTEMPTS_HELD.c.account,
            ATTEMPTS_HELD.c.assignment,
            ATTEMPTS_HELD.c.problem,
            *(RUNS.c[name] for name in ("id", "number", "queued", "outcome", "share")),
        )
        .join(RUNS, RUNS.c.attempt == ATTEMPTS_HELD.c.attempt)
        .where(*conditions)
        .where(RUNS.c.outcome != "")
    )
    return (await connection.execute(query)).all()


async def _hint_rows(connection: AsyncConnection, conditions: Sequence[ColumnElement[bool]]) -> Sequence[Row[Any]]:
    held_columns = ATTEMPTS_HELD.c
    query = (
        select(held_columns.account, held_columns.assignment, held_columns.problem, HINTS)
        .join(HINTS, HINTS.c.attempt == held_columns.attempt)
        .where(*conditions)
    )
    return (await connection.execute(query)).all()


async def _extension_times_by_key(
    connection: AsyncConnection, scope: CoursePart, assignments: Sequence[str], accounts: Collection[str]
) -> dict[AccountAndAssignment, AssignmentTimes]:
    query = select(EXTENSIONS).where(EXTENSIONS.c.assignment.in_(assignments))
    if scope.accounts is not None:
        query = query.where(EXTENSIONS.c.account.in_(accounts))
    rows = (await connection.execute(query)).all()
    return {(row.account, row.assignment): AssignmentTimes(moment(row.due), moment(row.closes)) for row in rows}


async def _late_days_by_key(
    connection: AsyncConnection, scope: CoursePart, assignments: Sequence[str], accounts: Collection[str]
) -> Counter[AccountAndAssignment]:
    query = select(LATE_DAYS.c.account, LATE_DAYS.c.assignment, LATE_DAYS.c.days)
    query = query.where(LATE_DAYS.c.assignment.in_(assignments))
    if scope.accounts is not None:
        query = query.where(LATE_DAYS.c.account.in_(accounts))
    late_days: Counter[AccountAndAssignment] = Counter()
    for row in await connection.execute(query):
        late_days[row.account, row.assignment] += row.days
    return late_days


def _decided_runs_by_key(
    run_rows: Sequence[Row[Any]], replacement_by_run: Mapping[str, tuple[Outcome, float]]
) -> dict[AccountAndAssignment, dict[str, list[DecidedRun]]]:
    """Runs by account and assignment, and by problem."""
    decided_runs: dict[AccountAndAssignment, dict[str, list[DecidedRun]]] = defaultdict(lambda: defaultdict(list))
    for row in run_rows:
        outcome, share = replacement_by_run.get(row.id, (row.outcome, row.share))
        if outcome in DECIDED:
            run = DecidedRun(row.id, moment(row.queued), outcome == Outcome.PASSED, share, number=row.number)
            decided_runs[row.account, row.assignment][row.problem.partition("/")[2]].append(run)
    return decided_runs


def _costly_hints_by_key(hint_rows: Sequence[Row[Any]]) -> dict[AccountAndAssignment, dict[str, list[CostlyHint]]]:
    hints: dict[AccountAndAssignment, dict[str, list[CostlyHint]]] = defaultdict(lambda: defaultdict(list))
    for row in hint_rows:
        hint = CostlyHint(row.number, moment(row.at), row.cost)
        hints[row.account, row.assignment][row.problem.partition("/")[2]].append(hint)
    return hints


def _group_accounts_by_account(team_by_account: Mapping[str, str]) -> Mapping[str, Sequence[str]]:
    """The accounts that work together, by each of them."""
    groups: dict[str, list[str]] = defaultdict(list)
    for account, team in team_by_account.items():
        groups[team].append(account)
    return {account: groups[team] if team else (account,) for account, team in team_by_account.items()}


def _assignment_worth(
    assignment_row: Row[Any],
    decided_runs: _FactsByKey[DecidedRun],
    hints: _FactsByKey[CostlyHint],
    account: str,
    group: Sequence[str],
    extension: AssignmentTimes | None,
    late_days: int,
) -> AssignmentWorth:
    grading_rules = grading_rules_of_row(assignment_row)
    usual_times = AssignmentTimes(moment(assignment_row.due), moment(assignment_row.closes))
    times = student_times(usual_times, extension, late_days)
    taken_hints = _facts_of_accounts(hints, group, assignment_row.id)
    worth = {
        problem: problem_worth(runs_with_hint_costs(problem_runs, taken_hints.get(problem, ())), grading_rules, times)
        for problem, problem_runs in _facts_of_accounts(decided_runs, group, assignment_row.id).items()
    }
    own_runs = decided_runs.get((account, assignment_row.id), {})
    passed = frozenset(
        problem for problem, problem_runs in own_runs.items() if any(run.is_passed for run in problem_runs)
    )
    return AssignmentWorth(worth, passed, times, extension is not None, late_days)


def _facts_of_accounts(
    facts_by_key: _FactsByKey[_Fact], accounts: Sequence[str], assignment: str
) -> Mapping[str, Sequence[_Fact]]:
    """Facts about several students, by problem."""
    problem_facts: dict[str, list[_Fact]] = defaultdict(list)
    for account in accounts:
        for problem, student_facts in facts_by_key.get((account, assignment), {}).items():
            problem_facts[problem].extend(student_facts)
    return problem_facts
