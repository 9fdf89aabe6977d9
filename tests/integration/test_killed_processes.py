"""Two web processes on one PostgreSQL, each killed again and again while students send events and save."""

from __future__ import annotations

import itertools
import random
import signal
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from benchwright_harness.execution.run import starting_solution_files
from benchwright_problems.storage.store import Store

from ..support.service.bench_service import Service, Solver
from ..support.service.hand_worker import HandWorker, HandWorkerThread
from ..support.service.persistent_solver import Acknowledged, PersistentSolver, until_all_runs_ended
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
    for start_thread in starts:
        start_thread.start()
    for start_thread in starts:
        start_thread.join()
    yield services
    for service in services:
        service.stop(signal.SIGKILL)


class Student(threading.Thread):
    """Types, sends and saves until told to."""

    def __init__(self, editor: PersistentSolver) -> None:
        super().__init__()
        self.editor = editor

    def run(self) -> None:
        """Works."""
        for number in itertools.count(1):
            if self.editor.stop_event.wait(0.02):
                return
            self.editor.type_line()
            if number % SAVED_EVERY == 0:
                self.editor.save()


def test_nothing_acknowledged_is_lost_and_every_run_has_one_verdict_whichever_process_is_killed(
    processes: Sequence[Service], tmp_path: Path, nightly: bool
) -> None:
    kills = 100 if nightly else 2
    dice = random.Random(41)
    course = processes[0].set_up()
    problem = Store(processes[0].folders).unseal(REF)
    files = {path: starting_solution_files(problem)[path].decode() for path in problem.public.expected}
    solvers = [Solver.joining(processes[0], course, tmp_path / str(index), str(index)) for index in range(STUDENTS)]
    acknowledged = Acknowledged()
    students = [Student(PersistentSolver(solver, processes, REF, files, acknowledged)) for solver in solvers]
    token = processes[0].worker_token()
    clients = itertools.cycle(processes)
    workers = [
        HandWorkerThread(HandWorker(lambda: next(clients).client(token), f"hand-{index}")) for index in range(WORKERS)
    ]
    for thread in (*students, *workers):
        thread.start()
    for _ in range(kills):
        until_progress(students, acknowledged)
        time.sleep(dice.uniform(0.0, 0.3))
        victim = dice.choice(processes)
        port = int(victim.url.rpartition(":")[2])
        victim.stop(signal.SIGKILL)
        victim.start(port)
    until_progress(students, acknowledged)
    for student in students:
        student.editor.stop_event.set()
        student.join()
    states = until_all_runs_ended(processes[0])
    for worker in workers:
        worker.stop_event.set()
        worker.join()

    acknowledged.require_events(processes[0], [student.editor for student in students])
    acknowledged.require_runs(states, workers)
    for solver in solvers:
        solver.log.close()


def until_progress(students: Sequence[Student], acknowledged: Acknowledged) -> None:
    """Waits until each student has had something acknowledged."""

    def counts() -> list[int]:
        return [len(acknowledged.anchors[student.editor.attempt]) for student in students]

    old_counts, give_up = counts(), time.monotonic() + WITHIN_S
    while any(new <= old for new, old in zip(counts(), old_counts, strict=True)):
        assert time.monotonic() < give_up, [student.editor.failures for student in students]
        time.sleep(0.02)
