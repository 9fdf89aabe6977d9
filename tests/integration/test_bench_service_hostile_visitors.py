"""Pages as people ask for them who may not see them, and forms with what no field has room for."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import httpx2
import pytest

from benchwright_attempts.events.events import Started
from benchwright_foundation.rate import RateLimits
from benchwright_remote.messages import Role
from benchwright_service.bench import Bench, SignIn
from benchwright_service.pages.app import page_routes

from ..support.service.bench_service import Course, Service, Solver
from ..support.service.bench_service_pages import REF, browser, csrf, invitation, signed_in
from ..support.studies.hosted_study import opened

_SIGN_IN = SignIn(cast(Any, None), cast(Any, None), cast(Any, None))
_BENCH = cast(Bench, SimpleNamespace(sign_in=_SIGN_IN, rates=lambda _: RateLimits()))
OWNER, STAFF = frozenset({Role.OWNER}), frozenset({Role.OWNER, Role.STAFF})
OTHERS = {
    "/courses/{course}": frozenset(Role),
    "/courses/{course}/mine/{assignment}": frozenset({Role.PARTICIPANT}),
    "/courses/{course}/problems/{pack}/{problem}": frozenset(Role),
    "/courses/{course}/answers": STAFF | {Role.GRADER},
    "/courses/{course}/answers/{item}/figures/{number}": STAFF | {Role.GRADER},
    "/courses/{course}/review": STAFF | {Role.GRADER},
    "/courses/{course}/archive": OWNER,
    "/courses/{course}/settings": OWNER,
    "/courses/{course}/copy": OWNER,
    "/courses/{course}/research.zip": OWNER,
    "/courses/{course}/recording": frozenset({Role.PARTICIPANT}),
    "/courses/{course}/mine/{assignment}/late-days": frozenset({Role.PARTICIPANT}),
    "/courses/{course}/people/{account}/export": OWNER,
    "/courses/{course}/people/{account}/delete": OWNER,
    "/studies/{study}": OWNER | {Role.MONITOR},
    "/studies/{study}/watch": OWNER | {Role.MONITOR},
}
"""Visitors whose pages are not those of a course's staff, or of a study's owners."""
ROUTES = [
    (route.path, "POST" if "POST" in (route.methods or ()) else "GET")
    for route in page_routes(_BENCH, https_only=False)
    if route.path.startswith(("/courses/", "/studies/"))
]
STUDY = "watched"
FILE = "rtl/sat_counter.sv"


def allowed(path: str) -> frozenset[Role]:
    return OTHERS.get(path, OWNER if path.startswith("/studies/") else STAFF)


@pytest.fixture(scope="module")
def course(service: Service) -> Course:
    return service.set_up(due=datetime(2026, 12, 1, tzinfo=UTC))


@pytest.fixture(scope="module")
def invitations(service: Service) -> dict[Role, str]:
    return opened(service, STUDY)


@pytest.fixture(scope="module")
def solver(service: Service, course: Course, tmp_path_factory: pytest.TempPathFactory) -> Solver:
    return Solver.joining(service, course, tmp_path_factory.mktemp("solver"), "Grace")


@pytest.fixture(scope="module")
def objects(course: Course, solver: Solver) -> dict[str, str]:
    """Objects that there are, by their name in addresses."""
    attempt = solver.begin(REF, {FILE: "module\n"})
    solver.record(attempt, Started())
    assert solver.send(attempt).status_code == 200
    with solver.service.client(solver.token) as client:
        account = client.get("/api/v1/me").json()["account"]
    return {
        "course": course.name,
        "study": STUDY,
        "assignment": course.assignment,
        "pack": "starter",
        "problem": "saturating-counter",
        "account": account,
        "first": account,
        "second": account,
        "attempt": attempt,
        "events": "1",
        "chunk": "0",
        "number": "0",
        "kind": "canvas",
        "item": "0" * 32,
        "question": "q-0",
        "exam": "x-000000000000",
        "figure": "0" * 64,
        "regrade": "0" * 32,
    }


def address(path: str, objects: dict[str, str]) -> str:
    return re.sub(r"\{(\w+)\}", lambda match: objects[match[1]], path)


def status_and_text(client: httpx2.Client, method: str, path: str, token: str) -> tuple[int, str]:
    reply = client.get(path) if method == "GET" else client.post(path, data={"csrf": token})
    return reply.status_code, reply.text


@pytest.mark.parametrize("role", [*Role, None])
def test_a_page_that_is_not_for_somebody_is_answered_like_one_that_there_is_not(
    service: Service, course: Course, invitations: dict[Role, str], objects: dict[str, str], role: Role | None
) -> None:
    client = signed_in(service, invitation(service, course if role else service.set_up(), role or Role.OWNER))
    token = csrf(client)
    if role:
        assert client.post("/sign-in", data={"csrf": token, "code": invitations[role]}).status_code == 303
    absent = objects | {"course": "nowhere", "study": "nowhere"}
    allowed_paths = set()
    for path, method in ROUTES:
        if role in allowed(path):
            allowed_paths.add(path)
            # Its own form, without what proves that it is.
            if method == "POST":
                assert client.post(address(path, objects)).status_code in (403, 413, 415), path
            continue
        refusal = status_and_text(client, method, address(path, objects), token)
        assert refusal == status_and_text(client, method, address(path, absent), token), path
        assert refusal[0] == 404, path
        assert objects["account"] not in refusal[1]
    assert bool(allowed_paths) == (role is not None)


@pytest.fixture(scope="module")
def teacher(service: Service, course: Course) -> httpx2.Client:
    return signed_in(service, invitation(service, course, Role.OWNER), "Professor")


@pytest.mark.parametrize("digits", ["9" * 19, "9" * 400, "9" * 5_000, "٣"])
def test_a_number_without_an_end_is_no_page_and_no_crash(
    teacher: httpx2.Client, course: Course, objects: dict[str, str], digits: str
) -> None:
    replay_path = address("/courses/{course}/attempts/{assignment}/{problem}/{account}/{attempt}/replay", objects)
    for path in (
        f"{replay_path}/1/{digits}",
        f"{replay_path}/{digits}/0",
        f"/courses/{course.name}/answers/{'0' * 32}/figures/{digits}",
    ):
        assert teacher.get(path).status_code == 404
    grade = address("/courses/{course}/grades/{assignment}/{account}", objects)
    token = csrf(teacher)
    appeal = {"csrf": token, "appeal": digits, "decision": "grant", "answer": "yes"}
    assert teacher.post(f"{grade}/appeal", data=appeal).status_code in (404, 409)
    for field in ("points", "due"):
        assert teacher.post(grade, data={"csrf": token, field: f"{digits}x", "reason": "r"}).status_code == 422
    fields = {"csrf": token, "item": "0" * 32, "label": "correct", "difficulty": digits}
    assert teacher.post(f"/courses/{course.name}/answers", data=fields).status_code == 422
    form_fields = {"csrf": token, "title": "Week 1", "runs": digits}
    path = f"/courses/{course.name}/assignments/{course.assignment}"
    assert teacher.post(path, data=form_fields).status_code == 422


@pytest.mark.parametrize(
    ("sent_time", "status", "shown_time"),
    [
        ("2027-01-01T01:00", 303, "2027-01-01 01:00 UTC"),
        ("2027-01-01T01:00+03:00", 303, "2026-12-31 22:00 UTC"),
        ("0001-01-01T00:00+03:00", 422, "is no date and time"),
    ],
)
def test_a_time_is_the_one_that_was_sent(
    teacher: httpx2.Client, course: Course, objects: dict[str, str], sent_time: str, status: int, shown_time: str
) -> None:
    grade = address("/courses/{course}/grades/{assignment}/{account}", objects)
    reply = teacher.post(grade, data={"csrf": csrf(teacher), "due": sent_time, "reason": "ill"}, follow_redirects=True)
    assert (reply.history[0] if reply.history else reply).status_code == status
    assert shown_time in reply.text


def test_a_name_can_neither_hide_in_a_list_nor_break_a_line_of_a_file(
    service: Service, course: Course, teacher: httpx2.Client, tmp_path: Path
) -> None:
    raw_name = "\u202eevE\u202c\r\n\x1b[31m;=HYPERLINK(1)\t" + "n" * 100
    solver = Solver.joining(service, course, tmp_path, raw_name)
    solver.log.close()
    clean_name = "evE [31m;=HYPERLINK(1) " + "n" * 100
    page = teacher.get(f"/courses/{course.name}/people").text
    assert clean_name in page
    for kind in ("canvas", "moodle", "table"):
        text = teacher.get(f"/courses/{course.name}/grades.{kind}.csv").text
        assert clean_name.replace(";=", ";'=") in text
    (account,) = re.findall(rf"<summary>{re.escape(clean_name)}.*?/people/(\w+)/export", page, re.DOTALL)
    deleted = {"csrf": csrf(teacher), "name": clean_name}
    assert teacher.post(f"/courses/{course.name}/people/{account}/delete", data=deleted).status_code == 303
    assert clean_name not in teacher.get(f"/courses/{course.name}/people").text


def test_a_path_that_leads_out_of_a_runs_folder_is_refused(solver: Solver, objects: dict[str, str]) -> None:
    for path in ("../../person.json", "/etc/passwd", f"./{FILE}", f"{FILE}/../x", "C:\\x", "rtl\\sat_counter.sv"):
        reply = solver.run(objects["attempt"], 1, {path: "module\n"})
        assert (reply.status_code, reply.json()["type"].rpartition(":")[2]) == (422, "invalid"), path


def test_nothing_that_visitors_send_is_in_the_log(service: Service, course: Course, teacher: httpx2.Client) -> None:
    word = "zqcanary"
    browser(service).post("/sign-in", data={"code": word, "name": word})
    browser(service).get(f"/courses/{word}?section={word}", headers={"Cookie": f"benchwright_session={word}"})
    teacher.get(f"/courses/{course.name}/grades/{word}/{word}")
    teacher.post(f"/courses/{course.name}/people", data={"csrf": word, word: word})
    with service.client(word) as client:
        client.post(f"/api/v1/attempts/{word}/events", content=word.encode())
        client.post("/api/v1/join", json={"code": word, "name": word})
    assert word not in service.log.read_text("utf-8")
