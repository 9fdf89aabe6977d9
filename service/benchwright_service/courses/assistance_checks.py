"""Checks of help by models in records of attempts, kept so that a page of a whole course has them at once."""

from __future__ import annotations

import asyncio
import logging
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Row, func, select

from benchwright_attempts.log.log import EventLog
from benchwright_foundation.database import Database
from benchwright_problems.assistance import DatedAssistance
from benchwright_service.courses.courses import Courses
from benchwright_service.storage.tables import ASSIGNMENTS, ASSISTANCE_CHECKS, ATTEMPTS_HELD, RUNS
from benchwright_teaching.assistance_check import AssistanceChecked, check_assistance

logger = logging.getLogger(__name__)

AccountAndAssignment = tuple[str, str]
"""Account and assignment."""


@dataclass(frozen=True)
class CourseChecks:
    """Checks of help by models in a course."""

    found: Mapping[AccountAndAssignment, Mapping[str, Sequence[AssistanceChecked]]]
    """By problem, one for each attempt that was checked."""
    waiting: int = 0
    """Attempts that have new runs and were not checked yet."""

    def disallowed_character_count(self, account: str, assignment: str, problem: str = "") -> int:
        """Characters of models that the assignment did not allow, of one problem or of all."""
        return sum(check.characters for check in self._checks_of(account, assignment, problem))

    def has_unreported_text(self, account: str, assignment: str, problem: str = "") -> bool:
        """True if an editor did not report where text came from."""
        return any(not check.is_reported for check in self._checks_of(account, assignment, problem))

    def table_cell(self, account: str, assignment: str) -> str:
        """For a file: characters, `not reported`, or nothing if nothing was checked."""
        count = self.disallowed_character_count(account, assignment)
        if count:
            return str(count)
        if self.has_unreported_text(account, assignment):
            return "not reported"
        return "0" if self._checks_of(account, assignment, "") else ""

    def _checks_of(self, account: str, assignment: str, problem: str) -> Sequence[AssistanceChecked]:
        of_problems = self.found.get((account, assignment), {})
        chosen_checks = of_problems.values() if not problem else [of_problems.get(problem, ())]
        return [check for checks in chosen_checks for check in checks]


