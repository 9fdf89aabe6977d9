"""The file that marks a folder as a workspace. Imports nothing heavy: most files are in none."""

from __future__ import annotations

import os
from pathlib import Path

MARKER = ".benchwright.json"


def is_in_marked_folder(path: Path) -> bool:
    """True if there is a marker in a folder, or around a file or folder."""
    return any(os.access(folder / MARKER, os.F_OK) for folder in (path, *path.parents))
