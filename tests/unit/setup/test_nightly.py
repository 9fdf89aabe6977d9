"""Tests that take long: a usual run leaves them out, and says how many."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from folders import ROOT

TESTS = """\
import pytest

def test_usual(): ...

@pytest.mark.nightly
def test_long(): ...

@pytest.mark.sampled
@pytest.mark.parametrize("number", range(12))
def test_matrix(number): ...
"""


def summary(folder: Path, *options: str) -> list[str]:
    """The last lines of a run of the tests with our configuration."""
    command = (sys.executable, "-m", "pytest", "-q", "-p", "tests.conftest", "-p", "no:cacheprovider", *options)
    # Plugins of the libraries take seconds to load in each process.
    environment = os.environ | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTEST_ADDOPTS": ""}
    where = ("--rootdir", str(folder), "-c", os.devnull, str(folder))
    pytest_run = subprocess.run(
        (*command, *where), cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True, check=True
    )
    return pytest_run.stdout.splitlines()[-2:]


@pytest.fixture
def tests_folder(tmp_path: Path) -> Path:
    (tmp_path / "test_a.py").write_text(TESTS)
    return tmp_path


@pytest.mark.parametrize("pool", [(), ("-p", "xdist", "-n", "1")], ids=["one process", "pool"])
def test_a_usual_run_leaves_out_what_takes_long_and_says_how_much(tests_folder: Path, pool: tuple[str, ...]) -> None:
    left_out, result = summary(tests_folder, *pool)
    assert left_out == "11 tests take long and were left out: --nightly runs them"
    assert result.startswith("3 passed")


def test_a_nightly_run_leaves_out_nothing(tests_folder: Path) -> None:
    *_, result = summary(tests_folder, "--nightly")
    assert result.startswith("14 passed")
