from __future__ import annotations

import stat
import sys
from pathlib import Path

import pytest

from benchwright_foundation.atomic import write_atomically


def test_content_and_mode_are_as_asked(tmp_path: Path) -> None:
    file = tmp_path / "a"
    write_atomically(file, b"one", 0o600)
    assert (file.read_bytes(), stat.S_IMODE(file.stat().st_mode)) == (b"one", 0o600)
    write_atomically(file, b"two")
    assert (file.read_bytes(), stat.S_IMODE(file.stat().st_mode)) == (b"two", 0o644)


def test_a_failed_write_leaves_the_old_content_and_no_litter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "a"
    file.write_bytes(b"old")

    def full(handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(OSError, match="No space"):
        write_atomically(file, b"new")
    assert file.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [file]


def test_a_link_is_replaced_and_not_followed(tmp_path: Path) -> None:
    target = tmp_path / "target"
    target.write_bytes(b"keep")
    link = tmp_path / "link"
    link.symlink_to(target)
    write_atomically(link, b"new")
    assert (target.read_bytes(), link.read_bytes(), link.is_symlink()) == (b"keep", b"new", False)


@pytest.mark.skipif(sys.platform == "win32", reason="there is no /dev")
def test_a_device_is_written_to_and_not_replaced() -> None:
    device = Path("/dev/null")
    inode = device.stat().st_ino
    write_atomically(device, b"text")
    assert device.is_char_device() and device.stat().st_ino == inode
