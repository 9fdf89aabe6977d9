"""The parts of compose.yaml, run by a real engine: two web processes, their proxy, a worker; one restart after another.

As in `test_service_container`, whose image it is, containers share the machine's network and PostgreSQL's socket.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import docker as sdk
import httpx2
import pytest
from docker.models.containers import Container

from benchwright_attempts.events.events import Started, Tick
from benchwright_attempts.log.anchors import Anchor, check_anchors
from benchwright_foundation.home import Home
from benchwright_harness.execution.run import reference_solution_files
from benchwright_harness.toolchain_in_use import IN_USE
from benchwright_problems.storage.store import Store

from ..support.service.bench_service import Course, Service, Solver
from ..support.service.postgres import new_database
from .test_service_container import (
    FILES,
    PASSWORD,
    REF,
    USER,
    WORKER_IMAGE,
    administer,
    compose_services,
    engine,
    free_port,
    image,
    until_healthy,
)

__all__ = ("engine", "image")
pytestmark = [pytest.mark.nightly, pytest.mark.alone]

STUDENTS = 3


@pytest.fixture(scope="module")
def caddy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Debian's package of the proxy: there is no registry here, and the published image is the same program."""
    if (installed := shutil.which("caddy")) is not None:
        return Path(installed)
    folder = tmp_path_factory.mktemp("caddy")
    folder.chmod(0o755)
    downloading = subprocess.run(["apt-get", "download", "caddy"], cwd=folder, capture_output=True, timeout=300)
    packages = list(folder.glob("caddy_*.deb"))
    if downloading.returncode or not packages:
        pytest.skip("Debian's package caddy can't be downloaded")
    subprocess.run(["dpkg", "-x", packages[0], folder], check=True)
    return folder / "usr/bin/caddy"


class Composition:
    """The containers, at ports of this machine."""

    def __init__(self, engine: sdk.DockerClient, image: str, folder: Path, postgres: Path) -> None:
        self._engine = engine
        self._image = image
        self._folder = folder
        self._postgres = postgres
        self._opened = contextlib.ExitStack()
        self.ports = [free_port(), free_port()]
        self.url = f"http://127.0.0.1:{free_port()}"
        secret = folder / "database"
        name = new_database(postgres).partition("?")[0].rpartition("/")[2]
        secret.write_text(f"postgresql://benchwright:{PASSWORD}@/{name}?host=/run/postgresql\n")
        self._own(secret)
        postgres.chmod(0o711)

    def _own(self, secret: Path) -> None:
        secret.chmod(0o400)
        os.chown(secret, USER, USER)

    def web(self, index: int) -> Container:
        """A web process, as compose.yaml has it."""
        service = compose_services()[f"bench-{index + 1}"]
        environment = service["environment"] | {
            "BENCHWRIGHT_SERVICE_ADDRESS": self.url,
            "BENCHWRIGHT_SERVICE_HOST": "127.0.0.1",
            "BENCHWRIGHT_SERVICE_PORT": str(self.ports[index]),
            "BENCHWRIGHT_SERVICE_METRICS_PORT": str(free_port()),
        }
        mounts = {
            "bw-processes-data": {"bind": "/data", "mode": "rw"},
            str(self._folder / "database"): {"bind": environment["BENCHWRIGHT_SERVICE_DATABASE_FILE"], "mode": "ro"},
            str(self._postgres): {"bind": "/run/postgresql", "mode": "rw"},
        }
        return self._start(self._image, service, environment, mounts)

    def proxy(self, caddy: Path) -> Container:
        """The proxy, with the file of compose.yaml at this machine's ports."""
        text = (FILES / "processes.Caddyfile").read_text("utf-8")
        for index, port in enumerate(self.ports):
            text = text.replace(f"bench-{index + 1}:8443", f"127.0.0.1:{port}")
        file = self._folder / "Caddyfile"
        file.write_text(text.replace(":8443 {", f"{self.url} {{"))
        service = compose_services()["proxy"]
        mounts = {
            str(caddy): {"bind": "/usr/local/bin/caddy", "mode": "ro"},
            str(file): {"bind": "/etc/caddy/Caddyfile", "mode": "ro"},
        }
        command = ["run", "--config", "/etc/caddy/Caddyfile", "--adapter", "caddyfile"]
        environment = {"HOME": "/data", "XDG_DATA_HOME": "/data", "XDG_CONFIG_HOME": "/config"}
        return self._start(self._image, service, environment, mounts, command, entrypoint=["/usr/local/bin/caddy"])

    def worker(self, token: str) -> Container:
        """A worker, which has this machine's toolchain."""
        secret = self._folder / "worker_token"
        secret.write_text(token)
        self._own(secret)
        service = compose_services()["worker"]
        toolchains = Home.from_environment().cache / "toolchains"
        toolchain = (toolchains / IN_USE).resolve()
        mounts = {
            "bw-processes-worker": {"bind": "/data", "mode": "rw"},
            "bw-processes-cache": {"bind": "/cache", "mode": "rw"},
            str(toolchain): {"bind": f"/cache/toolchains/{toolchain.name}", "mode": "ro"},
            str(secret): {"bind": "/run/secrets/worker_token", "mode": "ro"},
        }
        command = [word.replace("http://proxy:8443", self.url) for word in service["command"]]
        return self._start(WORKER_IMAGE, service, service["environment"], mounts, command)

    def close(self) -> None:
        """Removes them."""
        self._opened.close()
        for name in ("data", "worker", "cache"):
            with contextlib.suppress(sdk.errors.NotFound):
                self._engine.volumes.get(f"bw-processes-{name}").remove()

    def _start(
        self,
        image: str,
        service: dict[str, Any],
        environment: dict[str, str],
        mounts: dict[str, dict[str, str]],
        command: list[str] | None = None,
        **options: Any,
    ) -> Container:
        container: Container = self._engine.containers.run(
            image,
            command,
            detach=True,
            network_mode="host",
            environment=environment,
            read_only=service["read_only"],
            tmpfs={word.partition(":")[0]: word.partition(":")[2] for word in service["tmpfs"]},
            cap_drop=service["cap_drop"],
            security_opt=service.get("security_opt"),
            volumes=mounts,
            **options,
        )
        self._opened.callback(container.remove, force=True)
        return container


