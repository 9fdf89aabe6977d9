"""Questions as their authors see them: written, changed, sent to reviewers, withdrawn."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import ColumnElement, Row, Select, func, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from benchwright_authoring.written_question import WrittenQuestion
from benchwright_foundation.database import Database
from benchwright_service.accounts.accounts import DELETED
from benchwright_service.errors import BenchServiceError
from benchwright_service.questions.figures import DAY_S, keep_figures, read_pictures_by_digest
from benchwright_service.questions.pictures import UploadedPicture
from benchwright_service.questions.tables import CALLS, QUESTIONS, VERSIONS
from benchwright_service.storage.tables import ACCOUNTS, COURSES, moment

QUESTIONS_PER_DAY = 20
"""Largest number of questions that one person may begin in a course within a day."""
VERSIONS_PER_DAY = 200
"""Largest number of versions of all their questions."""

FEWEST_REVIEWERS = 2
"""People who review a version, and a third where they differ."""
MOST_REVIEWERS = 3
"""All of them review it, and the majority decides."""


class QuestionState(StrEnum):
    """State of a question."""

    DRAFT = "draft"
    REVIEW = "in review"
    RETURNED = "returned"
    """Reviewers did not accept it; the author may change it and send it again."""
    ACCEPTED = "accepted"
    WITHDRAWN = "withdrawn"


CHANGEABLE = frozenset({QuestionState.DRAFT, QuestionState.RETURNED})
"""States in which an author can change a question."""
TWINNED = frozenset({QuestionState.DRAFT, QuestionState.ACCEPTED})
"""States in which an author can begin a question without options from it."""


@dataclass(frozen=True)
class QuestionCall:
    """That a course collects questions."""

    title: str
    license: str
    opens: datetime | None = None
    closes: datetime | None = None
    published: int = 0
    """Number of times that the pack was published."""
    canary: str = ""
    """Of the pack."""
    reviewers: int = FEWEST_REVIEWERS
    """Number of people who review what is sent from now on."""

    def is_open(self, current_time: float) -> bool:
        """True if questions are taken, at a time in seconds since 1970."""
        opens = self.opens is None or self.opens.timestamp() <= current_time
        return opens and (self.closes is None or current_time < self.closes.timestamp())


@dataclass(frozen=True)
class VersionedQuestion:
    """A question with its newest version."""

    id: str
    author: str
    """Empty for somebody who was deleted, and for nobody."""
    name: str
    """The author's, or where it was taken from."""
    credited: bool
    state: QuestionState
    number: int
    content: WrittenQuestion
    submitted: datetime | None
    decided: datetime | None
    published: int | None = None
    """The first version of the pack that has it."""
    reviewers: int = FEWEST_REVIEWERS
    """Number of people who review this version."""
    origin: str = ""
    """Source that it was taken from; empty if its author wrote it here."""


