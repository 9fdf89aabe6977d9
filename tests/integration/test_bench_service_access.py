"""Access to the bench service: every endpoint of its OpenAPI document, every role, other people's work."""

from __future__ import annotations

import asyncio
import functools
import re
import uuid
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import httpx2
import pytest

from benchwright_attempts.events.events import Started
from benchwright_foundation.home import Home
from benchwright_harness.execution.run import starting_solution_files
from benchwright_problems.storage.store import Store
from benchwright_remote.messages import Role
from benchwright_remote.teaching_messages import Scope
from benchwright_service.accounts.personal_tokens import PersonalTokens
from benchwright_service.app import OPEN, make_api
from benchwright_service.bench import open_administration, open_lab
from benchwright_service.courses.permissions import Asker, Permission, permissions_by_request, scopes_by_request
from benchwright_studies.plan.study_file import parse_study

from ..support.service.bench_service import Course, Service, Solver, running_service

GUARDED = [
    (method.upper(), path)
    for path, operations in make_api().openapi()["paths"].items()
    for method in operations
    if path not in OPEN
]
FOR_WORKERS = [(method, path) for method, path in GUARDED if path.startswith("/api/v1/jobs")]
FOR_TEACHERS = scopes_by_request()
"""Area of the personal token of each endpoint of the teacher's API."""
FOR_PEOPLE = [route for route in GUARDED if route not in FOR_WORKERS]
STUDY = """
study: small
title: A small study
problems: [starter/saturating-counter]
conditions: [{name: alone, solver: human}]
participants: 2
randomisation: {seed: 4}
forecasts: []
consent: {version: "1", text: "You agree to what is written here."}
analysis: {primary: time}
data: {to: service}
"""
OF_ONE_PERSON = [("GET", "/api/v1/runs/{id}"), ("DELETE", "/api/v1/runs/{id}"), ("POST", "/api/v1/attempts/{id}/runs")]
REF = "starter/saturating-counter"


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    # Without workers a run stays queued, so that a cancellation by somebody else would show.
    with running_service(Service(tmp_path_factory.mktemp("service"), workers=0)) as started:
        yield started


@pytest.fixture(scope="module")
def course(service: Service) -> Course:
    return service.set_up()


@pytest.fixture(scope="module")
def tokens(service: Service, course: Course) -> dict[Role, str]:
    """One for each role in the course of the student whose work it is."""

    async def invited() -> dict[Role, str]:
        async with open_administration(service.folders, service.database) as parts:
            codes = {role: await parts.accounts.make_invitation(course.name, role) for role in Role}
            return {
                role: (await parts.accounts.sign_in_and_get_account_and_token(code, role.value))[1]
                for role, code in codes.items()
            }

    return asyncio.run(invited())


@dataclass(frozen=True)
class Tokens:
    """An asker's: as programs sign in with it, and personal ones by area."""

    usual: str
    by_scope: Mapping[Scope, str] = field(default_factory=dict)

    def for_request(self, method: str, path: str) -> str:
        """The one that such a request is made with."""
        token_scope = FOR_TEACHERS.get((method, path))
        return self.by_scope.get(token_scope, self.usual) if token_scope is not None else self.usual


@pytest.fixture(scope="module")
def taught(service: Service) -> Course:
    """A course in which there is somebody of each role."""
    return service.set_up(problems=("saturating-counter",))


@pytest.fixture(scope="module")
def askers(service: Service, course: Course, taught: Course) -> dict[Asker, Tokens]:
    """Tokens for each, in a study and a course of their own."""

    async def joined() -> dict[Asker, Tokens]:
        async with open_lab(service.folders, service.database) as (lab, _):
            await lab.open_study(parse_study(STUDY, Path("study.yaml")))
        async with open_administration(service.folders, service.database) as parts:
            personal_tokens = PersonalTokens(parts.database, parts.accounts)
            codes = {Asker(role.value): await parts.accounts.make_invitation("small", role) for role in Role}
            codes[Asker.STRANGER] = await parts.accounts.make_invitation(course.name, Role.OWNER)
            askers_tokens = {Asker.NOBODY: Tokens("")}
            askers_tokens[Asker.WORKER] = Tokens(await parts.accounts.new_worker_token("elsewhere"))
            for asker, code in codes.items():
                account, token = await parts.accounts.sign_in_and_get_account_and_token(code, asker.value)
                if asker is not Asker.STRANGER:
                    taught_code = await parts.accounts.make_invitation(taught.name, Role(asker.value))
                    await parts.accounts.join_course(account, taught_code)
                by_scope = {
                    token_scope: await personal_tokens.make_token(account, token_scope, [token_scope], 1)
                    for token_scope in Scope
                }
                askers_tokens[asker] = Tokens(token, by_scope)
            return askers_tokens

    return asyncio.run(joined())


