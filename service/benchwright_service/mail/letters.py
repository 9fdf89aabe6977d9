"""Letters of notices that are due: what they say now, which is neither points nor anything of a problem."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

from sqlalchemy import Row, select
from sqlalchemy.ext.asyncio import AsyncConnection

from benchwright_service.grades.grade_history import count_waiting_appeals
from benchwright_service.mail.mail_choices import email_column
from benchwright_service.mail.mail_kinds import MailKind, kinds_of_column
from benchwright_service.mail.turn_off import PATH, turn_off_token
from benchwright_service.points.worth import AssignmentWorth, CoursePart, work_out_worth
from benchwright_service.storage.tables import (
    ACCOUNTS,
    ASSIGNMENTS,
    COURSES,
    MEMBERS,
    UNWANTED_MAIL,
)
from benchwright_teaching.local_times import is_zone, zone_of, zoned_time_text
from benchwright_teaching.points import AssignmentTimes

CHOICES_PATH = "/notices/mail"
_TEXT = """\
Hello {name},

{paragraphs}

--
This is about the course {course} at {address}.
No more mail of this kind: {turn_off}
All kinds of mail: {choices}
"""
_DATED = frozenset({MailKind.OPENED, MailKind.MOVED, MailKind.NEAR, MailKind.EXTENDED})
"""Kinds that say when an assignment is due."""


@dataclass(frozen=True)
class _Wording:
    subject: str
    """Of one assignment, which is `{title}`, or of one appeal."""
    subject_of_several: str
    sentence: str


_WORDINGS = {
    MailKind.OPENED: _Wording("“{title}” is open", "{count} assignments are open", "“{title}” is open."),
    MailKind.MOVED: _Wording(
        "other dates of “{title}”", "other dates of {count} assignments", "“{title}” has other dates than before."
    ),
    MailKind.NEAR: _Wording(
        "“{title}” is due soon",
        "{count} assignments are due soon",
        "“{title}” is due soon, and nothing counts for it yet.",
    ),
    MailKind.GRADED: _Wording(
        "the grade of “{title}” is there",
        "the grades of {count} assignments are there",
        "The grade of “{title}” is there, or is another one than before.",
    ),
    MailKind.ANSWERED: _Wording(
        "your appeal about “{title}” is answered",
        "your appeals about {count} assignments are answered",
        "Your appeal about “{title}” is answered.",
    ),
    MailKind.EXTENDED: _Wording(
        "more time for “{title}”", "more time for {count} assignments", "You have more time for “{title}”."
    ),
    MailKind.APPEALED: _Wording(
        "an appeal waits for an answer",
        "{count} appeals wait for an answer",
        "Appeals that wait for an answer: {count}.",
    ),
}


@dataclass(frozen=True)
class Letter:
    """A mail to one person."""

    id: str
    """Message id: the same if the same notices are sent again."""
    email: str
    subject: str
    text: str
    turn_off_address: str
    """Where this kind of mail is turned off, without signing in."""


@dataclass(frozen=True)
class _Reader:
    account: str
    name: str
    email: str
    course: str
    course_title: str
    zone: tzinfo


@dataclass(frozen=True)
class _Assignment:
    id: str
    title: str
    times: AssignmentTimes
    """Of the reader."""


class Letters:
    """Writes them.

    Args:
        service_address: Address of the service, as its users have it.
        secret: Signs the links that turn mail off.
    """

    def __init__(self, service_address: str, secret: str) -> None:
        self._address = service_address.rstrip("/")
        self._secret = secret

    async def letter_or_none(
        self, connection: AsyncConnection, notice_rows: Sequence[Row[Any]], current_time: float
    ) -> Letter | None:
        """A letter.

        Args:
            connection: Reads.
            notice_rows: Rows of the queue, of one person, course and kind.
            current_time: Seconds since 1970.

        Returns:
            None if the person does not want it or has no address, or if there is nothing to say any more.
        """
        first_notice = notice_rows[0]
        kind = MailKind(first_notice.kind)
        reader = await _reader_or_none(connection, first_notice.account, first_notice.course, kind)
        if reader is None:
            return None
        course_address = f"{self._address}/courses/{quote(reader.course)}"
        wording, title = _WORDINGS[kind], ""
        if kind is MailKind.APPEALED:
            count = await count_waiting_appeals(connection, reader.course)
            paragraphs = [f"{wording.sentence.format(count=count)}\n{course_address}/appeals"]
        else:
            subjects = [row.subject for row in notice_rows]
            told_assignments = await _assignments_to_mention(connection, reader, kind, subjects, current_time)
            count, title = len(told_assignments), told_assignments[0].title if told_assignments else ""
            paragraphs = [
                f"{_sentences(kind, told_assignment, reader.zone)}\n{course_address}/mine/{quote(told_assignment.id)}"
                for told_assignment in told_assignments
            ]
        if not count:
            return None
        subject = (wording.subject if count == 1 else wording.subject_of_several).format(title=title, count=count)
        token = turn_off_token(self._secret, reader.account, kind)
        turn_off_address = f"{self._address}{PATH}?{urlencode({'token': token})}"
        text = _TEXT.format(
            name=reader.name,
            paragraphs="\n\n".join(paragraphs),
            course=reader.course_title,
            address=self._address,
            turn_off=turn_off_address,
            choices=f"{self._address}{CHOICES_PATH}",
        )
        return Letter(
            self._message_id(notice_rows), reader.email, f"{reader.course_title}: {subject}", text, turn_off_address
        )

    def _message_id(self, notice_rows: Sequence[Row[Any]]) -> str:
        parts = [f"{row.account} {row.course} {row.kind} {row.subject} {row.number}" for row in notice_rows]
        digest = hashlib.sha256("\n".join(sorted(parts)).encode()).hexdigest()[:32]
        return f"<{digest}@{urlsplit(self._address).hostname or 'localhost'}>"


async def _reader_or_none(connection: AsyncConnection, account: str, course: str, kind: MailKind) -> _Reader | None:
    """Somebody who gets mail of a kind from a course; None if they have no address, or it is turned off."""
    is_unwanted = (
        select(UNWANTED_MAIL.c.kind)
        .where(UNWANTED_MAIL.c.account == ACCOUNTS.c.id, UNWANTED_MAIL.c.kind == kind.value)
        .exists()
    )
    query = (
        select(
            ACCOUNTS.c.name,
            ACCOUNTS.c.zone.label("reader_zone"),
            COURSES.c.title,
            COURSES.c.zone,
            COURSES.c.silenced,
            email_column(ACCOUNTS.c.id, COURSES.c.id).label("email"),
        )
        .join(MEMBERS, MEMBERS.c.account == ACCOUNTS.c.id)
        .join(COURSES, COURSES.c.id == MEMBERS.c.course)
        .where(ACCOUNTS.c.id == account, COURSES.c.id == course)
        .where(MEMBERS.c.role.in_([role.value for role in kind.roles]))
        .where(ACCOUNTS.c.disabled.is_(None), COURSES.c.archived.is_(None), ~is_unwanted)
    )
    row = (await connection.execute(query)).one_or_none()
    if row is None or not row.email or kind in kinds_of_column(row.silenced):
        return None
    zone = zone_of(row.reader_zone if is_zone(row.reader_zone) else row.zone)
    return _Reader(account, row.name, row.email, course, row.title, zone)


async def _assignments_to_mention(
    connection: AsyncConnection, reader: _Reader, kind: MailKind, subjects: Sequence[str], current_time: float
) -> Sequence[_Assignment]:
    """The assignments of which there is something to say to a student, in the order in which they were made."""
    query = (
        select(ASSIGNMENTS.c.id, ASSIGNMENTS.c.title)
        .where(ASSIGNMENTS.c.course == reader.course, ASSIGNMENTS.c.id.in_(subjects))
        .where(ASSIGNMENTS.c.opens.is_(None) | (ASSIGNMENTS.c.opens <= current_time))
        .order_by(ASSIGNMENTS.c.created, ASSIGNMENTS.c.id)
    )
    rows = (await connection.execute(query)).all()
    scope = CoursePart(reader.course, [row.id for row in rows], [reader.account])
    worth = (await work_out_worth(connection, scope)).by_student
    now = datetime.fromtimestamp(current_time, UTC)
    return [
        _Assignment(row.id, row.title, worth[reader.account, row.id].times)
        for row in rows
        if _is_worth_saying(kind, worth[reader.account, row.id], now)
    ]


def _is_worth_saying(kind: MailKind, worth: AssignmentWorth, now: datetime) -> bool:
    if kind is MailKind.NEAR:
        deadline = worth.times.due or worth.times.closes
        return deadline is not None and deadline > now and not worth.by_problem
    return kind is not MailKind.OPENED or worth.times.closes is None or worth.times.closes > now


def _sentences(kind: MailKind, assignment: _Assignment, zone: tzinfo) -> str:
    sentence = _WORDINGS[kind].sentence.format(title=assignment.title)
    if kind not in _DATED:
        return sentence
    dates = (("is due", assignment.times.due), ("closes", assignment.times.closes))
    dated = [f"It {verb} on {zoned_time_text(date, zone)}." for verb, date in dates if date is not None]
    return " ".join([sentence, *(dated or ["It has no due date."])])
