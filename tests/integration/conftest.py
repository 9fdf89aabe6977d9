from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchwright_harness.foreign_folder import remove_folder
from benchwright_harness.toolchain import Toolchain
from benchwright_problems.home import Home

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def toolchain() -> Toolchain:
    # Without one this is an error that names the next step: these tests are not worth skipping.
    return Toolchain.find(Home.find().cache)


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that a sandbox's user can reach, unlike `tmp_path`."""
    folder = Path(tempfile.mkdtemp(prefix="benchwright-test-"))
    folder.chmod(0o711)
    yield folder
    remove_folder(folder)


@pytest.fixture(scope="session")
def cvdp_files() -> list[Path]:
    folder = ROOT.parent / "shared" / "data" / "cvdp"
    if not folder.is_dir():
        pytest.skip(f"NVIDIA's example datapoints are not at {folder}")
    return sorted(folder.glob("*.jsonl"))
