"""Two web processes of one service: with PostgreSQL they are one, with SQLite the second is refused."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import httpx2
import pytest

from benchwright_attempts.events.events import Started
from benchwright_harness.execution.run import starting_solution_files
from benchwright_problems.storage.store import Store
from benchwright_remote.messages import Job

from ..support.service.bench_service import Course, Service, Solver, running_service
from ..support.service.hand_worker import HandWorker
from ..support.service.postgres import new_database

REF = "starter/saturating-counter"
QUESTION = "starter/load-use-stalls"
WITHIN_S = 30.0


@pytest.fixture(scope="module")
def processes(postgres: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Service, Service]]:
    """Two that start at the same moment, on an empty database and an empty folder."""
    home, url = tmp_path_factory.mktemp("processes") / "service", new_database(postgres)
    first, second = (Service(home, url, workers=0, log_name=log_name) for log_name in ("first", "second"))
    threads = [threading.Thread(target=service.start) for service in (first, second)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    try:
        yield first, second
    finally:
        first.stop()
        second.stop()


@pytest.fixture(scope="module")
def course(processes: tuple[Service, Service]) -> Course:
    return processes[0].set_up()


@pytest.fixture
def ada(processes: tuple[Service, Service], course: Course, tmp_path: Path) -> Iterator[Solver]:
    solver = Solver.joining(processes[0], course, tmp_path / "ada")
    yield solver
    solver.log.close()


def begun(solver: Solver, ref: str = REF) -> tuple[str, dict[str, str]]:
    problem = Store(solver.service.folders).unseal(ref)
    files = {path: starting_solution_files(problem)[path].decode() for path in problem.public.expected}
    attempt = solver.begin(ref, files)
    solver.record(attempt, Started())
    assert solver.send(attempt).status_code == 200
    return attempt, files


def test_a_run_that_one_process_takes_is_given_by_the_other_and_its_student_hears_of_it(
    processes: tuple[Service, Service], ada: Solver
) -> None:
    first, second = processes
    token = first.worker_token()
    attempt, files = begun(ada)
    worker = HandWorker(partial(second.client, token))
    jobs: list[Job | None] = []
    asking = threading.Thread(target=lambda: jobs.append(worker.ask(wait_s=WITHIN_S)))
    asking.start()
    run = ada.run(attempt, 1, files).json()["id"]
    asking.join()
    (job,) = jobs
    assert job is not None and job.run == run

    # The student waits at the one, the worker speaks with the other.
    with first.client(ada.token) as student:
        seen = student.get(f"/api/v1/runs/{run}").json()
        assert seen["state"] == "running"
        run_views = []
        long_poll = threading.Thread(
            target=lambda: run_views.append(
                student.get(f"/api/v1/runs/{run}", params={"seen": seen["revision"], "wait_s": 25}).json()
            )
        )
        long_poll.start()
        assert worker.say_step(job, "compile")
        long_poll.join()
    assert run_views[0]["step"] == "1 of 2: compile"
    assert worker.deliver(job)
    # Once.
    assert not HandWorker(partial(first.client, token)).deliver(job)
    ada.service = second
    assert ada.verdict(run)["verdict"]["outcome"] == "failed"


def test_starting_another_process_takes_no_run_from_anybody(
    processes: tuple[Service, Service], ada: Solver, tmp_path: Path
) -> None:
    first, _ = processes
    worker = HandWorker(partial(first.client, first.worker_token()))
    attempt, files = begun(ada)
    run = ada.run(attempt, 1, files).json()["id"]
    job = worker.ask(wait_s=WITHIN_S)
    assert job is not None and job.run == run
    third = Service(first.home, first.database, workers=1, log_name="third")
    third.start()
    assert worker.say_step(job)
    # It ends in the middle of the run, without a word.
    third.stop(signal.SIGKILL)
    assert worker.say_step(job)
    assert worker.deliver(job)


def test_an_answer_is_scored_once_and_seen_everywhere(processes: tuple[Service, Service], ada: Solver) -> None:
    attempt, _ = begun(ada, QUESTION)
    run = ada.run(attempt, 1, {"answer.md": "B"}).json()["id"]
    ada.service = processes[1]
    assert ada.verdict(run)["verdict"]["outcome"] in ("passed", "failed", "error")


def test_a_process_with_older_secrets_is_refused(processes: tuple[Service, Service], tmp_path: Path) -> None:
    first, second = processes
    shutil.copytree(first.home, tmp_path / "copy")
    environment = os.environ | {"BENCHWRIGHT_HOME": str(first.home)}
    command = [str(Path(sys.executable).parent / "benchwright"), "course", "rotate-key"]
    subprocess.run(command, env=environment, check=True, capture_output=True)
    # Both sign with the new key, which is the service's from now on.
    with first.client() as client, second.client() as other_client:
        assert client.get("/api/v1/key").json() == other_client.get("/api/v1/key").json()
        assert client.get("/api/v1/health/ready").status_code == 200
    stale = Service(tmp_path / "copy", first.database, workers=0)
    with pytest.raises(AssertionError, match="are not those of the service in this database"):
        stale.start()


def test_the_secret_of_cookies_is_made_once_for_both_and_read_by_their_user_alone(
    processes: tuple[Service, Service],
) -> None:
    first, _ = processes
    key_file = first.folders.data / "service" / "cookie-key"
    assert key_file.stat().st_mode & 0o777 == 0o600
    assert len(key_file.read_bytes()) >= 43


def test_with_sqlite_the_second_process_is_refused_by_name_and_the_first_one_goes_on(tmp_path: Path) -> None:
    first = Service(tmp_path / "service", workers=0, log_name="first")
    with running_service(first):
        course = first.set_up()
        ada = Solver.joining(first, course, tmp_path / "ada")
        worker = HandWorker(partial(first.client, first.worker_token()))
        attempt, files = begun(ada)
        ada.run(attempt, 1, files)
        job = worker.ask(wait_s=WITHIN_S)
        assert job is not None and first.process is not None
        second = Service(tmp_path / "service", workers=0, log_name="second")
        with pytest.raises(AssertionError) as refusal:
            second.start()
        message = " ".join(str(refusal.value).split())
        holder = f"process {first.process.pid} on {re.escape(socket.gethostname())}, since " + r"20\d\d-\d\d-\d\d"
        assert re.search(holder, message)
        assert "end that one first, or give both a PostgreSQL database" in message
        assert worker.say_step(job)
        assert worker.deliver(job)
        ada.log.close()
        first.stop(signal.SIGKILL)
        # Its lock is gone with it.
        second.start()
        second.stop()


class Balancer:
    """Sends requests to a process that takes them, on connections that stay open, and asks which do every moment.

    Args:
        processes: The processes.
    """

    def __init__(self, processes: tuple[Service, Service]) -> None:
        self._processes = processes
        self._accepting = set(range(len(processes)))
        self._stop_event = threading.Event()
        self._asking = threading.Thread(target=self._ask_until_stopped)

    def __enter__(self) -> Balancer:
        self._asking.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop_event.set()
        self._asking.join()

    def until_accepting(self, index: int) -> None:
        """Waits until a process is asked again."""
        give_up = time.monotonic() + WITHIN_S
        while index not in self._accepting:
            assert time.monotonic() < give_up
            time.sleep(0.02)

    def request(self, clients: dict[int, httpx2.Client], method: str, path: str, **options: Any) -> httpx2.Response:
        """One request; a process that can't be connected to has seen nothing of it."""
        give_up = time.monotonic() + WITHIN_S
        while True:
            index = next(iter(self._accepting), 0)
            client = clients.setdefault(index, self._processes[index].client())
            try:
                return client.request(method, path, **options)
            except httpx2.ConnectError:
                assert time.monotonic() < give_up
                time.sleep(0.02)

    def _ask_until_stopped(self) -> None:
        while not self._stop_event.wait(0.05):
            for index, service in enumerate(self._processes):
                is_accepting = False
                with contextlib.suppress(httpx2.HTTPError), service.client() as client:
                    is_accepting = client.get("/api/v1/health/accepting").status_code == 200
                (self._accepting.add if is_accepting else self._accepting.discard)(index)


