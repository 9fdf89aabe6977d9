"""The folder that `./run` opens."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]


def refusal(home: Path) -> str:
    completed_process = subprocess.run(
        [sys.executable, "-BEsu", str(ROOT / "setup" / "run.py"), "--setup"],
        env={**os.environ, "BENCHWRIGHT_HOME": str(home), "BENCHWRIGHT_CACHE": str(home / "cache")},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert completed_process.returncode == 1 and not (home / "cache").exists(), (
        "nothing is fetched for a folder that is refused"
    )
    return completed_process.stderr


def test_a_checkout_among_the_workspaces_is_refused_before_anything_is_fetched(tmp_path: Path) -> None:
    clone = tmp_path / "workspaces" / "benchwright"
    (clone / ".git").mkdir(parents=True)
    message = refusal(tmp_path)
    assert str(clone) in message and "set BENCHWRIGHT_HOME" in message


def test_a_folder_around_this_checkout_is_refused(tmp_path: Path) -> None:
    if ROOT.is_relative_to(Path("/tmp")) and ROOT.parent == Path("/tmp"):
        pytest.skip("the checkout is in /tmp itself")
    (tmp_path / "workspaces").symlink_to(ROOT.parent)
    assert str(ROOT) in refusal(tmp_path)
