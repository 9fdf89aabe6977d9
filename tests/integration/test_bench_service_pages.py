"""The service's web pages: sessions, forms from elsewhere, roles, and what staff see of students."""

from __future__ import annotations

import re
from pathlib import Path

import httpx2
import pytest

from benchwright_attempts.events.events import Edit, Started
from benchwright_attempts.events.file_text import Change
from benchwright_foundation.home import Home
from benchwright_harness.execution.run import starting_solution_files
from benchwright_problems.problem import Problem
from benchwright_problems.storage.store import Store
from benchwright_remote.messages import Role

from ..support.service.bench_service import Course, Service, Solver
from ..support.service.bench_service_pages import REF, browser, course, csrf, invitation, signed_in

__all__ = ("course",)

NAME = "Lin <b>Wei</b> & =1+1"


@pytest.fixture(scope="module")
def problem() -> Problem:
    return Store(Home.from_environment({"BENCHWRIGHT_HOME": "/nonexistent"})).unseal(REF)


def test_an_invitation_signs_a_browser_in_until_it_signs_out(service: Service, course: Course) -> None:
    client = browser(service)
    assert client.get("/").headers["location"] == "/sign-in"
    assert client.post("/sign-in", data={"code": "wrong", "name": "Ada"}).status_code == 422
    assert "needs your name" in client.post("/sign-in", data={"code": course.invitation}).text
    client = signed_in(service, course.invitation, NAME)
    page = client.get("/")
    assert "Computer architecture" in page.text
    assert "Lin &lt;b&gt;Wei&lt;/b&gt; &amp; =1+1" in page.text
    assert "<b>" not in page.text
    (cookie,) = client.cookies.jar
    client.post("/sign-out", data={"csrf": csrf(client)})
    second_browser = browser(service)
    second_browser.cookies.set(cookie.name, cookie.value or "")
    assert second_browser.get("/").headers["location"] == "/sign-in"


def test_a_token_of_an_editor_signs_the_same_person_in(service: Service, course: Course, tmp_path: Path) -> None:
    solver = Solver.joining(service, course, tmp_path, "Grace Hopper")
    client = browser(service)
    assert client.post("/sign-in", data={"code": solver.token}).status_code == 303
    assert "Grace Hopper" in client.get("/").text
    assert browser(service).post("/sign-in", data={"code": solver.token[:-1] + "x"}).status_code == 422
    solver.log.close()


def test_cookies_and_pages_are_closed_to_others(service: Service, course: Course) -> None:
    client = browser(service)
    client.cookies.set("benchwright_session", "mine-from-before")
    reply = client.post("/sign-in", data={"code": course.invitation, "name": "Ada"})
    set_cookie = reply.headers["set-cookie"]
    assert "HttpOnly" in set_cookie
    assert "SameSite=lax" in set_cookie
    assert "mine-from-before" not in set_cookie
    headers = reply.headers
    assert "default-src 'none'" in headers["content-security-policy"]
    assert "frame-ancestors 'none'" in headers["content-security-policy"]
    assert headers["cache-control"] == "no-store"


@pytest.mark.parametrize(
    ("headers", "status"),
    [({"Origin": "https://elsewhere.example"}, 403), ({}, 403), ({"Sec-Fetch-Site": "cross-site"}, 403)],
)
def test_forms_of_other_sites_are_refused(
    service: Service, course: Course, headers: dict[str, str], status: int
) -> None:
    with httpx2.Client(base_url=service.url, headers=headers, trust_env=False, timeout=60) as client:
        assert client.post("/sign-in", data={"code": course.invitation, "name": "Ada"}).status_code == status


def test_forms_without_the_sessions_token_change_nothing(service: Service, course: Course) -> None:
    teacher = signed_in(service, invitation(service, course, Role.OWNER))
    for form_fields in ({"pack": "starter"}, {"pack": "starter", "csrf": "0" * 64}):
        assert teacher.post(f"/courses/{course.name}/assignments", data=form_fields).status_code == 403
    assert teacher.post("/sign-out", data={"csrf": ""}).status_code == 403
    large = teacher.post(f"/courses/{course.name}/assignments", data={"csrf": csrf(teacher), "title": "x" * 70_000})
    assert large.status_code == 413
    assert teacher.get(f"/courses/{course.name}").text.count('<th scope="row">') == 1


