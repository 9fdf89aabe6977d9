"""compose.yaml as it is, started and restarted by the commands that the documentation has, with a real engine.

Two web processes, their proxy, PostgreSQL and two workers. There is no registry here, so what compose.yaml takes from
one is made of Debian's packages, and the workers get this machine's toolchain instead of building one.
"""

from __future__ import annotations

import contextlib
import os
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest

from benchwright_attempts.events.events import Started, Tick
from benchwright_attempts.log.anchors import Anchor, check_anchors
from benchwright_foundation.home import Home
from benchwright_harness.execution.run import reference_solution_files
from benchwright_harness.toolchain import Toolchain
from benchwright_harness.toolchain_in_use import IN_USE
from benchwright_problems.storage.store import Store

from ..pages.page import blocks
from ..support.machine.docker_compose import ComposeMissingError, compose_variables
from ..support.machine.docker_engine import EngineMissingError, docker_engine, published_port
from ..support.service.bench_service import Course, Service, Solver
from ..support.service.published_images import import_published_images
from ..support.service.service_image import import_base, released_checkout, run

pytestmark = [pytest.mark.nightly, pytest.mark.alone]

PAGE = "docs/how-to/operate-the-service.md"
BASE = "docker.io/library/python:3.13-slim-trixie"
REF = "starter/saturating-counter"
STUDENTS = 3
RELEASE = ".venv/bin/python setup/release.py --only python"
BUILD_TOOLCHAIN = "docker compose run --rm --no-deps worker toolchain build"


class Composition:
    """The containers, and somebody who types what the page says."""

    def __init__(self, checkout: Path, environment: dict[str, str], toolchain: Toolchain) -> None:
        self._checkout = checkout
        self._environment = environment
        toolchains = "/cache/toolchains"
        seed = (
            f"docker compose run --rm --no-deps --volume {toolchain.folder}:/mnt:ro --entrypoint sh worker"
            f" -c 'mkdir {toolchains}"
            f" && cp -dR --preserve=mode,timestamps,links /mnt {toolchains}/{toolchain.name}"
            f" && ln -s {toolchain.name} {toolchains}/{IN_USE}'"
        )
        scripts = [block.script for block in blocks(PAGE) if "docker compose" in block.script]
        self._start, self._restart, self._make_course = scripts
        for words, own_words in ((RELEASE, "test -d dist"), (BUILD_TOOLCHAIN, seed)):
            assert words in self._start
            self._start = self._start.replace(words, own_words)

    def start(self) -> None:
        """Does what the page says first, in the checkout."""
        self._type(self._start, self._checkout)

    def restart(self) -> None:
        """Restarts one web process after the other."""
        self._type(self._restart)

    def make_course(self) -> None:
        """Makes the course of the page."""
        self._type(self._make_course)

    def administer(self, service: str, *words: str) -> str:
        """Runs a command in a container; what it prints."""
        return self.compose("exec", service, "benchwright", "course", *words)

    def compose(self, *words: str) -> str:
        """What `docker compose` prints."""
        return run("docker", "compose", *words, cwd=self._files, env=self._environment).strip()

    def close(self) -> None:
        """Ends all, and shows what they have written."""
        with contextlib.suppress(AssertionError):
            print(self.compose("logs", "--no-color", "--tail", "60"))
        with contextlib.suppress(AssertionError):
            self.compose("down", "--volumes", "--timeout", "10")

    @property
    def _files(self) -> Path:
        return self._checkout / "setup" / "service"

    def _type(self, script: str, folder: Path | None = None) -> None:
        run("sh", "-e", "-c", f"umask 022\n{script}", cwd=folder or self._files, env=self._environment)


@pytest.fixture(scope="module")
def docker_host() -> Iterator[str]:
    """An engine whose containers reach each other."""
    with contextlib.ExitStack() as running:
        try:
            address = running.enter_context(docker_engine(own_network=True))
        except EngineMissingError as error:
            pytest.skip(str(error))
        yield address


@pytest.fixture(scope="module")
def environment(docker_host: str, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Variables with which `docker compose` finds that engine, and in it the images that it would pull."""
    try:
        variables = compose_variables(tmp_path_factory.mktemp("compose"))
    except ComposeMissingError as error:
        pytest.skip(str(error))
    import_base(docker_host, tmp_path_factory.mktemp("base"), BASE)
    import_published_images(docker_host, tmp_path_factory.mktemp("published"))
    return {**os.environ, "DOCKER_HOST": docker_host, **variables}


@pytest.fixture
def composition(environment: dict[str, str], toolchain: Toolchain, tmp_path: Path) -> Iterator[Composition]:
    made = Composition(released_checkout(tmp_path / "checkout"), environment, toolchain)
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


def test_what_the_page_says_starts_a_service_whose_processes_are_restarted_without_a_failed_request(
    composition: Composition, docker_host: str, tmp_path: Path
) -> None:
    composition.start()
    composition.make_course()
    assignment = composition.administer("bench-2", "assign", "arch", "starter")
    invitation = composition.administer("bench-1", "invite", "arch", "--uses", str(STUDENTS))
    first_containers = composition.compose("ps", "--quiet", "bench-1", "bench-2").split()
    problem = Store(Home.from_environment({"BENCHWRIGHT_HOME": "/nonexistent"})).unseal(REF)
    files = {path: reference_solution_files(problem)[path].decode() for path in problem.public.expected}
    with published_port(docker_host, 8443) as port:
        service = Service(tmp_path / "nowhere", url=f"http://127.0.0.1:{port}")
        course = Course("arch", assignment, invitation)
        students = [
            Student(Solver.joining(service, course, tmp_path / str(index), str(index)), files)
            for index in range(STUDENTS)
        ]
        for student in students:
            student.start()
        try:
            until_more(students)
            composition.restart()
            until_more(students)
        finally:
            for student in students:
                student.stop_event.set()
                student.join()
        assert [student.failures for student in students] == [[]] * STUDENTS
        for student in students:
            hashes = [row.hash for row in student.solver.rows(student.attempt)[1]]
            assert check_anchors(student.attempt, hashes, student.anchors).flaws == ()
        assert not set(first_containers) & set(composition.compose("ps", "--quiet", "bench-1", "bench-2").split())
        # bubblewrap works in the workers' containers.
        for student in students:
            queued_run = student.solver.run(student.attempt, 1, files).json()["id"]
            verdict = student.solver.verdict(queued_run, within_s=300.0)["verdict"]
            assert verdict["outcome"] == "passed", verdict
            student.solver.log.close()


def until_more(students: list[Student]) -> None:
    """Waits until each has had more acknowledged than now."""
    counts = [len(student.anchors) for student in students]
    give_up = time.monotonic() + 120
    while any(len(student.anchors) <= count for student, count in zip(students, counts, strict=True)):
        assert time.monotonic() < give_up, [student.failures for student in students]
        time.sleep(0.1)
