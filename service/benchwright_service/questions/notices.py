"""Notices to people: decisions about their questions, publication, and reviews that they have left."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from sqlalchemy import ColumnElement, ScalarSelect, delete, func, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from benchwright_authoring.written_question import WrittenQuestion
from benchwright_foundation.database import Database
from benchwright_service.questions.tables import NOTICES, QUESTIONS, REVIEWS, VERSIONS
from benchwright_service.questions.writing import QuestionState
from benchwright_service.storage.tables import COURSES, MEMBERS, moment

MOST_NOTICES = 200
"""Of one person; older ones make room."""
_LEFT_S = 3_600.0
"""After this long, a review that was begun counts as left."""


class NoticeKind(StrEnum):
    """Kind of event that a notice is about."""

    ACCEPTED = "accepted"
    RETURNED = "returned"
    PUBLISHED = "published"
    LEFT = "left"
    """They began to review a question and have not decided; it is gone once they have."""


@dataclass(frozen=True)
class Notice:
    """One of somebody's."""

    id: str
    """Empty for a review that was left: it can't be marked as read."""
    kind: NoticeKind
    course: str
    course_title: str
    question: str
    title: str
    """The question's; empty for one of others."""
    at: datetime | None
    is_new: bool


class Notices:
    """Reads notices and marks them as read.

    Args:
        database: Database of the service.
        clock: Seconds since 1970.
    """

    def __init__(self, database: Database, clock: Callable[[], float] = time.time) -> None:
        self._database = database
        self._now = clock

    async def notices_of(self, account: str) -> Sequence[Notice]:
        """Somebody's, those that wait for them first, then newest first."""
        left_query = (
            select(REVIEWS.c.begun, COURSES.c.id, COURSES.c.title)
            .join(QUESTIONS, _newest_version_condition())
            .join(COURSES, COURSES.c.id == QUESTIONS.c.course)
            .join(MEMBERS, (MEMBERS.c.course == COURSES.c.id) & (MEMBERS.c.account == account))
            .where(*_abandoned_review_conditions(account, self._now()), COURSES.c.archived.is_(None))
            .order_by(REVIEWS.c.begun)
        )
        noted = (
            select(NOTICES, COURSES.c.title, VERSIONS.c.content)
            .join(COURSES, COURSES.c.id == NOTICES.c.course)
            .join(MEMBERS, (MEMBERS.c.course == COURSES.c.id) & (MEMBERS.c.account == account))
            .join(QUESTIONS, QUESTIONS.c.id == NOTICES.c.question)
            .join(VERSIONS, (VERSIONS.c.question == QUESTIONS.c.id) & (VERSIONS.c.number == QUESTIONS.c.number))
            .where(NOTICES.c.account == account)
            .order_by(NOTICES.c.at.desc(), NOTICES.c.id)
        )
        async with self._database.read_transaction() as connection:
            waiting_rows = (await connection.execute(left_query)).all()
            rows = (await connection.execute(noted)).all()
        return [
            *(Notice("", NoticeKind.LEFT, row.id, row.title, "", "", moment(row.begun), True) for row in waiting_rows),
            *(
                Notice(
                    row.id,
                    NoticeKind(row.kind),
                    row.course,
                    row.title,
                    row.question,
                    WrittenQuestion.model_validate_json(row.content).title,
                    moment(row.at),
                    row.seen is None,
                )
                for row in rows
            ),
        ]

    async def mark_read(self, account: str, notices: Sequence[str]) -> None:
        """Marks those of somebody's as read that they have seen; what came since stays new."""
        conditions = NOTICES.c.account == account, NOTICES.c.seen.is_(None), NOTICES.c.id.in_(notices)
        async with self._database.write_transaction() as connection:
            await connection.execute(update(NOTICES).where(*conditions).values(seen=self._now()))


async def add_notice_if_account(
    connection: AsyncConnection, kind: NoticeKind, account: str | None, course: str, question: str, current_time: float
) -> None:
    """Notes something for somebody, in the transaction that does it.

    Args:
        connection: Connection in that transaction.
        kind: Kind of the notice.
        account: Account that gets it; nobody if None.
        course: Course in which it happened.
        question: The question that it is about.
        current_time: Seconds since 1970.
    """
    if account is None:
        return
    row = {"id": uuid.uuid4().hex, "account": account, "course": course, "question": question, "kind": kind.value}
    await connection.execute(insert(NOTICES).values(row | {"at": current_time}))
    kept_notices = select(NOTICES.c.id).where(NOTICES.c.account == account).order_by(NOTICES.c.at.desc(), NOTICES.c.id)
    old_conditions = NOTICES.c.account == account, NOTICES.c.id.not_in(kept_notices.limit(MOST_NOTICES))
    await connection.execute(delete(NOTICES).where(*old_conditions))


def unread_count_column(account: ColumnElement[str], current_time: float) -> ColumnElement[int]:
    """Number of new notices and left reviews of an account, as a column of another query."""
    new_count: ScalarSelect[int] = (
        select(func.count())
        .select_from(
            NOTICES.join(MEMBERS, (MEMBERS.c.course == NOTICES.c.course) & (MEMBERS.c.account == NOTICES.c.account))
        )
        .where(NOTICES.c.account == account, NOTICES.c.seen.is_(None))
        .correlate_except(NOTICES, MEMBERS)
        .scalar_subquery()
    )
    left_count: ScalarSelect[int] = (
        select(func.count())
        .select_from(
            REVIEWS.join(QUESTIONS, _newest_version_condition()).join(
                MEMBERS, (MEMBERS.c.course == QUESTIONS.c.course) & (MEMBERS.c.account == REVIEWS.c.reviewer)
            )
        )
        .where(*_abandoned_review_conditions(account, current_time))
        .correlate_except(REVIEWS, QUESTIONS, MEMBERS)
        .scalar_subquery()
    )
    return new_count + left_count


def _newest_version_condition() -> ColumnElement[bool]:
    return (QUESTIONS.c.id == REVIEWS.c.question) & (QUESTIONS.c.number == REVIEWS.c.number)


def _abandoned_review_conditions(
    account: str | ColumnElement[str], current_time: float
) -> tuple[ColumnElement[bool], ...]:
    return (
        REVIEWS.c.reviewer == account,
        REVIEWS.c.decided.is_(None),
        REVIEWS.c.begun < current_time - _LEFT_S,
        QUESTIONS.c.state == QuestionState.REVIEW.value,
    )
