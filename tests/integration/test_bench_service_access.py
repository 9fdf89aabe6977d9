"""Access to the bench service: every endpoint of its OpenAPI document, every role, other people's work."""

from __future__ import annotations

import asyncio
import re
import uuid
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest

from benchwright_attempts.events.events import Started
from benchwright_foundation.home import Home
from benchwright_harness.execution.run import starting_files
from benchwright_problems.storage.store import Store
from benchwright_remote.messages import Role
from benchwright_service.app import OPEN, make_api
from benchwright_service.bench import open_administration, open_lab
from benchwright_service.courses.permissions import Asker, Permission, permissions_by_request
from benchwright_studies.plan.study_file import parse_study

from ..support.service.bench_service import Course, Service, Solver, running_service

GUARDED = [
    (method.upper(), path)
    for path, operations in make_api().openapi()["paths"].items()
    for method in operations
    if path not in OPEN
]
FOR_WORKERS = [(method, path) for method, path in GUARDED if path.startswith("/api/v1/jobs")]
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
                role: (await parts.accounts.sign_in_by_invitation_with_token(code, role.value))[1]
                for role, code in codes.items()
            }

    return asyncio.run(invited())


@pytest.fixture(scope="module")
def askers(service: Service, course: Course) -> dict[Asker, str]:
    """A token for each, in a study of their own."""

    async def joined() -> dict[Asker, str]:
        async with open_lab(service.folders, service.database) as (lab, _):
            await lab.open_study(parse_study(STUDY, Path("study.yaml")))
        async with open_administration(service.folders, service.database) as parts:
            codes = {Asker(role.value): await parts.accounts.make_invitation("small", role) for role in Role}
            codes[Asker.STRANGER] = await parts.accounts.make_invitation(course.name, Role.OWNER)
            joined_tokens = {
                asker: (await parts.accounts.sign_in_by_invitation_with_token(code, asker.value))[1]
                for asker, code in codes.items()
            }
            return joined_tokens | {Asker.NOBODY: "", Asker.WORKER: await parts.accounts.new_worker_token("elsewhere")}

    return asyncio.run(joined())


@pytest.fixture(scope="module")
def work(
    service: Service, course: Course, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Solver, str, str]]:
    """A student, and the ids of an attempt and a queued run of theirs."""
    ada = Solver.joining(service, course, tmp_path_factory.mktemp("ada"))
    problem = Store(Home.from_environment({"BENCHWRIGHT_HOME": "/nonexistent"})).unseal(REF)
    starting = starting_files(problem)
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
    with service.client(token) as client:
        return client.request(method, filled, json=json_body if json_body is not None else {})


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
def test_a_worker_may_not_ask_what_is_for_people(service: Service, method: str, path: str) -> None:
    assert ask(service, service.worker_token(), method, path).status_code == 403


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
    service: Service, askers: dict[Asker, str], asker: Asker, method: str, path: str
) -> None:
    permission = permissions_by_request()[method, path][asker]
    # Of a study that is there, so that a role in it counts; of nothing else.
    filled = path.replace("{study}", "small") if permission is not Permission.OWN else path

    reply = ask(service, askers[asker], method, filled)

    refusal_statuses = {401, 403} if path in OPEN else {401, 403, 404}
    assert (
        reply.status_code not in refusal_statuses
        if permission is Permission.YES
        else reply.status_code in STATUSES[permission]
    )
    if permission is Permission.ABSENT:
        absent = ask(service, askers[asker], method, path.replace("{study}", "absent"))
        assert (absent.status_code, absent.json()) == (404, reply.json())
