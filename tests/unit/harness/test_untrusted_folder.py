from __future__ import annotations

import os
from pathlib import Path

import pytest

from benchwright_foundation.untrusted_folder import (
    ENTRY_BYTES,
    disk_bytes_until_exceeding,
    entries_below,
    remove_folder_if_possible,
)


def open_deepest_folder(folder: Path, levels: int, name: str = "d") -> int:
    """Nest folders deeper than any path can name; gives a handle of the innermost."""
    descriptor = os.open(folder, os.O_RDONLY)
    for _ in range(levels):
        os.mkdir(name, dir_fd=descriptor)
        inner_descriptor = os.open(name, os.O_RDONLY, dir_fd=descriptor)
        os.close(descriptor)
        descriptor = inner_descriptor
    return descriptor


def test_space_on_disk_is_counted_also_in_folders_inside(tmp_path: Path) -> None:
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "a" / "b" / "file").write_bytes(b"x" * 100_000)
    assert 100_000 <= disk_bytes_until_exceeding(tmp_path, 1 << 30) <= 130_000


def test_holes_in_files_take_no_space(tmp_path: Path) -> None:
    with (tmp_path / "sparse").open("wb") as stream:
        stream.truncate(1 << 40)
    assert disk_bytes_until_exceeding(tmp_path, 1 << 30) < 10_000


def test_empty_files_count_too(tmp_path: Path) -> None:
    for number in range(100):
        (tmp_path / str(number)).touch()
    assert disk_bytes_until_exceeding(tmp_path, 1 << 30) == 100 * ENTRY_BYTES


def test_counting_stops_when_it_is_enough(tmp_path: Path) -> None:
    for number in range(100):
        (tmp_path / str(number)).touch()
    assert 5000 < disk_bytes_until_exceeding(tmp_path, 5000) < 5000 + 2 * ENTRY_BYTES


def test_links_are_not_followed(tmp_path: Path) -> None:
    (tmp_path / "root").symlink_to("/")
    (tmp_path / "self").symlink_to(tmp_path)
    assert [entry.name for entry in entries_below(tmp_path)].count("root") == 1
    assert disk_bytes_until_exceeding(tmp_path, 1 << 30) <= 2 * 4096


def test_what_is_too_deep_to_be_counted_is_too_much(tmp_path: Path) -> None:
    os.close(open_deepest_folder(tmp_path, 300, "d" * 20))
    try:
        assert disk_bytes_until_exceeding(tmp_path, 1 << 30) == (1 << 30) + 1
    finally:
        remove_folder_if_possible(tmp_path)


def test_a_missing_folder_is_empty(tmp_path: Path) -> None:
    assert list(entries_below(tmp_path / "none")) == []
    assert disk_bytes_until_exceeding(tmp_path / "none", 1) == 0


@pytest.mark.parametrize(("levels", "name"), [(1500, "d"), (300, "d" * 200)])
def test_a_folder_of_any_depth_is_removed(levels: int, name: str, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    folder.mkdir()
    descriptor = open_deepest_folder(folder, levels, name)
    os.close(os.open("file", os.O_CREAT | os.O_WRONLY, dir_fd=descriptor))
    os.close(descriptor)
    remove_folder_if_possible(folder)
    assert list(tmp_path.iterdir()) == []


def test_closed_folders_links_and_pipes_are_removed_and_targets_kept(tmp_path: Path) -> None:
    (tmp_path / "keep").mkdir(mode=0o700)
    (tmp_path / "keep" / "file").write_text("keep")
    folder = tmp_path / "run"
    (folder / "a" / "b").mkdir(parents=True)
    (folder / "a" / "b" / "file").touch(mode=0)
    (folder / "link").symlink_to(tmp_path / "keep")
    (folder / "a" / "dangling").symlink_to("nowhere")
    os.mkfifo(folder / "pipe")
    (folder / "a" / "b").chmod(0)
    (folder / "a").chmod(0)
    folder.chmod(0)
    remove_folder_if_possible(folder)
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["file", "keep"]
    assert (tmp_path / "keep").stat().st_mode & 0o777 == 0o700


def test_removing_what_is_gone_is_no_error(tmp_path: Path) -> None:
    remove_folder_if_possible(tmp_path / "none")
