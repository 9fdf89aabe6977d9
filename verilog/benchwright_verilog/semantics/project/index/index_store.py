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
from benchwright_verilog.semantics.project.index.entry import IndexEntry, entry_as_json_values, entry_from_json_values

_MAX_FOLDERS = 32


class IndexStore:
    """Keeps the entries of folders' files; whoever takes one has to compare its stamp with the file's.

    Args:
        store_folder: Folder of the store; others can't read it. It can be deleted at any time.
    """

    def __init__(self, store_folder: Path) -> None:
        self._folder = store_folder

    def load(self, indexed_folder: Path) -> dict[Path, IndexEntry]:
        """The entries of a folder; none if they were not kept, or can't be read."""
        try:
            stored_index = json.loads(self._file(indexed_folder).read_bytes())
            if stored_index["reader"] != _outline_code_digest() or stored_index["folder"] != str(indexed_folder):
                return {}
            return {indexed_folder / name: entry_from_json_values(values) for name, *values in stored_index["files"]}
        except (OSError, ValueError, TypeError, KeyError):
            return {}

    def save(self, indexed_folder: Path, entries: Mapping[Path, IndexEntry]) -> None:
        """Keep the entries of a folder, and of the others only those that were kept last."""
        file_values = [
            [os.path.relpath(path, indexed_folder), *entry_as_json_values(entry)] for path, entry in entries.items()
        ]
        text = json.dumps(
            {"reader": _outline_code_digest(), "folder": str(indexed_folder), "files": file_values},
            separators=(",", ":"),
        )
        # A full disk or a folder that can't be written: it is read again at the next start.
        with contextlib.suppress(OSError):
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            file = self._file(indexed_folder)
            new_file = file.with_suffix(f".{os.getpid()}")
            new_file.write_text(text, encoding="utf-8")
            new_file.replace(file)
            index_files = sorted(self._folder.iterdir(), key=lambda path: path.stat().st_mtime)
            for old_file in index_files[:-_MAX_FOLDERS]:
                old_file.unlink(missing_ok=True)

    def _file(self, indexed_folder: Path) -> Path:
        return self._folder / f"{hashlib.sha256(os.fsencode(indexed_folder)).hexdigest()[:32]}.json"


@cache
def _outline_code_digest() -> str:
    """Identifies the program that made the entries."""
    return hashlib.sha256(Path(outline.__file__).read_bytes()).hexdigest()
