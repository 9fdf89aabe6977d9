from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from benchwright_harness.toolchain import Toolchain
from benchwright_harness.toolchain.pruning import FolderKind, prunable_folders, remove_if_unused

from ...support.machine.toolchain import built


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    """Two toolchains, the second in use, with programs of this version and of another one."""
    built(tmp_path, "oss-sim-1")
    built(tmp_path, "oss-sim-2", text="other")
    folder = tmp_path / "toolchains"
    (folder / "inside-000000000000").mkdir()
    (folder / "inside-000000000000" / "file").write_bytes(b"x" * 10_000)
    (folder / "downloads").mkdir()
    assert Toolchain.find(tmp_path).own_programs_folder.is_dir()
    return tmp_path


def prunable_names_and_kinds(cache: Path) -> list[tuple[str, FolderKind]]:
    return [(leftover.path.name, leftover.kind) for leftover in prunable_folders(cache)]


@contextmanager
def process_that_uses_toolchain(cache: Path, statement: str) -> Iterator[None]:
    code = (
        "import sys; from pathlib import Path\n"
        "from benchwright_harness.toolchain import Toolchain\n"
        f"toolchain = Toolchain.find(Path(sys.argv[1])); {statement}; print('ready', flush=True); sys.stdin.read()"
    )
    command = [sys.executable, "-c", code, str(cache)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        yield
        process.communicate()


def test_what_is_in_use_is_not_left_over(cache: Path) -> None:
    assert prunable_names_and_kinds(cache) == [
        ("inside-000000000000", FolderKind.PROGRAMS),
        ("oss-sim-1", FolderKind.TOOLCHAIN),
    ]
    assert all(10_000 < leftover.size < 100_000 for leftover in prunable_folders(cache))


def test_what_is_left_over_can_go(cache: Path) -> None:
    assert [remove_if_unused(leftover) for leftover in prunable_folders(cache)] == [True, True]
    assert prunable_names_and_kinds(cache) == []
    assert [toolchain.name for toolchain in Toolchain.find_all(cache)] == ["oss-sim-2"]
    assert not [path for path in (cache / "toolchains").iterdir() if path.name.startswith(".removed")]


def test_a_toolchain_that_a_process_runs_with_stays(cache: Path) -> None:
    first_toolchain, second_toolchain = Toolchain.find_all(cache)
    first_toolchain.use()
    with process_that_uses_toolchain(cache, "pass"):
        second_toolchain.use()
        leftovers = prunable_folders(cache, [FolderKind.TOOLCHAIN])
        assert leftovers == []
    assert [leftover.path.name for leftover in prunable_folders(cache, [FolderKind.TOOLCHAIN])] == ["oss-sim-1"]


def test_programs_that_a_process_runs_with_stay(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with process_that_uses_toolchain(cache, "toolchain.own_programs_folder"):
        # As a later version of Benchwright would look at it.
        monkeypatch.setattr(
            Toolchain, "own_programs_copy_path", staticmethod(lambda folder: folder / "inside-111111111111")
        )
        assert [name for name, kind in prunable_names_and_kinds(cache) if kind is FolderKind.PROGRAMS] == [
            "inside-000000000000"
        ]
    assert len([name for name, kind in prunable_names_and_kinds(cache) if kind is FolderKind.PROGRAMS]) == 2


def test_one_that_is_taken_into_use_meanwhile_stays(cache: Path) -> None:
    (leftover,) = prunable_folders(cache, [FolderKind.TOOLCHAIN])
    Toolchain.find_all(cache)[0].use()
    with process_that_uses_toolchain(cache, "pass"):
        assert not remove_if_unused(leftover)
    assert leftover.path.is_dir()


def test_what_was_begun_long_ago_can_go(cache: Path) -> None:
    begun_folder = cache / "toolchains" / ".inside-abc"
    begun_folder.mkdir()
    assert (begun_folder.name, FolderKind.UNFINISHED) not in prunable_names_and_kinds(cache)
    os.utime(begun_folder, (0, 0))
    assert (begun_folder.name, FolderKind.UNFINISHED) in prunable_names_and_kinds(cache)


def test_a_run_does_not_use_up_files(cache: Path) -> None:
    open_count = len(list(Path("/proc/self/fd").iterdir()))
    for _ in range(20):
        assert Toolchain.find(cache).own_programs_folder
    assert len(list(Path("/proc/self/fd").iterdir())) <= open_count + 2


def test_a_cache_without_toolchains_has_no_leftovers(tmp_path: Path) -> None:
    assert prunable_folders(tmp_path) == []
