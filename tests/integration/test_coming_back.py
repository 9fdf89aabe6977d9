"""Who has signed out comes back: by the same invitation, a link by email, a code; and an editor signs in by a link."""

from __future__ import annotations

import asyncio
import html
import re
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import httpx2
import pytest

from benchwright_foundation.home import Home
from benchwright_remote.connections import Connections
from benchwright_remote.joining import join_course
from benchwright_remote.messages import Role

from ..support.service.bench_service import Course, Service, running_service
from ..support.service.bench_service_backup import command
from ..support.service.bench_service_pages import browser, csrf, invitation, signed_in
from ..support.service.mail_server import MailServer, mail_server
from ..support.service.rosters import merge_roster

__all__ = ("mail_server",)


@dataclass
class Class:
    """A service that sends mail, and a course with a roster."""

    service: Service
    course: Course
    codes: dict[str, str]
    mails: MailServer

    def address(self, name: str) -> str:
        """The address of somebody on its roster."""
        return f"{name}@{self.course.name}.example.org"


@pytest.fixture(scope="module")
def mailing_service(mail_server: MailServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    folder = tmp_path_factory.mktemp("mailing")
    file = folder / "sign-in.toml"
    file.write_text(f'browser_editor = "https://hub.example.org"\n{mail_server.settings}')
    with running_service(Service(folder / "service", workers=0, options=("--sign-in", str(file)))) as started:
        yield started


@pytest.fixture
def lesson(mailing_service: Service, mail_server: MailServer) -> Class:
    course = mailing_service.set_up()
    mail_server.mails.clear()
    mail_server.recipients.clear()
    lesson = Class(mailing_service, course, {}, mail_server)
    roster = f"name,email,student number\nAda King,{lesson.address('Ada')},7\nAlan,{lesson.address('alan')},8\n"
    lesson.codes = merge_roster(mailing_service, course, roster)
    return lesson


def signed_out(client: httpx2.Client) -> httpx2.Client:
    assert client.post("/sign-out", data={"csrf": csrf(client)}).headers["location"] == "/sign-in"
    return client


def code_of(address: str) -> str:
    return parse_qs(urlsplit(html.unescape(address)).query)["code"][0]


def test_the_same_invitation_signs_in_again_and_no_name_is_asked(lesson: Class) -> None:
    client = browser(lesson.service)
    for _ in range(2):
        assert client.post("/sign-in", data={"code": lesson.codes["Ada King"]}).status_code == 303
        assert "Ada King" in client.get("/").text
        signed_out(client)
    owner_code = invitation(lesson.service, lesson.course, Role.OWNER)
    owner = signed_out(signed_in(lesson.service, owner_code, "Professor"))
    assert owner.post("/sign-in", data={"code": owner_code, "name": "Mallory"}).status_code == 303
    assert "Professor" in owner.get("/").text
    assert "Come back" not in owner.get("/").text


def test_a_link_is_sent_to_the_rosters_address_and_signs_in_once(lesson: Class) -> None:
    client = browser(lesson.service)
    assert "Send me a link" in client.get("/sign-in").text
    link_replies = [
        client.post("/sign-in/link/request", data={"email": email})
        for email in ("nobody@x.org", "x\r\nBcc: evil@x.org", f" {lesson.address('ADA')} ", lesson.address("ada"))
    ]
    assert len({(reply.status_code, reply.text) for reply in link_replies}) == 1
    (mail,) = lesson.mails.wait_for(1)
    # To the address of the roster alone, and once.
    assert lesson.mails.recipients == [lesson.address("Ada")]
    link = re.search(rf"{lesson.service.url}/sign-in/link\S+", mail.get_content())
    assert link is not None
    for _ in range(2):
        # Programs that read mail open links.
        assert "Sign in as Ada King" in client.get(link[0]).text
    assert client.post("/sign-in/link", data={"code": code_of(link[0])}).status_code == 303
    assert "Ada King" in client.get("/").text
    stranger = browser(lesson.service)
    assert "was used, or is too old" in stranger.get(link[0]).text
    assert stranger.post("/sign-in/link", data={"code": code_of(link[0])}).status_code == 422
    assert stranger.post("/sign-in/link", data={"code": "bwl_guess"}).status_code == 422
    foreign = {"Origin": "https://evil.example"}
    assert stranger.post("/sign-in/link", data={"code": "x"}, headers=foreign).status_code == 403


def test_a_mail_server_that_refuses_is_told_to_nobody(lesson: Class) -> None:
    lesson.mails.refuses = True
    client = browser(lesson.service)
    reply = client.post("/sign-in/link/request", data={"email": lesson.address("ada")})
    assert "on its way" in reply.text
    give_up = time.monotonic() + 60
    while "mail with a link could not be sent" not in (written := lesson.service.log.read_text()):
        assert time.monotonic() < give_up
        time.sleep(0.05)
    lesson.mails.refuses = False
    assert lesson.course.name not in written


def test_without_mail_the_operator_prints_a_link(lesson: Class) -> None:
    def printed(person: str) -> tuple[int, str, str]:
        arguments = ("link", lesson.course.name, person, "--address", lesson.service.url)
        process = command(lesson.service.home, *arguments)
        return process.returncode, process.stdout.strip(), process.stderr

    status, link, _ = printed("7")
    assert status == 0
    client = browser(lesson.service)
    assert "Sign in as Ada King" in client.get(link).text
    assert client.post("/sign-in/link", data={"code": code_of(link)}).status_code == 303
    assert "has nobody" in printed("9")[2]


def test_a_students_page_opens_an_editor_that_is_signed_in(lesson: Class, tmp_path: Path) -> None:
    ada, alan = (signed_in(lesson.service, lesson.codes[name], "x") for name in ("Ada King", "Alan"))
    page = html.unescape(ada.get(f"/courses/{lesson.course.name}").text)
    assert 'href="https://hub.example.org"' in page
    assert f"<code>benchwright login {lesson.service.url} --browser</code>" in page
    link = re.search(r'href="(vscode://benchwright\.benchwright/sign-in\?[^"]+)"', page)
    assert link is not None
    fields = {name: value for name, (value,) in parse_qs(urlsplit(link[1]).query).items()}
    home = Home.from_environment({"BENCHWRIGHT_HOME": str(tmp_path / "editor")})
    asyncio.run(join_course(home, lesson.service.url, lesson.codes["Alan"], "x"))
    # Whoever had worked at this computer before: the link says who does now.
    me = asyncio.run(join_course(home, fields["url"], fields["code"], ""))
    assert (me.name, [course.course for course in me.courses]) == ("Ada King", [lesson.course.name])
    (connection,) = Connections(home).list_all()
    assert connection.name == "Ada King"
    with lesson.service.client() as client:
        body = {"code": fields["code"], "name": "x"}
        reply = client.post("/api/v1/join", json=body)
        assert (reply.status_code, "This link was used" in reply.text) == (404, True)
    # A link signs in; it does not make two people one.
    other = re.search(r"code=([\w-]+)", html.unescape(ada.get(f"/courses/{lesson.course.name}").text))
    assert other is not None
    assert "unknown" in alan.post("/sign-in", data={"csrf": csrf(alan), "code": other[1]}).text
    staff = signed_in(lesson.service, invitation(lesson.service, lesson.course, Role.STAFF), "Tim")
    assert "vscode://" not in staff.get(f"/courses/{lesson.course.name}").text


def test_who_has_joined_by_an_invitation_of_several_makes_a_code_of_their_own(lesson: Class) -> None:
    course = lesson.service.set_up()
    client = signed_in(lesson.service, course.invitation, "Ada")
    assert "Make a code" in client.get("/").text
    page = client.post("/sign-in/return-code", data={"csrf": csrf(client)}).text
    code = re.search(r"<p>(\S{43}) signs you in", page)
    assert code is not None
    assert "Make a code" not in client.get("/").text
    signed_out(client)
    other_browser = browser(lesson.service)
    assert other_browser.post("/sign-in", data={"code": code[1]}).status_code == 303
    assert course.name in other_browser.get("/").text
    # The invitation itself makes somebody new, and the code joins nobody else.
    eve = signed_in(lesson.service, course.invitation, "Ada")
    assert "unknown" in eve.post("/sign-in", data={"csrf": csrf(eve), "code": code[1]}).text


def test_a_service_without_mail_has_no_such_form(service: Service) -> None:
    client = browser(service)
    assert "Send me a link" not in client.get("/sign-in").text
    assert client.post("/sign-in/link/request", data={"email": "ada@example.org"}).status_code == 404