class Questions:
    """Keeps the questions of courses.

    Args:
        database: Database of the service.
        clock: Seconds since 1970.
    """

    def __init__(self, database: Database, clock: Callable[[], float] = time.time) -> None:
        self._database = database
        self._now = clock

    async def find_call(self, course: str) -> QuestionCall | None:
        """Returns what the course collects; None if it collects no questions."""
        async with self._database.read_transaction() as connection:
            row = (await connection.execute(select(CALLS).where(CALLS.c.course == course))).one_or_none()
        return _call_of_row(row) if row is not None else None

    async def open_or_change_call(self, course: str, call: QuestionCall) -> None:
        """Has a course collect questions from now on, or changes how.

        Raises:
            BenchServiceError: Something is missing, or authors have agreed to another licence.
        """
        if not call.title or not call.license:
            raise BenchServiceError("the pack needs a title and a licence")
        if call.opens is not None and call.closes is not None and call.closes <= call.opens:
            raise BenchServiceError("it closes before it opens; change one of the two")
        if not FEWEST_REVIEWERS <= call.reviewers <= MOST_REVIEWERS:
            raise BenchServiceError(f"a question has {FEWEST_REVIEWERS} or {MOST_REVIEWERS} reviewers")
        values: dict[str, Any] = {"title": call.title, "license": call.license, "reviewers": call.reviewers}
        values |= {"opens": call.opens and call.opens.timestamp(), "closes": call.closes and call.closes.timestamp()}
        async with self._database.write_transaction() as connection:
            await lock_course(connection, course)
            known_license = (await connection.execute(select(CALLS.c.license).where(CALLS.c.course == course))).scalar()
            first_question = (
                await connection.execute(select(QUESTIONS.c.id).where(QUESTIONS.c.course == course))
            ).first()
            if known_license is not None and known_license != call.license and first_question is not None:
                raise BenchServiceError(
                    f"authors have agreed to {known_license}; the licence can't be another one any more"
                )
            update_outcome = await connection.execute(update(CALLS).where(CALLS.c.course == course).values(values))
            if update_outcome.rowcount == 0:
                values |= {"course": course, "published": 0, "canary": str(uuid.uuid4())}
                await connection.execute(insert(CALLS).values(values))

    def is_open(self, call: QuestionCall | None) -> bool:
        """True if questions are taken now."""
        return call is not None and call.is_open(self._now())

    async def create_draft(
        self,
        course: str,
        author: str,
        content: WrittenQuestion,
        pictures: Sequence[UploadedPicture] = (),
        *,
        credited: bool,
    ) -> str:
        """A new draft; returns its id.

        Raises:
            BenchServiceError: The course takes no questions now, or the author began too many, or sent too many
                pictures, today.
        """
        async with self._database.write_transaction() as connection:
            return await self._create_draft(connection, course, author, content, pictures, credited=credited)

    async def begin_free_text_twin(self, course: str, question: str, author: str) -> str:
        """A new draft that asks the same as a multiple-choice question of the author's, without options; its id.

        Raises:
            BenchServiceError: The question is none of theirs that can have a twin, or see `create_draft`.
        """
        async with self._database.write_transaction() as connection:
            await lock_course(connection, course)
            original = await _newest_question(connection, course, question)
            if original is None or original.author != author or original.state not in TWINNED:
                raise BenchServiceError("you have no such draft or accepted question")
            try:
                content = original.content.free_response_twin(question)
            except ValueError as error:
                raise BenchServiceError(str(error)) from error
            contents = await read_pictures_by_digest(connection, {question: content})
            pictures = [UploadedPicture(contents[figure.sha256], figure.media_type) for figure in content.figures]
            return await self._create_draft(
                connection, course, author, content, pictures, credited=original.credited, twin_of=question
            )

    async def _create_draft(
        self,
        connection: AsyncConnection,
        course: str,
        author: str,
        content: WrittenQuestion,
        pictures: Sequence[UploadedPicture],
        *,
        credited: bool,
        twin_of: str = "",
    ) -> str:
        current_time = self._now()
        name = new_question_id()
        today = select(func.count()).where(
            QUESTIONS.c.course == course, QUESTIONS.c.author == author, QUESTIONS.c.created > current_time - DAY_S
        )
        await lock_course(connection, course)
        await require_open_call(connection, course, current_time)
        if (await connection.execute(today)).scalar_one() >= QUESTIONS_PER_DAY:
            raise BenchServiceError(f"you began {QUESTIONS_PER_DAY} questions today; begin the next one tomorrow")
        row: dict[str, Any] = {"id": name, "course": course, "author": author, "credited": int(credited)}
        row |= {"created": current_time, "state": QuestionState.DRAFT.value, "number": 1, "twin_of": twin_of}
        await connection.execute(insert(QUESTIONS).values(row))
        await connection.execute(insert(VERSIONS).values(version_row(name, 1, content, current_time)))
        await keep_figures(connection, name, author, content, pictures, current_time)
        return name

    async def add_version(
        self,
        course: str,
        question: str,
        author: str,
        content: WrittenQuestion,
        pictures: Sequence[UploadedPicture] = (),
        *,
        credited: bool,
    ) -> None:
        """Makes a new version; its figures are among the pictures, or were there before.

        Raises:
            BenchServiceError: The question is not theirs to change now, or the change is too much for a day.
        """
        async with self._database.write_transaction() as connection:
            # Two windows of one author wait for each other here.
            await lock_course(connection, course)
            await require_open_call(connection, course, self._now())
            question_row = await _lock_and_read_question(connection, course, question, author)
            if QuestionState(question_row.state) not in CHANGEABLE:
                raise BenchServiceError(f"the question is {question_row.state} and can't be changed")
            today = (
                select(func.count())
                .select_from(VERSIONS.join(QUESTIONS, QUESTIONS.c.id == VERSIONS.c.question))
                .where(QUESTIONS.c.author == author, VERSIONS.c.at > self._now() - DAY_S)
            )
            if (await connection.execute(today)).scalar_one() >= VERSIONS_PER_DAY:
                raise BenchServiceError(f"you saved {VERSIONS_PER_DAY} versions today; go on tomorrow")
            number = question_row.number + 1
            condition = QUESTIONS.c.id == question
            await connection.execute(
                update(QUESTIONS).where(condition).values(number=number, credited=int(credited), decided=None)
            )
            await connection.execute(insert(VERSIONS).values(version_row(question, number, content, self._now())))
            await keep_figures(connection, question, author, content, pictures, self._now())

    async def submit_for_review(self, course: str, question: str, author: str) -> None:
        """Sends the newest version to reviewers.

        Raises:
            BenchServiceError: The question is none of theirs that can be sent now.
        """
        async with self._database.write_transaction() as connection:
            await require_open_call(connection, course, self._now())
            question_row = await _lock_and_read_question(connection, course, question, author)
            # Those who returned a version have decided about it.
            if question_row.state == QuestionState.RETURNED and question_row.decided is not None:
                raise BenchServiceError("this version was returned; change it before you send it again")
            if QuestionState(question_row.state) not in CHANGEABLE:
                raise BenchServiceError(f"the question is {question_row.state} already")
            values = {"state": QuestionState.REVIEW.value, "submitted": self._now()}
            await connection.execute(update(QUESTIONS).where(QUESTIONS.c.id == question).values(values))
            reviewers = select(CALLS.c.reviewers).where(CALLS.c.course == course).scalar_subquery()
            conditions = VERSIONS.c.question == question, VERSIONS.c.number == question_row.number
            await connection.execute(update(VERSIONS).where(*conditions).values(reviewers=reviewers))

    async def withdraw(self, course: str, question: str, author: str) -> None:
        """Takes a question back.

        Raises:
            BenchServiceError: The question is none of theirs, or published already.
        """
        async with self._database.write_transaction() as connection:
            question_row = await _lock_and_read_question(connection, course, question, author)
            if question_row.published is not None:
                raise BenchServiceError("the question is published, and people work on it; ask the course's staff")
            values = {"state": QuestionState.WITHDRAWN.value, "decided": self._now()}
            await connection.execute(update(QUESTIONS).where(QUESTIONS.c.id == question).values(values))

    async def find_question(self, course: str, question: str) -> VersionedQuestion | None:
        """A question of a course."""
        async with self._database.read_transaction() as connection:
            return await _newest_question(connection, course, question)

    async def earlier_versions(self, question: VersionedQuestion) -> Mapping[int, WrittenQuestion]:
        """The versions before the one at hand by their numbers, newest first."""
        query = select(VERSIONS.c.number, VERSIONS.c.content).order_by(VERSIONS.c.number.desc())
        query = query.where(VERSIONS.c.question == question.id, VERSIONS.c.number < question.number)
        async with self._database.read_transaction() as connection:
            rows = (await connection.execute(query)).all()
        return {row.number: WrittenQuestion.model_validate_json(row.content) for row in rows}

    async def authored_questions(self, course: str, author: str) -> Sequence[VersionedQuestion]:
        """Somebody's questions, newest first."""
        return await self._questions_where(QUESTIONS.c.course == course, QUESTIONS.c.author == author)

    async def accepted_questions(self, course: str) -> Sequence[VersionedQuestion]:
        """The accepted ones, in the order of their acceptance."""
        accepted_condition = QUESTIONS.c.state == QuestionState.ACCEPTED.value
        selected_questions = await self._questions_where(QUESTIONS.c.course == course, accepted_condition)
        return sorted(
            selected_questions,
            key=lambda question: (question.decided.timestamp() if question.decided is not None else 0.0, question.id),
        )

    async def returned_pack_questions(self, course: str) -> Sequence[VersionedQuestion]:
        """Returned ones that no person wrote, and so nobody changes here."""
        returned_condition = QUESTIONS.c.state == QuestionState.RETURNED.value
        return await self._questions_where(
            QUESTIONS.c.course == course, QUESTIONS.c.author.is_(None), returned_condition
        )

    async def pictures_by_digest(self, version_by_question: Mapping[str, WrittenQuestion]) -> Mapping[str, bytes]:
        """The pictures of versions, by their SHA-256.

        Args:
            version_by_question: The versions, by their questions.
        """
        async with self._database.read_transaction() as connection:
            return await read_pictures_by_digest(connection, version_by_question)

    async def _questions_where(self, *query_conditions: ColumnElement[bool]) -> Sequence[VersionedQuestion]:
        async with self._database.read_transaction() as connection:
            rows = (await connection.execute(newest_versions_query().where(*query_conditions))).all()
        return [versioned_question_of_row(row) for row in rows]


