"""Courses, and what they ask for: who may work on which problem, until when, and what is shown of it."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import time
import uuid
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cache
from typing import Any

from pydantic import TypeAdapter
from sqlalchemy import ColumnElement, Row, Select, String, and_, bindparam, func, insert, select, update
from sqlalchemy.exc import IntegrityError

from benchwright_foundation.database import Database
from benchwright_foundation.refusals import RefusalError, RefusalKind
from benchwright_problems.aids import Aid
from benchwright_problems.assistance import Assistance, DatedAssistance
from benchwright_problems.errors import UnknownProblemError
from benchwright_problems.problem import Pack, Problem, digest
from benchwright_problems.repository.tree import TreeError
from benchwright_problems.reveal import Reveal, reveal_explanation
from benchwright_problems.storage.store import Store
from benchwright_problems.test_groups import TestGroup
from benchwright_remote.messages import AssignmentView, PublicPack
from benchwright_service.errors import BenchServiceError
from benchwright_service.mail.mail_kinds import MailKind
from benchwright_service.mail.queueing import Occasion, queue_notices
from benchwright_service.points.kept_worth import recompute_worth
from benchwright_service.points.worth import CoursePart, column_values_of_grading_rules
from benchwright_service.storage.tables import (
    ASSIGNMENTS,
    ATTEMPTS_HELD,
    COURSES,
    EXTENSIONS,
    LATE_DAYS,
    MEMBERS,
    PLACES,
    RECORDING_CHOICES,
    moment,
)
from benchwright_teaching.points import AssignmentTimes, GradingRules, student_times
from benchwright_teaching.reveal_phases import RevealPhases

logger = logging.getLogger(__name__)

_RULED = TypeAdapter(tuple[DatedAssistance, ...])


@dataclass(frozen=True)
class AssignmentRules:
    """Rules of an assignment that the staff of a course may change at any time."""

    title: str = ""
    """Title of the assignment; if empty, the title of the pack."""
    opens: datetime | None = None
    due: datetime | None = None
    closes: datetime | None = None
    most_runs: int | None = None
    reveal: RevealPhases = field(default_factory=RevealPhases)
    assistance: Assistance | None = None
    """None if nothing is said."""
    aids: frozenset[Aid] | None = None
    """None for all."""

    def check(self) -> None:
        """Makes sure that they fit each other.

        Raises:
            BenchServiceError: The rules don't fit each other.
        """
        if self.due is not None and self.closes is not None and self.closes < self.due:
            raise BenchServiceError("an assignment does not close before it is due; change one of the two")

    @property
    def column_values(self) -> dict[str, Any]:
        """As the table has them, without title and assistance."""
        return {
            "opens": self.opens and self.opens.timestamp(),
            "due": self.due and self.due.timestamp(),
            "closes": self.closes and self.closes.timestamp(),
            "most_runs": self.most_runs,
            "reveal": self.reveal.before_due,
            "reveal_after_due": self.reveal.after_due,
            "reveal_after_closing": self.reveal.after_closing,
            "aids": json.dumps([aid.value for aid in Aid if aid in self.aids]) if self.aids is not None else None,
        }


class Courses:
    """Makes and finds courses and assignments.

    Args:
        database: Database of the service.
        store: Has the packs.
        clock: Seconds since 1970.
    """

    def __init__(self, database: Database, store: Store, clock: Callable[[], float] = time.time) -> None:
        self._database = database
        self._store = store
        self._now = clock
        self._digests: dict[str, tuple[Pack, str]] = {}

    async def create(self, course: str, title: str) -> None:
        """Makes a course.

        Raises:
            BenchServiceError: A course of this name exists.
        """
        row = {"id": course, "title": title, "created": self._now()}
        try:
            async with self._database.write_transaction() as connection:
                await connection.execute(insert(COURSES).values(row))
        except IntegrityError:
            raise BenchServiceError(f"there is a course {course!r} already; choose another name") from None

    async def archive_or_restore(self, course: str, *, restore: bool = False) -> None:
        """Ends a course: it can be read from now on, and nothing of it changes; or has it go on.

        Raises:
            BenchServiceError: No such course exists.
        """
        archive_update = update(COURSES).where(COURSES.c.id == course).values(archived=None if restore else self._now())
        async with self._database.write_transaction() as connection:
            if (await connection.execute(archive_update)).rowcount != 1:
                raise _no_course_error(course)

    async def require_course(self, course: str) -> None:
        """Makes sure that there is a course, and that it is not a study's.

        Raises:
            BenchServiceError: No such course exists, or it is a study's.
        """
        query = select(COURSES.c.id).where(COURSES.c.id == course, COURSES.c.id.not_in(select(PLACES.c.study)))
        async with self._database.read_transaction() as connection:
            if (await connection.execute(query)).scalar() is None:
                raise _no_course_error(course)

    async def make_assignment(
        self,
        course: str,
        pack: str,
        *,
        title: str = "",
        problems: Collection[str] | None = None,
        opens: datetime | None = None,
        due: datetime | None = None,
        closes: datetime | None = None,
        most_runs: int | None = None,
        reveal: Reveal | None = None,
        reveal_after_due: Reveal | None = None,
        reveal_after_closing: Reveal | None = None,
        assistance: Assistance | None = None,
        aids: Collection[Aid] | None = None,
        grading: GradingRules | None = None,
    ) -> str:
        """Makes an assignment; returns its id.

        Raises:
            BenchServiceError: No such course, pack or problem exists, or the assignment closes before it is due.
        """
        known_pack = await self.require_pack_with_problems(pack, problems or ())
        phases = RevealPhases(reveal, reveal_after_due, reveal_after_closing)
        rules = AssignmentRules(title, opens, due, closes, most_runs, phases, assistance, _aids_or_all(aids))
        rules.check()
        row = {
            "id": uuid.uuid4().hex,
            "course": course,
            "title": title or known_pack.title,
            "pack": pack,
            "problems": json.dumps(list(problems)) if problems is not None else None,
            "assistance": _RULED.dump_json((DatedAssistance(since=None, rule=assistance),)).decode()
            if assistance
            else None,
            "created": self._now(),
            **rules.column_values,
            **column_values_of_grading_rules(grading or GradingRules()),
        }
        async with self._database.write_transaction() as connection:
            if (await connection.execute(select(COURSES.c.id).where(COURSES.c.id == course))).scalar() is None:
                raise _no_course_error(course)
            await connection.execute(insert(ASSIGNMENTS).values(row))
        return str(row["id"])

    async def require_pack_with_problems(self, pack: str, problems: Collection[str]) -> Pack:
        """A pack of this machine, if it has these problems, or all if none is named, to hand out.

        Raises:
            BenchServiceError: It does not, or there is no such pack.
        """
        try:
            known_pack = await asyncio.to_thread(self._store.public_pack, pack)
        except UnknownProblemError as error:
            raise BenchServiceError(str(error)) from error
        unknown_problems = set(problems) - {problem.id for problem in known_pack.problems}
        if unknown_problems:
            raise BenchServiceError(
                f"pack {pack!r} has no problem {min(unknown_problems)!r}; `benchwright problems list {pack}`"
            )
        return known_pack

    async def change_assignment(self, course: str, assignment: str, rules: AssignmentRules) -> None:
        """Changes an assignment; what it says of help by models holds for what is written from now on.

        Raises:
            BenchServiceError: The course has no such assignment, or it closes before it is due.
        """
        rules.check()
        conditions = ASSIGNMENTS.c.id == assignment, ASSIGNMENTS.c.course == course
        async with self._database.write_transaction() as connection:
            row = (await connection.execute(select(ASSIGNMENTS).where(*conditions).with_for_update())).one_or_none()
            if row is None:
                raise BenchServiceError(f"the course {course!r} has no assignment {assignment!r}")
            history = parsed_assistance_rules(row.assistance)
            if (history[-1].rule if history else None) != rules.assistance:
                # Whoever has begun has read the rule before this one: it stays, for what was written under it.
                history = (*history, DatedAssistance(since=self._now(), rule=rules.assistance))
            values = {"title": rules.title or row.title, "assistance": _RULED.dump_json(history).decode()}
            await connection.execute(update(ASSIGNMENTS).where(*conditions).values(values | rules.column_values))
            if (row.due, row.closes) != (rules.column_values["due"], rules.column_values["closes"]):
                await recompute_worth(connection, CoursePart(course, [assignment]))
                if _is_open(row.opens, self._now()) and _is_open(rules.column_values["opens"], self._now()):
                    moved = Occasion(MailKind.MOVED, course, assignment)
                    await queue_notices(self._database, connection, moved, self._now())

    async def assistance_rules_by_assignment(self, course: str) -> dict[str, Sequence[DatedAssistance]]:
        """Rules on help by models of a course's assignments, oldest first; without those that never had any."""
        query = select(ASSIGNMENTS.c.id, ASSIGNMENTS.c.assistance).where(ASSIGNMENTS.c.course == course)
        async with self._database.read_transaction() as connection:
            rows = (await connection.execute(query)).all()
        return {row.id: history for row in rows if (history := parsed_assistance_rules(row.assistance))}

    async def visible_assignments(
        self,
        account: str,
        *,
        include_studies: bool = False,
        only_assignment: str | None = None,
        include_archived: bool = False,
    ) -> Sequence[AssignmentView]:
        """The assignments that somebody may see, by course and in the order in which they were made.

        Args:
            account: Account that asks.
            include_studies: True to include the assignments of studies, which nobody works on outside their study.
            only_assignment: The id of one; None for all.
            include_archived: True to include the assignments of archived courses, which nobody works on.
        """
        query = _visible_assignments_query(
            includes_studies=include_studies,
            includes_archived=include_archived,
            has_one_assignment=only_assignment is not None,
        )
        values = {"reader": account, "present": self._now()}
        if only_assignment is not None:
            values["wanted"] = only_assignment
        async with self._database.read_transaction() as connection:
            rows = (await connection.execute(query, values)).all()
        packs_and_digests = await self._packs_and_digests_by_name(rows)
        return [
            _assignment_view(
                row,
                packs_and_digests[row.pack],
                AssignmentTimes(moment(row.own_due), moment(row.own_closes)),
                row.own_late_days or 0,
                records_less=bool(row.asks_recording and not row.agrees_to_recording),
            )
            for row in rows
        ]

    async def all_assignments(self, course: str) -> Sequence[AssignmentView]:
        """All assignments of a course, also those that have not opened yet, in the order in which they were made."""
        query = (
            select(ASSIGNMENTS).where(ASSIGNMENTS.c.course == course).order_by(ASSIGNMENTS.c.created, ASSIGNMENTS.c.id)
        )
        async with self._database.read_transaction() as connection:
            rows = (await connection.execute(query)).all()
        packs_and_digests = await self._packs_and_digests_by_name(rows)
        return [_assignment_view(row, packs_and_digests[row.pack]) for row in rows]

    async def assignment_of_course(self, course: str, assignment: str) -> AssignmentView | None:
        """One of them, with its own times. None if the course has none of this id."""
        query = select(ASSIGNMENTS).where(ASSIGNMENTS.c.course == course, ASSIGNMENTS.c.id == assignment)
        async with self._database.read_transaction() as connection:
            row = (await connection.execute(query)).one_or_none()
        return _assignment_view(row, await self._pack_and_digest(row.pack)) if row is not None else None

    async def require_open_assignment(self, account: str, assignment: str) -> AssignmentView:
        """An assignment that somebody may work on now.

        Raises:
            RefusalError: The account has no such assignment, or it is closed.
        """
        view = next(
            iter(await self.visible_assignments(account, include_studies=True, only_assignment=assignment)), None
        )
        if view is None:
            raise RefusalError(RefusalKind.NOT_FOUND, "There is no such assignment.", "List the assignments again.")
        if view.closes is not None and view.closes.timestamp() < self._now():
            raise RefusalError(
                RefusalKind.CONFLICT,
                "The assignment is closed.",
                "Ask the course's staff for an extension if you need one.",
            )
        return view

    def pack_names(self) -> Sequence[str]:
        """The packs that can be assigned. Waits for the disk."""
        return self._store.pack_names()

    async def assignable_pack(self, pack: str) -> Pack:
        """The public part of a pack that can be assigned.

        Raises:
            UnknownProblemError: There is no such pack.
        """
        return (await self._pack_and_digest(pack))[0]

    async def public_problem(self, pack: str, problem: str) -> Problem:
        """The public part of a problem that an assignment names.

        Raises:
            UnknownProblemError: Its pack was replaced by one without it.
        """
        return await asyncio.to_thread(self._store.problem, f"{pack}/{problem}")

    async def problem_titles(self, packs: Iterable[str]) -> Mapping[tuple[str, str], str]:
        """Titles of problems, by pack and problem; a pack that is not there any more has none."""

        def read_titles() -> dict[tuple[str, str], str]:
            titles: dict[tuple[str, str], str] = {}
            for pack in set(packs):
                with contextlib.suppress(UnknownProblemError):
                    titles |= {(pack, problem.id): problem.title for problem in self._store.public_pack(pack).problems}
            return titles

        return await asyncio.to_thread(read_titles)

    async def test_groups_by_problem(self, pack: str) -> Mapping[str, Sequence[TestGroup]]:
        """The groups of hidden tests of a pack's problems, by problem; none of a pack that is not there any more."""
        try:
            problems = (await asyncio.to_thread(self._store.public_pack, pack)).problems
        except UnknownProblemError:
            return {}
        return {problem.id: problem.public.test_groups for problem in problems if problem.public.test_groups}

    async def explanation_if_over(self, pack: str, problem: str, assignments: Sequence[AssignmentView]) -> str:
        """The author's explanation of a problem's solution, for whom every assignment of it has closed; else empty.

        Args:
            pack: Name of the pack.
            problem: Id of the problem.
            assignments: The assignments of the problem that somebody has, with this person's times; none for the staff.
        """
        present = datetime.fromtimestamp(self._now(), UTC)
        is_over = all(view.closes is not None and view.closes < present for view in assignments)
        return await asyncio.to_thread(
            reveal_explanation, lambda: self._store.unseal(f"{pack}/{problem}").hidden.explanation, is_work_over=is_over
        )

    async def reveal_limit_now(self, attempt: str) -> Reveal | None:
        """The most that the assignment of an attempt shows of a verdict now. None if it says nothing."""
        own_extension = and_(
            EXTENSIONS.c.assignment == ASSIGNMENTS.c.id, EXTENSIONS.c.account == ATTEMPTS_HELD.c.account
        )
        query = (
            select(ASSIGNMENTS, *_extension_and_late_day_columns(ATTEMPTS_HELD.c.account))
            .join(ATTEMPTS_HELD, ATTEMPTS_HELD.c.assignment == ASSIGNMENTS.c.id)
            .outerjoin(EXTENSIONS, own_extension)
            .where(ATTEMPTS_HELD.c.attempt == attempt)
        )
        async with self._database.read_transaction() as connection:
            row = (await connection.execute(query)).one_or_none()
        return (
            self._present_reveal_limit(
                row, AssignmentTimes(moment(row.own_due), moment(row.own_closes)), row.own_late_days or 0
            )
            if row is not None
            else None
        )

    def _present_reveal_limit(
        self, assignment_row: Row[Any], extension: AssignmentTimes | None, late_days: int
    ) -> Reveal | None:
        usual_times = AssignmentTimes(moment(assignment_row.due), moment(assignment_row.closes))
        deadlines = student_times(usual_times, extension, late_days)
        return reveal_phases_of_row(assignment_row).policy_at(datetime.fromtimestamp(self._now(), UTC), deadlines)

    async def public_pack(self, account: str, pack_name: str) -> PublicPack:
        """The public part of a pack, as far as somebody has it to work on.

        Raises:
            RefusalError: The account has nothing of the pack.
        """
        assignments = [
            view for view in await self.visible_assignments(account, include_studies=True) if view.pack == pack_name
        ]
        if not assignments:
            raise RefusalError(RefusalKind.NOT_FOUND, "There is no such pack.", "List the assignments again.")
        allowed = {problem for assignment in assignments for problem in assignment.problems}
        pack, _ = await self._pack_and_digest(pack_name)
        shown_pack = pack.model_copy(
            update={"problems": tuple(pack_problem for pack_problem in pack.problems if pack_problem.id in allowed)}
        )
        return PublicPack(digest=_pack_digest(shown_pack), pack=shown_pack)

    async def packed_tree(self, account: str, pack_name: str, tree_id: str) -> bytes:
        """The files of a repository problem that somebody has to work on, packed.

        Raises:
            RefusalError: The account has no problem of this pack that starts with them, or they are not here.
        """
        shown_pack = (await self.public_pack(account, pack_name)).pack
        trees = (problem.public.tree for problem in shown_pack.problems)
        tree = next((tree for tree in trees if tree is not None and tree.id == tree_id), None)
        try:
            if tree is not None:
                return await asyncio.to_thread(tree.packed_as_zip)
        except TreeError:
            logger.exception("the files of a repository of %s can't be read", pack_name)
        raise RefusalError(RefusalKind.NOT_FOUND, "There is no such repository.", "List the assignments again.")

    async def _packs_and_digests_by_name(self, assignment_rows: Sequence[Row[Any]]) -> Mapping[str, tuple[Pack, str]]:
        """The packs of assignments with their digests, by name; each once, since most courses have a few."""
        return {name: await self._pack_and_digest(name) for name in {row.pack for row in assignment_rows}}

    async def _pack_and_digest(self, pack_name: str) -> tuple[Pack, str]:
        pack = await asyncio.to_thread(self._store.public_pack, pack_name)
        known_digest = self._digests.get(pack_name)
        # The store returns the same object until the pack changes; a built-in one never does.
        if known_digest is None or (known_digest[0] is not pack and known_digest[0] != pack):
            known_digest = self._digests[pack_name] = (pack, await asyncio.to_thread(_pack_digest, pack))
        return known_digest


