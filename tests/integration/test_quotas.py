"""Quotas of one account over HTTP: what is too much is refused, nothing is lost, and others are not in its way."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest

from benchwright_attempts.events.events import Focus, Started
from benchwright_foundation.home import Home
from benchwright_harness.execution.run import starting_solution_files
from benchwright_problems.problem import Problem
from benchwright_problems.storage.store import Store

from ..support.service.bench_service import DATABASES, Course, Service, Solver, running_service
from ..support.service.bench_service_metrics import scrape_samples, value
from ..support.service.postgres import new_database

REF = "starter/saturating-counter"
OPTIONS = (
    *("--workers", "0", "--metrics-port", "0"),
    *("--runs-waiting", "2", "--runs-per-hour", "4", "--events-per-day", "5000"),
    *("--attempts-per-hour", "3", "--stored-mb", "1"),
)


@pytest.fixture(params=DATABASES)
def service(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Service]:
    database = new_database(request.getfixturevalue("postgres")) if request.param == "postgresql" else None
    with running_service(Service(tmp_path / "service", database, options=OPTIONS)) as started:
        yield started


@pytest.fixture
def course(service: Service) -> Course:
    return service.set_up()


@pytest.fixture
def ada(service: Service, course: Course, tmp_path: Path) -> Iterator[Solver]:
    solver = Solver.joining(service, course, tmp_path / "ada")
    yield solver
    solver.log.close()


@pytest.fixture
def lin(service: Service, course: Course, tmp_path: Path) -> Iterator[Solver]:
    solver = Solver.joining(service, course, tmp_path / "lin", "Lin")
    yield solver
    solver.log.close()


@pytest.fixture(scope="module")
def files() -> dict[str, str]:
    problem: Problem = Store(Home.from_environment({"BENCHWRIGHT_HOME": "/nonexistent"})).unseal(REF)
    return {path: starting_solution_files(problem)[path].decode() for path in problem.public.expected}


def begun(solver: Solver, files: dict[str, str]) -> str:
    attempt = solver.begin(REF, files)
    solver.record(attempt, Started())
    return attempt


def refused(reply: httpx2.Response, detail: str, status: int = 429) -> httpx2.Response:
    assert reply.status_code == status, reply.text
    assert detail in reply.json()["detail"]
    assert reply.json()["next_step"]
    assert status != 429 or re.fullmatch(r"[1-9]\d*", reply.headers["Retry-After"])
    return reply


def test_each_quota_refuses_and_leaves_the_others_alone(
    service: Service, ada: Solver, lin: Solver, files: dict[str, str]
) -> None:
    attempts = [begun(ada, files) for _ in range(4)]
    assert [ada.send(attempt).status_code for attempt in attempts[:3]] == [200] * 3
    reply = refused(ada.send(attempts[3]), "new attempts is 3 an hour")
    assert reply.json()["type"].endswith(":quota-used-up")
    assert 0 < int(reply.headers["Retry-After"]) <= 1200

    assert [ada.run(attempt, 1, files).status_code for attempt in attempts[:2]] == [202] * 2
    refused(ada.run(attempts[2], 1, files), "runs that wait at once is 2")
    second_reply = refused(ada.run(attempts[2], 1, files), "runs that wait at once is 2")
    assert second_reply.headers["Retry-After"] == "5"

    assert lin.send(begun(lin, files)).status_code == 200
    samples = scrape_samples(service)
    name = "benchwright_quota_refusals_total"
    assert value(samples, name, quota="attempts_per_hour") == 1
    assert value(samples, name, quota="runs_waiting") == 2


def test_runs_of_an_hour_are_counted_once_each(service: Service, ada: Solver, files: dict[str, str]) -> None:
    attempt = begun(ada, files)
    assert ada.send(attempt).status_code == 200
    for number in range(1, 5):
        run = hashlib.md5(str(number).encode(), usedforsecurity=False).hexdigest()
        for _ in range(3):
            # The same run sent again is the same run.
            assert ada.run(attempt, number, files, run=run).status_code == 202
        with service.client(ada.token) as client:
            assert client.delete(f"/api/v1/runs/{run}").status_code == 204
    refused(ada.run(attempt, 5, files), "runs is 4 an hour")


def test_files_are_taken_as_long_as_there_is_room_also_after_a_restart(
    service: Service, ada: Solver, files: dict[str, str]
) -> None:
    (path,) = files
    attempt = begun(ada, files)
    assert ada.send(attempt).status_code == 200
    noise = [hashlib.shake_256(bytes([number])).hexdigest(700_000) for number in range(3)]
    assert ada.run(attempt, 1, {path: noise[0]}).status_code == 202
    reply = refused(ada.run(attempt, 2, {path: noise[1]}), "stored is 1 MB", 413)
    assert reply.json()["type"].endswith(":storage-used-up")
    assert ada.run(attempt, 2, {path: noise[0]}).status_code == 202
    port = int(service.url.rpartition(":")[2])
    service.stop()
    service.start(port)
    refused(ada.run(attempt, 3, {path: noise[2]}), "stored is 1 MB", 413)
    assert ada.run(attempt, 3, files).status_code == 202


def test_events_above_the_quota_wait_and_are_all_taken_later(
    service: Service, ada: Solver, lin: Solver, files: dict[str, str]
) -> None:
    attempt = begun(ada, files)
    ada.record(attempt, *(Focus(focused=bool(number % 2)) for number in range(498)))
    assert ada.send(attempt).status_code == 200
    for _ in range(9):
        assert ada.send(attempt, first_event=0).status_code == 200
    ada.record(attempt, *(Focus(focused=bool(number % 2)) for number in range(200)))
    refused(ada.send(attempt), "events is 5,000 a day")
    # Asking how far the attempt is stays possible.
    _, rows = ada.rows(attempt)
    assert ada.send(attempt, first_event=len(rows)).json()["anchor"]["events"] == 500
    assert lin.send(begun(lin, files)).status_code == 200
    port = int(service.url.rpartition(":")[2])
    service.stop()
    service.start(port)
    ada.sent_counts[attempt] = 500
    assert ada.send(attempt).json()["anchor"]["events"] == len(rows)
