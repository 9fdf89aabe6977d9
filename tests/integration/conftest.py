from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchwright_foundation.home import Home
from benchwright_foundation.untrusted_folder import remove_folder_if_possible
from benchwright_harness.toolchain import Toolchain

from ..support.service.bench_service import DATABASES, Service, running_service
from ..support.service.postgres import new_database

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def toolchain() -> Toolchain:
    # Without one this is an error that names the next step: these tests are not worth skipping.
    return Toolchain.find(Home.from_environment().cache)


@contextlib.contextmanager
def _reachable_folder() -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix="benchwright-test-"))
    folder.chmod(0o711)
    yield folder
    remove_folder_if_possible(folder)


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that a sandbox's user can reach, unlike `tmp_path`."""
    with _reachable_folder() as folder:
        yield folder


@pytest.fixture(scope="module")
def open_folder_of_a_module() -> Iterator[Path]:
    """The same for all tests of a file."""
    with _reachable_folder() as folder:
        yield folder


@pytest.fixture(scope="session")
def cvdp_files() -> list[Path]:
    folder = ROOT.parent / "shared" / "data" / "cvdp"
    if not folder.is_dir():
        pytest.skip(f"NVIDIA's example datapoints are not at {folder}")
    return sorted(folder.glob("*.jsonl"))


@pytest.fixture
def code(open_folder: Path) -> Path:
    """A run's folder."""
    folder = open_folder / "code"
    (folder / "rundir").mkdir(parents=True)
    (folder / "rtl").mkdir()
    return folder


@pytest.fixture(scope="module", params=DATABASES)
def service(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """A bench service; a file that says so itself has it on each of its databases, or with other `WORKERS`."""
    database = new_database(request.getfixturevalue("postgres")) if request.param == "postgresql" else None
    workers = getattr(request.module, "WORKERS", 1)
    with running_service(Service(tmp_path_factory.mktemp("service"), database, workers)) as started:
        yield started