@pytest.fixture
def composition(image: str, engine: sdk.DockerClient, postgres: Path, tmp_path: Path) -> Iterator[Composition]:
    made = Composition(engine, image, tmp_path, postgres)
    try:
        yield made
    finally:
        made.close()


class Student(threading.Thread):
    """Sends events and opens pages through the proxy, and tries nothing twice."""

    def __init__(self, solver: Solver, files: dict[str, str]) -> None:
        super().__init__()
        self.solver = solver
        self.attempt = solver.begin(REF, files)
        self.anchors: list[Anchor] = []
        self.failures: list[str] = []
        self.stop_event = threading.Event()

    def run(self) -> None:
        """Works."""
        self.solver.record(self.attempt, Started())
        while not self.stop_event.wait(0.05):
            self.solver.record(self.attempt, Tick())
            try:
                reply = self.solver.send(self.attempt)
                with self.solver.service.client() as client:
                    page = client.get("/sign-in")
            except httpx2.HTTPError as error:
                self.failures.append(type(error).__name__)
                continue
            self.failures += [reply.text for reply in (reply, page) if reply.status_code != 200]
            if reply.status_code == 200:
                self.anchors.append(Anchor.model_validate(reply.json()["anchor"]))


def test_one_process_after_the_other_is_restarted_and_no_request_fails(
    composition: Composition, caddy: Path, tmp_path: Path
) -> None:
    webs = [composition.web(index) for index in range(2)]
    for web in webs:
        until_healthy(web)
    proxy = composition.proxy(caddy)
    service = Service(tmp_path / "nowhere", url=composition.url)
    until_answered(service, proxy)
    administer(webs[0], "create", "arch", "--title", "Computer architecture")
    assignment = administer(webs[1], "assign", "arch", "starter")
    course = Course("arch", assignment, administer(webs[0], "invite", "arch", "--uses", str(STUDENTS)))
    worker = composition.worker(administer(webs[1], "worker-token", "container"))
    problem = Store(Home.from_environment({"BENCHWRIGHT_HOME": "/nonexistent"})).unseal(REF)
    files = {path: reference_solution_files(problem)[path].decode() for path in problem.public.expected}
    students = [
        Student(Solver.joining(service, course, tmp_path / str(index), str(index)), files) for index in range(STUDENTS)
    ]
    for student in students:
        student.start()
    try:
        for web in webs:
            counts = [len(student.anchors) for student in students]
            web.stop(timeout=60)
            web.start()
            until_healthy(web)
            until_more(students, counts)
        until_more(students, [len(student.anchors) for student in students])
    finally:
        for student in students:
            student.stop_event.set()
            student.join()
    assert [student.failures for student in students] == [[]] * STUDENTS
    for student in students:
        hashes = [row.hash for row in student.solver.rows(student.attempt)[1]]
        assert check_anchors(student.attempt, hashes, student.anchors).flaws == ()
    # bubblewrap works in the worker's container.
    run = students[0].solver.run(students[0].attempt, 1, files).json()["id"]
    verdict = students[0].solver.verdict(run, within_s=300.0)["verdict"]
    assert verdict["outcome"] == "passed", (verdict, worker.logs()[-3000:])
    for student in students:
        student.solver.log.close()


def until_answered(service: Service, proxy: Container) -> None:
    """Waits for the proxy."""
    give_up = time.monotonic() + 60
    while True:
        with contextlib.suppress(httpx2.HTTPError), service.client() as client:
            if client.get("/api/v1/health/ready").status_code == 200:
                return
        assert time.monotonic() < give_up, proxy.logs()[-3000:]
        time.sleep(0.2)


def until_more(students: list[Student], counts: list[int]) -> None:
    """Waits until each has had more acknowledged."""
    give_up = time.monotonic() + 120
    while any(len(student.anchors) <= count for student, count in zip(students, counts, strict=True)):
        assert time.monotonic() < give_up, [student.failures for student in students]
        time.sleep(0.1)
