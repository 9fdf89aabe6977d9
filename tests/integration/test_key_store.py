"""Tokens in the operating system's key store: a real Secret Service, in a D-Bus session of its own."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from ..support.service.bench_service import Course, Service, running_service

PROGRAMS = ("dbus-run-session", "gnome-keyring-daemon")
missing = [program for program in PROGRAMS if shutil.which(program) is None]
with_key_store = pytest.mark.skipif(bool(missing), reason=f"{' and '.join(missing)} not installed")

UNLOCKED = "printf secret | gnome-keyring-daemon --unlock --components=secrets >/dev/null 2>&1; "


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Service]:
    with running_service(Service(tmp_path / "service")) as service:
        yield service


@pytest.fixture
def course(service: Service) -> Course:
    return service.set_up()


class Desk:
    """A person's computer, with a key store of their own."""

    def __init__(self, folder: Path) -> None:
        self.home = folder
        # D-Bus starts what it has a file for: the programs of this machine's own session must stay out.
        self.environment = {key: value for key, value in os.environ.items() if not key.startswith(("DBUS", "XDG"))}
        self.environment |= {
            "HOME": str(folder),
            "XDG_RUNTIME_DIR": str(folder),
            "BENCHWRIGHT_HOME": str(folder / "benchwright"),
        }
        self.environment.pop("PYTHON_KEYRING_BACKEND", None)

    def run(self, *commands: tuple[str, ...], preamble: str = UNLOCKED) -> subprocess.CompletedProcess[str]:
        """Commands of Benchwright in one session of this person."""
        program = [str(Path(sys.executable).with_name("benchwright"))]
        lines = " && ".join(" ".join([*program, *(f"'{word}'" for word in words)]) for words in commands)
        session_command = ["dbus-run-session", "--", "bash", "-c", preamble + lines]
        return subprocess.run(
            session_command, env=self.environment, capture_output=True, text=True, timeout=120, check=False
        )

    @property
    def connections_text(self) -> str:
        """The file of connections."""
        return (self.home / "benchwright" / "data" / "connections.json").read_text()


def tokens(desk: Desk) -> list[str]:
    """Tokens in the file."""
    return [connection["token"] for connection in json.loads(desk.connections_text)]


@with_key_store
def test_a_token_goes_to_the_key_store_and_comes_back_from_it(service: Service, course: Course, tmp_path: Path) -> None:
    desk = Desk(tmp_path / "ada")
    desk.home.mkdir()
    signed_in = desk.run(("login", service.url, "--code", course.invitation, "--name", "Ada"))
    assert "Your token is kept in the key store of this computer." in signed_in.stdout, signed_in.stderr
    assert tokens(desk) == [""]
    assert "bws_" not in desk.connections_text
    later_process = desk.run(("assignments",))
    assert "16 problems" in later_process.stdout, later_process.stderr
    assert "Signed out" in desk.run(("logout", service.url)).stdout
    assert "You have not signed in anywhere" in desk.run(("assignments",)).stderr


@with_key_store
def test_a_key_store_that_is_away_later_is_named_and_nothing_is_lost(
    service: Service, course: Course, tmp_path: Path
) -> None:
    desk = Desk(tmp_path / "ada")
    desk.home.mkdir()
    desk.run(("login", service.url, "--code", course.invitation, "--name", "Ada"))
    keyless_run = desk.run(("assignments",), preamble="export PYTHON_KEYRING_BACKEND=keyring.backends.fail.Keyring; ")
    assert "The key store of this computer did not give the token" in keyless_run.stderr
    assert "Traceback" not in keyless_run.stderr
    assert "16 problems" in desk.run(("assignments",)).stdout


@pytest.mark.parametrize("backend", ["fail", "null"])
def test_without_a_key_store_the_token_is_in_a_file_that_only_its_owner_reads(
    service: Service, course: Course, tmp_path: Path, backend: str
) -> None:
    environment = os.environ | {
        "BENCHWRIGHT_HOME": str(tmp_path / "ada"),
        "PYTHON_KEYRING_BACKEND": f"keyring.backends.{backend}.Keyring",
    }
    program = [str(Path(sys.executable).with_name("benchwright"))]
    words = ["login", service.url, "--code", course.invitation, "--name", "Ada"]
    join_process = subprocess.run(
        [*program, *words], env=environment, capture_output=True, text=True, timeout=60, check=False
    )
    assert "Your token is kept in a file that only you can read." in join_process.stdout, join_process.stderr
    file = tmp_path / "ada" / "data" / "connections.json"
    (connection,) = json.loads(file.read_text())
    assert connection["token"].startswith("bws_")
    assert file.stat().st_mode & 0o777 == 0o600
