"""Metrics without ids and a log without contents, which a bench service has for its operator."""

from __future__ import annotations

import re
import sqlite3
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchwright_attempts.events.events import Edit, Started
from benchwright_attempts.events.file_text import Change
from benchwright_foundation.home import Home
from benchwright_harness.execution.run import reference_solution_files, starting_solution_files
from benchwright_problems.storage.store import Store

from ..support.service.bench_service import Course, Service, Solver
from ..support.service.bench_service_metrics import scrape_samples, service, value

__all__ = ("service",)

REF = "starter/saturating-counter"
QUESTION = "starter/load-use-stalls"
CANARY = "zqcanary"


@pytest.fixture
def course(service: Service) -> Course:
    return service.set_up()


@pytest.fixture
def solver(service: Service, course: Course, tmp_path: Path) -> Iterator[Solver]:
    solver = Solver.joining(service, course, tmp_path, name=f"Ada {CANARY}")
    yield solver
    solver.log.close()


def test_runs_events_and_requests_are_counted_without_any_id(service: Service, solver: Solver) -> None:
    problem = Store(Home.from_environment({"BENCHWRIGHT_HOME": "/nonexistent"})).unseal(REF)
    start = {path: starting_solution_files(problem)[path].decode() for path in problem.public.expected}
    attempt = solver.begin(REF, start)
    solver.record(attempt, Started())
    assert solver.send(attempt).status_code == 200
    solver.verdict(solver.run(attempt, 1, start).json()["id"])
    solution_files = {path: reference_solution_files(problem)[path].decode() for path in problem.public.expected}
    solver.verdict(solver.run(attempt, 2, solution_files).json()["id"])
    with service.client() as client:
        client.request("BREW", "/api/v1/me")
        client.get(f"/api/v1/runs/{attempt}")
        client.get("/v1/health/live")

    samples = scrape_samples(service)
    assert value(samples, "benchwright_runs_ended_total", outcome="failed") == 1
    assert value(samples, "benchwright_runs_ended_total", outcome="passed") == 1
    assert value(samples, "benchwright_run_wait_seconds_count") == 2
    assert value(samples, "benchwright_run_seconds_count") == 2
    assert value(samples, "benchwright_runs_queued") == value(samples, "benchwright_runs_running") == 0
    assert value(samples, "benchwright_workers") == 1
    assert value(samples, "benchwright_event_acknowledgement_seconds_count") == 1
    event_labels = {"route": "/api/v1/attempts/{attempt}/events", "method": "POST", "status": "200"}
    assert value(samples, "benchwright_requests_total", **event_labels) == 1
    assert value(samples, "benchwright_requests_total", status="401", route="", method="GET") == 1
    assert value(samples, "benchwright_requests_total", status="401", route="", method="other") == 1
    assert value(samples, "benchwright_requests_total", route="/v1/health/live", status="200") == 1
    assert value(samples, "benchwright_database_errors_total") == 0
    label_text = " ".join(text for sample in samples for text in sample.labels.values())
    assert not re.search(r"[0-9a-f]{12}", label_text)
    assert CANARY not in label_text


def test_metrics_are_for_this_machine_alone_and_not_at_the_services_address(service: Service) -> None:
    assert "Metrics at http://127.0.0.1:" in service.log.read_text()
    with service.client() as client:
        assert client.get("/metrics").status_code in (401, 404)


def test_nothing_that_anybody_sends_reaches_the_log_even_when_the_database_fails(
    service: Service, solver: Solver
) -> None:
    with service.client() as client:
        client.post("/api/v1/join", json={"code": CANARY, "name": CANARY})
        client.post("/api/v1/join", content=f'{{"{CANARY}'.encode(), headers={"Content-Type": "application/json"})
        client.get(f"/{CANARY}?{CANARY}={CANARY}", headers={"X-Name": CANARY, "Cookie": f"a={CANARY}"})
    with service.client(f"bws_{CANARY}") as client:
        client.get("/api/v1/me")
    attempt = solver.begin(REF, {"rtl/saturating_counter.sv": CANARY})
    solver.record(
        attempt,
        Started(),
        Edit(path="rtl/saturating_counter.sv", version=1, changes=(Change(start=0, end=0, text=CANARY),)),
    )
    assert solver.send(attempt).status_code == 200
    assert solver.send(attempt, first_event=0, lines=[{"event": CANARY}]).status_code == 422
    problem = Store(Home.from_environment({"BENCHWRIGHT_HOME": "/nonexistent"})).problem(REF)
    broken_files = dict.fromkeys(problem.public.expected, f"module {CANARY} (")
    solver.verdict(solver.run(attempt, 1, broken_files).json()["id"])
    question_attempt = solver.begin(QUESTION, {})
    solver.record(question_attempt, Started())
    assert solver.send(question_attempt).status_code == 200
    solver.run(question_attempt, 1, {"answer.md": CANARY})

    file = service.folders.data / "service" / "service.sqlite"
    with sqlite3.connect(file) as database:
        database.execute("ALTER TABLE service_runs RENAME TO elsewhere")
    assert solver.run(attempt, 2, broken_files, run=uuid.uuid4().hex).status_code == 503
    with service.client() as client:
        assert client.post("/api/v1/join", json={"code": solver.course.invitation, "name": CANARY}).status_code == 200

    assert value(scrape_samples(service), "benchwright_database_errors_total") >= 1
    log = service.log.read_text()
    assert "StorageError" in log
    assert CANARY not in log
    for secret in (solver.token, solver.token.split("_", 2)[2], solver.course.invitation):
        assert secret not in log