def test_no_request_fails_while_one_process_after_the_other_is_restarted(
    postgres: Path, tmp_path: Path, nightly: bool
) -> None:
    url = new_database(postgres)
    first, second = (
        Service(tmp_path / "service", url, workers=0, options=("--drain-s", "1.5"), log_name=log_name)
        for log_name in ("first", "second")
    )
    failures: list[str] = []
    statuses: list[int] = []
    stop_event = threading.Event()

    def go_on(balancer: Balancer) -> None:
        clients: dict[int, httpx2.Client] = {}
        while not stop_event.is_set():
            try:
                body = {"code": "wrong", "name": "Ada"}
                statuses.append(balancer.request(clients, "POST", "/api/v1/join", json=body).status_code)
                statuses.append(balancer.request(clients, "GET", "/api/v1/key").status_code)
            except httpx2.HTTPError as error:
                failures.append(repr(error))
        for client in clients.values():
            client.close()

    with running_service(first), running_service(second), Balancer((first, second)) as balancer:
        clients = [threading.Thread(target=go_on, args=(balancer,)) for _ in range(3)]
        for client in clients:
            client.start()
        try:
            for index, service in list(enumerate((first, second)))[: 2 if nightly else 1]:
                port = int(service.url.rpartition(":")[2])
                # The other one is there before this one goes.
                balancer.until_accepting(1 - index)
                service.stop()
                service.start(port)
                balancer.until_accepting(index)
        finally:
            stop_event.set()
            for client in clients:
                client.join()
    assert failures == []
    assert set(statuses) == {200, 404}
