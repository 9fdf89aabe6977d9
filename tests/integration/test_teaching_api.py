"""The teacher's API over HTTP: tokens, roster, extensions in bulk, grades and runs in pages, the audit log."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx2
import pytest

from benchwright_attempts.events.events import Started
from benchwright_remote.messages import Role
from benchwright_remote.teaching_messages import Scope

from ..support.service.bench_service import Course, Service, Solver
from ..support.service.bench_service_pages import invitation, signed_in
from ..support.service.course_people import send
from ..support.service.teaching_api import new_token

WORKERS = 0
"""Runs stay queued."""
DUE = datetime(2099, 12, 1, 12, tzinfo=UTC)


@pytest.fixture(scope="module")
def course(service: Service) -> Course:
    return service.set_up(problems=("saturating-counter",), due=DUE, closes=DUE + timedelta(days=3))


@pytest.fixture(scope="module")
def teacher(service: Service, course: Course) -> httpx2.Client:
    return signed_in(service, invitation(service, course, Role.OWNER), "Professor")


@pytest.fixture(scope="module")
def students(service: Service, course: Course, tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, str]:
    """Accounts by name."""
    accounts = {}
    for name in ("Ada", "Bob", "Eve"):
        solver = Solver.joining(service, course, tmp_path_factory.mktemp(name), name)
        with service.client(solver.token) as client:
            accounts[name] = client.get("/api/v1/me").json()["account"]
        solver.log.close()
    return accounts


@pytest.fixture(scope="module")
def program(service: Service, teacher: httpx2.Client) -> Iterator[httpx2.Client]:
    """A client with a token for all areas."""
    with service.client(new_token(teacher, *Scope)) as client:
        yield client


def all_items(program: httpx2.Client, path: str, field: str, limit: int) -> list[Any]:
    """The items of all pages, each of which has at most as many as were wanted."""
    items: list[Any] = []
    after = ""
    while True:
        page = program.get(path, params={"limit": limit, "after": after}).json()
        assert len(page[field]) <= limit
        items += page[field]
        after = page["next"]
        if not after:
            return items


def test_a_token_is_shown_once_and_ends_when_it_is_revoked(service: Service, teacher: httpx2.Client) -> None:
    token = new_token(teacher, Scope.COURSE_READ, name="a script <b>")
    page = teacher.get("/tokens").text
    assert token not in page
    assert "a script &lt;b&gt;" in page
    token_id = token.split("_")[1]
    (row,) = re.findall(rf"<tr>(?:(?!</tr>).)*{token_id}(?:(?!</tr>).)*</tr>", page, re.DOTALL)
    assert "never" in row
    with service.client(token) as client:
        assert client.get("/api/v1/courses").status_code == 200
        (row,) = re.findall(
            rf"<tr>(?:(?!</tr>).)*{token_id}(?:(?!</tr>).)*</tr>", teacher.get("/tokens").text, re.DOTALL
        )
        assert "never" not in row
        assert send(teacher, f"/tokens/{token_id}/revoke").status_code == 303
        assert client.get("/api/v1/courses").status_code == 401
    assert token_id not in teacher.get("/tokens").text
    assert send(teacher, f"/tokens/{token_id}/revoke").status_code == 404


@pytest.mark.parametrize(
    ("fields", "complaint"),
    [
        ({"name": "x", "days": "3"}, "at least one area"),
        ({"name": "", "days": "3", "scope": "course:read"}, "needs a name"),
        ({"name": "x", "days": "400", "scope": "course:read"}, "no number from 1 to 366"),
        ({"name": "x", "days": "3", "scope": "everything"}, "at least one area"),
    ],
)
def test_a_token_that_is_for_nothing_or_for_ever_is_not_made(
    teacher: httpx2.Client, fields: dict[str, str], complaint: str
) -> None:
    reply = send(teacher, "/tokens", **fields)
    assert (reply.status_code, complaint in reply.text, "bws_" in reply.text) == (422, True, False)


def test_nobody_revokes_the_token_of_somebody_else_or_signs_in_with_one(
    service: Service, course: Course, teacher: httpx2.Client
) -> None:
    token = new_token(teacher, *Scope)
    other_teacher = signed_in(service, invitation(service, course, Role.STAFF), "Assistant")
    assert send(other_teacher, f"/tokens/{token.split('_')[1]}/revoke").status_code == 404
    with service.client(token) as client:
        assert client.get("/api/v1/courses").status_code == 200
    browser = httpx2.Client(base_url=service.url, headers={"Origin": service.url}, trust_env=False)
    reply = browser.post("/sign-in", data={"code": token, "name": "x"})
    assert "unknown, expired or used up" in reply.text


def test_the_roster_comes_in_pages_and_takes_changes(
    course: Course, students: Mapping[str, str], program: httpx2.Client
) -> None:
    path = f"/api/v1/courses/{course.name}/roster"
    people_items = all_items(program, path, "people", 2)
    assert {entry["account"] for entry in people_items} >= set(students.values())
    assert len({entry["account"] for entry in people_items}) == len(people_items)
    reply = program.patch(f"{path}/{students['Ada']}", json={"section": "B"})
    assert (reply.status_code, reply.json()["section"], reply.json()["group"]) == (200, "B", "")
    reply = program.patch(f"{path}/{students['Ada']}", json={"group": "north"})
    assert (reply.json()["section"], reply.json()["group"]) == ("B", "north")
    assert program.patch(f"{path}/{students['Ada']}", json={"section": "x\0"}).status_code == 422


def test_invitations_of_a_program_are_for_the_roles_that_its_teacher_may_give(
    service: Service, course: Course, program: httpx2.Client
) -> None:
    path = f"/api/v1/courses/{course.name}/roster"
    codes = program.post(path, json={"seats": [{"section": "C"}, {"role": "owner"}]}).json()["codes"]
    with service.client() as client:
        joined = [client.post("/api/v1/join", json={"code": code, "name": "N"}).json()["me"] for code in codes]
    assert [(me["courses"][0]["role"], me["courses"][0]["section"]) for me in joined] == [
        ("participant", "C"),
        ("owner", ""),
    ]
    assistant = signed_in(service, invitation(service, course, Role.STAFF), "Assistant")
    with service.client(new_token(assistant, Scope.ROSTER_WRITE)) as client:
        refused = client.post(path, json={"seats": [{}, {"role": "staff"}]})
        assert refused.status_code == 422
        assert refused.json()["errors"][0]["pointer"] == "/seats/1/role"
        assert client.post(path, json={"seats": [{"role": "grader"}]}).status_code == 201


def test_extensions_are_given_all_or_none(course: Course, students: Mapping[str, str], program: httpx2.Client) -> None:
    path = f"/api/v1/courses/{course.name}/extensions"

    def extension(name: str, due: datetime) -> dict[str, str]:
        return {
            "assignment": course.assignment,
            "account": students[name],
            "due": due.isoformat(),
            "reason": "fair <b>",
        }

    later, earlier = DUE + timedelta(days=5), DUE - timedelta(days=5)
    refused = program.post(path, json={"extensions": [extension("Ada", later), extension("Bob", earlier)]})
    assert refused.status_code == 422
    (flaw,) = refused.json()["errors"]
    assert (flaw["pointer"], "an extension is not earlier" in flaw["detail"]) == ("/extensions/1", True)
    assert all_items(program, path, "extensions", 1) == []
    without_time = {"assignment": course.assignment, "account": students["Ada"]}
    assert program.post(path, json={"extensions": [without_time]}).status_code == 422
    # In another zone it is the same moment.
    east = later.astimezone(datetime.fromisoformat("2026-01-01T00:00:00+05:30").tzinfo)
    taken = program.post(path, json={"extensions": [extension("Ada", east), extension("Bob", later)]})
    assert taken.json() == {"changed": 2}
    given = all_items(program, path, "extensions", 1)
    assert {entry["account"] for entry in given} == {students["Ada"], students["Bob"]}
    assert {datetime.fromisoformat(entry["due"]) for entry in given} == {later}
    grade_items = all_items(program, f"/api/v1/courses/{course.name}/grades", "students", 2)
    extended = {entry["account"]: entry["assignments"][0]["extended"] for entry in grade_items}
    assert [extended[students[name]] for name in ("Ada", "Bob", "Eve")] == [True, True, False]


def test_adjustments_of_a_program_are_in_the_gradebook(
    course: Course, students: Mapping[str, str], program: httpx2.Client, teacher: httpx2.Client
) -> None:
    path = f"/api/v1/courses/{course.name}/grades"
    adjustment = {"assignment": course.assignment, "account": students["Eve"], "points": 0.25, "reason": "demo"}
    spaces = adjustment | {"reason": " "}
    assert program.post(f"{path}/adjustments", json={"adjustments": [adjustment, spaces]}).status_code == 422
    assert program.post(f"{path}/adjustments", json={"adjustments": [adjustment]}).json() == {"changed": 1}
    (eve,) = [entry for entry in all_items(program, path, "students", 2) if entry["account"] == students["Eve"]]
    assert (eve["assignments"][0]["points"], eve["assignments"][0]["adjustments"]) == (0.25, 0.25)
    page = teacher.get(f"/courses/{course.name}/grades/{course.assignment}/{students['Eve']}").text
    assert "+0.25 points" in page


def test_every_use_of_a_token_is_in_the_audit_log_of_the_course(
    course: Course, program: httpx2.Client, teacher: httpx2.Client
) -> None:
    token_id = program.headers["Authorization"].split("_")[1]
    before = teacher.get(f"/courses/{course.name}/audit").text.count(token_id)
    assert program.get(f"/api/v1/courses/{course.name}").status_code == 200
    assert program.post(f"/api/v1/courses/{course.name}/extensions", json={}).status_code == 422
    page = teacher.get(f"/courses/{course.name}/audit").text
    assert page.count(token_id) == before + 2
    assert "by API: GET /api/v1/courses/{course}" in page


def test_an_archived_course_is_read_and_not_changed(service: Service, tmp_path: Path) -> None:
    course = service.set_up(problems=("saturating-counter",))
    owner = signed_in(service, invitation(service, course, Role.OWNER), "Professor")
    assert send(owner, f"/courses/{course.name}/archive").status_code == 303
    with service.client(new_token(owner, *Scope)) as client:
        reply = client.get(f"/api/v1/courses/{course.name}")
        assert (reply.status_code, reply.json()["archived"]) == (200, True)
        seats = client.post(f"/api/v1/courses/{course.name}/roster", json={"seats": [{}]})
        assert seats.status_code == 409


def test_runs_come_in_pages_in_the_order_in_which_they_were_asked_for(
    service: Service, course: Course, program: httpx2.Client, tmp_path: Path
) -> None:
    solver = Solver.joining(service, course, tmp_path, "Runner")
    attempt = solver.begin("starter/saturating-counter", {"rtl/sat_counter.sv": "x"})
    solver.record(attempt, Started())
    assert solver.send(attempt).status_code == 200
    ids = [solver.run(attempt, number, {"rtl/sat_counter.sv": f"// {number}"}).json()["id"] for number in range(1, 6)]
    path = f"/api/v1/courses/{course.name}/runs"
    for limit in (1, 2, 5, 100):
        assert [run["id"] for run in all_items(program, path, "runs", limit)] == ids
    one = program.get(path, params={"limit": 1}).json()["runs"][0]
    assert (one["problem"], one["assignment"], one["outcome"]) == ("saturating-counter", course.assignment, "")
    assert program.get(path, params={"account": "b" * 32}).json()["runs"] == []
    solver.log.close()
