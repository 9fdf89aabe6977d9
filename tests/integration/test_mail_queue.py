"""Notices by mail, on both databases: who gets which, once, whatever becomes of processes and of the mail server."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import update

from benchwright_foundation.home import Home
from benchwright_problems.storage.store import Store
from benchwright_service.courses.courses import AssignmentRules, Courses
from benchwright_service.courses.progress import CourseProgress
from benchwright_service.grades.grade_history import GradeHistory
from benchwright_service.grades.gradebook import Gradebooks
from benchwright_service.grades.staff_decisions import Extension, PointsAdjustment, StaffDecisions
from benchwright_service.mail.mail_choices import MailChoices
from benchwright_service.mail.mail_kinds import MailKind
from benchwright_service.mail.notice_rows import MOST_TRIES
from benchwright_service.mail.queueing import Occasion, queue_notices
from benchwright_service.points.kept_worth import recompute_worth
from benchwright_service.points.worth import CoursePart
from benchwright_service.storage.tables import ACCOUNTS, COURSES, MAILED_NOTICES, MEMBERS, ROSTER
from benchwright_studies.conduct.study_log import StudyLog
from benchwright_teaching.points import AssignmentTimes, GradingRules

from ..support.service.mail_server import MailServer, mail_server
from ..support.service.mailed_course import DAY_S, MailedCourse, recipients
from ..support.service.postgres import new_database

__all__ = ("mail_server",)

STUDENTS = ("ada", "ben", "cleo")


@pytest.fixture(params=["sqlite", "postgresql"])
async def mailed(
    request: pytest.FixtureRequest, tmp_path: Path, mail_server: MailServer
) -> AsyncIterator[MailedCourse]:
    location: Path | str = tmp_path / "service.sqlite"
    if request.param == "postgresql":
        location = new_database(request.getfixturevalue("postgres"))
    opened = await MailedCourse.opened(location, mail_server, STUDENTS)
    yield opened
    await opened.database.close()


async def queue(mailed: MailedCourse, kind: MailKind, subject: str = "sheet", *accounts: str) -> None:
    async with mailed.database.write_transaction() as connection:
        occasion = Occasion(kind, "arch", subject)
        await queue_notices(mailed.database, connection, occasion, time.time(), accounts or None)


async def test_assignments_that_open_are_told_once_in_one_mail(mailed: MailedCourse) -> None:
    await mailed.add_assignment("Sheet 1", due=datetime(2030, 1, 15, 22, 59, tzinfo=UTC).timestamp())
    await mailed.add_assignment("Sheet 2")
    await mailed.add_assignment("later", opens=time.time() + DAY_S)
    await mailed.add_assignment("long ago", created=1.0)
    await mailed.add_assignment("closed", closes=time.time() - 60)
    await mailed.look()
    mails = await mailed.deliver()
    assert recipients(mails) == [*STUDENTS]
    assert {mail["Subject"] for mail in mails} == {"Computer architecture: 2 assignments are open"}
    text = mails[0].get_content().replace("\r\n", "\n")
    assert "“Sheet 1” is open. It is due on 2030-01-15 23:59 CET.\n" in text
    assert "“Sheet 2” is open. It has no due date.\nhttps://bench.example.org/courses/arch/mine/Sheet%202\n" in text
    await mailed.look()
    assert await mailed.deliver() == []
    # Who comes a day later is told too.
    await mailed.add_person("dan", "participant")
    await mailed.look()
    assert recipients(await mailed.deliver()) == ["dan"]


async def test_a_mail_says_who_wrote_it_and_can_be_recognised(mailed: MailedCourse) -> None:
    await mailed.add_assignment("sheet", title="Sheet\r\nBcc: eve@example.org")
    await mailed.change(ACCOUNTS, zone="Asia/Tokyo")
    await queue(mailed, MailKind.EXTENDED, "sheet", "ada")
    (mail,) = await mailed.deliver()
    assert mail["Subject"] == "Computer architecture: more time for “Sheet Bcc: eve@example.org”"
    assert mailed.server.recipients == ["ada@example.org"]
    assert (mail["From"], mail["To"]) == ("bench@example.org", "ada@example.org")
    assert mail["Auto-Submitted"] == "auto-generated"
    assert mail["Date"].datetime.tzinfo is not None
    assert mail["Message-ID"].endswith("@bench.example.org>")
    assert mail["List-Unsubscribe"].startswith("<https://bench.example.org/notices/mail/off?token=ada.extended.")
    # Programs read it as it comes: an encoded word would be no address.
    assert f"\r\nList-Unsubscribe: {mail['List-Unsubscribe']}\r\n".encode() in mailed.server.sent_bytes[0]
    assert mail["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    assert mail["List-Unsubscribe"].strip("<>") in mail.get_content()
    assert mail.get_content_type() == "text/plain"


async def test_who_has_nothing_that_counts_is_reminded_a_day_before_their_own_deadline(mailed: MailedCourse) -> None:
    now = time.time()
    await mailed.add_assignment("soon", due=now + DAY_S / 2, closes=now + 9 * DAY_S, created=1.0, late_days=3)
    await mailed.add_assignment("extended", due=now - 5 * DAY_S, created=1.0)
    await mailed.add_assignment("not yet", due=now + 2 * DAY_S, created=1.0)
    await mailed.add_assignment("not open", opens=now + 60, due=now + DAY_S / 2, created=1.0)
    await mailed.add_passed_run("ada", "soon")
    decisions = StaffDecisions(mailed.database)
    tomorrow = AssignmentTimes(datetime.now(UTC) + timedelta(hours=20))
    await decisions.give_extensions("arch", [Extension("extended", "cleo", tomorrow, "ill")], "tim")
    await mailed.deliver()
    await mailed.look()
    mails = await mailed.deliver()
    assert [(str(mail["To"]), str(mail["Subject"]).partition(": ")[2]) for mail in mails] == [
        ("ben@example.org", "“soon” is due soon"),
        ("cleo@example.org", "2 assignments are due soon"),
    ]
    await mailed.look()
    assert await mailed.deliver() == []
    # Another deadline is another reminder; work that came meanwhile is none.
    await decisions.give_extensions("arch", [Extension("soon", "ben", tomorrow, "ill")], "tim")
    await decisions.give_extensions("arch", [Extension("soon", "cleo", tomorrow, "ill")], "tim")
    await mailed.deliver()
    await mailed.look()
    await mailed.add_passed_run("cleo", "soon")
    assert recipients(await mailed.deliver()) == ["ben"]


async def test_a_group_that_has_work_is_not_reminded(mailed: MailedCourse) -> None:
    await mailed.add_assignment("soon", due=time.time() + DAY_S / 2, created=1.0, by_group=1)
    async with mailed.database.write_transaction() as connection:
        await connection.execute(update(MEMBERS).where(MEMBERS.c.account != "cleo").values(team="A"))
    await mailed.add_passed_run("ada", "soon")
    await mailed.look()
    assert recipients(await mailed.deliver()) == ["cleo"]


async def test_changes_are_told_to_whom_they_concern_and_have_no_points(mailed: MailedCourse, tmp_path: Path) -> None:
    await mailed.add_assignment("sheet", created=1.0)
    await mailed.add_assignment("hidden", opens=time.time() + DAY_S)
    decisions, history = StaffDecisions(mailed.database), GradeHistory(mailed.database)
    await decisions.adjust_points("arch", [PointsAdjustment("sheet", "ada", 13.25, "a secret reason")], "tim")
    await decisions.adjust_points("arch", [PointsAdjustment("sheet", "ada", 17.5, "a secret reason")], "tim")
    (mail,) = await mailed.deliver()
    assert mail["Subject"] == "Computer architecture: the grade of “sheet” is there"
    assert not any(secret in mail.as_string() for secret in ("13.25", "17.5", "30.75", "secret"))
    await history.record_appeal("sheet", "ada", "my text")
    await history.record_appeal("sheet", "ben", "my text")
    (mail,) = await mailed.deliver()
    assert (mail["To"], mail["Subject"]) == ("tim@example.org", "Computer architecture: 2 appeals wait for an answer")
    assert "/courses/arch/appeals" in mail.get_content()
    assert not any(secret in mail.as_string() for secret in ("my text", "Ada"))
    (first_appeal, _) = await history.appeals("arch")
    await history.answer_appeal(
        first_appeal.id, "sheet", first_appeal.account, granted=True, answer_text="secret", staff_account="tim"
    )
    (mail,) = await mailed.deliver()
    assert (mail["To"], "secret" in mail.as_string()) == (f"{first_appeal.account}@example.org", False)
    courses = Courses(mailed.database, Store(Home.from_environment({"BENCHWRIGHT_HOME": str(tmp_path)})))
    for assignment in ("sheet", "hidden"):
        opens = datetime.now(UTC) + timedelta(days=1) if assignment == "hidden" else None
        await courses.change_assignment(
            "arch", assignment, AssignmentRules(opens=opens, due=datetime(2031, 1, 1, tzinfo=UTC))
        )
    mails = await mailed.deliver()
    assert recipients(mails) == [*STUDENTS]
    assert "“sheet” has other dates than before. It is due on 2031-01-01 01:00 CET." in mails[0].get_content()


async def test_of_other_rules_those_hear_whose_points_are_others(mailed: MailedCourse, tmp_path: Path) -> None:
    await mailed.add_assignment("sheet", created=1.0)
    await mailed.add_passed_run("ada", "sheet")
    async with mailed.database.write_transaction() as connection:
        await recompute_worth(connection, CoursePart("arch", ["sheet"]))
    log = StudyLog(tmp_path / "log.sqlite")
    books = Gradebooks(mailed.database, CourseProgress(mailed.database, log))
    await books.change_grading_rules("arch", "sheet", GradingRules(points=1.0, late_percent=10))
    assert await mailed.deliver() == []
    await books.change_grading_rules("arch", "sheet", GradingRules(points=3.0))
    assert recipients(await mailed.deliver()) == ["ada"]
    log.close()


async def test_who_does_not_want_it_has_no_address_or_is_gone_gets_nothing(mailed: MailedCourse) -> None:
    await mailed.add_assignment("sheet", created=1.0)
    await mailed.add_person("dan", "participant", email="")
    await mailed.add_person("eve", "participant", email="no address at all")
    mail_choices = MailChoices(mailed.database)
    await mail_choices.turn_off("ada", [MailKind.GRADED])
    await mail_choices.turn_off("nobody", [MailKind.GRADED])
    await queue(mailed, MailKind.GRADED)
    assert recipients(await mailed.deliver()) == ["ben", "cleo"]
    assert {row.account: row.tries for row in await mailed.notice_rows() if row.due is not None} == {"eve": 1}
    await queue(mailed, MailKind.ANSWERED)
    assert recipients(await mailed.deliver()) == ["ada", "ben", "cleo"]
    async with mailed.database.write_transaction() as connection:
        await connection.execute(update(ROSTER).where(ROSTER.c.account == "ben").values(dropped=1.0))
        await connection.execute(MEMBERS.delete().where(MEMBERS.c.account == "ben"))
        await connection.execute(update(ACCOUNTS).where(ACCOUNTS.c.id == "cleo").values(disabled=1.0))
    await queue(mailed, MailKind.ANSWERED)
    assert recipients(await mailed.deliver()) == ["ada"]
    await queue(mailed, MailKind.ANSWERED)
    await mailed.change(COURSES, silenced="answered graded")
    assert await mailed.deliver() == []
    await mailed.change(COURSES, silenced="")
    await queue(mailed, MailKind.ANSWERED)
    await mailed.change(COURSES, archived=1.0)
    assert await mailed.deliver() == []
    await queue(mailed, MailKind.ANSWERED)
    assert (await mailed.size()).waiting == 0


async def test_without_a_mail_server_nothing_is_queued(mailed: MailedCourse) -> None:
    await mailed.timed.record_has_mail_server(has_mail_server=False)
    await mailed.add_assignment("sheet", due=time.time() + 60)
    await queue(mailed, MailKind.GRADED)
    await mailed.timed.queue_due_notices_if_time()
    assert await mailed.notice_rows() == []


async def test_several_processes_send_each_notice_once(mailed: MailedCourse) -> None:
    await mailed.add_assignment("sheet", created=1.0)
    names = [f"s{number:03}" for number in range(57)]
    for name in names:
        await mailed.add_person(name, "participant")
    await queue(mailed, MailKind.GRADED)
    await mailed.make_due()
    mailed.server.clear()

    async def deliver_all() -> None:
        mailer = mailed.mailer()
        while await mailer.try_to_deliver_some():
            pass

    await asyncio.gather(*(deliver_all() for _ in range(3)))
    assert recipients(mailed.server.mails) == sorted([*STUDENTS, *names])
    assert len({mail["Message-ID"] for mail in mailed.server.mails}) == mailed.sent_count == 60


async def test_what_changes_while_a_mail_is_on_its_way_is_another_mail(mailed: MailedCourse) -> None:
    await mailed.add_assignment("sheet", created=1.0)
    await queue(mailed, MailKind.GRADED, "sheet", "ada")
    await mailed.make_due()
    taken = await mailed.notices.claim()
    assert await mailed.notices.claim() == ()
    await queue(mailed, MailKind.GRADED, "sheet", "ada")
    await mailed.notices.mark_sent(taken)
    (row,) = await mailed.notice_rows()
    assert (row.number, row.lease) == (2, "") and row.due > time.time() + 60
    # What was not taken yet says the newest already.
    await queue(mailed, MailKind.GRADED, "sheet", "ada")
    assert len(await mailed.deliver()) == 1
    assert await mailed.deliver() == []


async def test_a_process_that_dies_leaves_its_notices_to_another_with_the_same_id(mailed: MailedCourse) -> None:
    await mailed.add_assignment("sheet", created=1.0)
    await queue(mailed, MailKind.GRADED, "sheet", "ada")
    await mailed.make_due()
    await mailed.notices.claim()
    assert await mailed.deliver() == []
    await mailed.change(MAILED_NOTICES, lease_until=1.0)
    (mail,) = await mailed.deliver()
    # As if it had died between the mail and the note of it.
    await mailed.change(MAILED_NOTICES, due=1.0)
    (again,) = await mailed.deliver()
    assert again["Message-ID"] == mail["Message-ID"]


async def test_while_the_mail_server_is_away_notices_wait_longer_each_time_and_are_given_up_in_the_end(
    mailed: MailedCourse, caplog: pytest.LogCaptureFixture
) -> None:
    await mailed.add_assignment("sheet", created=1.0)
    await queue(mailed, MailKind.GRADED, "sheet", "ada", "ben")
    mailed.server.stop()
    try:
        waits = []
        for _ in range(7):
            await mailed.deliver()
            waits.append(round((await mailed.notice_rows())[0].due - time.time(), -1))
        assert waits == [60, 120, 240, 480, 960, 1920, 3840]
        assert await mailed.size() == (2, 2, 0)
    finally:
        mailed.server.start()
    assert recipients(await mailed.deliver()) == ["ada", "ben"]
    assert await mailed.size() == (0, 0, 0)
    await queue(mailed, MailKind.GRADED, "sheet", "ada")
    mailed.server.refuses = True
    try:
        for _ in range(MOST_TRIES):
            assert (await mailed.size()).waiting == 1
            await mailed.deliver()
    finally:
        mailed.server.refuses = False
    assert await mailed.size() == (0, 0, 1)
    assert await mailed.deliver() == []
    assert "given up after 20 tries: 1" in caplog.text
    assert "example.org" not in caplog.text
    # Something new is tried again.
    await queue(mailed, MailKind.GRADED, "sheet", "ada")
    assert recipients(await mailed.deliver()) == ["ada"]
