"""A log that can't be written: of a backup, on a mount that is read-only, left by a process that died."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

COMMAND = Path(sys.executable).with_name("benchwright")
_RECORD = """
import os, signal, sys
from pathlib import Path
from benchwright_attempts.attempts import Attempts
from benchwright_attempts.events.events import Started
from benchwright_attempts.events.file_text import FileText
from benchwright_studies.conduct.study_log import StudyLog

log = StudyLog(Path(sys.argv[1]))
attempt = Attempts(log).create("starter/counter", "d", Path("/w"), {"a.sv": FileText.of_text("")}).id
log.append_blocking(attempt, Started())
if sys.argv[2] == "dies":
    os.kill(os.getpid(), signal.SIGKILL)
log.close()
"""

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "home" / "data" / "attempts").mkdir(parents=True)
    return tmp_path / "home"


@pytest.fixture
def benchwright(home: Path) -> Run:
    """The command in a name space of mounts, where everything of the user is read-only."""
    if shutil.which("unshare") is None:
        pytest.skip("unshare (util-linux) is needed for a read-only mount")
    read_only = f"mount --bind {home} {home} && mount -o remount,bind,ro {home}"
    unshare = ["unshare", *([] if os.geteuid() == 0 else ["--user", "--map-root-user"]), "--mount", "sh", "-c"]
    if subprocess.run([*unshare, read_only], check=False, capture_output=True).returncode:
        pytest.skip("this machine allows no mounts")

    def run(*arguments: object) -> subprocess.CompletedProcess[str]:
        command = [*unshare, f'{read_only} && exec "$@"', "sh", str(COMMAND)]
        return subprocess.run(
            [*command, *map(str, arguments)],
            env=os.environ | {"BENCHWRIGHT_HOME": str(home)},
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )

    return run


def recorded(home: Path, ending: str) -> None:
    """An attempt of two events, by a process that closes the log or dies."""
    log = home / "data" / "attempts" / "log.sqlite"
    code = subprocess.run([sys.executable, "-c", _RECORD, str(log), ending], check=False, timeout=60).returncode
    assert code == (-signal.SIGKILL if ending == "dies" else 0)
    assert log.with_name("log.sqlite-wal").exists() == (ending == "dies")


@pytest.mark.parametrize("ending", ["closes", "dies"])
def test_a_log_on_a_read_only_mount_is_listed_verified_and_exported(
    home: Path, benchwright: Run, tmp_path: Path, ending: str
) -> None:
    recorded(home, ending)
    old_files = sorted((file.name, file.read_bytes()) for file in (home / "data" / "attempts").iterdir())
    listing = benchwright("attempts", "list", "--json")
    assert listing.returncode == 0, listing.stderr
    (row,) = json.loads(listing.stdout)
    assert row["state"] == "running"
    verified = benchwright("attempts", "verify", row["id"])
    assert (verified.returncode, "intact" in verified.stdout) == (0, True), verified
    exported = benchwright("attempts", "export", row["id"], "--output", tmp_path / "attempt.jsonl")
    assert exported.returncode == 0, exported.stderr
    assert len((tmp_path / "attempt.jsonl").read_text().splitlines()) == 3
    assert sorted((file.name, file.read_bytes()) for file in (home / "data" / "attempts").iterdir()) == old_files


def test_what_would_write_to_a_read_only_log_says_so(home: Path, benchwright: Run) -> None:
    recorded(home, "closes")
    refusal = benchwright("study", "delete", "s", "ada", "--yes")
    assert refusal.returncode == 2
    assert "is read-only here" in refusal.stderr.replace("\n", " "), refusal.stderr
