"""Reads the declarations and names of files in a process of its own: the editor's answers need not wait for it.

Python's regular expressions hold its lock, so a thread would make every key wait.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from benchwright_verilog.semantics.project.index.entry import (
    IndexEntry,
    Stamp,
    WordSet,
    entry_as_json_values,
    entry_from_json_values,
)
from benchwright_verilog.semantics.project.index.outline import Outline
from benchwright_verilog.semantics.project.plain_files import ReadableFiles

_BATCH = 32
_START = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); "
    "from benchwright_verilog.semantics.project.index.indexing import serve_read_requests; "
    "serve_read_requests()"
)
"""The search path is handed over, so that nothing in the working directory is imported."""
_NICENESS = 5


def read_entry(path: Path, stamp: Stamp, files: ReadableFiles) -> IndexEntry:
    """Return the declarations and names of a file; an empty entry if it can't be read.

    Args:
        path: The file.
        stamp: Its version.
        files: The files that may be read.
    """
    text = files.read_text(path)
    if text is None:
        return IndexEntry(stamp, (), (), WordSet(), WordSet(), WordSet())
    outline = Outline(text.encode("utf-8", "replace"))
    includes = tuple(include.name for include in outline.includes)
    sets = (WordSet(words) for words in (outline.code_words, outline.qualified_words, outline.connection_words))
    return IndexEntry(stamp, outline.symbols, includes, *sets)


def read_entries(
    folder: Path,
    stamps: Mapping[Path, Stamp],
    report_read_count: Callable[[int], None],
    closed_folders: Sequence[Path] = (),
) -> dict[Path, IndexEntry]:
    """Return the declarations and names of many files. Blocks until all are read; call it in a thread.

    Args:
        folder: The folder that they are in; none is read that a link in it leads to elsewhere.
        stamps: The files, and their versions.
        report_read_count: Called with how many have been read so far.
        closed_folders: Folders of which none is read.
    """
    entries: dict[Path, IndexEntry] = {}
    for path, file_entry in _read_in_subprocess(folder, stamps, closed_folders):
        entries[path] = file_entry
        if len(entries) % _BATCH == 0:
            report_read_count(len(entries))
    for path in stamps.keys() - entries.keys():  # The process could not be started, or ended early.
        entries[path] = read_entry(path, stamps[path], ReadableFiles.below(folder, closed_folders=closed_folders))
    return entries


def _read_in_subprocess(
    folder: Path, stamps: Mapping[Path, Stamp], closed_folders: Sequence[Path]
) -> Iterator[tuple[Path, IndexEntry]]:
    search_path = [entry for entry in sys.path if Path(entry).is_absolute()]
    command = [sys.executable, "-I", "-c", _START, json.dumps(search_path)]
    paths = list(stamps)
    try:
        with subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        ) as process:
            if process.stdin is None or process.stdout is None:
                return
            request = {
                "folder": os.fspath(folder),
                "closed_folders": [*map(os.fspath, closed_folders)],
                "files": [[os.fspath(path), stamps[path]] for path in paths],
            }
            process.stdin.write(json.dumps(request).encode())
            process.stdin.close()
            for line in process.stdout:
                for number, values in json.loads(line):
                    yield paths[number], entry_from_json_values(values)
    except (OSError, ValueError):
        return


def serve_read_requests() -> None:
    """Read the files that standard input names, and write a line of JSON for every few of them."""
    if hasattr(os, "nice"):
        os.nice(_NICENESS)
    request = json.loads(sys.stdin.buffer.read())
    closed_folders = [Path(name) for name in request["closed_folders"]]
    files = ReadableFiles.below(Path(request["folder"]), closed_folders=closed_folders)
    requested_files = request["files"]
    for batch_start in range(0, len(requested_files), _BATCH):
        part = requested_files[batch_start : batch_start + _BATCH]
        entries = (read_entry(Path(name), (stamp[0], stamp[1]), files) for name, stamp in part)
        numbered_entries = [(batch_start + index, entry_as_json_values(entry)) for index, entry in enumerate(entries)]
        try:
            sys.stdout.write(json.dumps(numbered_entries, separators=(",", ":")) + "\n")
            sys.stdout.flush()
        except BrokenPipeError:  # The server has ended.
            os._exit(1)
