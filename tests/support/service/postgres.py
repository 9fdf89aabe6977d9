"""A PostgreSQL cluster of the test's own: in a temporary folder, reached by a socket in it, stopped by its process."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg

_NOBODY = 65534
_START_S = 180.0
_STOP_S = 120.0
_USER = "benchwright"


class PostgresError(Exception):
    """It can't be started here."""


class Cluster:
    """A cluster that can be stopped and started again.

    Args:
        folder: An empty one; PostgreSQL's user owns it.
        durable: True if what it has written survives the machine's end. Its own end it survives either way.

    Raises:
        PostgresError: PostgreSQL is not installed, or the cluster can't be made.
    """

    def __init__(self, folder: Path, *, durable: bool = True) -> None:
        self.folder = folder
        self._durable = durable
        """Folder of its socket."""
        self._programs = _programs()
        self._data = folder / "data"
        self._server: subprocess.Popen[bytes] | None = None
        # PostgreSQL does not run as root.
        user: dict[str, Any] = {}
        if os.geteuid() == 0:
            os.chown(folder, _NOBODY, _NOBODY)
            user = {"user": _NOBODY, "group": _NOBODY, "extra_groups": []}
        environment = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", "HOME": str(folder)}
        self._runs: dict[str, Any] = {"cwd": folder, "env": environment, **user}
        process = subprocess.run(
            [self._programs / "initdb", "-D", self._data, "-U", _USER, "-A", "trust", "-E", "UTF8", "--no-sync"],
            capture_output=True,
            text=True,
            **self._runs,
        )
        if process.returncode:
            raise PostgresError(f"initdb failed: {process.stderr.strip()}")

    def start(self) -> None:
        """Starts it, and waits until it answers.

        Raises:
            PostgresError: The cluster does not start.
        """
        settings = {"listen_addresses": "", "unix_socket_directories": str(self.folder), "max_connections": "200"}
        if not self._durable:
            settings |= dict.fromkeys(("fsync", "full_page_writes"), "off")
        options = [word for name, value in settings.items() for word in ("-c", f"{name}={value}")]
        with (self.folder / "log").open("ab") as log:
            self._server = server = subprocess.Popen(
                [str(self._programs / "postgres"), "-D", str(self._data), *options],
                stderr=log,
                stdout=log,
                **self._runs,
            )
        _wait_for(self.folder, server)

    def stop(self, stop_signal: signal.Signals = signal.SIGQUIT) -> None:
        """Ends it: at once as in a crash, or with `SIGINT` in order."""
        if self._server is not None:
            self._server.send_signal(stop_signal)
            self._server.wait(_STOP_S)
            self._server = None


@contextlib.contextmanager
def restartable_cluster(*, durable: bool = True) -> Iterator[Cluster]:
    """A cluster that runs, and is gone afterwards.

    Args:
        durable: See `Cluster`.

    Raises:
        PostgresError: PostgreSQL is not installed, or does not start.
    """
    # Short, because a socket's path may have 107 bytes only.
    folder = Path(tempfile.mkdtemp(prefix="bw-pg-"))
    try:
        postgres_cluster = Cluster(folder, durable=durable)
        try:
            postgres_cluster.start()
            yield postgres_cluster
        finally:
            postgres_cluster.stop()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextlib.contextmanager
def cluster() -> Iterator[Path]:
    """A running cluster; yields the folder of its socket.

    Raises:
        PostgresError: PostgreSQL is not installed, or does not start.
    """
    with restartable_cluster(durable=False) as postgres_cluster:
        yield postgres_cluster.folder


def new_database(folder: Path) -> str:
    """Make an empty database; returns its URL."""
    name = f"t{uuid.uuid4().hex}"
    with psycopg.connect(host=str(folder), user=_USER, dbname="postgres", autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
    return f"postgresql://{_USER}@/{name}?host={folder}"


def _programs() -> Path:
    server_file = shutil.which("postgres") or next(
        map(str, sorted(Path("/usr/lib/postgresql").glob("*/bin/postgres"))), None
    )
    if server_file is None:
        raise PostgresError("PostgreSQL is not installed (Debian's package postgresql)")
    return Path(server_file).resolve().parent


def _wait_for(folder: Path, server: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + _START_S
    while time.monotonic() < deadline and server.poll() is None:
        with contextlib.suppress(psycopg.OperationalError):
            psycopg.connect(host=str(folder), user=_USER, dbname="postgres").close()
            return
        time.sleep(0.1)
    raise PostgresError(f"PostgreSQL does not start: {(folder / 'log').read_text()}")


def main() -> None:
    """Prints the URL of an empty database of a cluster that runs until standard input ends, for tests in TypeScript."""
    try:
        with cluster() as folder:
            print(new_database(folder), flush=True)
            sys.stdin.read()
    except PostgresError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
