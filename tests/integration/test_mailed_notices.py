"""Notices by mail at a real service of two processes: from a change on a page to a mail, and to who turns it off."""

from __future__ import annotations

import asyncio
import io
import json
import re
import time
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from email.message import EmailMessage
from pathlib import Path
from typing import Any

import httpx2
import pytest
from sqlalchemy import Row, select, update

from benchwright_remote.messages import Role
from benchwright_service.bench import open_administration
from benchwright_service.storage.tables import ACCOUNTS, FACTS, MAILED_NOTICES, UNWANTED_MAIL

from ..support.service.bench_service import Course, Service
from ..support.service.bench_service_health import until
from ..support.service.bench_service_metrics import scrape_samples, value
from ..support.service.bench_service_pages import browser, csrf, invitation, signed_in
from ..support.service.course_people import send
from ..support.service.mail_server import MailServer, mail_server
from ..support.service.mailed_course import recipients
from ..support.service.postgres import new_database
from ..support.service.rosters import merge_roster

__all__ = ("mail_server",)

WITHIN_S = 60.0
ONE_CLICK = {"List-Unsubscribe": "One-Click"}


@dataclass
class Lesson:
    """A course whose people the service sends mail to."""

    processes: tuple[Service, Service]
    course: Course
    codes: dict[str, str]
    mails: MailServer
    owner: httpx2.Client

    @property
    def path(self) -> str:
        """Path of the course."""
        return f"/courses/{self.course.name}"

    def address(self, name: str) -> str:
        """The address of somebody on the roster."""
        return f"{name}@{self.course.name}.example.org"

    def account(self, name: str) -> str:
        """The account of somebody on the roster."""
        page = self.owner.get(f"{self.path}/grades").text
        match = re.search(rf'grades/{self.course.assignment}/(\w+)" aria-label="{name},', page)
        assert match is not None
        return match[1]

    def let_time_pass(self, **values: Any) -> None:
        """Has the processes look at all assignments, and send what they collect."""

        async def changed() -> None:
            async with (
                open_administration(self.processes[0].folders, self.processes[0].database) as administration,
                administration.database.write_transaction() as connection,
            ):
                await connection.execute(update(FACTS).where(FACTS.c.name == "mail").values(value="0"))
                still_due = MAILED_NOTICES.c.due.is_not(None), MAILED_NOTICES.c.course == self.course.name
                await connection.execute(update(MAILED_NOTICES).where(*still_due).values(due=1.0, **values))

        asyncio.run(changed())

    def notice_rows(self) -> list[Row[Any]]:
        """The queue, with what was sent."""

        async def read() -> list[Row[Any]]:
            async with (
                open_administration(self.processes[0].folders, self.processes[0].database) as administration,
                administration.database.read_transaction() as connection,
            ):
                query = select(MAILED_NOTICES).where(MAILED_NOTICES.c.course == self.course.name)
                return [*await connection.execute(query)]

        return asyncio.run(read())

    def delivered(self, kind: str, count: int) -> list[EmailMessage]:
        """So many mails of a kind, once nothing of it waits any more."""
        give_up = time.monotonic() + WITHIN_S
        while len([row for row in self.notice_rows() if row.kind == kind and row.sent and not row.due]) < count:
            assert time.monotonic() < give_up, self.notice_rows()
            self.let_time_pass()
            time.sleep(0.1)
        return [mail for mail in self.mails.wait_for(count) if f".{kind}." in mail["List-Unsubscribe"]]


@pytest.fixture(scope="module")
def processes(
    mail_server: MailServer, postgres: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Service, Service]]:
    folder, url = tmp_path_factory.mktemp("mailing"), new_database(postgres)
    file = folder / "sign-in.toml"
    file.write_text(mail_server.settings)
    options = ("--sign-in", str(file), "--metrics-port", "0")
    first, second = (Service(folder / "service", url, 0, options, log_name=name) for name in ("first", "second"))
    first.start()
    second.start()
    try:
        yield first, second
    finally:
        first.stop()
        second.stop()


