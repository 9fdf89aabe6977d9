"""Watches files in a folder that an untrusted program writes to, from outside its sandbox.

Events only say where to look; what counts is what is then read, by a way that follows no link. A file that is being
written is read once it is closed, or has been left alone for some milliseconds, so a burst of changes may be one.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import select
import stat
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path, PurePosixPath

from benchwright_attempts.errors import EvaluationError

MOST_BYTES = 1 << 20
"""Of one file."""
_QUIET_S = 0.03
"""Time that a file that is still open must be left alone before it is read, in seconds."""
_EMPTY_S = 0.5
"""The same of one that is empty: what opens a file to write it again empties it first."""


class FileState(StrEnum):
    """State of a path: the kind of thing that is there."""

    PLAIN = "plain"
    MISSING = "missing"
    NOT_A_FILE = "not a plain file"
    """A link, a folder, a pipe; also if a folder above is a link."""
    TOO_LARGE = "too large"


@dataclass(frozen=True)
class PathState:
    """State of a path at one moment."""

    path: str
    state: FileState
    content: bytes | None = None
    """Of a plain file."""


def path_state(folder: Path, path: str) -> PathState:
    """State of a path now; no link is followed."""
    try:
        with open_parent_and_name(folder, path) as (parent, name):
            file = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=parent)
            with os.fdopen(file, "rb") as stream:
                status = os.fstat(file)
                if not stat.S_ISREG(status.st_mode):
                    return PathState(path, FileState.NOT_A_FILE)
                content = stream.read(MOST_BYTES + 1) if status.st_size <= MOST_BYTES else b""
    except FileNotFoundError:
        return PathState(path, FileState.MISSING)
    except OSError:
        return PathState(path, FileState.NOT_A_FILE)
    if status.st_size > MOST_BYTES or len(content) > MOST_BYTES:
        return PathState(path, FileState.TOO_LARGE)
    return PathState(path, FileState.PLAIN, content)


@contextlib.contextmanager
def open_parent_and_name(folder: Path, path: str) -> Iterator[tuple[int, str]]:
    """The open folder of a path, and the last part of it."""
    *parents, name = PurePosixPath(path).parts
    with contextlib.ExitStack() as opened:
        flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
        handle = os.open(folder, flags)
        opened.callback(os.close, handle)
        for folder_name in parents:
            handle = os.open(folder_name, flags, dir_fd=handle)
            opened.callback(os.close, handle)
        yield handle, name


class FolderWatch:
    """Reports every change to some files of a folder.

    Args:
        folder: The folder.
        paths: The files, relative to it; they need not exist.
        on_change: Called in the event loop with each change, in order.
    """

    def __init__(self, folder: Path, paths: Sequence[str], on_change: Callable[[PathState], None]) -> None:
        self._folder = folder
        self._paths = tuple(paths)
        self._tell = on_change
        self._loop = asyncio.get_running_loop()
        self._last_reported: dict[str, PathState] = {path: path_state(folder, path) for path in self._paths}
        self._due: dict[str, float] = {}
        self._emptied: set[str] = set()
        self._turn = threading.Lock()
        self._broken: OSError | None = None
        self._end_descriptor = os.eventfd(0, os.EFD_CLOEXEC)
        self._folders = {parent.as_posix() for path in self._paths for parent in PurePosixPath(path).parents}

    @contextlib.contextmanager
    def watch_for_block(self) -> Iterator[None]:
        """Watch while the block lasts; at its end each file is examined once more.

        Raises:
            EvaluationError: The system gives no more watches.
        """
        from inotify_simple import INotify

        try:
            self._inotify = INotify()
            self._watched: dict[int, str] = {}
            self._add_folder_watches()
        except OSError as error:
            os.close(self._end_descriptor)
            raise _watch_error(error) from error
        thread = threading.Thread(target=self._watch_until_stopped, daemon=True)
        thread.start()
        try:
            yield
        finally:
            os.eventfd_write(self._end_descriptor, 1)
            thread.join()
            self._inotify.close()
            os.close(self._end_descriptor)
            for path in self._paths:
                self._report_if_changed(path_state(self._folder, path), self._tell)
        if self._broken is not None:
            raise _watch_error(self._broken) from self._broken

    def report_changes_now(self) -> None:
        """Examine every file; changes are reported in the event loop's next round, after what was found before."""
        with self._turn:
            for path in self._paths:
                self._report_if_changed(path_state(self._folder, path), self._report_on_loop)

    def _add_folder_watches(self) -> None:
        from inotify_simple import flags

        mask = (
            *(flags.CLOSE_WRITE, flags.MODIFY, flags.CREATE, flags.DELETE, flags.MOVED_FROM, flags.MOVED_TO),
            *(flags.ATTRIB, flags.ONLYDIR),
        )
        for folder_path in sorted(self._folders):
            with contextlib.ExitStack() as opened:
                try:
                    handle, _ = opened.enter_context(open_parent_and_name(self._folder, f"{folder_path}/_"))
                except OSError:
                    # A folder that is not there, or is a link, has no files of ours.
                    continue
                number = self._inotify.add_watch(f"/proc/self/fd/{handle}", sum(mask))
                self._watched[number] = folder_path

    def _watch_until_stopped(self) -> None:
        poll = select.poll()
        poll.register(self._inotify, select.POLLIN)
        poll.register(self._end_descriptor, select.POLLIN)
        while True:
            ready = {handle for handle, _ in poll.poll(self._ms_until_next_due())}
            if self._inotify.fileno() in ready:
                try:
                    self._schedule_changed_paths()
                except OSError as error:
                    self._broken = error
                    return
            for path in [path for path, due in self._due.items() if due <= time.monotonic()]:
                del self._due[path]
                self._report_unless_just_emptied(path)
            if self._end_descriptor in ready:
                return

    def _ms_until_next_due(self) -> float | None:
        return max(0.0, min(self._due.values()) - time.monotonic()) * 1000 + 0.5 if self._due else None

    def _schedule_changed_paths(self) -> None:
        from inotify_simple import flags

        now_s = time.monotonic()
        for event in self._inotify.read(0):
            if event.mask & flags.Q_OVERFLOW:
                self._add_folder_watches()
                self._due.update(dict.fromkeys(self._paths, now_s))
                continue
            changed_path = (PurePosixPath(self._watched.get(event.wd, ".")) / event.name).as_posix()
            if changed_path in self._folders:
                # It came, went, or is another one now.
                self._add_folder_watches()
                paths_below = [path for path in self._paths if path.startswith(f"{changed_path}/")]
                self._due.update(dict.fromkeys(paths_below, now_s + _QUIET_S))
            elif changed_path in self._paths:
                is_whole = event.mask & (flags.CLOSE_WRITE | flags.MOVED_TO)
                self._due[changed_path] = now_s if is_whole else now_s + _QUIET_S
                (self._emptied.discard if is_whole else self._emptied.add)(changed_path)

    def _report_on_loop(self, file_state: PathState) -> None:
        self._loop.call_soon_threadsafe(self._tell, file_state)

    def _report_unless_just_emptied(self, path: str) -> None:
        with self._turn:
            found_file = path_state(self._folder, path)
            if found_file.content == b"" and path in self._emptied:
                self._emptied.discard(path)
                self._due[path] = time.monotonic() + _EMPTY_S
            else:
                self._report_if_changed(found_file, self._report_on_loop)

    def _report_if_changed(self, file_state: PathState, on_change: Callable[[PathState], None]) -> None:
        if file_state != self._last_reported[file_state.path]:
            self._last_reported[file_state.path] = file_state
            on_change(file_state)


def _watch_error(error: OSError) -> EvaluationError:
    return EvaluationError(
        f"The agent's files can't be watched: {error.strerror}. Raise fs.inotify.max_user_instances and "
        "fs.inotify.max_user_watches, or run fewer samples at a time (--jobs)."
    )