@pytest.fixture(scope="module")
def work(
    service: Service, course: Course, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Solver, str, str]]:
    """A student, and the ids of an attempt and a queued run of theirs."""
    ada = Solver.joining(service, course, tmp_path_factory.mktemp("ada"))
    problem = Store(Home.from_environment({"BENCHWRIGHT_HOME": "/nonexistent"})).unseal(REF)
    starting = starting_solution_files(problem)
    files = {path: starting[path].decode() for path in problem.public.expected}
    attempt = ada.begin(REF, files)
    ada.record(attempt, Started())
    assert ada.send(attempt).status_code == 200
    run = uuid.uuid4().hex
    assert ada.run(attempt, 1, files, run).status_code == 202
    yield ada, attempt, run
    ada.log.close()


STATUSES = {
    Permission.UNAUTHORIZED: {401},
    Permission.FORBIDDEN: {403},
    Permission.ABSENT: {404},
    # Of what is absent, or with a body that has nothing in it.
    Permission.OWN: {404, 422},
}
"""Form of each answer of the table but `yes`, which is anything else."""


def ask(service: Service, token: str, method: str, path: str, json_body: object = None) -> httpx2.Response:
    filled = re.sub(r"\{\w+\}", "a" * 32, path)
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    sent_json = json_body if json_body is not None else {}
    return client_without_token(service.url).request(method, filled, json=sent_json, headers=headers)


@functools.cache
def client_without_token(address: str) -> httpx2.Client:
    """One for all: a client takes longer to make than most answers."""
    return httpx2.Client(base_url=address, timeout=60.0, trust_env=False)


@pytest.mark.parametrize(("method", "path"), GUARDED)
@pytest.mark.parametrize("token", ["", "bws_0123456789abcdef_forged"], ids=["none", "forged"])
def test_nobody_comes_in_without_a_token_of_the_service(service: Service, method: str, path: str, token: str) -> None:
    assert ask(service, token, method, path).status_code == 401


@pytest.mark.parametrize(("method", "path"), FOR_WORKERS)
@pytest.mark.parametrize("role", Role)
def test_no_role_may_take_work_that_has_hidden_parts(
    service: Service, tokens: dict[Role, str], role: Role, method: str, path: str
) -> None:
    assert ask(service, tokens[role], method, path).status_code == 403


@pytest.mark.parametrize(("method", "path"), FOR_PEOPLE)
def test_a_worker_may_not_ask_what_is_for_people(
    service: Service, askers: dict[Asker, Tokens], method: str, path: str
) -> None:
    assert ask(service, askers[Asker.WORKER].usual, method, path).status_code == 403


@pytest.mark.parametrize(("method", "path"), OF_ONE_PERSON)
@pytest.mark.parametrize("role", Role)
def test_work_of_somebody_else_is_answered_like_work_that_does_not_exist(
    service: Service, tokens: dict[Role, str], work: tuple[Solver, str, str], role: Role, method: str, path: str
) -> None:
    ada, attempt, run = work
    body = {"id": uuid.uuid4().hex, "number": 2, "files": {}}
    foreign_id = attempt if "attempts" in path else run

    other_reply = ask(service, tokens[role], method, path.replace("{id}", foreign_id), body)
    absent = ask(service, tokens[role], method, path, body)

    assert other_reply.status_code == absent.status_code == 404
    assert other_reply.json() == absent.json()
    with service.client(ada.token) as client:
        assert client.get(f"/api/v1/runs/{run}").json()["state"] == "queued"


@pytest.mark.parametrize("role", Role)
def test_nobody_adds_to_the_log_of_somebody_else(
    service: Service, tokens: dict[Role, str], work: tuple[Solver, str, str], role: Role
) -> None:
    ada, attempt, _ = work
    header, rows = ada.rows(attempt)
    request_body = {
        "header": header.model_dump(mode="json"),
        "assignment": ada.course.assignment,
        "lines": [row.as_json_line() for row in rows],
        "now": "2026-01-01T00:00:00Z",
    }
    assert ask(service, tokens[role], "POST", f"/api/v1/attempts/{attempt}/events", request_body).status_code == 404


@pytest.mark.parametrize(("method", "path"), permissions_by_request())
@pytest.mark.parametrize("asker", Asker)
def test_everybody_gets_what_the_table_of_permissions_says(
    service: Service, askers: dict[Asker, Tokens], taught: Course, asker: Asker, method: str, path: str
) -> None:
    permission = permissions_by_request()[method, path][asker]
    token = askers[asker].for_request(method, path)
    # Of a study or course that is there, so that a role in it counts; of nothing else.
    filled = path.replace("{study}", "small").replace("{course}", taught.name)

    reply = ask(service, token, method, filled if permission is not Permission.OWN else path)

    # What an endpoint says of somebody who is not there is another answer than that of a course which is not.
    is_absent_course = reply.status_code == 404 and reply.json()["detail"] == "There is no such course."
    refusal_statuses = {401, 403} if path in OPEN or "{account}" in path else {401, 403, 404}
    assert (
        reply.status_code not in refusal_statuses and not is_absent_course
        if permission is Permission.YES
        else reply.status_code in STATUSES[permission]
    )
    if permission is Permission.ABSENT:
        absent = ask(service, token, method, path.replace("{study}", "absent").replace("{course}", "absent"))
        assert (absent.status_code, absent.json()) == (404, reply.json())


