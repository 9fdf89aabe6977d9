"""A real Docker engine of the tests' own: no other engine, image, container or network on this machine is touched."""

from __future__ import annotations

import contextlib
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import psutil

_START_S = 180
_STOP_S = 60
# Also where the tests are killed.
_WITH_PARENT = ("setpriv", "--pdeathsig", "TERM")
_WITHOUT_NETWORK = ("--bridge", "none", "--iptables=false", "--ip-forward=false", "--ip-masq=false")
_OWN_NETWORK = ("unshare", "--net", "--", "sh", "-c", 'ip link set lo up && exec "$0" "$@"')
_FORWARDER = Path(__file__).with_name("port_forwarder.py")


class EngineMissingError(Exception):
    """Reason why there can be no engine here."""


@contextlib.contextmanager
def docker_engine(*, own_network: bool = False) -> Iterator[str]:
    """Start one; its address is what `DOCKER_HOST` takes.

    Args:
        own_network: True for one whose containers reach each other, and nobody else, in a network namespace of its
            own: see `published_port`. Else they have no network, or this machine's.

    Raises:
        EngineMissingError: The machine can't start one.
    """
    program = shutil.which("dockerd", path=os.pathsep.join((os.environ.get("PATH", ""), "/usr/sbin", "/sbin")))
    if program is None:
        raise EngineMissingError("dockerd is not installed (Debian and Ubuntu: apt-get install docker.io)")
    if os.geteuid() != 0:
        raise EngineMissingError("only root can start a Docker engine")
    # Not below pytest's folder: the path of a socket is short.
    with tempfile.TemporaryDirectory(prefix="docker-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        address = folder / "docker.sock"
        command = [
            *_WITH_PARENT,
            # The machine's own network stays as it is.
            *(_OWN_NETWORK if own_network else ()),
            *(program, "--host", f"unix://{address}", "--pidfile", str(_engine_process_file(f"unix://{address}"))),
            *("--data-root", str(folder / "data"), "--exec-root", str(folder / "exec")),
            *(() if own_network else _WITHOUT_NETWORK),
        ]
        with (folder / "log").open("wb") as log:
            process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True
            )
        try:
            deadline = time.monotonic() + _START_S
            while not _engine_answers(address):
                if process.poll() is not None or time.monotonic() > deadline:
                    tail = (folder / "log").read_text(errors="replace")[-1000:]
                    raise EngineMissingError(f"a Docker engine does not start on this machine: {tail}")
                time.sleep(0.1)
            yield f"unix://{address}"
        finally:
            _end_engine(process)


@contextlib.contextmanager
def published_port(docker_host: str, container_port: int) -> Iterator[int]:
    """A port of this machine's loopback that leads to one of an engine with a network of its own.

    Args:
        docker_host: Address of the engine.
        container_port: Port of the loopback there.
    """
    engine_process = _engine_process_file(docker_host).read_text().strip()
    with socket.create_server(("127.0.0.1", 0)) as listener:
        command = [*_WITH_PARENT, "nsenter", f"--net=/proc/{engine_process}/ns/net", sys.executable, str(_FORWARDER)]
        forwarder = subprocess.Popen(
            [*command, str(listener.fileno()), str(container_port)], pass_fds=[listener.fileno()]
        )
        try:
            yield int(listener.getsockname()[1])
        finally:
            forwarder.terminate()
            forwarder.wait(_STOP_S)


def _engine_process_file(docker_host: str) -> Path:
    return Path(docker_host.removeprefix("unix://")).with_name("pid")


def _engine_answers(engine_socket: Path) -> bool:
    import docker

    if not engine_socket.exists():
        return False
    with contextlib.suppress(docker.errors.DockerException, OSError):
        return bool(docker.APIClient(f"unix://{engine_socket}", timeout=5).ping())
    return False


def _end_engine(engine_process: subprocess.Popen[bytes]) -> None:
    family = psutil.Process(engine_process.pid).children(recursive=True) if engine_process.poll() is None else []
    engine_process.terminate()
    with contextlib.suppress(subprocess.TimeoutExpired):
        engine_process.wait(_STOP_S)
    for child_process in family:
        with contextlib.suppress(psutil.NoSuchProcess):
            child_process.kill()
    engine_process.kill()
    engine_process.wait()