class AssistanceChecks:
    """Makes and keeps them.

    Args:
        database: Database of the service.
        log: The service's.
        courses: Know what assignments said.
    """

    def __init__(self, database: Database, log: EventLog, courses: Courses) -> None:
        self._database = database
        self._log = log
        self._courses = courses
        self._going: dict[tuple[str, frozenset[str] | None], asyncio.Task[None]] = {}

    async def close(self) -> None:
        """Ends what runs; what it has not come to is checked when it is wanted again."""
        for task in self._going.values():
            task.cancel()
        await asyncio.gather(*self._going.values(), return_exceptions=True)

    async def checks_of_course(
        self, course: str, longest_wait_s: float, accounts: Collection[str] | None = None
    ) -> CourseChecks:
        """Returns the checks of a course; attempts with runs since the last check are checked first.

        Args:
            course: Its id.
            longest_wait_s: Longest time to wait, in seconds; the checks go on in the background.
            accounts: Students whose attempts are checked. None for all.
        """
        rules = await self._courses.assistance_rules_by_assignment(course)
        if not rules:
            return CourseChecks({})
        subject = course, None if accounts is None else frozenset(accounts)
        going = self._going.get(subject)
        if going is None:
            checking = self._check_and_keep_outdated(course, rules, accounts)
            going = self._going[subject] = asyncio.create_task(checking)
            going.add_done_callback(lambda _: self._going.pop(subject, None))
        await asyncio.wait({going}, timeout=longest_wait_s)
        course_checks: dict[AccountAndAssignment, dict[str, list[AssistanceChecked]]] = defaultdict(
            lambda: defaultdict(list)
        )
        waiting_count = 0
        for row in await self._attempt_rows(course, rules, accounts):
            waiting_count += _is_check_outdated(row, rules)
            if row.found is not None:
                attempt_check = AssistanceChecked.model_validate_json(row.found)
                course_checks[row.account, row.assignment][row.problem.partition("/")[2]].append(attempt_check)
        return CourseChecks(course_checks, waiting_count)

    async def check_of_attempt(self, course: str, assignment: str, attempt: str) -> AssistanceChecked | None:
        """Returns what the record of an attempt says now; None if its assignment says nothing of help."""
        history = (await self._courses.assistance_rules_by_assignment(course)).get(assignment)
        if history is None:
            return None
        query = select(ATTEMPTS_HELD.c.clock_difference_s).where(ATTEMPTS_HELD.c.attempt == attempt)
        async with self._database.read_transaction() as connection:
            difference = (await connection.execute(query)).scalar_one()
        return await asyncio.to_thread(self._check_record, attempt, history, difference)

    def _check_record(
        self, attempt: str, dated_rules: Sequence[DatedAssistance], clock_difference_s: float
    ) -> AssistanceChecked:
        return check_assistance(self._log.events(attempt), dated_rules, clock_difference_s)

    async def _check_and_keep_outdated(
        self,
        course: str,
        rules_by_assignment: Mapping[str, Sequence[DatedAssistance]],
        accounts: Collection[str] | None,
    ) -> None:
        for row in await self._attempt_rows(course, rules_by_assignment, accounts):
            if not _is_check_outdated(row, rules_by_assignment):
                continue
            try:
                history = rules_by_assignment[row.assignment]
                attempt_check = await asyncio.to_thread(
                    self._check_record, row.attempt, history, row.clock_difference_s
                )
                values = {"runs": row.asked, "rules": len(history), "found": attempt_check.model_dump_json()}
                upsert = self._database.insert_into(ASSISTANCE_CHECKS).values(values | {"attempt": row.attempt})
                upsert = upsert.on_conflict_do_update(index_elements=["attempt"], set_=values)
                async with self._database.write_transaction() as connection:
                    await connection.execute(upsert)
            except Exception:
                # One that was deleted meanwhile, or that can't be read: the others are checked all the same.
                logger.exception("an attempt's record can't be checked")

    async def _attempt_rows(
        self,
        course: str,
        rules_by_assignment: Mapping[str, Sequence[DatedAssistance]],
        accounts: Collection[str] | None,
    ) -> Sequence[Row[Any]]:
        """The attempts at these assignments, each with what is known of it and how many runs it has asked for."""
        conditions = [ATTEMPTS_HELD.c.assignment.in_(rules_by_assignment)]
        if accounts is not None:
            conditions.append(ATTEMPTS_HELD.c.account.in_(accounts))
        asked_runs = (
            select(RUNS.c.attempt, func.count().label("asked"))
            .join(ATTEMPTS_HELD, ATTEMPTS_HELD.c.attempt == RUNS.c.attempt)
            .where(*conditions)
            .group_by(RUNS.c.attempt)
            .subquery()
        )
        check_columns = ASSISTANCE_CHECKS.c
        query = (
            select(ATTEMPTS_HELD, asked_runs.c.asked, check_columns.found, check_columns.runs, check_columns.rules)
            .join(ASSIGNMENTS, ASSIGNMENTS.c.id == ATTEMPTS_HELD.c.assignment)
            .join(asked_runs, asked_runs.c.attempt == ATTEMPTS_HELD.c.attempt)
            .outerjoin(ASSISTANCE_CHECKS, check_columns.attempt == ATTEMPTS_HELD.c.attempt)
            .where(ASSIGNMENTS.c.course == course, *conditions)
            .order_by(ATTEMPTS_HELD.c.created)
        )
        async with self._database.read_transaction() as connection:
            return (await connection.execute(query)).all()


def _is_check_outdated(attempt_row: Row[Any], rules_by_assignment: Mapping[str, Sequence[DatedAssistance]]) -> bool:
    return bool(
        attempt_row.found is None
        or attempt_row.runs != attempt_row.asked
        or attempt_row.rules != len(rules_by_assignment[attempt_row.assignment])
    )
