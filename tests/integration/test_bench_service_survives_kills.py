"""Service, workers and database killed while students type and save: nothing is lost, nothing graded twice."""

from __future__ import annotations

import contextlib
import random
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import httpx2
import psutil
import pytest
from sqlalchemy import create_engine, text

from benchwright_attempts.events.events import Edit, Started
from benchwright_attempts.events.file_text import Change
from benchwright_attempts.log.anchors import Anchor, check_anchors
from benchwright_attempts.log.log import EventLog
from benchwright_attempts.summary.replay import verify_attempt
from benchwright_harness.execution.run import starting_solution_files
from benchwright_problems.problem import Problem
from benchwright_problems.storage.store import Store

from ..support.service.bench_service import DATABASES, Service, Solver
from ..support.service.killable_service import killable_database, killable_service
from ..support.service.postgres import Cluster

pytestmark = pytest.mark.long

REF = "starter/saturating-counter"
STUDENTS = 3
LEAST_RECEIPTS = 10
PATIENCE_S = 120.0


@pytest.fixture(params=DATABASES)
def database(request: pytest.FixtureRequest) -> Iterator[Cluster | None]:
    with killable_database(request.param) as cluster:
        yield cluster


@pytest.fixture
def service(database: Cluster | None, tmp_path: Path) -> Iterator[Service]:
    with killable_service(database, tmp_path, workers=2) as started:
        yield started


class Student(threading.Thread):
    """Types, sends and saves until told to stop; goes on after each failure."""

    def __init__(self, solver: Solver, problem: Problem) -> None:
        super().__init__()
        self.solver = solver
        self.path = problem.public.expected[0]
        self.start_text = starting_solution_files(problem)[self.path].decode()
        self.attempt = solver.begin(REF, {self.path: self.start_text})
        self.anchors: list[Anchor] = []
        self.runs: list[str] = []
        self.stop_event = threading.Event()

    def run(self) -> None:
        number = 0
        self.solver.record(self.attempt, Started())
        while not self.stop_event.is_set():
            number += 1
            change = Change(start=0, end=0, text=f"// {number}\n")
            self.solver.record(self.attempt, Edit(path=self.path, version=number, changes=(change,)))
            with contextlib.suppress(httpx2.HTTPError):
                self.send()
                if number % 5 == 0 and self.anchors:
                    reply = self.solver.run(self.attempt, number // 5, {self.path: self.start_text + f"// {number}\n"})
                    if reply.status_code == 202:
                        self.runs.append(reply.json()["id"])
            time.sleep(0.05)

    def send(self) -> None:
        reply = self.solver.send(self.attempt)
        if reply.status_code == 200:
            self.anchors.append(Anchor.model_validate(reply.json()["anchor"]))


@pytest.mark.nightly
def test_nothing_acknowledged_is_lost_and_nothing_graded_twice(
    service: Service, database: Cluster | None, tmp_path: Path, nightly: bool
) -> None:
    kills = 100 if nightly else 5
    dice = random.Random(17)
    problem = Store(service.folders).unseal(REF)
    course = service.set_up()
    solvers = [Solver.joining(service, course, tmp_path / str(index), str(index)) for index in range(STUDENTS)]
    students = [Student(solver, problem) for solver in solvers]
    port = int(service.url.rpartition(":")[2])
    for student in students:
        student.start()
    for _ in range(kills):
        time.sleep(dice.uniform(0.1, 1.5))
        assert service.process is not None
        workers = psutil.Process(service.process.pid).children()
        chance = dice.random()
        if database is not None and chance < 0.3:
            database.stop()
            time.sleep(dice.uniform(0.0, 1.0))
            database.start()
        elif workers and chance < 0.6:
            with contextlib.suppress(psutil.NoSuchProcess):
                dice.choice(workers).kill()
        else:
            service.stop(signal.SIGKILL)
            service.start(port)
    # On a busy machine little is acknowledged between the kills.
    give_up = time.monotonic() + PATIENCE_S
    while any(len(student.anchors) <= LEAST_RECEIPTS for student in students) and time.monotonic() < give_up:
        time.sleep(0.1)
    for student in students:
        student.stop_event.set()
        student.join()
        student.send()
    run_views = {run: student.solver.verdict(run) for student in students for run in student.runs[-1:]}
    assert all(
        run_view["state"] == "done" and run_view["verdict"]["outcome"] == "failed" for run_view in run_views.values()
    )

    with EventLog(service.database or service.folders.data / "service" / "attempts.sqlite") as log:
        for student in students:
            _, sent_rows = student.solver.rows(student.attempt)
            header, stored_rows = log.stored_attempt(student.attempt)
            assert [row.hash for row in stored_rows] == [row.hash for row in sent_rows]
            assert verify_attempt(header, stored_rows).ok
            check = check_anchors(student.attempt, [row.hash for row in stored_rows], student.anchors)
            assert (len(student.anchors) > LEAST_RECEIPTS, check.flaws) == (True, ())
    engine = create_engine(
        service.database.replace("postgresql:", "postgresql+psycopg:")
        if service.database
        else f"sqlite:///{service.folders.data / 'service' / 'service.sqlite'}"
    )
    with engine.connect() as connection:
        state_rows = connection.execute(
            text("SELECT state, count(*), count(verdict) FROM service_runs GROUP BY state")
        ).all()
    engine.dispose()
    # What ended has a verdict, and one only; what a newer save replaced has none.
    assert {state: count == with_verdict for state, count, with_verdict in state_rows if state == "done"} == {
        "done": True
    }
    assert all(with_verdict == 0 for state, _, with_verdict in state_rows if state == "cancelled")
    assert not [state for state, *_ in state_rows if state in ("queued", "running")]
    for solver in solvers:
        solver.log.close()
