"""Reading data sets that are folders of files, from strangers: no links, no surprises, nothing too large."""

from __future__ import annotations

import os
from pathlib import Path

from benchwright_foundation.plain_file import FileTooLargeError, NotPlainFileError, read_plain_file
from benchwright_problems.errors import DatasetError

MAX_FILE_BYTES = 16 * 1024**2
MAX_ENTRIES = 500_000


def files_below(folder: Path, *, dotted: bool = False) -> list[str]:
    """The files below a folder, as sorted relative paths; what begins with a dot is left out, unless it is wanted.

    Raises:
        DatasetError: The path is not a folder, can't be read, holds a link to a folder, or more than can be meant.
    """
    if not folder.is_dir():
        raise DatasetError(folder, "", "is not a folder; give the data set's folder, as it was downloaded")
    paths: list[str] = []
    pending_folders = [""]
    try:
        while pending_folders:
            subfolder = pending_folders.pop()
            with os.scandir(folder / subfolder) as listed:
                for folder_entry in listed:
                    path = f"{subfolder}{folder_entry.name}"
                    if folder_entry.name.startswith(".") and not dotted:
                        continue
                    if folder_entry.is_dir(follow_symlinks=False):
                        pending_folders.append(f"{path}/")
                    elif folder_entry.is_symlink() and folder_entry.is_dir():
                        raise DatasetError(folder / path, "", "is a link to a folder; links are not followed")
                    else:
                        paths.append(path)
                    if len(paths) + len(pending_folders) > MAX_ENTRIES:
                        raise DatasetError(folder, "", f"holds more than {MAX_ENTRIES} files")
    except OSError as error:
        raise DatasetError(folder / subfolder, "", f"can't be read: {error.strerror}") from error
    return sorted(paths)


def read_text(folder: Path, relative_path: str) -> str:
    """The text of a file that `files_below` found.

    Raises:
        DatasetError: The file is a link, no plain file, too large, or not UTF-8.
    """
    try:
        return read_bytes(folder, relative_path).decode()
    except UnicodeDecodeError as error:
        raise DatasetError(folder / relative_path, "", f"byte {error.start + 1} is not UTF-8") from error


def read_bytes(folder: Path, relative_path: str) -> bytes:
    """The bytes of a file below a folder.

    Raises:
        DatasetError: The file is a link, no plain file, or too large.
    """
    file = folder / relative_path
    try:
        # Folders on the way may be links: whoever asks has seen to it that they lead nowhere else.
        return read_plain_file(file.parent, file.name, MAX_FILE_BYTES)
    except FileTooLargeError as error:
        raise DatasetError(file, "", f"is larger than {MAX_FILE_BYTES >> 20} MiB") from error
    except NotPlainFileError as error:
        raise DatasetError(file, "", "is not a plain file") from error
    except OSError as error:
        reason = "is a link; links are not followed" if file.is_symlink() else f"can't be read: {error.strerror}"
        raise DatasetError(file, "", reason) from error
