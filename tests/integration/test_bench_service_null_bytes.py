"""Null bytes, which PostgreSQL stores in no text: wherever somebody sends one, the bench service says what is wrong."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import httpx2
import pytest

from benchwright_attempts.events.events import Edit, Started
from benchwright_attempts.events.file_text import Change
from benchwright_remote.messages import Role

from ..support.service.bench_service import Course, Service, Solver
from ..support.service.bench_service_pages import browser, csrf, invitation, signed_in

FILE = "rtl/sat_counter.sv"
NULL = "A\0B"


@pytest.fixture(scope="module")
def course(service: Service) -> Course:
    return service.set_up()


@pytest.fixture(scope="module")
def solver(service: Service, course: Course, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Solver]:
    solver = Solver.joining(service, course, tmp_path_factory.mktemp("solver"))
    yield solver
    solver.log.close()


@pytest.fixture(scope="module")
def teacher(service: Service, course: Course) -> httpx2.Client:
    return signed_in(service, invitation(service, course, Role.OWNER), "Professor")


@pytest.mark.parametrize(
    ("path", "body", "status"),
    [
        ("join", {"code": NULL, "name": "Ada"}, 422),
        ("join", {"code": "INVITATION", "name": NULL}, 422),
        ("devices", {"name": NULL}, 422),
        ("devices/state", {"secret": NULL}, 422),
        ("me/courses", {"code": NULL}, 422),
        ("studies/small/journal", {"lines": [{NULL: NULL}]}, 404),
        ("studies/%00/journal", {"lines": []}, 422),
    ],
)
def test_a_message_with_one_is_refused(
    service: Service, course: Course, solver: Solver, path: str, body: dict[str, Any], status: int
) -> None:
    fields = {name: course.invitation if value == "INVITATION" else value for name, value in body.items()}
    with service.client(solver.token) as client:
        assert client.post(f"/api/v1/{path}", json=fields).status_code == status


def test_a_worker_with_one_in_its_name_is_refused(service: Service) -> None:
    with service.client(service.worker_token()) as client:
        assert client.post("/api/v1/jobs", json={"worker": NULL}).status_code == 422


def test_a_text_with_one_is_taken_and_a_header_is_not(solver: Solver) -> None:
    attempt = solver.begin("starter/saturating-counter", {FILE: "\0"})
    typed = Edit(path=FILE, version=2, changes=(Change(start=0, end=0, text="\0"),))
    solver.record(attempt, Started(), typed)
    header_fields = solver.rows(attempt)[0].model_dump(mode="json")
    for field in ("problem", "problem_digest", "workspace", "solver", "condition", "study"):
        assert solver.send(attempt, header=header_fields | {field: NULL}).status_code == 422
    assert solver.send(attempt, assignment=NULL).status_code == 422
    assert solver.send(attempt).status_code == 200
    assert solver.run(attempt, 1, {FILE: "module \0"}).status_code == 202


@pytest.mark.parametrize(
    "address",
    [
        "/device?code=%00",
        "/courses/%00",
        "/courses/COURSE/progress?section=%00",
        "/courses/COURSE/grades/%00/%00",
        "/courses/COURSE/items/ASSIGNMENT/%00/alike",
        "/courses/COURSE/regrades/%00",
        "/courses/COURSE/attempts/ASSIGNMENT/saturating-counter/%00",
        "/courses/COURSE/people/%00/export",
        "/courses/COURSE/audit.csv?action=%00",
    ],
)
def test_a_page_whose_address_has_one_is_refused(course: Course, teacher: httpx2.Client, address: str) -> None:
    reply = teacher.get(address.replace("COURSE", course.name).replace("ASSIGNMENT", course.assignment))
    assert reply.status_code == 400
    assert "has a null byte" in reply.text


def test_a_form_with_one_is_refused_and_changes_nothing(
    service: Service, course: Course, solver: Solver, teacher: httpx2.Client
) -> None:
    assert browser(service).post("/sign-in", data={"code": course.invitation, "name": NULL}).status_code == 400
    page_before = teacher.get(f"/courses/{course.name}/grades").text
    (account,) = set(re.findall(r"/grades/\w+/(\w+)", page_before))
    grade = f"grades/{course.assignment}/{account}"
    for path, fields in (
        ("assignments", {"pack": "starter", "title": NULL}),
        (grade, {"points": "1", "reason": NULL}),
        (grade, {"due": "2027-01-01T00:00", "reason": NULL}),
        ("people", {f"group-{account}": NULL}),
        ("assignments/%00/grading", {"worth": "2"}),
    ):
        form = {"csrf": csrf(teacher)} | fields
        assert teacher.post(f"/courses/{course.name}/{path}", data=form).status_code == 400
    assert teacher.get(f"/courses/{course.name}/grades").text == page_before