@pytest.mark.parametrize("role", list(Role))
def test_pages_are_for_those_of_the_course_who_may_see_them(service: Service, course: Course, role: Role) -> None:
    page_visibility = {
        "": True,
        "/progress": role in (Role.OWNER, Role.STAFF),
        "/audit": role in (Role.OWNER, Role.STAFF),
        f"/attempts/{course.assignment}/saturating-counter/nobody": False,
    }
    client = signed_in(service, invitation(service, course, role))
    stranger = signed_in(service, service.set_up().invitation)
    absent = stranger.get("/courses/no-such-course")
    for page, is_shown in page_visibility.items():
        assert client.get(f"/courses/{course.name}{page}").status_code == (200 if is_shown else 404)
        hidden_page = stranger.get(f"/courses/{course.name}{page}")
        assert (hidden_page.status_code, hidden_page.text) == (404, absent.text)
    reply = client.post(f"/courses/{course.name}/assignments", data={"csrf": csrf(client), "pack": "starter"})
    assert reply.status_code == (303 if role in (Role.OWNER, Role.STAFF) else 404)


def test_staff_see_how_far_each_student_is_and_what_they_did(
    service: Service, course: Course, problem: Problem, tmp_path: Path
) -> None:
    solver = Solver.joining(service, course, tmp_path, NAME)
    files = starting_solution_files(problem)
    start = {path: files[path].decode() for path in problem.public.expected}
    attempt = solver.begin(REF, start)
    typed = Edit(path=problem.public.expected[0], version=2, changes=(Change(start=0, end=0, text="// mine\n"),))
    solver.record(attempt, Started(), typed)
    assert solver.send(attempt).status_code == 200
    verdict = solver.verdict(solver.run(attempt, 1, start).json()["id"])
    assert verdict["verdict"]["outcome"] == "failed"

    teacher = signed_in(service, invitation(service, course, Role.STAFF), "Professor")
    progress = teacher.get(f"/courses/{course.name}/progress").text
    assert "Lin &lt;b&gt;Wei&lt;/b&gt;" in progress
    (link,) = re.findall(r'href="(/courses/[^"]*/attempts/[^"]*)"', progress)
    assert re.search(r">✗ 1<span class=\"only-read\"> run, failed, run 1</span></a>", progress)
    attempt_page = teacher.get(link).text
    assert "<td>✗ failed</td>" in attempt_page
    assert re.search(r"None of the \d+ hidden tests passed\.", attempt_page)
    assert re.search(r">0 of \d+</td>", attempt_page)
    assert '<td class="number">8</td>' in attempt_page
    assert "<dt>Made by</dt><dd>human</dd>" in attempt_page
    audit = teacher.get(f"/courses/{course.name}/audit").text
    assert "saw work" in audit
    student = browser(service)
    student.post("/sign-in", data={"code": solver.token})
    own_page = student.get(f"/courses/{course.name}").text
    assert "0 of 2 passed" in own_page
    assert student.get(link).status_code == 404
    solver.log.close()


@pytest.mark.parametrize(
    ("wrong", "field", "message"),
    [
        ("pack", {"pack": "no-such-pack"}, "The service has no pack no-such-pack."),
        ("problems", {"pack": "starter", "problems": "no-such"}, "The pack starter has no problem no-such."),
        ("due", {"pack": "starter", "due": "tomorrow"}, "“due” is no date and time"),
        ("runs", {"pack": "starter", "runs": "0"}, "“runs” is no number"),
        (
            "closes",
            {"pack": "starter", "due": "2026-12-02T10:00", "closes": "2026-12-01T10:00"},
            "does not close before",
        ),
        ("extensions", {"pack": "starter", "assistance": "named"}, "at least one"),
    ],
)
def test_a_wrong_assignment_is_told_at_its_field_and_the_form_kept(
    service: Service, course: Course, wrong: str, field: dict[str, str], message: str
) -> None:
    teacher = signed_in(service, invitation(service, course, Role.OWNER))
    form_fields = {"csrf": csrf(teacher), "title": "Week <1>"} | field
    reply = teacher.post(f"/courses/{course.name}/assignments", data=form_fields)
    assert reply.status_code == 422
    assert re.search(rf'id="{wrong}-error">[^<]*{message}', reply.text)
    assert f'<a href="#{wrong}">' in reply.text
    assert 'value="Week &lt;1&gt;"' in reply.text
    valid_fields = form_fields | {
        "problems": "sync-fifo",
        "pack": "starter",
        "due": "2026-12-01T23:59",
        "closes": "",
        "runs": "5",
        "assistance": "",
    }
    assert teacher.post(f"/courses/{course.name}/assignments", data=valid_fields).status_code == 303
    assert "2026-12-01 23:59 UTC" in teacher.get(f"/courses/{course.name}").text
