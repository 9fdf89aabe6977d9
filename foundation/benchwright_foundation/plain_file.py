"""Reading files from folders that a stranger may have filled: no links, no devices, no surprises in size."""

from __future__ import annotations

import errno
import os
import shutil
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO


class NotPlainFileError(Exception):
    """It is there, but is a folder, a device or a pipe."""


class FileTooLargeError(Exception):
    """It is larger than it may be."""


def read_plain_file(folder: Path, relative_path: str, max_bytes: int) -> bytes:
    """Read a file below a folder without following links.

    Args:
        folder: May itself be a link.
        relative_path: Relative, separated by `/`; no component of it may be a link, or `..`.
        max_bytes: Bytes that it may have at most.

    Raises:
        NotPlainFileError: The path leads to a folder, a device or a pipe.
        FileTooLargeError: The file is larger than `max_bytes`.
        FileNotFoundError: The file is missing, or outside of the folder.
        OSError: The file can't be read, or a component of its path is a link (`ELOOP`, `ENOTDIR`).
    """
    with _open_plain_file(folder, relative_path, max_bytes) as stream:
        return stream.read(max_bytes)


def copy_plain_file(folder: Path, relative_path: str, target_file: BinaryIO, max_bytes: int) -> None:
    """Copy a file below a folder without following links, however large memory is; see `read_plain_file`.

    Args:
        folder: May itself be a link.
        relative_path: Relative, separated by `/`; no component of it may be a link, or `..`.
        target_file: Gets the content.
        max_bytes: Bytes that it may have at most.
    """
    with _open_plain_file(folder, relative_path, max_bytes) as stream:
        shutil.copyfileobj(stream, target_file, 1 << 20)


def open_plain_file_in(folder_handle: int, name: str, max_bytes: int) -> BinaryIO | None:
    """A file of a folder that is open, not on Windows; None if it is a link, no plain file, too large or closed to us.

    Args:
        folder_handle: The folder's descriptor.
        name: Its name in the folder.
        max_bytes: Bytes that it may have at most.
    """
    try:
        file = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=folder_handle)
    except OSError:
        return None
    stream = os.fdopen(file, "rb")
    status = os.fstat(file)
    if stat.S_ISREG(status.st_mode) and status.st_size <= max_bytes:
        return stream
    stream.close()
    return None


@contextmanager
def _open_plain_file(folder: Path, relative_path: str, max_bytes: int) -> Iterator[BinaryIO]:
    with _open_without_links(folder, relative_path) as stream:
        status = os.fstat(stream.fileno())
        if not stat.S_ISREG(status.st_mode):
            raise NotPlainFileError(relative_path)
        if status.st_size > max_bytes:
            raise FileTooLargeError(relative_path)
        yield stream


def _open_without_links(folder: Path, relative_path: str) -> BinaryIO:
    if ".." in relative_path.split("/"):
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), relative_path)
    if sys.platform == "win32":
        return _open_without_links_on_windows(folder, relative_path)
    # Each component is opened inside the one before: nothing can be swapped for a link in between.
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        *parents, name = relative_path.split("/")
        for parent in parents:
            inner_handle = os.open(parent, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=handle)
            os.close(handle)
            handle = inner_handle
        file = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=handle)
    finally:
        os.close(handle)
    return os.fdopen(file, "rb")


def _open_without_links_on_windows(folder: Path, relative_path: str) -> BinaryIO:
    """As far as Windows can: it has no way to open a file relative to an open folder."""
    file = folder
    for component in relative_path.split("/"):
        file /= component
        # A junction is a link too, and only Windows has them.
        if file.is_symlink() or getattr(file.lstat(), "st_reparse_tag", False):
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(file))
    return file.open("rb")