@cache
def _visible_assignments_query(
    *, includes_studies: bool, includes_archived: bool, has_one_assignment: bool
) -> Select[Any]:
    """The assignments that `reader` may see at `present`; `wanted` alone, if it is of one.

    Made once: making it takes longer than asking, and each run and page asks.
    """
    reader_account = bindparam("reader", type_=String())
    own_extension = and_(EXTENSIONS.c.assignment == ASSIGNMENTS.c.id, EXTENSIONS.c.account == reader_account)
    own_choice = and_(RECORDING_CHOICES.c.course == COURSES.c.id, RECORDING_CHOICES.c.account == reader_account)
    query = (
        select(
            ASSIGNMENTS,
            *_extension_and_late_day_columns(reader_account),
            COURSES.c.asks_recording,
            RECORDING_CHOICES.c.agrees.label("agrees_to_recording"),
        )
        .join(MEMBERS, MEMBERS.c.course == ASSIGNMENTS.c.course)
        .join(COURSES, COURSES.c.id == ASSIGNMENTS.c.course)
        .outerjoin(EXTENSIONS, own_extension)
        .outerjoin(RECORDING_CHOICES, own_choice)
        .where(MEMBERS.c.account == reader_account)
        .where(ASSIGNMENTS.c.opens.is_(None) | (ASSIGNMENTS.c.opens <= bindparam("present")))
        .order_by(ASSIGNMENTS.c.course, ASSIGNMENTS.c.created, ASSIGNMENTS.c.id)
    )
    if not includes_archived:
        query = query.where(COURSES.c.archived.is_(None))
    if has_one_assignment:
        query = query.where(ASSIGNMENTS.c.id == bindparam("wanted"))
    if not includes_studies:
        query = query.where(ASSIGNMENTS.c.course.not_in(select(PLACES.c.study)))
    return query


