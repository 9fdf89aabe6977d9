"""Backups of a service's data folder, made while the service runs.

Databases are copied before what they refer to: the service's own first, whose receipts are about events of the log,
then all other databases, then files. So a backup has everything that a receipt or a run in it names.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import sqlite3
import tarfile
import tempfile
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from benchwright_foundation.home import Home
from benchwright_service.errors import BenchServiceError

_DATABASE = ".sqlite"
_BESIDE_DATABASES = ("-wal", "-shm", "-journal")
_FIRST = "service/service.sqlite"


def back_up(home: Home, archive: Path) -> int:
    """Packs the data folder into a compressed tar file that only its owner can read.

    Args:
        home: The folders of the service's user.
        archive: File to write; it must not be there, nor in the data folder.

    Returns:
        How many files it holds.

    Raises:
        BenchServiceError: The service has no data folder, or the file can't be written.
    """
    if not (home.data / "service").is_dir():
        raise BenchServiceError(f"{home.data} has no data of a bench service; run this as the service's user")
    if archive.absolute().is_relative_to(home.data):
        raise BenchServiceError(f"{archive} is in the folder that is backed up; choose another place")
    if archive.exists():
        raise BenchServiceError(f"{archive} is there already; choose another name")
    partial_file = archive.with_name(f"{archive.name}.part")
    try:
        with (
            _open_archive(partial_file) as packed,
            tempfile.TemporaryDirectory(dir=archive.absolute().parent) as folder,
        ):
            databases = sorted(home.data.rglob(f"*{_DATABASE}"), key=lambda path: path != home.data / _FIRST)
            count = sum(_add_database(packed, home.data, path, Path(folder) / "copy") for path in databases)
            count += sum(_add_file(packed, home.data, path) for path in sorted(home.data.rglob("*")))
        partial_file.replace(archive)
    except (OSError, sqlite3.Error, tarfile.TarError) as error:
        partial_file.unlink(missing_ok=True)
        raise BenchServiceError(f"the backup {archive} can't be written: {error}") from error
    return count


def restore(home: Home, archive: Path) -> int:
    """Unpacks a backup into an empty data folder.

    Args:
        home: The folders of the service's user.
        archive: File that `back_up` has written.

    Returns:
        How many files it held.

    Raises:
        BenchServiceError: The data folder is not empty, or the file is no backup; then nothing was changed.
    """
    if home.data.is_dir() and any(home.data.iterdir()):
        raise BenchServiceError(f"{home.data} is not empty; move it away first, so that nothing is overwritten")
    home.data.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="restoring-", dir=home.data.parent) as name:
        try:
            with tarfile.open(archive, "r:gz") as packed:
                count = sum(_extract_and_count(packed, member, Path(name)) for member in packed)
        except (OSError, EOFError, tarfile.TarError) as error:
            raise BenchServiceError(f"{archive} can't be read as a backup: {error}") from error
        if not (Path(name) / "service").is_dir():
            raise BenchServiceError(f"{archive} is no backup of a bench service")
        home.data.mkdir(mode=0o700, exist_ok=True)
        for path in Path(name).iterdir():
            path.rename(home.data / path.name)
    return count


@contextlib.contextmanager
def _open_archive(file: Path) -> Iterator[tarfile.TarFile]:
    descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "wb") as stream:
        with tarfile.open(fileobj=stream, mode="w:gz", compresslevel=3) as packed:
            yield packed
        stream.flush()
        os.fsync(stream.fileno())


def _add_database(packed: tarfile.TarFile, data_folder: Path, file: Path, copy: Path) -> int:
    with (
        contextlib.closing(sqlite3.connect(f"{file.as_uri()}?mode=ro", uri=True)) as source,
        contextlib.closing(sqlite3.connect(copy)) as target,
    ):
        source.backup(target)
    packed.add(copy, file.relative_to(data_folder).as_posix())
    copy.unlink()
    return 1


def _add_file(packed: tarfile.TarFile, data_folder: Path, file: Path) -> int:
    if file.is_symlink() or not file.is_file() or _is_of_a_database(file.name):
        return 0
    try:
        packed.add(file, file.relative_to(data_folder).as_posix())
    except FileNotFoundError:
        # Deleted in between, with what it was about.
        return 0
    return 1


def _is_of_a_database(name: str) -> bool:
    return name.endswith((_DATABASE, *(_DATABASE + end for end in _BESIDE_DATABASES)))


def _extract_and_count(packed: tarfile.TarFile, tar_member: tarfile.TarInfo, folder: Path) -> int:
    member_path = PurePosixPath(tar_member.name)
    member_stream = packed.extractfile(tar_member) if tar_member.isfile() else None
    if member_stream is None or member_path.is_absolute() or ".." in member_path.parts:
        raise tarfile.TarError(f"{tar_member.name!r} is not a file below the folder")
    target = folder / member_path
    target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with os.fdopen(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as stream:
        shutil.copyfileobj(member_stream, stream)
    return 1
