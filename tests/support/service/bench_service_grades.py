"""Fixtures and helpers of the tests of bench service grades."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

import httpx2
import pytest

from benchwright_attempts.events.events import Started
from benchwright_foundation.home import Home
from benchwright_harness.execution.run import reference_solution_files, starting_solution_files
from benchwright_problems.problem import Problem
from benchwright_problems.storage.store import Store
from benchwright_remote.messages import Role

from .bench_service import Course, Service, Solver
from .bench_service_pages import csrf, invitation, signed_in

REF = "starter/saturating-counter"


QUESTION = "starter/load-use-stalls"


LATE = timedelta(hours=30)


@pytest.fixture(scope="module")
def course(service: Service) -> Course:
    return service.set_up(problems=("saturating-counter", "load-use-stalls"), due=datetime.now(UTC) - LATE)


@pytest.fixture(scope="module")
def account(service: Service, course: Course, tmp_path_factory: pytest.TempPathFactory) -> str:
    """A student who failed once, passed the design late, and answered the question wrongly."""
    problem = Store(Home.from_environment({"BENCHWRIGHT_HOME": "/nonexistent"})).unseal(REF)
    solver = Solver.joining(service, course, tmp_path_factory.mktemp("ada"), "=Ada <b>")
    attempt = solver.begin(REF, texts(problem, starting_solution_files(problem)))
    solver.record(attempt, Started())
    assert solver.send(attempt).status_code == 200
    for number, files in enumerate((starting_solution_files(problem), reference_solution_files(problem)), 1):
        solver.verdict(solver.run(attempt, number, texts(problem, files)).json()["id"])
    answer = solver.begin(QUESTION, {"answer.md": ""})
    solver.record(answer, Started())
    assert solver.send(answer).status_code == 200
    solver.verdict(solver.run(answer, 1, {"answer.md": "<i>nothing</i>"}).json()["id"])
    with service.client(solver.token) as client:
        account_id: str = client.get("/api/v1/me").json()["account"]
    solver.log.close()
    return account_id


def texts(problem: Problem, files: dict[str, bytes]) -> dict[str, str]:
    return {path: files[path].decode() for path in problem.public.expected}


@pytest.fixture
def teacher(service: Service, course: Course) -> httpx2.Client:
    return signed_in(service, invitation(service, course, Role.OWNER), "Professor")


def points(teacher: httpx2.Client, course: Course, account: str) -> str:
    page = teacher.get(f"/courses/{course.name}/grades/{course.assignment}/{account}").text
    (total,) = re.findall(r"<strong>([\d.]+)</strong> of", page)
    return str(total)


def change(teacher: httpx2.Client, path: str, **fields: str) -> httpx2.Response:
    return teacher.post(path, data={"csrf": csrf(teacher)} | fields)
