"""A student's editor that sends and saves at one process after the other until it is heard, and what it was told."""

from __future__ import annotations

import contextlib
import hashlib
import itertools
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence

import httpx2
import psycopg

from benchwright_attempts.events.events import Edit, Started
from benchwright_attempts.events.file_text import Change
from benchwright_attempts.log.anchors import Anchor, check_anchors
from benchwright_attempts.log.log import EventLog
from benchwright_attempts.summary.replay import verify_attempt

from .bench_service import Service, Solver
from .hand_worker import HandWorkerThread

_WITHIN_S = 180.0


class Acknowledged:
    """What a service has said that it has."""

    def __init__(self) -> None:
        self.accounts: dict[str, str] = {}
        """By person."""
        self.anchors: defaultdict[str, list[Anchor]] = defaultdict(list)
        """By attempt."""
        self.runs: defaultdict[str, list[str]] = defaultdict(list)
        """By attempt."""

    @property
    def anchor_count(self) -> int:
        """Number of times that it said so of events."""
        return sum(map(len, list(self.anchors.values())))

    def note_account(self, person: str, account: str) -> None:
        """Notes who a person is: always the same account."""
        assert self.accounts.setdefault(person, account) == account, person

    def require_events(self, service: Service, solvers: Sequence[PersistentSolver]) -> None:
        """Makes sure that a service has all events of which it has said so, as they were sent."""
        with EventLog(service.database or "") as log:
            for persistent in solvers:
                header, stored_rows = log.stored_attempt(persistent.attempt)
                _, sent_rows = persistent.solver.rows(persistent.attempt)
                stored_hashes = [row.hash for row in stored_rows]
                assert stored_hashes == [row.hash for row in sent_rows][: len(stored_hashes)]
                assert verify_attempt(header, stored_rows).ok
                assert check_anchors(persistent.attempt, stored_hashes, self.anchors[persistent.attempt]).flaws == ()

    def require_runs(self, states: Mapping[str, tuple[str, bool]], workers: Sequence[HandWorkerThread]) -> None:
        """Makes sure that every run that was taken is there, with one verdict, or has made place for a newer save."""
        assert {run for runs in self.runs.values() for run in runs} <= states.keys()
        assert set(states.values()) <= {("done", True), ("cancelled", False)}
        assert all(states[runs[-1]] == ("done", True) for runs in self.runs.values())
        # No verdict was taken twice; of one whose answer was lost with a process, the worker does not know.
        counted = Counter(run for worker in workers for run in worker.counted_runs)
        assert max(counted.values()) == 1
        assert counted.keys() <= {run for run, state in states.items() if state == ("done", True)}


class PersistentSolver:
    """Works on one file of a problem, and tries again after each failure.

    Args:
        solver: Has the log and the token.
        processes: Processes of the service.
        ref: The problem.
        files: The file as it is at the beginning.
        acknowledged: Remembers what it is told.
    """

    def __init__(
        self,
        solver: Solver,
        processes: Sequence[Service],
        ref: str,
        files: Mapping[str, str],
        acknowledged: Acknowledged,
    ) -> None:
        self.solver = solver
        self.attempt = solver.begin(ref, files)
        self.failures = 0
        self.stop_event = threading.Event()
        self._processes = itertools.cycle(processes)
        self._acknowledged = acknowledged
        self._versions = itertools.count(1)
        self._saves = itertools.count(1)
        ((self._path, self._text),) = files.items()
        solver.record(self.attempt, Started())

    def type_line(self) -> None:
        """Types a line, and sends it."""
        number = next(self._versions)
        change = Change(start=0, end=0, text=f"// {number}\n")
        self.solver.record(self.attempt, Edit(path=self._path, version=number, changes=(change,)))
        self._until_taken(self._send)

    def save(self, comment: str = "") -> None:
        """Saves, which queues a run."""
        number = next(self._saves)
        self._until_taken(lambda: self._queue(number, comment))

    def _until_taken(self, step: Callable[[], bool]) -> None:
        """Does it at one process after the other."""
        while not self.stop_event.is_set():
            self.solver.service = next(self._processes)
            with contextlib.suppress(httpx2.HTTPError):
                if step():
                    return
            self.failures += 1
            self.stop_event.wait(0.05)

    def _send(self) -> bool:
        """Sends what is new, or learns that it was taken before."""
        reply = self.solver.send(self.attempt)
        if reply.status_code == 200:
            self._acknowledged.anchors[self.attempt].append(Anchor.model_validate(reply.json()["anchor"]))
        return reply.status_code == 200

    def _queue(self, number: int, comment: str) -> bool:
        """Queues a run, which has the same id however often it is sent."""
        run = hashlib.sha256(f"{self.attempt} {number}".encode()).hexdigest()[:32]
        text = f"{self._text}// {number} {comment}\n"
        reply = self.solver.run(self.attempt, number, {self._path: text}, run=run)
        if reply.status_code == 202:
            self._acknowledged.runs[self.attempt].append(run)
        return reply.status_code == 202


def until_all_runs_ended(service: Service) -> dict[str, tuple[str, bool]]:
    """Waits for the queue's end; the state of each run, and whether it has a verdict."""
    give_up = time.monotonic() + _WITHIN_S
    while True:
        with psycopg.connect(service.database or "") as connection:
            rows = connection.execute("SELECT id, state, verdict IS NOT NULL FROM service_runs").fetchall()
        states = {run: (state, has_verdict) for run, state, has_verdict in rows}
        if not {state for state, _ in states.values()} & {"queued", "running"}:
            return states
        assert time.monotonic() < give_up, Counter(states.values())
        time.sleep(0.1)
