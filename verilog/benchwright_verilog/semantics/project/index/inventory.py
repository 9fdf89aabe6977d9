"""The design files below a folder, and what each declares and includes."""

from __future__ import annotations

import itertools
import threading
import time
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from benchwright_verilog.semantics.project.index.entry import IndexEntry, Stamp
from benchwright_verilog.semantics.project.index.files_below import files_below
from benchwright_verilog.semantics.project.index.index_store import IndexStore
from benchwright_verilog.semantics.project.index.indexing import read_entries, read_entry
from benchwright_verilog.semantics.project.plain_files import ReadableFiles
from benchwright_verilog.syntax.suffixes import DESIGN_SUFFIXES, HEADERS

MAX_FILES = 20_000
_MANY = 200
"""From this many files on, what is found in them is kept."""
_QUICK_S = 0.005
_AT_ONCE = 100
_AT_ONCE_BYTES = 512 * 1024
"""Up to how many files are read before the first answer: it takes about a twentieth of a second."""
_FRESH_S = 0.5
"""Least number of seconds for which what was seen on disk counts as current."""
_FRESH_PER_LOOK = 50
"""Time for which what was seen counts as current, in multiples of the time to look: looking takes 1/50 of it."""


class Inventory:
    """Knows the design files below a folder. Many new ones are read in the background. Safe in any thread.

    Args:
        folder: The folder; links in it are not followed.
        index_store: Store that keeps what was found, if there is much of it.
        on_progress: Called, in any thread, with how many of how many files have been read in the background; with
            equal numbers once they can be used.
        closed_folders: Folders that are left out.
    """

    def __init__(
        self,
        folder: Path,
        index_store: IndexStore | None = None,
        on_progress: Callable[[int, int], None] | None = None,
        closed_folders: Sequence[Path] = (),
    ) -> None:
        self.folder = folder
        self._files = ReadableFiles.below(folder, closed_folders=closed_folders)
        self._store = index_store
        self._on_progress = on_progress or (lambda read_count, all_of_them: None)
        self._lock = threading.RLock()
        self._paths: dict[str, Path] = {}
        self.stamps: dict[Path, Stamp] = {}
        """The files, and their versions."""
        self.entries: dict[Path, IndexEntry] = {}
        """Entries of the files that have been read."""
        self.is_wholly_read = True
        """True if all of them have been read."""
        self.is_cut = False
        """True if there are more files than `MAX_FILES`; the others are ignored."""
        self.version = 0
        """Another number whenever an entry is new."""
        self.looks = 0
        """Number of times that the disk was checked."""
        self._current_until = 0.0
        self._took_s = 0.0
        self._is_resting = threading.Event()
        self._is_resting.set()
        self._arrived: dict[Path, IndexEntry] = {}
        self._declaring: dict[str, list[Path]] | None = None
        self._including: dict[str, list[Path]] | None = None
        self._naming: dict[str, list[Path]] = {}
        self._other_headers: tuple[object, frozenset[Path]] = None, frozenset()
        self._header_dirs: dict[Path, list[Path]] = {}
        self._all_header_dirs: dict[Path, None] | None = None

    def note_disk_change(self) -> None:
        """The client reported a change on disk: look again before the next answer."""
        self._current_until = 0.0

    @property
    def is_quick_to_refresh(self) -> bool:
        """True if checking the disk takes too little time to matter on the event loop."""
        return self._took_s < _QUICK_S

    @property
    def is_current(self) -> bool:
        """True if `refresh` has nothing to do."""
        return time.monotonic() < self._current_until and not self._arrived

    def wait_for_background_reading(self) -> None:
        """Wait until the background rests; what was read is there after the next `refresh`."""
        self._is_resting.wait()

    def refresh_if_stale(self, likely_words: Callable[[], Iterable[str]] = tuple) -> None:
        """Check the disk, unless that was just done.

        Args:
            likely_words: Gives the words of open files: of many new files, those named after one of these are read at
                once.
        """
        with self._lock:
            if self.is_current:
                return
            began = time.monotonic()
            self._read_stamps()
            if self.version == 0 and self._store is not None and len(self.stamps) >= _MANY:
                self.entries = self._store.load(self.folder)
            arrived, self._arrived = self._arrived, {}
            known_entries = {
                path: file_entry
                for path, file_entry in {**self.entries, **arrived}.items()
                if self.stamps.get(path) == file_entry.stamp
            }
            if (
                self.version == 0
                or arrived
                or len(known_entries) != len(self.stamps)
                or len(known_entries) != len(self.entries)
            ):
                self._add_new_entries(known_entries, likely_words)
            end_time = time.monotonic()
            self._took_s = end_time - began
            self._current_until = end_time + _stamps_valid_s(self._took_s)

    def _read_stamps(self) -> None:
        self.looks += 1
        self.is_cut = False
        self.stamps = {}
        known_paths, self._paths = self._paths, {}
        for name, stamp in _design_files_and_stamps(self.folder, self._files.closed_folders):
            if len(self.stamps) == MAX_FILES:
                self.is_cut = True
                break
            path = self._paths[name] = known_paths.get(name) or Path(name)
            self.stamps[path] = stamp

    def _add_new_entries(
        self, known_entries: dict[Path, IndexEntry], likely_words: Callable[[], Iterable[str]]
    ) -> None:
        new_stamps = {path: stamp for path, stamp in self.stamps.items() if path not in known_entries}
        if _is_quickly_read(new_stamps):
            known_entries |= {path: read_entry(path, stamp, self._files) for path, stamp in new_stamps.items()}
        elif self._is_resting.is_set():
            known_entries |= _entries_of_files_named_after(new_stamps, likely_words(), self._files)
            self._is_resting.clear()
            pending_stamps = {path: stamp for path, stamp in new_stamps.items() if path not in known_entries}
            threading.Thread(
                target=self._read_in_background, args=(pending_stamps,), name="inventory", daemon=True
            ).start()
        self.is_wholly_read = len(known_entries) == len(self.stamps)
        if known_entries.keys() != self.entries.keys() or any(
            self.entries[path] is not known_entries[path] for path in known_entries
        ):
            # The same objects as in `stamps`: two equal paths are compared part by part.
            self.entries = {path: known_entries[path] for path in sorted(self.stamps) if path in known_entries}
            self._declaring = self._including = self._all_header_dirs = None
            self._header_dirs = {}
            self._naming = {}
        self.version += 1

    def _read_in_background(self, pending_stamps: Mapping[Path, Stamp]) -> None:
        number = len(pending_stamps)
        self._on_progress(0, number)
        try:
            arrived = read_entries(
                self.folder,
                pending_stamps,
                lambda read_count: self._on_progress(min(read_count, number - 1), number),
                self._files.closed_folders,
            )
            with self._lock:
                self._arrived = arrived
        finally:
            self._is_resting.set()
            self._on_progress(number, number)
        if self._store is not None:
            self._store.save(self.folder, {**self.entries, **arrived})

    @property
    def declaring_files_by_unit(self) -> dict[str, list[Path]]:
        """The files that declare a name, headers left out: those are part of what includes them."""
        if self._declaring is None:
            self._declaring = {}
            for path, file_entry in self.entries.items():
                if path.suffix not in HEADERS:
                    for name in {unit.name for unit in file_entry.units}:
                        self._declaring.setdefault(name, []).append(path)
        return self._declaring

    @property
    def including_files_by_base_name(self) -> dict[str, list[Path]]:
        """The files that include something of a name, by the name's last part."""
        if self._including is None:
            self._including = {}
            for path, file_entry in self.entries.items():
                for name in {include.rpartition("/")[2] for include in file_entry.includes}:
                    self._including.setdefault(name, []).append(path)
        return self._including

    @property
    def included_files_with_other_suffixes(self) -> frozenset[Path]:
        """The files below the folder that a design file includes and that are no design files by their suffix."""
        if self._other_headers[0] != (self.version, self.looks):
            names = {name for name in self.including_files_by_base_name if not name.endswith(tuple(DESIGN_SUFFIXES))}
            dir_entries = files_below(self.folder, left_out_folders=self._files.closed_folders) if names else ()
            headers = frozenset(Path(dir_entry.path) for dir_entry in dir_entries if dir_entry.name in names)
            self._other_headers = (self.version, self.looks), headers
        return self._other_headers[1]

    def files_naming(self, name: str) -> Sequence[Path]:
        """The files whose code has a name, as they are on disk."""
        if name not in self._naming:
            self._naming[name] = [path for path, entry in self.entries.items() if name in entry.code_words]
        return self._naming[name]

    def files_but_headers(self) -> Iterator[Path]:
        """The files that are compiled by themselves."""
        return (path for path in self.entries if path.suffix not in HEADERS)

    def header_dirs_near(self, path: Path) -> list[Path]:
        """The folders that headers are in, and those that included paths may start from; the nearest to a file first.

        Args:
            path: The file.
        """
        if path.parent not in self._header_dirs:
            self._header_dirs[path.parent] = sorted(
                self._header_dirs_anywhere, key=lambda folder: (folder_distance(folder / "x", path), folder)
            )
        return self._header_dirs[path.parent]

    @property
    def _header_dirs_anywhere(self) -> Collection[Path]:
        if self._all_header_dirs is None:
            included_names = self.including_files_by_base_name
            self._all_header_dirs = {self.folder: None}
            for path in (*self.stamps, *self.included_files_with_other_suffixes):
                if path.suffix in HEADERS or path.name in included_names:
                    for folder in path.parents:
                        self._all_header_dirs[folder] = None
                        if folder == self.folder:
                            break
        return self._all_header_dirs


