"""Language servers, workers, service and database killed while students type, save and hand in at a bench service."""

from __future__ import annotations

import asyncio
import contextlib
import math
import random
import signal
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest
from pygls.exceptions import JsonRpcException
from sqlalchemy import create_engine, text

from benchwright_attempts import log_file
from benchwright_attempts.log.anchors import Anchor, check_anchors, read_anchors
from benchwright_attempts.log.log import EventLog
from benchwright_attempts.log.published_keys import PublishedKeys
from benchwright_attempts.log.record import AttemptHeader, StoredRow
from benchwright_attempts.summary.replay import verify_attempt
from benchwright_foundation.home import Home

from ..support.service.bench_service import DATABASES, Service
from ..support.service.killable_service import killable_database, killable_service
from ..support.service.postgres import Cluster
from ..support.studies.assignments import sign_in
from .session import Desk, Editor, File, reference, wrong

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.long]

NAMES = ("Ada", "Bob", "Cem")
PROBLEM = "saturating-counter"
WAIT_S = 120.0


@pytest.fixture(params=DATABASES)
def database(request: pytest.FixtureRequest) -> Iterator[Cluster | None]:
    with killable_database(request.param) as cluster:
        yield cluster


@pytest.fixture
def service(database: Cluster | None, tmp_path: Path) -> Iterator[Service]:
    with killable_service(database, tmp_path, workers=1) as started:
        yield started


class Student:
    """Somebody whose editor is started again whenever it was killed, and who then goes on."""

    def __init__(self, home: Path, pack: str, seed: int) -> None:
        self.home = home
        self.editor: Editor | None = None
        self.lives = 0
        self.stop_signal = asyncio.Event()
        self._pack = pack
        self._dice = random.Random(seed)
        self._typed = 0

    async def work(self) -> None:
        """Until it is over; then whatever has not been handed in goes up, and the editor ends in order."""
        while not self.stop_signal.is_set():
            # Requests to an editor that was killed are never answered.
            with contextlib.suppress(JsonRpcException, ConnectionError, asyncio.CancelledError, _Killed):
                await self._live()
        editor = await Editor.start(self.home)
        await editor.open_problem(f"{self._pack}/{PROBLEM}")
        for _ in range(round(WAIT_S)):
            if not (left := await asyncio.to_thread(unacknowledged, self.home)):
                break
            await asyncio.sleep(1.0)
        assert not left, (left, editor.screen.messages, editor.stderr.decode())
        await editor.quit()

    async def _live(self) -> None:
        self.editor = editor = await Editor.start(self.home)
        self.lives += 1
        life = asyncio.create_task(self._at_work(editor))
        death = asyncio.create_task(editor.process.wait())
        await asyncio.wait({life, death}, return_when=asyncio.FIRST_COMPLETED)
        if not life.done():
            life.cancel()
        await asyncio.gather(life, return_exceptions=True)
        if not life.cancelled() and (error := life.exception()) is not None and editor.process.returncode is None:
            raise error
        if editor.process.returncode is None:
            await editor.kill()
        await editor.gone()

    async def _at_work(self, editor: Editor) -> None:
        desk = await editor.open_problem(f"{self._pack}/{PROBLEM}", fresh=self._dice.random() < 0.1)
        await desk.start()
        # A killed editor leaves on disk what was saved; what was only typed is gone, as it is in any editor.
        file = desk.open(text=desk.open().path.read_text())
        while not self.stop_signal.is_set():
            await self._do(desk, file)
            await asyncio.sleep(self._dice.uniform(0.0, 0.3))

    async def _do(self, desk: Desk, file: File) -> None:
        chance = self._dice.random()
        self._typed += 1
        if chance < 0.6:
            file.type(f"// {self._typed}\n")
        elif chance < 0.9:
            solution = reference(PROBLEM) if self._dice.random() < 0.3 else wrong(PROBLEM, "wraps")
            file.paste(f"{solution}// {self._typed}\n")
            file.save()
        else:
            # While the service is away, handing in waits for it; this student does not, and closes the editor.
            with contextlib.suppress(TimeoutError):
                await desk.submit()
            raise _Killed


class _Killed(Exception):
    """A life is over: the editor was killed, or the work was handed in."""


def unacknowledged(home: Path) -> list[str]:
    """Attempts of which the service has not signed for everything."""
    return [
        header.id
        for header, rows in own_log(home)
        if not (signed := receipts(home, header.id)) or signed[-1].events < len(rows)
    ]


def own_log(home: Path) -> list[tuple[AttemptHeader, list[StoredRow]]]:
    """Every attempt of a student's machine."""
    with EventLog(log_file(Home.from_environment({"BENCHWRIGHT_HOME": str(home)}))) as log:
        return [(header, list(log.stored_attempt(header.id)[1])) for header in log.headers()]


def receipts(home: Path, attempt: str) -> list[Anchor]:
    """Those of an attempt that were written down whole: a kill may have cut one short."""
    file = home / "data" / "receipts" / f"{attempt}.jsonl"
    anchors = []
    for line in file.read_text().splitlines() if file.exists() else ():
        with contextlib.suppress(ValueError):
            anchors += read_anchors(line)
    return anchors