@pytest.mark.parametrize(("method", "path"), FOR_TEACHERS)
@pytest.mark.parametrize(
    "role", [pytest.param(role, marks=() if role is Role.OWNER else pytest.mark.nightly) for role in Role]
)
def test_a_personal_token_is_good_for_its_area_alone(
    service: Service, askers: dict[Asker, Tokens], taught: Course, role: Role, method: str, path: str
) -> None:
    tokens_by_scope = askers[Asker(role.value)].by_scope
    statuses = {
        token_scope: ask(service, token, method, path.replace("{course}", taught.name)).status_code
        for token_scope, token in tokens_by_scope.items()
    }
    right_scope = FOR_TEACHERS[method, path]
    assert statuses.pop(right_scope) != 403
    assert set(statuses.values()) == {403}


@pytest.mark.parametrize(("method", "path"), [route for route in FOR_PEOPLE if route not in FOR_TEACHERS])
def test_a_personal_token_is_good_for_nothing_that_people_do_themselves(
    service: Service, askers: dict[Asker, Tokens], method: str, path: str
) -> None:
    for token in askers[Asker.OWNER].by_scope.values():
        assert ask(service, token, method, path).status_code == 403


@pytest.mark.parametrize(("method", "path"), FOR_TEACHERS)
def test_a_token_that_people_sign_in_with_opens_nothing_of_the_teachers_api(
    service: Service, askers: dict[Asker, Tokens], taught: Course, method: str, path: str
) -> None:
    assert ask(service, askers[Asker.OWNER].usual, method, path.replace("{course}", taught.name)).status_code == 403


@pytest.mark.parametrize(("method", "path"), [route for route in FOR_TEACHERS if "{course}" in route[1]])
def test_a_study_is_no_course_of_the_teachers_api(
    service: Service, askers: dict[Asker, Tokens], method: str, path: str
) -> None:
    token = askers[Asker.OWNER].for_request(method, path)
    of_study, absent = (ask(service, token, method, path.replace("{course}", name)) for name in ("small", "absent"))
    assert (of_study.status_code, of_study.json()) == (404, absent.json())


def bodies_about(account: str, assignment: str) -> dict[tuple[str, str], object]:
    """A body that would be taken if both were of the course, for each request that names either."""
    named = {"account": account, "assignment": assignment}
    extension = named | {"due": "2100-01-01T00:00:00Z"}
    return {
        ("PATCH", "/api/v1/courses/{course}/roster/{account}"): {"section": "B"},
        ("POST", "/api/v1/courses/{course}/extensions"): {"extensions": [extension]},
        ("POST", "/api/v1/courses/{course}/grades/adjustments"): {
            "adjustments": [named | {"points": 1, "reason": "because"}]
        },
    }


@pytest.mark.parametrize(("method", "path"), bodies_about("", ""))
def test_people_and_assignments_of_another_course_are_answered_like_none(
    service: Service,
    askers: dict[Asker, Tokens],
    taught: Course,
    work: tuple[Solver, str, str],
    method: str,
    path: str,
) -> None:
    ada, _, _ = work
    with service.client(ada.token) as client:
        account = client.get("/api/v1/me").json()["account"]
    token = askers[Asker.OWNER].for_request(method, path)

    def answer(course: str, account_name: str, assignment: str) -> tuple[int, object]:
        request_body = bodies_about(account_name, assignment)[method, path]
        filled = path.replace("{course}", course).replace("{account}", account_name)
        reply = ask(service, token, method, filled, request_body)
        return reply.status_code, reply.json()

    absent = answer(taught.name, "b" * 32, "b" * 32)
    assert absent[0] in (404, 422)
    assert answer(taught.name, account, ada.course.assignment) == absent
    assert answer(taught.name, account, taught.assignment) == absent
    # Where both are, she is no staff.
    assert answer(ada.course.name, account, ada.course.assignment)[0] == 404


def test_pages_of_runs_and_lists_of_a_course_have_nothing_of_another(
    service: Service, askers: dict[Asker, Tokens], taught: Course, work: tuple[Solver, str, str]
) -> None:
    ada, _, run = work
    token = askers[Asker.OWNER].by_scope[Scope.RUNS_READ]
    path = f"/api/v1/courses/{taught.name}/runs"
    with service.client(token) as client:
        assert client.get(path).json()["runs"] == []
        assert client.get(path, params={"assignment": ada.course.assignment}).json()["runs"] == []
        page_replies = [client.get(path, params={"after": after}) for after in (run, "absent")]
    assert [reply.status_code for reply in page_replies] == [422, 422]
    assert page_replies[0].json() == page_replies[1].json()
