"""Paths of the files that URIs name."""

from __future__ import annotations

import os
from functools import lru_cache
from pathlib import Path

from pygls.uris import to_fs_path

from benchwright_verilog.errors import NotAFileError


@lru_cache(maxsize=256)
def local_path_of(uri: str) -> Path:
    """The file a URI names.

    Raises:
        NotAFileError: The URI names no file on this machine.
    """
    path = to_fs_path(uri) if uri.startswith("file:") else None
    if not path or not Path(path).is_absolute() or not _is_possible_path(path):
        raise NotAFileError(f"{uri!r} does not name a file on this machine. Open a file of a problem and try again.")
    return Path(os.path.normpath(path))


def _is_possible_path(path: str) -> bool:
    try:
        return b"\0" not in os.fsencode(path)
    except UnicodeEncodeError:
        return False
