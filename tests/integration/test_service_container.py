"""The container of `setup/service`, built by a real engine: it serves a course and keeps it, as nobody in particular.

There is no registry here, so the image is built on this machine's own Debian packages instead of the published Python
image, and pip installs what was downloaded before. The engine of the tests has no network of its own: the container
shares the machine's, and reaches PostgreSQL by its socket. Everything else is as compose.yaml says.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import docker as sdk
import pytest
import yaml
from docker.models.containers import Container

from benchwright_attempts.events.events import Started, Tick
from benchwright_attempts.log.anchors import Anchor, check_anchors
from benchwright_foundation.home import Home
from benchwright_harness.execution.run import reference_solution_files
from benchwright_problems.storage.store import Store

from ..support.service.bench_service import Course, Service, Solver
from ..support.service.postgres import new_database
from ..support.service.service_image import FILES, import_base, released_checkout, run

pytestmark = [pytest.mark.nightly, pytest.mark.alone]

BASE, IMAGE, WORKER_IMAGE = "local/debian-python:1", "local/bench:1", "local/bench-worker:1"
USER = 10_001
PASSWORD = "hunter2-of-the-database"
SEARCH = "grep -rlaF --exclude-dir=proc --exclude-dir=sys"
REF = "starter/saturating-counter"


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as free:
        return int(free.getsockname()[1])


@pytest.fixture(scope="module")
def engine(docker_host: str) -> Iterator[sdk.DockerClient]:
    with contextlib.closing(sdk.DockerClient(docker_host, timeout=600)) as client:
        yield client


@pytest.fixture(scope="module")
def image(docker_host: str, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The image, built from a checkout with a release in it."""
    folder = tmp_path_factory.mktemp("image")
    checkout = released_checkout(folder / "checkout")
    # The classic builder, which every client has, looks for it there; BuildKit beside the Containerfile.
    shutil.copy(FILES / "Containerfile.dockerignore", checkout / ".dockerignore")
    # What lies beside must not come in.
    (checkout / "setup/service/secrets").mkdir()
    (checkout / "setup/service/secrets/database").write_text(PASSWORD)
    import_base(docker_host, folder, BASE)
    environment = os.environ | {"DOCKER_HOST": docker_host, "DOCKER_BUILDKIT": "0"}
    for target, tag in (("bench", IMAGE), ("worker", WORKER_IMAGE)):
        options = ("--network", "none", "--build-arg", f"BASE={BASE}", "--target", target, "--tag", tag)
        containerfile = checkout / "setup/service/Containerfile"
        run("docker", "build", *options, "--file", containerfile, checkout, env=environment)
    # It goes with the engine.
    return IMAGE


def compose_services() -> dict[str, Any]:
    return dict(yaml.safe_load((FILES / "compose.yaml").read_text("utf-8"))["services"])


@pytest.fixture
def bench(image: str, engine: sdk.DockerClient, postgres: Path, tmp_path: Path) -> Iterator[tuple[Container, Service]]:
    """The service as compose.yaml has it, and how it is reached."""
    compose = compose_services()["bench-1"]
    secret = tmp_path / "database"
    name = new_database(postgres).partition("?")[0].rpartition("/")[2]
    secret.write_text(f"postgresql://benchwright:{PASSWORD}@/{name}?host=/run/postgresql\n")
    secret.chmod(0o400)
    os.chown(secret, USER, USER)
    postgres.chmod(0o711)
    port = free_port()
    environment = compose["environment"] | {
        "BENCHWRIGHT_SERVICE_ADDRESS": f"http://127.0.0.1:{port}",
        "BENCHWRIGHT_SERVICE_HOST": "127.0.0.1",
        "BENCHWRIGHT_SERVICE_PORT": str(port),
        "BENCHWRIGHT_SERVICE_METRICS_PORT": str(free_port()),
    }
    volume, mount_point = compose["volumes"][0].split(":")
    container = engine.containers.run(
        image,
        detach=True,
        network_mode="host",
        environment=environment,
        read_only=compose["read_only"],
        tmpfs=dict.fromkeys(compose["tmpfs"], ""),
        cap_drop=compose["cap_drop"],
        security_opt=compose["security_opt"],
        volumes={
            volume: {"bind": mount_point, "mode": "rw"},
            str(secret): {"bind": environment["BENCHWRIGHT_SERVICE_DATABASE_FILE"], "mode": "ro"},
            str(postgres): {"bind": "/run/postgresql", "mode": "rw"},
        },
    )
    try:
        service = Service(tmp_path / "nowhere", url=f"http://127.0.0.1:{port}")
        until_healthy(container)
        yield container, service
    finally:
        container.remove(force=True)
        engine.volumes.get(volume).remove()


def until_healthy(container: Container, within_s: float = 180.0) -> None:
    """Waits for the image's own check."""
    give_up = time.monotonic() + within_s
    while True:
        container.reload()
        state = container.attrs["State"]
        if state["Health"]["Status"] == "healthy":
            return
        assert state["Running"] and time.monotonic() < give_up, (state, container.logs()[-3000:])
        time.sleep(0.5)


def inside(container: Container, *command: str) -> tuple[int, str]:
    """A command in the container, as whoever the service runs as."""
    status, output = container.exec_run(list(command))
    assert status is not None and isinstance(output, bytes)
    return status, output.decode()


