"""The same thing by two requests at the same moment, with PostgreSQL, which has several writers."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from threading import Barrier
from typing import Any

import httpx2
import pytest

from benchwright_remote.messages import Role

from ..support.service.bench_service import Service, running_service
from ..support.service.bench_service_pages import browser, invitation, signed_in
from ..support.service.course_people import send
from ..support.service.lti_launch import CONTEXT, LEARNER, School, running_platform
from ..support.service.postgres import new_database
from ..support.service.rosters import merge_roster

AT_ONCE = 4


@pytest.fixture(scope="module")
def school(postgres: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[School]:
    folder = tmp_path_factory.mktemp("school")
    service = Service(folder / "service", new_database(postgres), workers=0)
    course = service.set_up()
    with running_platform() as platform:
        service.options = ("--sign-in", str(platform.as_settings(folder, course.name, CONTEXT)))
        with running_service(service):
            platform.tool = service.url
            yield School(service, course, platform, platform.url)


def at_once(requests: Sequence[Callable[[], httpx2.Response]]) -> Sequence[httpx2.Response]:
    """Their answers."""
    barrier = Barrier(len(requests))

    def request(index: int) -> httpx2.Response:
        barrier.wait()
        return requests[index]()

    with ThreadPoolExecutor(len(requests)) as pool:
        return list(pool.map(request, range(len(requests))))


def launched(school: School, users: Sequence[str], **claims: Any) -> Sequence[httpx2.Client]:
    """Browsers of users who come from the learning management system at once."""
    clients = [browser(school.service) for _ in users]
    forms = [
        school.message(school.preflight(client, user), user, LEARNER, **claims)
        for client, user in zip(clients, users, strict=True)
    ]
    responses = at_once([partial(school.post, client, form) for client, form in zip(clients, forms, strict=True)])
    assert [reply.status_code for reply in responses] == [303] * len(users)
    return clients


def test_who_comes_by_several_browsers_at_once_is_one_person_in_all_of_them(school: School) -> None:
    launched(school, ["ada"] * AT_ONCE)
    merge_roster(school.service, school.course, "name,email\nZoe King,zoe@x.org\n")
    clients = launched(school, ["zoe"] * AT_ONCE, email="zoe@x.org")
    assert all("Zoe King" in client.get("/").text for client in clients)


def test_of_several_who_claim_one_address_at_once_one_has_its_place(school: School) -> None:
    merge_roster(school.service, school.course, "name,email\nAlan Poe,alan@x.org\n")
    clients = launched(school, [f"user-{number}" for number in range(AT_ONCE)], email="alan@x.org")
    assert sum("Alan Poe" in client.get("/").text for client in clients) == 1


def test_an_invitation_of_one_person_lets_several_programs_in_at_once(school: School) -> None:
    service = school.service
    own_code = invitation(service, school.course, Role.STAFF)
    (roster_code,) = merge_roster(service, school.course, "name,email\nEdith,edith@x.org\n").values()

    def join(code: str) -> httpx2.Response:
        with service.client() as client:
            return client.post("/api/v1/join", json={"code": code, "name": "Tim"})

    for code in (own_code, roster_code):
        responses = at_once([partial(join, code)] * AT_ONCE)
        assert [reply.status_code for reply in responses] == [200] * AT_ONCE
        assert len({reply.json()["me"]["account"] for reply in responses}) == 1


def test_grades_that_two_send_at_once_arrive_once_in_one_column(school: School) -> None:
    course_page = f"/courses/{school.course.name}"
    assert school.launch(browser(school.service), "eve", LEARNER).status_code == 303
    teacher = school.teacher()
    page = teacher.get(f"{course_page}/grades").text
    (path,) = re.findall(rf'href="({course_page}/grades/[0-9a-f]+/[0-9a-f]+)" aria-label="eve ', page)
    assert send(teacher, path, points="1", reason="oral").status_code == 303
    other_teacher = signed_in(school.service, invitation(school.service, school.course, Role.STAFF), "Tim")
    responses = at_once([partial(school.press, client, "grades/send") for client in (teacher, other_teacher)])
    score_counts = sorted(re.findall(r"(\d) scores were sent", "".join(reply.text for reply in responses)))
    assert score_counts == ["0", "1"]
    assert (len(school.platform.line_items), len(school.platform.scores)) == (1, 1)
