"""The design files below a folder, and what each declares and includes."""

from __future__ import annotations

import itertools
import os
import stat
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from benchwright_verilog.semantics.entry import Entry, Stamp, WordSet
from benchwright_verilog.semantics.index_store import IndexStore
from benchwright_verilog.semantics.outline import Outline
from benchwright_verilog.syntax.suffixes import DESIGN_SUFFIXES, HEADERS

MAX_FILES = 20_000
_MANY = 200
"""From this many files on, what is found in them is kept."""
_MAX_BYTES = 16 * 1024**2
_LEFT_OUT = frozenset({"node_modules", "obj_dir", "sim_build", "__pycache__", "venv"})
_FRESH_S = 0.5
"""How long what was seen on disk counts as current, at least."""
_FRESH_PER_LOOK = 50
"""How many times as long as looking takes what was seen counts as current: so looking takes two hundredths of it."""


def stamp_of(path: Path) -> Stamp | None:
    """The stamp of a file; None if it is missing, or is a pipe or a device: reading that might never end."""
    try:
        status = path.stat()
    except OSError:
        return None
    if not stat.S_ISREG(status.st_mode):
        return None
    return status.st_mtime_ns, status.st_size


def read_text(path: Path) -> str | None:
    """A file's text as an editor would show it; None if it can't be read, is too large, or is a pipe or a device."""
    stamp = stamp_of(path)
    if stamp is None or stamp[1] > _MAX_BYTES:
        return None
    try:
        return path.read_bytes().decode("utf-8", "replace").removeprefix("\ufeff")
    except OSError:
        return None


class Inventory:
    """Knows the design files below a folder.

    Args:
        folder: The folder; links in it are not followed.
        store: Where to keep what was found, if there is much of it.
    """

    def __init__(self, folder: Path, store: IndexStore | None = None) -> None:
        self.folder = folder
        self._store = store
        self.entries: dict[Path, Entry] = {}
        self.is_cut = False
        """Whether there are more files than `MAX_FILES`; the others are ignored."""
        self.version = 0
        """Another number whenever an entry is new."""
        self._current_until = 0.0
        self._declaring: dict[str, list[Path]] | None = None
        self._including: dict[str, list[Path]] | None = None
        self._naming: dict[str, list[Path]] = {}
        self._header_dirs: dict[Path, list[Path]] = {}

    def outdate(self) -> None:
        """The client reported a change on disk: look again before the next answer."""
        self._current_until = 0.0

    def refresh(self) -> bool:
        """Check the disk, unless that was just done.

        Returns:
            Whether it was checked.
        """
        began = time.monotonic()
        if began < self._current_until:
            return False
        found: dict[Path, Stamp] = {}
        self.is_cut = False
        for path, stamp in _design_files(self.folder):
            if len(found) == MAX_FILES:
                self.is_cut = True
                break
            found[path] = stamp
        if self.version == 0 and self._store is not None and len(found) >= _MANY:
            self.entries = self._store.load(self.folder)
        known = {path: entry for path, entry in self.entries.items() if found.get(path) == entry.stamp}
        if self.version == 0 or len(known) != len(found) or len(known) != len(self.entries):
            new = found.keys() - known.keys()
            for path in new:
                known[path] = _entry(path, found[path])
            self.entries = dict(sorted(known.items()))
            if self._store is not None and len(new) >= _MANY:
                threading.Thread(target=self._store.save, args=(self.folder, self.entries), daemon=True).start()
            self._declaring = self._including = None
            self._header_dirs = {}
            self._naming = {}
            self.version += 1
        ended = time.monotonic()
        self._current_until = ended + _current_s(ended - began)
        return True

    @property
    def declaring(self) -> dict[str, list[Path]]:
        """The files that declare a name, headers left out: those are part of what includes them."""
        if self._declaring is None:
            self._declaring = {}
            for path, entry in self.entries.items():
                if path.suffix not in HEADERS:
                    for name in {unit.name for unit in entry.units}:
                        self._declaring.setdefault(name, []).append(path)
        return self._declaring

    @property
    def including(self) -> dict[str, list[Path]]:
        """The files that include something of a name, by the name's last part."""
        if self._including is None:
            self._including = {}
            for path, entry in self.entries.items():
                for name in {include.rpartition("/")[2] for include in entry.includes}:
                    self._including.setdefault(name, []).append(path)
        return self._including

    def naming(self, name: str) -> Sequence[Path]:
        """The files whose code has a name, as they are on disk."""
        if name not in self._naming:
            self._naming[name] = [path for path, entry in self.entries.items() if name in entry.words]
        return self._naming[name]

    def sources(self) -> Iterator[Path]:
        """The files that are compiled by themselves."""
        return (path for path in self.entries if path.suffix not in HEADERS)

    def header_dirs_near(self, path: Path) -> list[Path]:
        """The folders that headers are in, and those that included paths may start from; the nearest to a file first.

        Args:
            path: The file.
        """
        if path.parent not in self._header_dirs:
            self._header_dirs[path.parent] = sorted(
                self._all_header_dirs(), key=lambda folder: (distance(folder / "x", path), folder)
            )
        return self._header_dirs[path.parent]

    def _all_header_dirs(self) -> Iterable[Path]:
        found: dict[Path, None] = {self.folder: None}
        for path in self.entries:
            if path.suffix in HEADERS or path.name in self.including:
                for folder in path.parents:
                    found[folder] = None
                    if folder == self.folder:
                        break
        return found


def _current_s(took_s: float) -> float:
    """How long what was seen counts as current, by how long it took to look."""
    return max(_FRESH_S, _FRESH_PER_LOOK * took_s)


def nearest(paths: Iterable[Path], origin: Path) -> Path | None:
    """The file that is the fewest folders away."""
    return min(paths, key=lambda path: (distance(path, origin), path), default=None)


def distance(path: Path, origin: Path) -> int:
    """How many steps up and down lead from the folder of one file to that of another."""
    ours, theirs = origin.parent.parts, path.parent.parts
    shared = sum(1 for _ in itertools.takewhile(lambda pair: pair[0] == pair[1], zip(ours, theirs, strict=False)))
    return len(ours) + len(theirs) - 2 * shared


def _design_files(folder: Path) -> Iterator[tuple[Path, Stamp]]:
    waiting = [os.fspath(folder)]
    while waiting:
        try:
            with os.scandir(waiting.pop()) as listing:
                items = sorted(listing, key=lambda item: item.name)
        except OSError:
            continue
        for item in items:
            try:
                if item.is_symlink() or item.name.startswith("."):
                    continue
                if item.is_dir(follow_symlinks=False):
                    if item.name not in _LEFT_OUT:
                        waiting.append(item.path)
                elif Path(item.name).suffix in DESIGN_SUFFIXES and item.is_file(follow_symlinks=False):
                    status = item.stat(follow_symlinks=False)
                    yield Path(item.path), (status.st_mtime_ns, status.st_size)
            except OSError:
                continue


def _entry(path: Path, stamp: Stamp) -> Entry:
    text = read_text(path)
    if text is None:
        return Entry(stamp, (), (), WordSet(), WordSet(), WordSet())
    outline = Outline(text.encode("utf-8", "replace"))
    includes = tuple(include.name for include in outline.includes)
    sets = (WordSet(words) for words in (outline.words, outline.members, outline.connected))
    return Entry(stamp, outline.symbols, includes, *sets)
