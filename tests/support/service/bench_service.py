"""A bench service in a process of its own, and a solver that speaks to it as an editor's server does."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import hashlib
import os
import re
import signal
import subprocess
import sys
import time
import uuid
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx2
import pytest

from benchwright_attempts.attempts import Attempts
from benchwright_attempts.events.events import Event
from benchwright_attempts.events.file_text import FileText
from benchwright_attempts.log.record import AttemptHeader, StoredRow
from benchwright_foundation.home import Home
from benchwright_remote.messages import Role
from benchwright_service.bench import open_administration
from benchwright_studies.conduct.study_log import StudyLog

from .plain_http import NO_TLS

DATABASES = [pytest.param("sqlite", marks=pytest.mark.nightly), "postgresql"]
"""Databases for tests of a service that are the same on every one: the stricter one, and nightly on both."""

_LISTENING = re.compile(r"Listening on (http://\S+)")


@dataclass
class Service:
    """A service's folders and database, and its process while it runs."""

    home: Path
    database: str | None = None
    workers: int = 1
    options: Sequence[str] = ()
    url: str = ""
    process: subprocess.Popen[bytes] | None = None
    log_name: str = "service"
    log_file: Path | None = None
    """Instead of the one in its home."""

    @property
    def folders(self) -> Home:
        """Its folders."""
        return Home.from_environment({"BENCHWRIGHT_HOME": str(self.home)})

    @property
    def log(self) -> Path:
        """Standard error of its processes, as they have written it."""
        return self.log_file or self.home / f"{self.log_name}.log"

    def set_up(self, pack: str = "starter", uses: int = 100, **assignment_fields: Any) -> Course:
        """Makes a course with one assignment."""

        async def create_course() -> Course:
            async with open_administration(self.folders, self.database) as parts:
                name = f"course-{uuid.uuid4().hex[:8]}"
                await parts.courses.create(name, "Computer architecture")
                assignment_name = await parts.courses.make_assignment(name, pack, **assignment_fields)
                return Course(
                    name, assignment_name, await parts.accounts.make_invitation(name, Role.PARTICIPANT, uses=uses)
                )

        return asyncio.run(create_course())

    def invitation(self, course: str, role: Role) -> str:
        """A code to join a course with."""

        async def create_code() -> str:
            async with open_administration(self.folders, self.database) as parts:
                return await parts.accounts.make_invitation(course, role)

        return asyncio.run(create_code())

    def worker_token(self) -> str:
        """A token for a worker."""

        async def create_token() -> str:
            async with open_administration(self.folders, self.database) as parts:
                return await parts.accounts.new_worker_token("elsewhere")

        return asyncio.run(create_token())

    def start(self, port: int = 0) -> None:
        """Starts it, and waits until it listens."""
        command = [str(Path(sys.executable).parent / "benchwright"), "serve", "--port", str(port)]
        command += ["--workers", str(self.workers), *self.options]
        environment = os.environ | {"BENCHWRIGHT_HOME": str(self.home)}
        if self.database is not None:
            environment["BENCHWRIGHT_SERVICE_DATABASE"] = self.database
        self.home.mkdir(parents=True, exist_ok=True)
        with self.log.open("ab") as stream:
            said_before = stream.tell()
            self.process = subprocess.Popen(command, env=environment, stderr=stream)
        while self.process.poll() is None:
            match = _LISTENING.search(self.log.read_bytes()[said_before:].decode())
            if match:
                self.url = match[1]
                return
            time.sleep(0.02)
        raise AssertionError(self.log.read_bytes()[said_before:].decode())

    def stop(self, stop_signal: signal.Signals = signal.SIGTERM) -> None:
        """Ends it."""
        if self.process is not None:
            self.process.send_signal(stop_signal)
            self.process.wait(60)
            self.process = None

    def client(self, token: str = "") -> httpx2.Client:
        """A client."""
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        return httpx2.Client(base_url=self.url, headers=headers, timeout=60.0, trust_env=False, verify=NO_TLS)


@dataclass(frozen=True)
class Course:
    """A course of the tests."""

    name: str
    assignment: str
    invitation: str


@contextlib.contextmanager
def running_service(service: Service) -> Iterator[Service]:
    """The service, while it runs."""
    service.start()
    try:
        yield service
    finally:
        service.stop()


