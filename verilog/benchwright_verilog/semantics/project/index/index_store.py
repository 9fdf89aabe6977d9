"""Store of the declarations and names in large folders, kept from one start to the next."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from benchwright_verilog.semantics.project.index import outline
from benchwright_verilog.semantics.project.index.entry import IndexEntry, entry_of, values_of

_MAX_FOLDERS = 32


class IndexStore:
    """Keeps the entries of folders' files; whoever takes one has to compare its stamp with the file's.

    Args:
        folder: Folder of the store; others can't read it. It can be deleted at any time.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def load(self, folder: Path) -> dict[Path, IndexEntry]:
        """The entries of a folder; none if they were not kept, or can't be read."""
        try:
            stored_index = json.loads(self._file(folder).read_bytes())
            if stored_index["reader"] != _reader() or stored_index["folder"] != str(folder):
                return {}
            return {folder / name: entry_of(values) for name, *values in stored_index["files"]}
        except (OSError, ValueError, TypeError, KeyError):
            return {}

    def save(self, folder: Path, entries: Mapping[Path, IndexEntry]) -> None:
        """Keep the entries of a folder, and of the others only those that were kept last."""
        file_values = [[os.path.relpath(path, folder), *values_of(entry)] for path, entry in entries.items()]
        text = json.dumps({"reader": _reader(), "folder": str(folder), "files": file_values}, separators=(",", ":"))
        # A full disk or a folder that can't be written: it is read again at the next start.
        with contextlib.suppress(OSError):
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            file = self._file(folder)
            new_file = file.with_suffix(f".{os.getpid()}")
            new_file.write_text(text, encoding="utf-8")
            new_file.replace(file)
            index_files = sorted(self._folder.iterdir(), key=lambda path: path.stat().st_mtime)
            for old_file in index_files[:-_MAX_FOLDERS]:
                old_file.unlink(missing_ok=True)

    def _file(self, root: Path) -> Path:
        return self._folder / f"{hashlib.sha256(os.fsencode(root)).hexdigest()[:32]}.json"


@cache
def _reader() -> str:
    """Identifies the program that made the entries."""
    return hashlib.sha256(Path(outline.__file__).read_bytes()).hexdigest()