async def kill_one(
    dice: random.Random, service: Service, port: int, database: Cluster | None, students: list[Student]
) -> str:
    """Kills something, and starts again what does not start by itself. Returns what it was."""
    victim_kinds = ["client"] * 5 + ["worker"] * 2 + ["service"] * 2 + ["database"] * (2 if database else 0)
    kind = dice.choice(victim_kinds)
    if kind == "client":
        editor = dice.choice(students).editor
        if editor is not None and editor.process.returncode is None:
            editor.process.kill()
    elif kind == "worker":
        assert service.process is not None
        workers = psutil.Process(service.process.pid).children()
        with contextlib.suppress(psutil.NoSuchProcess):
            for worker in workers[:1]:
                worker.kill()
    elif kind == "service":
        await asyncio.to_thread(service.stop, signal.SIGKILL)
        await asyncio.sleep(dice.uniform(0.0, 1.0))
        await asyncio.to_thread(service.start, port)
    else:
        assert database is not None
        await asyncio.to_thread(database.stop)
        await asyncio.sleep(dice.uniform(0.0, 1.0))
        await asyncio.to_thread(database.start)
    return kind


async def test_whatever_is_killed_both_logs_agree_receipts_hold_and_nothing_is_graded_twice(
    service: Service, database: Cluster | None, tmp_path: Path, nightly: bool
) -> None:
    dice = random.Random(18)
    course = await asyncio.to_thread(service.set_up)
    students = []
    for seed, name in enumerate(NAMES):
        pack = await asyncio.to_thread(sign_in, tmp_path / name, service, course, name)
        students.append(Student(tmp_path / name, pack, seed))
    port = int(service.url.rpartition(":")[2])
    working = [asyncio.create_task(student.work()) for student in students]
    killed: Counter[str] = Counter()
    for _ in range(100 if nightly else 10):
        await asyncio.sleep(dice.uniform(0.3, 2.5))
        killed[await kill_one(dice, service, port, database, students)] += 1
        for task in working:
            assert not task.done(), task
    for student in students:
        student.stop_signal.set()
    await asyncio.wait_for(asyncio.gather(*working), 3 * WAIT_S)
    assert killed["client"] > 0 and sum(student.lives for student in students) > len(students)

    with service.client() as client:
        keys = PublishedKeys.model_validate(client.get("/api/v1/keys").json()).keys
    rows_by_attempt: dict[str, list[StoredRow]] = {}
    with EventLog(service.database or service.folders.data / "service" / "attempts.sqlite") as log:
        for student in students:
            for header, own_rows in own_log(student.home):
                service_header, service_rows = log.stored_attempt(header.id)
                # What the last editor noted while it closed goes up within seconds, or when the next one starts.
                assert len(service_rows) >= receipts(student.home, header.id)[-1].events
                assert [row.hash for row in service_rows] == [row.hash for row in own_rows[: len(service_rows)]]
                assert service_header.id == header.id
                verification = verify_attempt(service_header, service_rows)
                assert verification.ok, verification.first_fault
                check = check_anchors(
                    header.id, [r.hash for r in service_rows], receipts(student.home, header.id), keys
                )
                assert check.agreeing_count > 0 and not check.flaws and not check.unpublished_signers
                rows_by_attempt[header.id] = own_rows
    submissions_by_attempt = {
        attempt: [row.body for row in rows if '"type":"submitted"' in row.body]
        for attempt, rows in rows_by_attempt.items()
    }
    assert all(len(submissions) <= 1 for submissions in submissions_by_attempt.values())
    await settled(service)
    with contextlib.closing(connected(service)) as connection:
        service_attempts = set(connection.execute(text("SELECT attempt FROM service_attempts")).scalars())
        runs = connection.execute(text("SELECT attempt, number, state, verdict, files FROM service_runs")).all()
    assert service_attempts == rows_by_attempt.keys()
    assert {run.state for run in runs} <= {"done", "cancelled"}
    assert all((run.verdict is not None) == (run.state == "done") for run in runs)
    # A run that an editor asked for again after its death is the same run.
    verdict_counts = Counter((run.attempt, run.number) for run in runs if run.state == "done")
    assert max(verdict_counts.values()) == 1, verdict_counts


def connected(service: Service):  # type: ignore[no-untyped-def]
    """A connection to the service's database."""
    url = (
        service.database.replace("postgresql:", "postgresql+psycopg:")
        if service.database
        else f"sqlite:///{service.folders.data / 'service' / 'service.sqlite'}"
    )
    return create_engine(url).connect()


async def settled(service: Service) -> None:
    """Waits until no run is queued or running, as long as runs end: those of killed editors nobody asks for."""
    loop = asyncio.get_running_loop()
    deadline, least = loop.time() + WAIT_S, math.inf
    while True:
        with contextlib.closing(connected(service)) as connection:
            going = connection.execute(
                text("SELECT count(*) FROM service_runs WHERE state IN ('queued', 'running')")
            ).scalar_one()
        if not going:
            return
        if going < least:
            deadline, least = loop.time() + WAIT_S, going
        assert loop.time() < deadline, f"{going} runs have not ended"
        await asyncio.sleep(0.2)
