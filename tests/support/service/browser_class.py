"""A class in the browser on a machine of its own accounts: the hub of `setup/browser-class`, and a service."""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
CLASS = ROOT / "setup" / "browser-class"
EXTENSION = ROOT / "client-vscode" / "benchwright.vsix"
# Of this checkout alone; not below a folder that students can't reach.
TOOLS = Path(f"/opt/benchwright-class-test-{hashlib.sha256(bytes(ROOT)).hexdigest()[:8]}")
PATIENCE_S = 180
SCRIPT = """
set -e
benchwright course create arch --title "Computer architecture"
benchwright course assign arch starter --title "Week 1"
benchwright serve --port $SERVICE_PORT --workers 1 &
cd $HUB
exec $CLASS_TOOLS/hub/bin/jupyterhub -f $CONFIG
"""


@dataclass(frozen=True)
class BrowserClass:
    """One that runs."""

    hub: str
    """Its address, with a slash at its end."""
    service: str
    log: Path


def _free_ports() -> tuple[int, int]:
    """The first of three in a row for the hub, and one for the service."""
    for first_port in range(23_000, 24_000, 10):
        with socket.socket() as first_socket, socket.socket() as two, socket.socket() as three, socket.socket() as four:
            try:
                for offset, listener in enumerate((first_socket, two, three, four)):
                    listener.bind(("127.0.0.1", first_port + offset))
            except OSError:
                continue
            return first_port, first_port + 3
    raise AssertionError("no free ports")


def _build_extension() -> None:
    """Builds what `./test client` leaves, which in a fresh checkout comes later."""
    if not (ROOT / "node_modules").is_dir():
        pytest.skip("needs the extension: run ./test client")
    for script in ("build", "package"):
        subprocess.run(["npm", "--workspace", "client-vscode", "run", script], cwd=ROOT, check=True, timeout=300)


@contextlib.contextmanager
def browser_class(folder: Path, **settings: str) -> Iterator[BrowserClass]:
    """Starts it with these variables, and waits until hub and service answer; skips the test where that can't be.

    Students are called ada and bob.
    """
    if os.geteuid() != 0 or not shutil.which("useradd") or not Path("/var/cache/benchwright/code-server").is_dir():
        pytest.skip("needs root, useradd, and an editor that ./run --setup has installed as root")
    if not EXTENSION.is_file():
        _build_extension()
    subprocess.run(["sh", CLASS / "install.sh", TOOLS], check=True, timeout=600)
    port, service_port = _free_ports()
    (folder / "hub").mkdir(mode=0o700)
    environment = os.environ | {
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "BENCHWRIGHT_HOME": str(folder / "service"),
        "CLASS_TOOLS": str(TOOLS),
        "CLASS_COURSE": "arch",
        "CLASS_SERVICE": f"http://127.0.0.1:{service_port}",
        "CLASS_PORT": str(port),
        "SERVICE_PORT": str(service_port),
        "HUB": str(folder / "hub"),
        "CONFIG": str(CLASS / "jupyterhub_config.py"),
        **settings,
    }
    with (folder / "log").open("wb") as log:
        command = ["unshare", "--mount", "--propagation", "private", "--pid", "--fork", "--kill-child", "--mount-proc"]
        # Accounts of a machine of its own: nothing of this one's is changed.
        command += ["sh", str(ROOT / "tests" / "support" / "service" / "browser_class.sh"), "sh", "-c", SCRIPT]
        hub = subprocess.Popen(command, env=environment, stdout=log, stderr=log)
        try:
            deadline = time.monotonic() + PATIENCE_S
            waited_for = [f"http://127.0.0.1:{port}/hub/api/", f"http://127.0.0.1:{service_port}/api/v1/health/ready"]
            while waited_for:
                try:
                    urllib.request.urlopen(waited_for[0], timeout=5).close()
                    del waited_for[0]
                except OSError:
                    assert hub.poll() is None and time.monotonic() < deadline, (folder / "log").read_text()[-3000:]
                    time.sleep(0.5)
            yield BrowserClass(f"http://127.0.0.1:{port}/", f"http://127.0.0.1:{service_port}", folder / "log")
        finally:
            # The first process of the namespace ends with it, and so do all others.
            hub.kill()
            hub.wait(60)
