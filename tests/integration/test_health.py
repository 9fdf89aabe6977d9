"""Health tells the truth: a service that can't write, or whose queue has no worker, is not ready and says why."""

from __future__ import annotations

import resource
import subprocess
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import httpx2
import psycopg
import pytest

from benchwright_attempts.events.events import Focus, Started
from benchwright_harness.execution.run import starting_solution_files
from benchwright_problems.storage.store import Store

from ..support.service.bench_service import Service, Solver, running_service
from ..support.service.bench_service_health import WITHIN_S, asked, until
from ..support.service.hand_worker import HandWorker
from ..support.service.killable_service import killable_database
from ..support.service.postgres import Cluster, new_database

REF = "starter/saturating-counter"
MANY_REQUESTS = 40


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    with killable_database("postgresql") as killable:
        assert killable is not None
        yield killable


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of a few megabytes."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mounting = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=6m", "tmpfs", str(folder)], capture_output=True)
    if mounting.returncode:
        pytest.skip("needs root, to mount a small file system")
    try:
        yield folder
    finally:
        subprocess.run(["umount", str(folder)], check=True)


def begun(solver: Solver) -> tuple[str, dict[str, str]]:
    problem = Store(solver.service.folders).unseal(REF)
    files = {path: starting_solution_files(problem)[path].decode() for path in problem.public.expected}
    attempt = solver.begin(REF, files)
    solver.record(attempt, Started())
    assert solver.send(attempt).status_code == 200
    return attempt, files


def test_a_full_disk_is_not_ready_loses_nothing_that_was_acknowledged_and_fills_no_log(
    small_disk: Path, tmp_path: Path
) -> None:
    service = Service(small_disk / "service", workers=0, log_file=tmp_path / "service.log")
    with running_service(service):
        solver = Solver.joining(service, service.set_up(), tmp_path / "ada")
        attempt, _ = begun(solver)
        assert asked(service)[0] == 200
        filling = small_disk / "filling"
        with filling.open("wb", buffering=0) as stream, pytest.raises(OSError, match="No space"):
            while True:
                stream.write(bytes(4096))
        until(service, 503, "there is no space left (ENOSPC)")
        assert asked(service, "accepting")[0] == 503
        assert asked(service, "live")[0] == 200
        size_before = service.log.stat().st_size
        solver.record(attempt, *(Focus(focused=bool(number % 2)) for number in range(150)))
        statuses = {solver.send(attempt).status_code for _ in range(MANY_REQUESTS)}
        assert 503 in statuses and statuses <= {200, 503}
        # A line for each cause, and how often it came.
        assert service.log.stat().st_size - size_before < 5_000
        assert service.log.read_text().count("Traceback") == service.log.read_text().count('File "') == 0
        filling.unlink()
        until(service, 200)
        while len(solver.rows(attempt)[1]) > solver.sent_counts[attempt]:
            assert solver.send(attempt).status_code == 200
        solver.log.close()
    assert "(again: " in service.log.read_text()


@pytest.mark.nightly
def test_a_file_that_may_not_grow_is_not_ready_although_small_writes_work(tmp_path: Path) -> None:
    service = Service(tmp_path / "service", workers=0)
    with running_service(service):
        solver = Solver.joining(service, service.set_up(), tmp_path / "ada")
        attempt, _ = begun(solver)
        assert service.process is not None
        log_size = (service.folders.data / "service" / "attempts.sqlite-wal").stat().st_size
        file_size_limits = (log_size + 20_000, resource.RLIM_INFINITY)
        resource.prlimit(service.process.pid, resource.RLIMIT_FSIZE, file_size_limits)
        solver.record(attempt, *(Focus(focused=bool(number % 2)) for number in range(150)))
        assert solver.send(attempt).status_code == 503
        until(service, 503)
        resource.prlimit(service.process.pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        until(service, 200)
        assert solver.send(attempt).status_code == 200
        solver.log.close()


def test_a_database_that_is_gone_or_read_only_is_not_ready_until_it_is_back(cluster: Cluster, tmp_path: Path) -> None:
    url = new_database(cluster.folder)
    with running_service(Service(tmp_path / "service", url, workers=0)) as service:
        until(service, 200)
        name = url.partition("?")[0].rpartition("/")[2]
        admin = partial(psycopg.connect, host=str(cluster.folder), user="benchwright", autocommit=True)
        with admin(dbname="postgres") as connection:
            connection.execute(f"ALTER DATABASE {name} SET default_transaction_read_only = on")
            connection.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s", (name,))
        until(service, 503, "ReadOnlySqlTransaction")
        with admin(dbname="postgres") as connection:
            connection.execute(f"ALTER DATABASE {name} RESET default_transaction_read_only")
            connection.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s", (name,))
        until(service, 200)
        cluster.stop()
        until(service, 503, "the database")
        cluster.start()
        until(service, 200)


def test_runs_that_wait_without_a_worker_are_named_and_requests_are_taken_nevertheless(
    postgres: Path, tmp_path: Path
) -> None:
    with running_service(Service(tmp_path / "service", new_database(postgres), workers=0)) as service:
        solver = Solver.joining(service, service.set_up(), tmp_path / "ada")
        attempt, files = begun(solver)
        assert asked(service)[0] == 200
        solver.run(attempt, 1, files)
        until(service, 503, "the queue of runs has no worker, and 1 wait")
        # A load balancer goes on sending events here.
        assert asked(service, "accepting")[0] == 200
        worker = HandWorker(partial(service.client, service.worker_token()))
        assert worker.ask() is not None
        until(service, 200)
        solver.log.close()


def test_a_process_that_ends_is_not_ready_and_closes_each_connection_with_its_answer(
    postgres: Path, tmp_path: Path
) -> None:
    service = Service(tmp_path / "service", new_database(postgres), workers=0, options=("--drain-s", "120"))
    with running_service(service), service.client() as client:
        assert "connection" not in client.get("/api/v1/health/accepting").headers
        assert service.process is not None
        service.process.terminate()
        until(service, 503, "this process is about to end", "accepting")
        reply = client.get("/api/v1/key")
        assert (reply.status_code, reply.headers["connection"]) == (200, "close")
        # The second signal does not wait.
        service.process.terminate()
        service.process.wait(WITHIN_S)
        with pytest.raises(httpx2.HTTPError):
            client.get("/api/v1/key")
