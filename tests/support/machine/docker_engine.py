"""A real Docker engine of the tests' own: no other engine, image or container on this machine is touched."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import psutil

_START_S = 180
_STOP_S = 60


class EngineMissingError(Exception):
    """Reason why there can be no engine here."""


@contextlib.contextmanager
def docker_engine() -> Iterator[str]:
    """Start one; its address is what `DOCKER_HOST` takes.

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
        socket = folder / "docker.sock"
        command = [
            # Also where the tests are killed.
            *("setpriv", "--pdeathsig", "TERM"),
            *(program, "--host", f"unix://{socket}", "--pidfile", str(folder / "pid")),
            *("--data-root", str(folder / "data"), "--exec-root", str(folder / "exec")),
            # The machine's own network stays as it is.
            *("--bridge", "none", "--iptables=false", "--ip-forward=false", "--ip-masq=false"),
        ]
        with (folder / "log").open("wb") as log:
            process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True
            )
        try:
            deadline = time.monotonic() + _START_S
            while not _answers(socket):
                if process.poll() is not None or time.monotonic() > deadline:
                    tail = (folder / "log").read_text(errors="replace")[-1000:]
                    raise EngineMissingError(f"a Docker engine does not start on this machine: {tail}")
                time.sleep(0.1)
            yield f"unix://{socket}"
        finally:
            _end(process)


def _answers(socket: Path) -> bool:
    import docker

    if not socket.exists():
        return False
    with contextlib.suppress(docker.errors.DockerException, OSError):
        return bool(docker.APIClient(f"unix://{socket}", timeout=5).ping())
    return False


def _end(process: subprocess.Popen[bytes]) -> None:
    family = psutil.Process(process.pid).children(recursive=True) if process.poll() is None else []
    process.terminate()
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(_STOP_S)
    for child_process in family:
        with contextlib.suppress(psutil.NoSuchProcess):
            child_process.kill()
    process.kill()
    process.wait()