async def require_open_call(connection: AsyncConnection, course: str, current_time: float) -> None:
    """Makes sure that a course takes questions at a time.

    Raises:
        BenchServiceError: The course takes no questions then, or it is archived.
    """
    query = select(CALLS).join(COURSES, COURSES.c.id == CALLS.c.course)
    query = query.where(CALLS.c.course == course, COURSES.c.archived.is_(None))
    row = (await connection.execute(query)).one_or_none()
    if row is None or not _call_of_row(row).is_open(current_time):
        raise BenchServiceError("the course takes no questions now")


def newest_versions_query() -> Select[Any]:
    """Questions with their newest version and author, newest question first."""
    newest_condition = (VERSIONS.c.question == QUESTIONS.c.id) & (VERSIONS.c.number == QUESTIONS.c.number)
    return (
        select(QUESTIONS, VERSIONS.c.content, VERSIONS.c.reviewers, ACCOUNTS.c.name)
        .join(VERSIONS, newest_condition)
        .outerjoin(ACCOUNTS, ACCOUNTS.c.id == QUESTIONS.c.author)
        .order_by(QUESTIONS.c.created.desc(), QUESTIONS.c.id)
    )


def versioned_question_of_row(newest_version_row: Row[Any]) -> VersionedQuestion:
    """A row of `newest_versions_query`."""
    return VersionedQuestion(
        newest_version_row.id,
        newest_version_row.author or "",
        newest_version_row.name or newest_version_row.origin or DELETED,
        bool(newest_version_row.credited),
        QuestionState(newest_version_row.state),
        newest_version_row.number,
        WrittenQuestion.model_validate_json(newest_version_row.content),
        moment(newest_version_row.submitted),
        moment(newest_version_row.decided),
        newest_version_row.published,
        newest_version_row.reviewers,
        newest_version_row.origin,
    )