@dataclass
class Solver:
    """A student: a log of their own, and a connection."""

    service: Service
    course: Course
    log: StudyLog
    token: str = ""
    sent_counts: dict[str, int] = field(default_factory=dict)

    @classmethod
    def joining(cls, service: Service, course: Course, folder: Path, name: str = "Ada") -> Solver:
        """One that has joined the course by its invitation."""
        solver = cls(service, course, StudyLog(folder / "attempts.sqlite"))
        with service.client() as client:
            reply = client.post("/api/v1/join", json={"code": course.invitation, "name": name})
        assert reply.status_code == 200, reply.text
        solver.token = reply.json()["token"]
        return solver

    def begin(self, ref: str, files: Mapping[str, str]) -> str:
        """An attempt in the solver's own log."""
        return (
            Attempts(self.log).create(ref, "d" * 64, Path("/w"), {p: FileText.of_text(t) for p, t in files.items()}).id
        )

    def record(self, attempt: str, *events: Event) -> None:
        """Events in the solver's own log."""
        for event in events:
            self.log.append_blocking(attempt, event)

    def rows(self, attempt: str) -> tuple[AttemptHeader, Sequence[StoredRow]]:
        """Header and rows of the solver's own log."""
        return self.log.stored_attempt(attempt)

    def send(
        self, attempt: str, *, first_event: int | None = None, row_limit: int = 5_000, **changed_fields: Any
    ) -> httpx2.Response:
        """Sends what was not sent yet."""
        header = self.log.header(attempt)
        start = self.sent_counts.get(attempt, 0) if first_event is None else first_event
        # All that there is, each time, would take the time of its square.
        rows = self.log.rows(attempt, after_seq=start, limit=row_limit)
        body = {
            "header": header.model_dump(mode="json"),
            "assignment": self.course.assignment,
            "lines": [row.as_json_line() for row in rows],
            "now": datetime.now(UTC).isoformat(),
        } | changed_fields
        with self.service.client(self.token) as client:
            reply = client.post(f"/api/v1/attempts/{attempt}/events", json=body)
        if reply.status_code == 200:
            self.sent_counts[attempt] = reply.json()["anchor"]["events"]
        return reply

    def run(self, attempt: str, number: int, files: Mapping[str, str], run: str = "") -> httpx2.Response:
        """Queues a run, and sends the contents that are missing."""
        contents = {hashlib.sha256(text.encode()).hexdigest(): text for text in files.values()}
        body: dict[str, Any] = {
            "id": run or uuid.uuid4().hex,
            "number": number,
            "files": {path: hashlib.sha256(text.encode()).hexdigest() for path, text in files.items()},
        }
        with self.service.client(self.token) as client:
            reply = client.post(f"/api/v1/attempts/{attempt}/runs", json=body)
            if reply.status_code == 424:
                body["contents"] = {
                    digest: base64.b64encode(zlib.compress(contents[digest].encode())).decode()
                    for digest in reply.json()["missing"]
                }
                reply = client.post(f"/api/v1/attempts/{attempt}/runs", json=body)
        return reply

    def verdict(self, run: str, within_s: float = 120.0) -> dict[str, Any]:
        """Waits for a run's end."""
        revision = -1
        give_up = datetime.now(UTC).timestamp() + within_s
        with self.service.client(self.token) as client:
            while datetime.now(UTC).timestamp() < give_up:
                run_state = client.get(f"/api/v1/runs/{run}", params={"seen": revision, "wait_s": 10}).json()
                if run_state["state"] in ("done", "cancelled"):
                    return dict(run_state)
                revision = run_state["revision"]
        raise AssertionError(f"run {run} has not ended: {run_state}")


def question_models(folder: Path, url: str, models: Mapping[str, str]) -> tuple[str, str]:
    """The options of a service whose courses try questions on models.

    Args:
        folder: Gets the file that names them.
        url: Address at which they answer.
        models: Name → more lines of TOML.
    """
    file = folder / "models.toml"
    tables = [
        f'[[model]]\nname = "{name}"\nmodel = "{name}"\nbase_url = "{url}"\n{extra_lines}\n'
        for name, extra_lines in models.items()
    ]
    file.write_text("".join(tables))
    return "--question-models", str(file)