def administer(container: Container, *words: str) -> str:
    status, output = inside(container, "benchwright", "course", *words)
    assert status == 0, output
    return output.strip()


def test_a_course_in_the_container_is_worked_on_with_a_worker_outside_and_survives_its_restart(
    bench: tuple[Container, Service], tmp_path: Path
) -> None:
    container, service = bench
    administer(container, "create", "arch", "--title", "Computer architecture")
    assignment = administer(container, "assign", "arch", "starter")
    course = Course("arch", assignment, administer(container, "invite", "arch"))
    (tmp_path / "token").write_text(administer(container, "worker-token", "host"))
    solver = Solver.joining(service, course, tmp_path)
    problem = Store(Home.from_environment({"BENCHWRIGHT_HOME": "/nonexistent"})).unseal(REF)
    solution_files = {path: reference_solution_files(problem)[path].decode() for path in problem.public.expected}
    attempt = solver.begin(REF, solution_files)
    solver.record(attempt, Started())
    anchors = [Anchor.model_validate(solver.send(attempt).json()["anchor"])]
    command = [str(Path(sys.executable).with_name("benchwright")), "worker", service.url]
    environment = os.environ | {"BENCHWRIGHT_HOME": str(tmp_path / "worker")}
    worker = subprocess.Popen([*command, "--token-file", str(tmp_path / "token")], env=environment)
    try:
        first = solver.run(attempt, 1, solution_files).json()["id"]
        assert solver.verdict(first)["verdict"]["outcome"] == "passed"

        container.restart(timeout=30)
        until_healthy(container)
        solver.record(attempt, Tick())
        anchors.append(Anchor.model_validate(solver.send(attempt).json()["anchor"]))
        assert solver.verdict(first)["verdict"]["outcome"] == "passed"
        # The worker finds the service again by itself.
        second = solver.run(attempt, 2, {path: f"{text}\n" for path, text in solution_files.items()}).json()["id"]
        assert solver.verdict(second)["verdict"]["outcome"] == "passed"
    finally:
        worker.terminate()
        worker.wait(60)
    check = check_anchors(attempt, [row.hash for row in solver.rows(attempt)[1]], anchors)
    assert (check.agreeing_count, check.flaws, len(check.unpublished_signers)) == (2, (), 1)
    solver.log.close()


def test_it_runs_as_nobody_in_particular_and_writes_to_its_volume_alone(bench: tuple[Container, Service]) -> None:
    container, _ = bench
    assert inside(container, "id", "-u") == (0, f"{USER}\n")
    for path in ("/x", "/usr/x", "/etc/x", "/install/x", "/run/x"):
        status, output = inside(container, "touch", path)
        assert status != 0 and ("Read-only" in output or "denied" in output), (path, output)
    status, listing = inside(container, "find", "/data", "-perm", "/077", "-type", "f", "-name", "keys.json")
    assert (status, listing) == (0, "")
    assert inside(container, "test", "-f", "/data/data/service/keys.json")[0] == 0
    _, capabilities = inside(container, "grep", "CapEff\\|NoNewPrivs", "/proc/1/status")
    assert [line.split()[1] for line in capabilities.splitlines()] == ["0000000000000000", "1"]


def test_no_secret_is_in_the_image_its_history_the_inspection_or_the_environment(
    bench: tuple[Container, Service], engine: sdk.DockerClient, image: str
) -> None:
    container, _ = bench
    container.reload()
    built = engine.images.get(image)
    inspection = json.dumps([container.attrs, built.attrs, built.history()])
    assert PASSWORD not in inspection
    _, environment = inside(container, "cat", "/proc/1/environ")
    assert PASSWORD not in environment
    assert PASSWORD not in container.logs().decode()
    # No file has it but the mounted one, and none has what lets a worker or a student in.
    variables = container.attrs["Config"]["Env"]
    (mounted,) = (
        variable.partition("=")[2]
        for variable in variables
        if variable.startswith("BENCHWRIGHT_SERVICE_DATABASE_FILE=")
    )
    administer(container, "create", "arch", "--title", "Computer architecture")
    token = administer(container, "worker-token", "host").rpartition("_")[2]
    invitation = administer(container, "invite", "arch").split()[-1]
    for word, expected_files in ((PASSWORD, [mounted]), (token, []), (invitation, [])):
        files = inside(container, "sh", "-c", f"{SEARCH} '{word}' / 2>/dev/null")[1]
        assert files.split() == expected_files
        assert word not in container.logs().decode()
    # What signs receipts stays in its file.
    _, key_file = inside(container, "cat", "/data/data/service/keys.json")
    for key in re.findall(r'"([A-Za-z0-9+/_-]{40,}=*)"', key_file):
        assert key not in json.dumps(container.attrs) + environment + container.logs().decode()
    in_image = ["-c", f"{SEARCH} '{PASSWORD}' / || true"]
    assert engine.containers.run(image, in_image, entrypoint=["sh"], user="0", network_mode="none", remove=True) == b""
    # The context has what .dockerignore lets in, and nothing of a service's data.
    search = ["/", "-xdev", "-path", "*secrets/database*"]
    listing = engine.containers.run(image, search, entrypoint=["find"], user="0", network_mode="none", remove=True)
    assert listing == b""
    _, copied = inside(container, "ls", "/install")
    assert sorted(name.partition("-")[0] for name in copied.split()) == ["benchwright", "requirements.lock"]