async def _newest_question(connection: AsyncConnection, course: str, question: str) -> VersionedQuestion | None:
    conditions = QUESTIONS.c.course == course, QUESTIONS.c.id == question
    row = (await connection.execute(newest_versions_query().where(*conditions))).one_or_none()
    return versioned_question_of_row(row) if row is not None else None


async def _lock_and_read_question(connection: AsyncConnection, course: str, question: str, author: str) -> Row[Any]:
    """The question, which nobody else changes until the transaction ends."""
    query = select(QUESTIONS).where(QUESTIONS.c.id == question, QUESTIONS.c.course == course)
    row = (await connection.execute(query.where(QUESTIONS.c.author == author).with_for_update())).one_or_none()
    if row is None:
        raise BenchServiceError("you have no such question")
    return row


async def lock_course(connection: AsyncConnection, course: str) -> None:
    """Two who change one course at once wait for each other here."""
    await connection.execute(update(COURSES).where(COURSES.c.id == course).values(title=COURSES.c.title))


def new_question_id() -> str:
    """An id for a question."""
    return f"q-{uuid.uuid4().hex[:12]}"


def version_row(question: str, version_number: int, content: WrittenQuestion, current_time: float) -> dict[str, Any]:
    """A row of a new version."""
    return {"question": question, "number": version_number, "content": content.model_dump_json(), "at": current_time}


def _call_of_row(call_row: Row[Any]) -> QuestionCall:
    return QuestionCall(
        call_row.title,
        call_row.license,
        moment(call_row.opens),
        moment(call_row.closes),
        call_row.published,
        call_row.canary,
        call_row.reviewers,
    )
