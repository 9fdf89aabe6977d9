"""Choices for folders, kept from one start to the next: a JSON file for each."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from pathlib import Path
from typing import Any


class FolderStateStore:
    """Keeps one JSON object for each folder.

    Args:
        store_folder: Folder in which the objects are kept; others can't read it.
    """

    def __init__(self, store_folder: Path) -> None:
        self._folder = store_folder

    def load(self, described_folder: Path) -> dict[str, Any]:
        """Return what is kept for a folder; nothing if that can't be read."""
        try:
            state = json.loads(self._file(described_folder).read_bytes())
        except (OSError, ValueError):
            return {}
        return state if isinstance(state, dict) else {}

    def save(self, described_folder: Path, state_fields: dict[str, Any]) -> None:
        """Keep this for a folder, or nothing. Where that can't be written, the choice ends with the program."""
        with contextlib.suppress(OSError):
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            file = self._file(described_folder)
            if not state_fields:
                file.unlink(missing_ok=True)
                return
            new_file = file.with_suffix(f".{os.getpid()}")
            with new_file.open("w", encoding="utf-8") as stream:
                json.dump({"folder": str(described_folder), **state_fields}, stream)
                stream.flush()
                os.fsync(stream.fileno())
            new_file.replace(file)

    def _file(self, described_folder: Path) -> Path:
        return self._folder / f"{hashlib.sha256(os.fsencode(described_folder)).hexdigest()[:32]}.json"
