"""Hints of problems, handed out one after the other: the service has their texts, and notes who took which when."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

from sqlalchemy import func, insert, select
from sqlalchemy.exc import IntegrityError

from benchwright_attempts.errors import UnknownAttemptError
from benchwright_attempts.grading.grading import hint_text
from benchwright_attempts.state import AttemptState
from benchwright_attempts.terms import Terms
from benchwright_foundation.database import Database
from benchwright_foundation.refusals import RefusalError, RefusalKind
from benchwright_problems.aids import Aid
from benchwright_problems.hints import HintRule
from benchwright_problems.storage.store import Store
from benchwright_remote.hint_text import HintText
from benchwright_remote.messages import AssignmentView
from benchwright_service.courses.courses import Courses
from benchwright_service.evidence.evidence import EvidenceWriter
from benchwright_service.points.kept_worth import lock_assignment_and_get_course_part, recompute_worth
from benchwright_service.points.worth import DECIDED
from benchwright_service.storage.tables import HINTS, RUNS
from benchwright_service.studies.lab import Lab


class HandedHints:
    """Hands them out.

    Args:
        database: Database of the service.
        evidence: Evidence of attempts.
        store: Has the hidden parts.
        courses: Say who may work on what.
        lab: Has the plans of studies.
        clock: Seconds since 1970.
    """

    def __init__(
        self,
        database: Database,
        evidence: EvidenceWriter,
        store: Store,
        courses: Courses,
        lab: Lab,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._database = database
        self._evidence = evidence
        self._store = store
        self._courses = courses
        self._lab = lab
        self._now = clock

    async def take_hint(self, account: str, attempt: str, hint_number: int) -> HintText:
        """A hint of an attempt's problem; when this returns, that it was taken is on disk.

        One that was taken before is shown again and changes nothing.

        Raises:
            RefusalError: The attempt is not the account's, hints are not allowed, or this one can't be taken yet.
        """
        ref, assignment = await self._evidence.problem_ref_and_assignment(account, attempt)
        public = await asyncio.to_thread(self._store.problem, ref)
        rules = public.public.hints
        if not 1 <= hint_number <= len(rules):
            raise RefusalError(RefusalKind.NOT_FOUND, "The problem has no such hint.", "List the assignments again.")
        cost = await self._cost_if_taken(attempt, hint_number)
        if cost is None:
            await self._require_hints_allowed(
                account, await self._courses.require_open_assignment(account, assignment), ref
            )
            await self._require_hint_due(attempt, hint_number, rules[hint_number - 1])
            cost = await self._record_taken_and_get_cost(attempt, hint_number, rules[hint_number - 1].cost)
        unsealed_problem = await asyncio.to_thread(self._store.unseal, ref)
        return HintText(number=hint_number, text=hint_text(ref, unsealed_problem, hint_number), cost=cost)

    async def _cost_if_taken(self, attempt: str, hint_number: int) -> float | None:
        query = select(HINTS.c.cost).where(HINTS.c.attempt == attempt, HINTS.c.number == hint_number)
        async with self._database.read_transaction() as connection:
            cost: float | None = (await connection.execute(query)).scalar()
        return cost

    async def _require_hints_allowed(self, account: str, assignment: AssignmentView, problem_ref: str) -> None:
        """Makes sure that the study or the assignment allows hints, by what this service knows."""
        assigned = await self._lab.planned_terms(account, assignment.course, problem_ref)
        aids = frozenset(assignment.aids) if assignment.aids is not None else None
        terms = Terms("", assigned) if assigned is not None else Terms("", aids=aids)
        if not terms.allows_aid(Aid.HINTS):
            forbidder = "study" if assigned is not None else "assignment"
            raise RefusalError(RefusalKind.CONFLICT, f"The {forbidder} does not allow hints.", "Go on without them.")

    async def _require_hint_due(self, attempt: str, hint_number: int, rule: HintRule) -> None:
        taken_query = select(func.count()).select_from(HINTS).where(HINTS.c.attempt == attempt)
        decided_query = select(func.count()).select_from(RUNS)
        decided_query = decided_query.where(RUNS.c.attempt == attempt, RUNS.c.outcome.in_(DECIDED))
        async with self._database.read_transaction() as connection:
            taken_count = (await connection.execute(taken_query)).scalar_one()
            runs = (await connection.execute(decided_query)).scalar_one()
        if hint_number != taken_count + 1:
            raise RefusalError(RefusalKind.CONFLICT, f"Hint {taken_count + 1} comes next.", "Take the hints in order.")
        try:
            summary = await asyncio.to_thread(self._evidence.log.summary, attempt)
        except UnknownAttemptError:
            raise RefusalError(
                RefusalKind.CONFLICT, "The recording of this attempt was declined.", "Open the problem again."
            ) from None
        if summary.state is not AttemptState.RUNNING:
            raise RefusalError(RefusalKind.CONFLICT, "The attempt's clock does not run.", "Start or resume it first.")
        missing = rule.missing_condition(runs, summary.clock.active_s)
        if missing:
            raise RefusalError(
                RefusalKind.CONFLICT,
                f"Hint {hint_number} can be taken after {missing}.",
                "Go on working, and ask again.",
            )

    async def _record_taken_and_get_cost(self, attempt: str, hint_number: int, cost: float) -> float:
        row = {"attempt": attempt, "number": hint_number, "cost": cost, "at": self._now()}
        try:
            async with self._database.write_transaction() as connection:
                scope = await lock_assignment_and_get_course_part(connection, attempt)
                await connection.execute(insert(HINTS).values(row))
                if scope is not None:
                    await recompute_worth(connection, scope)
        except IntegrityError:
            # Asked for twice at once.
            return await self._cost_if_taken(attempt, hint_number) or 0.0
        return cost
