"""Paths of the files that URIs name."""

from __future__ import annotations

import os
from functools import lru_cache
from pathlib import Path
from urllib.parse import quote, unquote

from pygls.uris import to_fs_path

from benchwright_verilog.errors import NotAFileError

_UNSAVED = "untitled:"
_UNSAVED_FOLDER = Path("/dev/null/unsaved")
"""Nothing can be there: what is in no file yet has a path of its own below it, and stays by itself."""


@lru_cache(maxsize=256)
def document_path(uri: str) -> Path:
    """The file of a document; for one that was not saved yet, a path at which there can be no file.

    Raises:
        NotAFileError: The URI names neither.
    """
    if uri.startswith(_UNSAVED) and _is_possible_path(uri):
        return _UNSAVED_FOLDER / f"{quote(uri, safe='')}.sv"
    return local_path_of(uri)


def is_unsaved(path: Path) -> bool:
    """True of the path of a document that is in no file yet; see `document_path`."""
    return path.parent == _UNSAVED_FOLDER


@lru_cache(maxsize=4096)
def document_uri(path: Path) -> str:
    """The URI of a document; see `document_path`."""
    if is_unsaved(path):
        return unquote(path.name.removesuffix(".sv"))
    return path.as_uri()


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