@pytest.fixture
def lesson(processes: tuple[Service, Service], mail_server: MailServer) -> Lesson:
    course = processes[0].set_up(due=datetime(2039, 1, 31, tzinfo=UTC))
    mail_server.clear()
    owner = signed_in(processes[0], invitation(processes[0], course, Role.OWNER), "Professor")
    lesson = Lesson(processes, course, {}, mail_server, owner)
    lines = [f"{name},{lesson.address(name.lower())},{role}" for name, role in (("Ada", "student"), ("Tim", "staff"))]
    lesson.codes = merge_roster(processes[0], course, "\n".join(["name,email,role", *lines, ""]))
    return lesson


def test_a_class_is_told_once_that_an_assignment_is_open(lesson: Lesson) -> None:
    lines = [f"S {number},{lesson.address(f's{number}')}" for number in range(40)]
    lines.append(f"Ada,{lesson.address('ada')}")
    merge_roster(lesson.processes[0], lesson.course, "\n".join(["name,email", *lines, ""]))
    mails = lesson.delivered("opened", 41)
    assert recipients(mails) == sorted(["ada", *(f"s{number}" for number in range(40))])
    assert len({mail["Message-ID"] for mail in mails}) == 41
    sent = sum(value(scrape_samples(service), "benchwright_mails_sent_total") for service in lesson.processes)
    assert sent >= 41
    for service in lesson.processes:
        assert "example.org" not in service.log.read_text()


def test_a_grade_is_told_without_points_and_turned_off_by_one_press_without_signing_in(lesson: Lesson) -> None:
    student = signed_in(lesson.processes[1], lesson.codes["Ada"])
    student.cookies.set("benchwright_zone", "Asia%2FTokyo")
    assert student.get(lesson.path).status_code == 200
    grade_path = f"{lesson.path}/grades/{lesson.course.assignment}/{lesson.account('Ada')}"
    assert send(lesson.owner, grade_path, points="4.25", reason="a good comment").status_code == 303
    assert send(lesson.owner, grade_path, due="2040-01-31T12:00", reason="was ill").status_code == 303
    (mail,) = lesson.delivered("graded", 1)
    assert "4.25" not in mail.as_string() and "comment" not in mail.as_string()
    assert f"{lesson.path}/mine/{lesson.course.assignment}" in mail.get_content()
    (extension,) = lesson.delivered("extended", 1)
    assert "It is due on 2040-01-31 21:00 JST." in extension.get_content()
    assert "ill" not in extension.get_content().split()
    address = mail["List-Unsubscribe"].strip("<>")
    assert address.startswith(lesson.processes[0].url) or address.startswith(lesson.processes[1].url)
    with httpx2.Client(trust_env=False, timeout=60) as mail_program:
        assert "No more mail of this kind" in mail_program.get(address).text
        assert mail_program.post(address.replace(".graded.", ".moved."), data=ONE_CLICK).status_code == 404
        assert mail_program.post(address[:-1], data=ONE_CLICK).status_code == 404
        assert mail_program.post(address, data=ONE_CLICK).status_code == 200
        form_parts = {"List-Unsubscribe": (None, "One-Click")}
        assert mail_program.post(address, files=form_parts).status_code == 200
    page = student.get("/notices/mail").text
    assert lesson.address("ada") in page
    assert re.findall(r'value="(\w+)" checked', page) == ["opened", "moved", "near", "answered", "extended"]
    assert send(student, "/notices/mail", kind=["graded", "near"]).status_code == 303
    assert re.findall(r'value="(\w+)" checked', student.get("/notices/mail").text) == ["near", "graded"]


