"""A bench service that is lost and restored from its backup: receipts hold, runs go on, solvers notice nothing."""

from __future__ import annotations

import contextlib
import io
import sqlite3
import stat
import subprocess
import tarfile
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from benchwright_attempts.events.events import Edit, Started, Tick
from benchwright_attempts.events.file_text import Change
from benchwright_attempts.log.anchors import Anchor, check_anchors, read_anchors
from benchwright_attempts.log.log import EventLog
from benchwright_attempts.log.published_keys import PublishedKeys
from benchwright_attempts.summary.replay import verify_attempt
from benchwright_foundation.home import Home
from benchwright_harness.execution.run import reference_solution_files
from benchwright_problems.storage.store import Store
from benchwright_service.errors import BenchServiceError
from benchwright_service.storage import backup
from benchwright_service.storage.backup import back_up_and_count_files, restore_and_count_files

from ..support.service.bench_service import DATABASES, Service, Solver, running_service
from ..support.service.bench_service_backup import command
from ..support.service.postgres import new_database

REF = "starter/saturating-counter"


@pytest.fixture(params=DATABASES)
def service(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Service]:
    database = new_database(request.getfixturevalue("postgres")) if request.param == "postgresql" else None
    # Without workers, so that a run is queued when the backup is made.
    with running_service(Service(tmp_path / "service", database, workers=0)) as started:
        yield started


