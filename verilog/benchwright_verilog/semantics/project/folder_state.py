"""Choices for folders, kept from one start to the next: a JSON file for each."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from pathlib import Path
from typing import Any


class FolderState:
    """Keeps one JSON object for each folder.

    Args:
        folder: Folder in which the objects are kept; others can't read it.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def load(self, root: Path) -> dict[str, Any]:
        """Return what is kept for a folder; nothing if that can't be read."""
        try:
            state = json.loads(self._file(root).read_bytes())
        except (OSError, ValueError):
            return {}
        return state if isinstance(state, dict) else {}

    def save(self, root: Path, state: dict[str, Any]) -> None:
        """Keep this for a folder, or nothing. Where that can't be written, the choice ends with the program."""
        with contextlib.suppress(OSError):
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            file = self._file(root)
            if not state:
                file.unlink(missing_ok=True)
                return
            new = file.with_suffix(f".{os.getpid()}")
            with new.open("w", encoding="utf-8") as stream:
                json.dump({"folder": str(root), **state}, stream)
                stream.flush()
                os.fsync(stream.fileno())
            new.replace(file)

    def _file(self, root: Path) -> Path:
        return self._folder / f"{hashlib.sha256(os.fsencode(root)).hexdigest()[:32]}.json"