def test_an_appeal_goes_to_staff_with_an_address_and_its_answer_to_the_student(lesson: Lesson) -> None:
    student = signed_in(lesson.processes[1], lesson.codes["Ada"])
    own_path = f"{lesson.path}/mine/{lesson.course.assignment}"
    assert send(student, own_path, text="Please look again").status_code == 303
    (mail,) = lesson.delivered("appealed", 1)
    # The owner has no address.
    assert mail["To"] == lesson.address("tim")
    assert "look again" not in mail.as_string()
    assert "No course has an address of yours" in lesson.owner.get("/notices/mail").text
    assert re.findall(r'name="kind" value="(\w+)"', lesson.owner.get("/notices/mail").text) == ["appealed"]


def test_an_owner_decides_what_a_course_sends(lesson: Lesson) -> None:
    path = f"{lesson.path}/settings"
    page = lesson.owner.get(path).text
    assert len(re.findall(r'name="mail" value="\w+" checked', page)) == 7
    fields = {"title": "Architecture", "zone": "UTC"}
    assert send(lesson.owner, path, **fields, **{"mail-said": "yes"}, mail=["near"]).status_code == 303
    # A form without these boxes leaves them as they are.
    assert send(lesson.owner, path, **fields).status_code == 303
    page = lesson.owner.get(path).text
    assert re.findall(r'name="mail" value="(\w+)" checked', page) == ["near"]


def test_what_there_is_of_mail_is_exported_and_deleted_with_its_person(lesson: Lesson) -> None:
    student = signed_in(lesson.processes[0], lesson.codes["Ada"])
    account = lesson.account("Ada")
    student.cookies.set("benchwright_zone", "Europe%2FBerlin")
    send(student, "/notices/mail", kind=["near", "opened"])
    lesson.delivered("opened", 1)
    archive = lesson.owner.get(f"{lesson.path}/people/{account}/export").content
    person = json.loads(zipfile.ZipFile(io.BytesIO(archive)).read("person.json"))
    assert person["time_zone"] == "Europe/Berlin"
    assert [row["kind"] for row in person["mailed_notices"]] == ["opened"]
    assert len(person["unwanted_mail"]) == 4
    assert send(lesson.owner, f"{lesson.path}/people/{account}/delete", name="Ada").status_code == 303

    async def left_over() -> list[int]:
        service = lesson.processes[0]
        async with (
            open_administration(service.folders, service.database) as administration,
            administration.database.read_transaction() as connection,
        ):
            queries = [select(table).where(table.c.account == account) for table in (MAILED_NOTICES, UNWANTED_MAIL)]
            queries.append(select(ACCOUNTS).where(ACCOUNTS.c.id == account, ACCOUNTS.c.zone != ""))
            return [len((await connection.execute(query)).all()) for query in queries]

    assert asyncio.run(left_over()) == [0, 0, 0]


def test_a_mail_server_that_takes_nothing_for_an_hour_is_in_health_and_metrics(lesson: Lesson) -> None:
    lesson.mails.stop()
    try:
        give_up = time.monotonic() + WITHIN_S
        while max((row.tries for row in lesson.notice_rows()), default=0) < 7:
            assert time.monotonic() < give_up
            lesson.let_time_pass(tries=6)
            time.sleep(0.1)
        for service in lesson.processes:
            until(service, 503, "the mail server has not taken notices for an hour, and 1 wait")
            until(service, 200, check="accepting")
            assert value(scrape_samples(service), "benchwright_mails_stuck") == 1
    finally:
        lesson.mails.start()
    lesson.delivered("opened", 1)
    until(lesson.processes[0], 200)


def test_a_service_without_mail_has_no_such_pages(service: Service) -> None:
    course = service.set_up()
    student = signed_in(service, course.invitation)
    assert student.get("/notices/mail").status_code == 404
    assert "/notices/mail" not in student.get("/notices").text
    assert send(student, "/notices/mail", kind=["near"]).status_code == 404
    owner = signed_in(service, invitation(service, course, Role.OWNER), "Professor")
    assert "Mail that the course sends" not in owner.get(f"/courses/{course.name}/settings").text
    assert browser(service).get("/notices/mail/off?token=x.near.y").status_code == 404
    assert csrf(student)