def _assignment_view(
    assignment_row: Row[Any],
    pack_and_digest: tuple[Pack, str],
    extension: AssignmentTimes | None = None,
    late_days: int = 0,
    *,
    records_less: bool = False,
) -> AssignmentView:
    pack, pack_digest = pack_and_digest
    usual_times = AssignmentTimes(moment(assignment_row.due), moment(assignment_row.closes))
    deadlines = student_times(usual_times, extension, late_days)
    return AssignmentView(
        id=assignment_row.id,
        course=assignment_row.course,
        title=assignment_row.title,
        pack=assignment_row.pack,
        pack_digest=pack_digest,
        problems=tuple(
            json.loads(assignment_row.problems)
            if assignment_row.problems
            else (problem.id for problem in pack.problems)
        ),
        opens=moment(assignment_row.opens),
        due=deadlines.due,
        closes=deadlines.closes,
        most_runs=assignment_row.most_runs,
        reveal=assignment_row.reveal,
        reveal_after_due=assignment_row.reveal_after_due,
        reveal_after_closing=assignment_row.reveal_after_closing,
        assistance=history[-1].rule if (history := parsed_assistance_rules(assignment_row.assistance)) else None,
        aids=tuple(Aid(aid) for aid in json.loads(assignment_row.aids)) if assignment_row.aids is not None else None,
        records_less=records_less,
    )


