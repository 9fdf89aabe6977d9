"""Two web processes on one PostgreSQL, each killed again and again while students send events and save."""

from __future__ import annotations

import contextlib
import hashlib
import itertools
import random
import signal
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

import httpx2
import psycopg
import pytest

from benchwright_attempts.events.events import Edit, Started
from benchwright_attempts.events.file_text import Change
from benchwright_attempts.log.anchors import Anchor, check_anchors
from benchwright_attempts.log.log import EventLog
from benchwright_attempts.summary.replay import verify_attempt
from benchwright_harness.execution.run import starting_files
from benchwright_problems.storage.store import Store

from ..support.service.bench_service import Service, Solver
from ..support.service.hand_worker import HandWorker, HandWorkerThread
from ..support.service.postgres import new_database

REF = "starter/saturating-counter"
STUDENTS = 3
WORKERS = 2
SAVED_EVERY = 4
WITHIN_S = 180.0


@pytest.fixture
def processes(postgres: Path, tmp_path: Path) -> Iterator[Sequence[Service]]:
    url = new_database(postgres)
    services = [Service(tmp_path / "service", url, workers=0, log_name=name) for name in ("first", "second")]
    starts = [threading.Thread(target=service.start) for service in services]
    for start in starts:
        start.start()
    for start in starts:
        start.join()
    yield services
    for service in services:
        service.stop(signal.SIGKILL)


class Student(threading.Thread):
    """Types, sends and saves until told to, at one process or the other; tries again after each failure."""

    def __init__(self, solver: Solver, processes: Sequence[Service], files: Mapping[str, str]) -> None:
        super().__init__()
        self.solver = solver
        self.attempt = solver.begin(REF, files)
        self.anchors: list[Anchor] = []
        self.runs: list[str] = []
        self.failures = 0
        self.stop_event = threading.Event()
        self._processes = itertools.cycle(processes)
        ((self._path, self._text),) = files.items()

    def run(self) -> None:
        """Works."""
        self.solver.record(self.attempt, Started())
        for number in itertools.count(1):
            if self.stop_event.wait(0.02):
                return
            change = Change(start=0, end=0, text=f"// {number}\n")
            self.solver.record(self.attempt, Edit(path=self._path, version=number, changes=(change,)))
            self.until_taken(self.send)
            if number % SAVED_EVERY == 0:
                self.until_taken(partial(self.save, number // SAVED_EVERY))

    def until_taken(self, step: Callable[[], bool]) -> None:
        """Does it at one process after the other."""
        while not self.stop_event.is_set():
            self.solver.service = next(self._processes)
            with contextlib.suppress(httpx2.HTTPError):
                if step():
                    return
            self.failures += 1
            self.stop_event.wait(0.05)

    def send(self) -> bool:
        """Sends what is new, or learns that it was taken before."""
        reply = self.solver.send(self.attempt)
        if reply.status_code == 200:
            self.anchors.append(Anchor.model_validate(reply.json()["anchor"]))
        return reply.status_code == 200

    def save(self, number: int) -> bool:
        """Queues a run, which has the same id however often it is sent."""
        run = hashlib.sha256(f"{self.attempt} {number}".encode()).hexdigest()[:32]
        reply = self.solver.run(self.attempt, number, {self._path: self._text + f"// {number}\n"}, run=run)
        if reply.status_code == 202:
            self.runs.append(run)
        return reply.status_code == 202


def test_nothing_acknowledged_is_lost_and_every_run_has_one_verdict_whichever_process_is_killed(
    processes: Sequence[Service], tmp_path: Path, nightly: bool
) -> None:
    kills = 100 if nightly else 2
    dice = random.Random(41)
    course = processes[0].set_up()
    problem = Store(processes[0].folders).unseal(REF)
    files = {path: starting_files(problem)[path].decode() for path in problem.public.expected}
    solvers = [Solver.joining(processes[0], course, tmp_path / str(index), str(index)) for index in range(STUDENTS)]
    students = [Student(solver, processes, files) for solver in solvers]
    token = processes[0].worker_token()
    clients = itertools.cycle(processes)
    workers = [
        HandWorkerThread(HandWorker(lambda: next(clients).client(token), f"hand-{index}")) for index in range(WORKERS)
    ]
    for thread in (*students, *workers):
        thread.start()
    for _ in range(kills):
        until_progress(students)
        time.sleep(dice.uniform(0.0, 0.3))
        victim = dice.choice(processes)
        port = int(victim.url.rpartition(":")[2])
        victim.stop(signal.SIGKILL)
        victim.start(port)
    until_progress(students)
    for student in students:
        student.stop_event.set()
        student.join()
    states = until_all_runs_ended(processes[0])
    for worker in workers:
        worker.stop_event.set()
        worker.join()

    with EventLog(processes[0].database or "") as log:
        for student in students:
            header, stored_rows = log.stored_attempt(student.attempt)
            _, sent_rows = student.solver.rows(student.attempt)
            stored_hashes = [row.hash for row in stored_rows]
            assert stored_hashes == [row.hash for row in sent_rows][: len(stored_hashes)]
            assert verify_attempt(header, stored_rows).ok
            assert check_anchors(student.attempt, stored_hashes, student.anchors).flaws == ()
    accepted = {run for student in students for run in student.runs}
    # Every run that was taken is there; it has a verdict, or a newer save has taken its place.
    assert accepted <= states.keys()
    assert set(states.values()) <= {("done", True), ("cancelled", False)}
    assert all(states[student.runs[-1]] == ("done", True) for student in students)
    # No verdict was taken twice; of one whose answer was lost with a process, the worker does not know.
    counted = Counter(run for worker in workers for run in worker.counted_runs)
    assert max(counted.values()) == 1
    assert counted.keys() <= {run for run, state in states.items() if state == ("done", True)}
    for solver in solvers:
        solver.log.close()


def until_progress(students: Sequence[Student]) -> None:
    """Waits until each student has had something acknowledged."""
    counts = [len(student.anchors) for student in students]
    give_up = time.monotonic() + WITHIN_S
    while any(len(student.anchors) <= count for student, count in zip(students, counts, strict=True)):
        assert time.monotonic() < give_up, [student.failures for student in students]
        time.sleep(0.02)


def until_all_runs_ended(service: Service) -> dict[str, tuple[str, bool]]:
    """Waits for the queue's end; the state of each run, and whether it has a verdict."""
    give_up = time.monotonic() + WITHIN_S
    while True:
        with psycopg.connect(service.database or "") as connection:
            rows = connection.execute("SELECT id, state, verdict IS NOT NULL FROM service_runs").fetchall()
        states = {run: (state, has_verdict) for run, state, has_verdict in rows}
        if not {state for state, _ in states.values()} & {"queued", "running"}:
            return states
        assert time.monotonic() < give_up, Counter(states.values())
        time.sleep(0.1)
