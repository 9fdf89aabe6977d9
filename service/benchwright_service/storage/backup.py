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
_DATABASE_COMPANION_ENDINGS = ("-wal", "-shm", "-journal")
_SERVICE_DATABASE = "service/service.sqlite"


def back_up_and_count_files(home: Home, archive_file: Path) -> int:
    """Packs the data folder into a compressed tar file that only its owner can read.

    Args:
        home: The folders of the service's user.
        archive_file: File to write; it must not be there, nor in the data folder.

    Returns:
        How many files it holds.

    Raises:
        BenchServiceError: The service has no data folder, or the file can't be written.
    """
    if not (home.data / "service").is_dir():
        raise BenchServiceError(f"{home.data} has no data of a bench service; run this as the service's user")
    if archive_file.absolute().is_relative_to(home.data):
        raise BenchServiceError(f"{archive_file} is in the folder that is backed up; choose another place")
    if archive_file.exists():
        raise BenchServiceError(f"{archive_file} is there already; choose another name")
    partial_file = archive_file.with_name(f"{archive_file.name}.part")
    try:
        with (
            _open_archive(partial_file) as archive,
            tempfile.TemporaryDirectory(dir=archive_file.absolute().parent) as folder,
        ):
            databases = sorted(home.data.rglob(f"*{_DATABASE}"), key=lambda path: path != home.data / _SERVICE_DATABASE)
            count = sum(_add_database_and_count(archive, home.data, path, Path(folder) / "copy") for path in databases)
            count += sum(_add_file_and_count(archive, home.data, path) for path in sorted(home.data.rglob("*")))
        partial_file.replace(archive_file)
    except (OSError, sqlite3.Error, tarfile.TarError) as error:
        partial_file.unlink(missing_ok=True)
        raise BenchServiceError(f"the backup {archive_file} can't be written: {error}") from error
    return count


def restore_and_count_files(home: Home, archive_file: Path) -> int:
    """Unpacks a backup into an empty data folder.

    Args:
        home: The folders of the service's user.
        archive_file: File that `back_up_and_count_files` has written.

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
            with tarfile.open(archive_file, "r:gz") as archive:
                count = sum(_extract_and_count(archive, member, Path(name)) for member in archive)
        except (OSError, EOFError, tarfile.TarError) as error:
            raise BenchServiceError(f"{archive_file} can't be read as a backup: {error}") from error
        if not (Path(name) / "service").is_dir():
            raise BenchServiceError(f"{archive_file} is no backup of a bench service")
        home.data.mkdir(mode=0o700, exist_ok=True)
        for path in Path(name).iterdir():
            path.rename(home.data / path.name)
    return count


@contextlib.contextmanager
def _open_archive(archive_file: Path) -> Iterator[tarfile.TarFile]:
    descriptor = os.open(archive_file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "wb") as stream:
        with tarfile.open(fileobj=stream, mode="w:gz", compresslevel=3) as archive:
            yield archive
        stream.flush()
        os.fsync(stream.fileno())


def _add_database_and_count(
    archive: tarfile.TarFile, data_folder: Path, database_file: Path, temporary_copy: Path
) -> int:
    with (
        contextlib.closing(sqlite3.connect(f"{database_file.as_uri()}?mode=ro", uri=True)) as source,
        contextlib.closing(sqlite3.connect(temporary_copy)) as target,
    ):
        source.backup(target)
    archive.add(temporary_copy, database_file.relative_to(data_folder).as_posix())
    temporary_copy.unlink()
    return 1


def _add_file_and_count(archive: tarfile.TarFile, data_folder: Path, file: Path) -> int:
    if file.is_symlink() or not file.is_file() or _is_database_file_name(file.name):
        return 0
    try:
        archive.add(file, file.relative_to(data_folder).as_posix())
    except FileNotFoundError:
        # Deleted in between, with what it was about.
        return 0
    return 1


def _is_database_file_name(name: str) -> bool:
    return name.endswith((_DATABASE, *(_DATABASE + end for end in _DATABASE_COMPANION_ENDINGS)))


def _extract_and_count(archive: tarfile.TarFile, member: tarfile.TarInfo, folder: Path) -> int:
    member_path = PurePosixPath(member.name)
    member_stream = archive.extractfile(member) if member.isfile() else None
    if member_stream is None or member_path.is_absolute() or ".." in member_path.parts:
        raise tarfile.TarError(f"{member.name!r} is not a file below the folder")
    target = folder / member_path
    target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with os.fdopen(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as stream:
        shutil.copyfileobj(member_stream, stream)
    return 1
