"""The files that no text of a design may lead to: what Benchwright keeps, and packs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from benchwright_foundation.home import Home

_OF_PACKS = ("pack.toml", "problem.toml")
"""Files of a pack's folder, and of a problem's in it, which has a hidden part."""


def sealed_path_predicate(home: Home) -> Callable[[Path], bool]:
    """A test of whether a file is sealed, by its real path.

    Args:
        home: The folders Benchwright writes to.
    """
    kept_folders = (home.data.resolve(), home.state.resolve())

    def is_sealed(real_path: Path) -> bool:
        if any(real_path.is_relative_to(folder) for folder in kept_folders):
            return True
        return any((folder / name).exists() for folder in (real_path, *real_path.parents) for name in _OF_PACKS)

    return is_sealed