def test_what_was_acknowledged_and_queued_goes_on_in_another_place(
    service: Service, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    course = service.set_up()
    solver = Solver.joining(service, course, tmp_path)
    problem = Store(Home.from_environment({"BENCHWRIGHT_HOME": "/nonexistent"})).unseal(REF)
    solution_files = {path: reference_solution_files(problem)[path].decode() for path in problem.public.expected}
    attempt = solver.begin(REF, solution_files)
    solver.record(attempt, Started())
    anchor_before = Anchor.model_validate(solver.send(attempt).json()["anchor"])
    queued = solver.run(attempt, 1, solution_files).json()["id"]

    dump = tmp_path / "bench.sql"
    if service.database is not None:
        subprocess.run(["pg_dump", "--file", str(dump), service.database], check=True, timeout=60)
    # The receipt above is of a key that signs no more.
    assert command(service.home, "rotate-key").returncode == 0
    process = command(service.home, "backup", str(tmp_path / "bench.tar.gz"))
    assert process.returncode == 0, process.stderr
    assert stat.S_IMODE((tmp_path / "bench.tar.gz").stat().st_mode) == 0o600

    # Acknowledged after the backup: the service that is restored has to get it again.
    path = problem.public.expected[0]
    solver.record(attempt, Edit(path=path, version=1, changes=(Change(start=0, end=0, text="// "),)))
    assert solver.send(attempt).json()["anchor"]["events"] == anchor_before.events + 1
    with service.client() as client:
        key = client.get("/api/v1/key").json()
        published = client.get("/api/v1/keys").json()
    service.stop()

    database = None
    if service.database is not None:
        database = new_database(request.getfixturevalue("postgres"))
        loaded = ["psql", "--quiet", "--set", "ON_ERROR_STOP=1", "--file", str(dump), database]
        subprocess.run(loaded, check=True, timeout=60, stdout=subprocess.DEVNULL)
    restored_service = Service(tmp_path / "elsewhere", database)
    back = command(restored_service.home, "restore", str(tmp_path / "bench.tar.gz"))
    assert back.returncode == 0, back.stderr
    with running_service(restored_service):
        solver.service = restored_service
        assert solver.verdict(queued)["verdict"]["outcome"] == "passed"
        with restored_service.client() as client:
            assert client.get("/api/v1/key").json() == key
            assert client.get("/api/v1/keys").json() == published
        # It says how far it is, and gets what it lacks.
        assert (
            solver.send(attempt, first_event=anchor_before.events + 1).json()["anchor"]["events"]
            == anchor_before.events
        )
        anchor_after = Anchor.model_validate(solver.send(attempt, first_event=0).json()["anchor"])
    assert anchor_after.receipt is not None and anchor_after.receipt.key == key["key"]
    _, rows = solver.rows(attempt)
    keys = PublishedKeys.model_validate(published).keys
    check = check_anchors(attempt, [row.hash for row in rows], [anchor_before, anchor_after], keys)
    assert (check.agreeing_count, check.flaws, len(check.published_signers)) == (2, (), 2)
    with EventLog(database or restored_service.folders.data / "service" / "attempts.sqlite") as log:
        assert log.stored_attempt(attempt)[1] == list(rows)
        assert verify_attempt(*log.stored_attempt(attempt)).ok
    sealed = restored_service.folders.data / "service" / "keys.json"
    assert (stat.S_IMODE(sealed.stat().st_mode), stat.S_IMODE(sealed.parent.stat().st_mode)) == (0o600, 0o700)
    solver.log.close()


def test_a_backup_made_while_people_work_has_every_event_that_a_receipt_in_it_is_about(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy = backup._add_database_and_count

    def copy_slowly(*arguments: Any) -> int:
        # Long enough for receipts between one database and the next.
        count = copy(*arguments)
        time.sleep(0.3)
        return count

    monkeypatch.setattr(backup, "_add_database_and_count", copy_slowly)
    with running_service(Service(tmp_path / "service", workers=0)) as service:
        course = service.set_up()
        solvers = [Solver.joining(service, course, tmp_path / str(n)) for n in range(3)]
        start_barrier = threading.Barrier(4)
        end_signal = threading.Event()

        def work(solver: Solver) -> None:
            attempt = solver.begin(REF, {})
            solver.record(attempt, Started())
            assert solver.send(attempt).status_code == 200
            start_barrier.wait(60)
            while not end_signal.is_set():
                solver.record(attempt, Tick())
                assert solver.send(attempt).status_code == 200

        with ThreadPoolExecutor(3) as pool:
            working = [pool.submit(work, solver) for solver in solvers]
            start_barrier.wait(60)
            for n in range(3):
                back_up_and_count_files(service.folders, tmp_path / f"{n}.tar.gz")
            end_signal.set()
            for future in working:
                future.result(60)
    for solver in solvers:
        solver.log.close()
    for n in range(3):
        restored = Home.from_environment({"BENCHWRIGHT_HOME": str(tmp_path / f"restored-{n}")})
        restore_and_count_files(restored, tmp_path / f"{n}.tar.gz")
        with contextlib.closing(sqlite3.connect(restored.data / "service" / "service.sqlite")) as database:
            receipts = database.execute("SELECT attempt, anchor FROM service_receipts").fetchall()
        assert len({attempt for attempt, _ in receipts}) == 3
        with EventLog(restored.data / "service" / "attempts.sqlite") as log:
            for attempt, anchor in receipts:
                hashes = [row.hash for row in log.stored_attempt(attempt)[1]]
                assert check_anchors(attempt, hashes, [*read_anchors(anchor)]).flaws == ()


@pytest.fixture
def filled(tmp_path: Path) -> Home:
    """A data folder as a service has one."""
    home = Home.from_environment({"BENCHWRIGHT_HOME": str(tmp_path / "home")})
    (home.data / "service").mkdir(parents=True)
    (home.data / "service" / "key").write_text("k")
    return home


def test_a_backup_overwrites_nothing(filled: Home, tmp_path: Path) -> None:
    back_up_and_count_files(filled, tmp_path / "one.tar.gz")
    with pytest.raises(BenchServiceError, match="there already"):
        back_up_and_count_files(filled, tmp_path / "one.tar.gz")
    with pytest.raises(BenchServiceError, match="is in the folder"):
        back_up_and_count_files(filled, filled.data / "one.tar.gz")
    with pytest.raises(BenchServiceError, match="not empty"):
        restore_and_count_files(filled, tmp_path / "one.tar.gz")


def test_what_is_no_backup_is_refused_and_changes_nothing(filled: Home, tmp_path: Path) -> None:
    empty = Home.from_environment({"BENCHWRIGHT_HOME": str(tmp_path / "empty")})
    cut = tmp_path / "cut.tar.gz"
    back_up_and_count_files(filled, tmp_path / "whole.tar.gz")
    cut.write_bytes((tmp_path / "whole.tar.gz").read_bytes()[:60])
    foreign = tmp_path / "foreign.tar.gz"
    with tarfile.open(foreign, "w:gz") as packed:
        packed.addfile(tarfile.TarInfo("../outside"), io.BytesIO())
    linked = tmp_path / "linked.tar.gz"
    with tarfile.open(linked, "w:gz") as packed:
        link = tarfile.TarInfo("service")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc"
        packed.addfile(link)
    for file in (cut, foreign, linked, tmp_path / "absent.tar.gz"):
        with pytest.raises(BenchServiceError):
            restore_and_count_files(empty, file)
        assert not empty.data.exists()
    assert not (tmp_path / "outside").exists()