def _extension_and_late_day_columns(account: ColumnElement[str]) -> Sequence[ColumnElement[Any]]:
    """The extension of an account for an assignment that a query joins, and the late days that it has used there."""
    late_days = (
        select(func.sum(LATE_DAYS.c.days))
        .where(LATE_DAYS.c.assignment == ASSIGNMENTS.c.id, LATE_DAYS.c.account == account)
        .correlate_except(LATE_DAYS)
        .scalar_subquery()
    )
    return (
        EXTENSIONS.c.due.label("own_due"),
        EXTENSIONS.c.closes.label("own_closes"),
        late_days.label("own_late_days"),
    )


def _is_open(opens: float | None, current_time: float) -> bool:
    return opens is None or opens <= current_time


def _aids_or_all(aids: Collection[Aid] | None) -> frozenset[Aid] | None:
    return frozenset(aids) if aids is not None else None


def parsed_assistance_rules(column_json: str | None) -> tuple[DatedAssistance, ...]:
    """Rules of an assignment on help by models, oldest first, from its column."""
    return _RULED.validate_json(column_json) if column_json else ()


def reveal_phases_of_row(assignment_row: Row[Any]) -> RevealPhases:
    """Parts of verdicts that an assignment shows, by phase."""
    phase_names = (assignment_row.reveal, assignment_row.reveal_after_due, assignment_row.reveal_after_closing)
    return RevealPhases(*(Reveal(phase_name) if phase_name else None for phase_name in phase_names))


def _no_course_error(course: str) -> BenchServiceError:
    return BenchServiceError(f"there is no course {course!r}; `benchwright course create` makes one")


def _pack_digest(pack: Pack) -> str:
    return digest([problem.public_digest for problem in pack.problems])