def _is_quickly_read(stamps: Mapping[Path, Stamp]) -> bool:
    return len(stamps) <= _AT_ONCE and sum(size for _, size in stamps.values()) <= _AT_ONCE_BYTES


def _entries_of_files_named_after(
    new_stamps: Mapping[Path, Stamp], words: Iterable[str], files: ReadableFiles
) -> dict[Path, IndexEntry]:
    """The entries of files that are named after a word, and of those named after a word in one of them."""
    paths_by_stem: dict[str, list[Path]] = {}
    for path in new_stamps:
        paths_by_stem.setdefault(path.stem, []).append(path)
    pending_stems = deque(paths_by_stem.keys() & set(words))
    entries: dict[Path, IndexEntry] = {}
    room = _AT_ONCE_BYTES
    while pending_stems and len(entries) < _AT_ONCE:
        for path in paths_by_stem.pop(pending_stems.popleft(), ()):
            room -= new_stamps[path][1]
            if room < 0:
                return entries
            entries[path] = file_entry = read_entry(path, new_stamps[path], files)
            pending_stems.extend(sorted(paths_by_stem.keys() & set(str(file_entry.code_words).split())))
    return entries


def _stamps_valid_s(stamp_reading_s: float) -> float:
    """Seconds for which what was seen counts as current, by how long it took to look."""
    return max(_FRESH_S, _FRESH_PER_LOOK * stamp_reading_s)


def nearest_path(paths: Iterable[Path], origin: Path) -> Path | None:
    """The file that is the fewest folders away."""
    return min(paths, key=lambda path: (folder_distance(path, origin), path), default=None)


def folder_distance(path: Path, origin: Path) -> int:
    """Number of steps up and down from the folder of one file to that of another."""
    origin_parts, path_parts = origin.parent.parts, path.parent.parts
    shared = sum(
        1
        for _ in itertools.takewhile(
            lambda part_pair: part_pair[0] == part_pair[1], zip(origin_parts, path_parts, strict=False)
        )
    )
    return len(origin_parts) + len(path_parts) - 2 * shared


def _design_files_and_stamps(folder: Path, closed_folders: Sequence[Path]) -> Iterator[tuple[str, Stamp]]:
    for dir_entry in files_below(folder, left_out_folders=closed_folders):
        if "." + dir_entry.name.rpartition(".")[2] not in DESIGN_SUFFIXES:
            continue
        try:
            status = dir_entry.stat(follow_symlinks=False)
        except OSError:
            continue
        yield dir_entry.path, (status.st_mtime_ns, status.st_size)
