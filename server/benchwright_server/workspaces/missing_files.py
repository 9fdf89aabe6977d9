"""Naming the expected files that a folder lacks, and the files that may be meant to be them."""

from __future__ import annotations

import difflib
import itertools
import os
from collections.abc import Collection, Iterator
from pathlib import Path, PurePosixPath

_MOST_FILES = 2_000
"""The most files of a folder that are compared: a hint is not worth reading a whole home directory."""
_SIMILAR = 0.8


def missing_files(folder: Path, missing: Collection[str]) -> str:
    """The missing files in a sentence, each with a file that is there under another name, if there is one.

    Args:
        folder: Where they were expected.
        missing: Their paths.
    """
    present = list(itertools.islice(_paths(folder), _MOST_FILES))
    return "; ".join(_described(path, present) for path in missing)


def _described(path: str, present: Collection[str]) -> str:
    name = PurePosixPath(path).name.casefold()
    same = [other for other in present if PurePosixPath(other).name.casefold() == name]
    near = same or difflib.get_close_matches(path, present, 1, _SIMILAR)
    return f"{path} (there is {near[0]!a}: move it to {path})" if near else path


def _paths(folder: Path) -> Iterator[str]:
    for place, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(files):
            yield (Path(place) / name).relative_to(folder).as_posix()
