"""Courses, and what they ask for: who may work on which problem, until when, and what is shown of it."""

from __future__ import annotations

import asyncio
import json
import time
import uuid
from collections.abc import Callable, Collection, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Row, and_, insert, select, update
from sqlalchemy.exc import IntegrityError

from benchwright_judges.database import Database
from benchwright_judges.service.refusals import Kind, RefusalError
from benchwright_problems.errors import UnknownProblemError
from benchwright_problems.problem import Pack, Problem, Reveal, digest
from benchwright_problems.store import Store
from benchwright_remote.messages import AssignmentView, PublicPack
from benchwright_service.errors import BenchServiceError
from benchwright_service.tables import ASSIGNMENTS, ATTEMPTS_HELD, COURSES, EXTENSIONS, MEMBERS, PLACES, moment
from benchwright_teaching.points import Times, times_of


class Courses:
    """Makes and finds courses and assignments.

    Args:
        database: Of the service.
        store: Has the packs.
        now: Seconds since 1970.
    """

    def __init__(self, database: Database, store: Store, now: Callable[[], float] = time.time) -> None:
        self._database = database
        self._store = store
        self._now = now
        self._digests: dict[str, tuple[Pack, str]] = {}

    async def create(self, course: str, title: str) -> None:
        """Makes a course.

        Raises:
            BenchServiceError: There is one of this name.
        """
        row = {"id": course, "title": title, "created": self._now()}
        try:
            async with self._database.writing() as connection:
                await connection.execute(insert(COURSES).values(row))
        except IntegrityError:
            raise BenchServiceError(f"there is a course {course!r} already; choose another name") from None

    async def archive(self, course: str, *, restore: bool = False) -> None:
        """Ends a course: it can be read from now on, and nothing of it changes; or has it go on.

        Raises:
            BenchServiceError: There is no such course.
        """
        ended = update(COURSES).where(COURSES.c.id == course).values(archived=None if restore else self._now())
        async with self._database.writing() as connection:
            if (await connection.execute(ended)).rowcount != 1:
                raise _no_course(course)

    async def demand(self, course: str) -> None:
        """Makes sure that there is a course, and that it is not a study's.

        Raises:
            BenchServiceError: It is not so.
        """
        wanted = select(COURSES.c.id).where(COURSES.c.id == course, COURSES.c.id.not_in(select(PLACES.c.study)))
        async with self._database.reading() as connection:
            if (await connection.execute(wanted)).scalar() is None:
                raise _no_course(course)

    async def assign(
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
    ) -> str:
        """Makes an assignment; returns its id.

        Raises:
            BenchServiceError: There is no such course, pack or problem.
        """
        try:
            known = await asyncio.to_thread(self._store.public, pack)
        except UnknownProblemError as error:
            raise BenchServiceError(str(error)) from error
        unknown = set(problems or ()) - {problem.id for problem in known.problems}
        if unknown:
            raise BenchServiceError(
                f"pack {pack!r} has no problem {min(unknown)!r}; `benchwright problems list {pack}`"
            )
        row = {
            "id": uuid.uuid4().hex,
            "course": course,
            "title": title or known.title,
            "pack": pack,
            "problems": json.dumps(list(problems)) if problems is not None else None,
            "opens": opens and opens.timestamp(),
            "due": due and due.timestamp(),
            "closes": closes and closes.timestamp(),
            "most_runs": most_runs,
            "reveal": reveal and reveal.value,
            "created": self._now(),
        }
        async with self._database.writing() as connection:
            if (await connection.execute(select(COURSES.c.id).where(COURSES.c.id == course))).scalar() is None:
                raise _no_course(course)
            await connection.execute(insert(ASSIGNMENTS).values(row))
        return str(row["id"])

    async def of(
        self, account: str, *, studies: bool = False, only: str | None = None, archived: bool = False
    ) -> Sequence[AssignmentView]:
        """The assignments that somebody may see, by course and in the order in which they were made.

        Args:
            account: Who.
            studies: Whether those of studies are among them, which nobody works on outside their study.
            only: The id of one; None for all.
            archived: Whether those of archived courses are among them, which nobody works on.
        """
        mine = and_(EXTENSIONS.c.assignment == ASSIGNMENTS.c.id, EXTENSIONS.c.account == account)
        wanted = (
            select(ASSIGNMENTS, EXTENSIONS.c.due.label("own_due"), EXTENSIONS.c.closes.label("own_closes"))
            .join(MEMBERS, MEMBERS.c.course == ASSIGNMENTS.c.course)
            .join(COURSES, COURSES.c.id == ASSIGNMENTS.c.course)
            .outerjoin(EXTENSIONS, mine)
            .where(MEMBERS.c.account == account)
            .where(ASSIGNMENTS.c.opens.is_(None) | (ASSIGNMENTS.c.opens <= self._now()))
            .order_by(ASSIGNMENTS.c.course, ASSIGNMENTS.c.created, ASSIGNMENTS.c.id)
        )
        if not archived:
            wanted = wanted.where(COURSES.c.archived.is_(None))
        if only is not None:
            wanted = wanted.where(ASSIGNMENTS.c.id == only)
        if not studies:
            wanted = wanted.where(ASSIGNMENTS.c.course.not_in(select(PLACES.c.study)))
        async with self._database.reading() as connection:
            rows = (await connection.execute(wanted)).all()
        return [await self._view(row, Times(moment(row.own_due), moment(row.own_closes))) for row in rows]

    async def all_of(self, course: str) -> Sequence[AssignmentView]:
        """All assignments of a course, also those that have not opened yet, in the order in which they were made."""
        wanted = (
            select(ASSIGNMENTS).where(ASSIGNMENTS.c.course == course).order_by(ASSIGNMENTS.c.created, ASSIGNMENTS.c.id)
        )
        async with self._database.reading() as connection:
            rows = (await connection.execute(wanted)).all()
        return [await self._view(row) for row in rows]

    async def open_to(self, account: str, assignment: str) -> AssignmentView:
        """An assignment that somebody may work on now.

        Raises:
            RefusalError: There is none for them, or it is closed.
        """
        found = next(iter(await self.of(account, studies=True, only=assignment)), None)
        if found is None:
            raise RefusalError(Kind.NOT_FOUND, "There is no such assignment.", "List the assignments again.")
        if found.closes is not None and found.closes.timestamp() < self._now():
            raise RefusalError(
                Kind.CONFLICT, "The assignment is closed.", "Ask the course's staff for an extension if you need one."
            )
        return found

    def pack_names(self) -> Sequence[str]:
        """The packs that can be assigned. Waits for the disk."""
        return self._store.pack_names()

    async def problem(self, pack: str, problem: str) -> Problem:
        """The public part of a problem that an assignment names."""
        found, _ = await self._public(pack)
        return next(one for one in found.problems if one.id == problem)

    async def most_shown(self, attempt: str) -> Reveal | None:
        """The most that the assignment of an attempt shows of a verdict. None if it says nothing."""
        wanted = (
            select(ASSIGNMENTS.c.reveal)
            .join(ATTEMPTS_HELD, ATTEMPTS_HELD.c.assignment == ASSIGNMENTS.c.id)
            .where(ATTEMPTS_HELD.c.attempt == attempt)
        )
        async with self._database.reading() as connection:
            found = (await connection.execute(wanted)).scalar()
        return Reveal(found) if found is not None else None

    async def pack(self, account: str, name: str) -> PublicPack:
        """The public part of a pack, as far as somebody has it to work on.

        Raises:
            RefusalError: They have nothing of it.
        """
        mine = [one for one in await self.of(account, studies=True) if one.pack == name]
        if not mine:
            raise RefusalError(Kind.NOT_FOUND, "There is no such pack.", "List the assignments again.")
        allowed = {problem for one in mine for problem in one.problems}
        pack, _ = await self._public(name)
        shown = pack.model_copy(update={"problems": tuple(one for one in pack.problems if one.id in allowed)})
        return PublicPack(digest=_digest(shown), pack=shown)

    async def _view(self, row: Row[Any], extension: Times | None = None) -> AssignmentView:
        pack, pack_digest = await self._public(row.pack)
        times = times_of(Times(moment(row.due), moment(row.closes)), extension)
        return AssignmentView(
            id=row.id,
            course=row.course,
            title=row.title,
            pack=row.pack,
            pack_digest=pack_digest,
            problems=tuple(json.loads(row.problems) if row.problems else (problem.id for problem in pack.problems)),
            opens=moment(row.opens),
            due=times.due,
            closes=times.closes,
            most_runs=row.most_runs,
            reveal=row.reveal,
        )

    async def _public(self, name: str) -> tuple[Pack, str]:
        pack = await asyncio.to_thread(self._store.public, name)
        known = self._digests.get(name)
        # The store returns the same object until the pack changes; a built-in one never does.
        if known is None or (known[0] is not pack and known[0] != pack):
            known = self._digests[name] = (pack, await asyncio.to_thread(_digest, pack))
        return known


def _no_course(course: str) -> BenchServiceError:
    return BenchServiceError(f"there is no course {course!r}; `benchwright course create` makes one")


def _digest(pack: Pack) -> str:
    return digest([problem.public_digest for problem in pack.problems])
