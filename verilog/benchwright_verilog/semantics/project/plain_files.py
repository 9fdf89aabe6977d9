"""Files that a project may read, which may be anything: pipes, devices, huge, not text. Sources are opened here alone.

Text of the design names files: in `include`s, in lists, through links. Only what is really in a folder that the project
may read is there; everything else is as if it did not exist.
"""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from benchwright_verilog.semantics.project.index.entry import Stamp

_MAX_BYTES = 16 * 1024**2
_OPEN_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)


def stamp_of(path: Path) -> Stamp | None:
    """The stamp of a file; None if it is missing, or is a pipe or a device: reading that might never end."""
    try:
        status = path.stat()
    except (OSError, ValueError):
        return None
    if not stat.S_ISREG(status.st_mode):
        return None
    return status.st_mtime_ns, status.st_size


class ReadableFiles:
    """The files that may be read. What is outside counts as missing, also through links and `..`.

    Args:
        opened_folders: Gives the folders that may be read as a whole.
        other_folders: Gives the folders that may be read but for what is sealed.
        is_sealed: True of the real path of a file that is read only if an opened folder has it.
        closed_folders: Nothing in them is read, whatever is opened.
    """

    def __init__(
        self,
        opened_folders: Callable[[], Iterable[Path]],
        other_folders: Callable[[], Iterable[Path]] = tuple,
        is_sealed: Callable[[Path], bool] = lambda real_path: False,
        closed_folders: Sequence[Path] = (),
    ) -> None:
        self.closed_folders = closed_folders
        self._opened_folders = opened_folders
        self._other_folders = other_folders
        self._is_sealed = is_sealed
        self._named_folders: tuple[Path, ...] = ()
        self._has_all = False
        self._real_folders: dict[Path, str] = {}
        """With a separator at their end."""

    @classmethod
    def everywhere(cls) -> ReadableFiles:
        """All files of the computer."""
        files = cls(tuple)
        files._has_all = True
        return files

    @classmethod
    def below(cls, *folders: Path, closed_folders: Sequence[Path] = ()) -> ReadableFiles:
        """All files below some folders, but for closed ones."""
        return cls(lambda: folders, closed_folders=closed_folders)

    def with_everything_unsealed(self) -> ReadableFiles:
        """These, and all of the disk that is not sealed."""
        files = ReadableFiles(self._opened_folders, is_sealed=self._is_sealed, closed_folders=self.closed_folders)
        files._has_all = True
        return files

    def allow_folders(self, folders: Iterable[Path]) -> None:
        """Allow these folders too, but for what is sealed, instead of those that were allowed so before."""
        self._named_folders = tuple(dict.fromkeys(folders))

    def allows(self, path: Path) -> bool:
        """True if a file or folder is where files may be read."""
        return self._allows_real(_real_path_or_nowhere(path))

    def _allows_real(self, real_path: str) -> bool:
        # Words are compared, not paths: making a path takes longer than reading a small file.
        real_name = _folder_prefix(real_path)
        if self._is_below(real_name, self.closed_folders):
            return False
        if self._is_below(real_name, self._opened_folders()):
            return True
        is_below_another = self._has_all or self._is_below(real_name, (*self._other_folders(), *self._named_folders))
        return is_below_another and not self._is_sealed(Path(real_path))

    def _is_below(self, real_name: str, folders: Iterable[Path]) -> bool:
        for folder in folders:
            if folder not in self._real_folders:
                # Once: nobody can make a link of it later.
                self._real_folders[folder] = _folder_prefix(_real_path_or_nowhere(folder))
            if real_name.startswith(self._real_folders[folder]):
                return True
        return False

    def stamp_of(self, path: Path) -> Stamp | None:
        """The stamp of a file that may be read; None for all others."""
        stamp = stamp_of(path)
        return stamp if stamp is not None and self.allows(path) else None

    def is_file(self, path: Path) -> bool:
        """True if a path leads to a plain file that may be read."""
        return self.stamp_of(path) is not None

    def is_folder(self, path: Path) -> bool:
        """True if a path leads to a folder that may be read."""
        try:
            return path.is_dir() and self.allows(path)
        except ValueError:
            return False

    def is_pipe_or_device(self, path: Path) -> bool:
        """True if a path leads to a pipe, a device or the like: neither to a file nor to a folder."""
        try:
            mode = path.stat().st_mode
        except (OSError, ValueError):
            return False
        return not stat.S_ISREG(mode) and not stat.S_ISDIR(mode) and self.allows(path)

    def refusal_reason(self, path: Path) -> str | None:
        """Reason why a file is not read, as the end of a sentence; None if it can be, or is missing."""
        stamp = self.stamp_of(path)
        if stamp is None:
            return "is not a plain file" if self.is_pipe_or_device(path) else None
        return f"is larger than {_MAX_BYTES // 1024**2} MB" if stamp[1] > _MAX_BYTES else None

    def read_text(self, path: Path, known_stamp: Stamp | None = None) -> str | None:
        """A file's text as an editor would show it; None if it may not or can't be read, or is too large."""
        content = self.read_bytes(path, known_stamp=known_stamp)
        return content.decode("utf-8", "replace").removeprefix("\ufeff") if content is not None else None

    def read_bytes(self, path: Path, limit: int = _MAX_BYTES, known_stamp: Stamp | None = None) -> bytes | None:
        """A file's content; None if it may not or can't be read, is too large, or is a pipe or a device.

        Args:
            path: The file.
            limit: Most bytes that are read.
            known_stamp: The file's stamp, if it was looked for just now.
        """
        # Opening a device may do something, so it is not even opened; where a plain file is, shows once it is open.
        stamp = known_stamp or stamp_of(path)
        if stamp is None or stamp[1] > limit:
            return None
        try:
            descriptor = os.open(path, _OPEN_FLAGS)
        except (OSError, ValueError):
            return None
        # A stream would take longer than all else of a small file.
        try:
            # A link may have been put there since: what is open counts.
            status = os.fstat(descriptor)
            real_path = _real_path_of_descriptor(descriptor, path)
            if not stat.S_ISREG(status.st_mode) or not self._allows_real(real_path):
                return None
            # The limit alone would make a buffer of that size for every file.
            content = os.read(descriptor, min(status.st_size, limit) + 1)
            while len(content) > status.st_size and (more := os.read(descriptor, limit + 1 - len(content))):
                content += more
        except OSError:
            return None
        finally:
            os.close(descriptor)
        return content if len(content) <= limit else None

    def files_matching(self, folder: Path, pattern: str) -> list[Path]:
        """The files of a folder that match a pattern as `Path.glob` has it, sorted."""
        try:
            return [path for path in sorted(folder.glob(pattern)) if self.is_file(path)]
        except (OSError, ValueError, NotImplementedError):
            return []

    def readable_entries(self, folder: Path) -> Iterator[tuple[Path, bool]]:
        """What is in a folder and may be read, sorted by name; with each whether it is a folder."""
        if not self.is_folder(folder):
            return
        try:
            paths = sorted(folder.iterdir())
        except OSError:
            return
        for path in paths:
            if self.is_folder(path):
                yield path, True
            elif self.is_file(path):
                yield path, False


def _folder_prefix(path: str) -> str:
    return os.path.normcase(path).rstrip(os.sep) + os.sep


def _real_path_or_nowhere(path: Path) -> str:
    try:
        return os.path.realpath(path)
    except (OSError, ValueError):
        # It leads nowhere, so it is in no folder.
        return f"{os.devnull}/nowhere"


def _real_path_of_descriptor(descriptor: int, path: Path) -> str:
    """The real path of what is open."""
    if sys.platform == "linux":
        return os.readlink(f"/proc/self/fd/{descriptor}")  # noqa: PTH115 - of thousands of files
    return _real_path_or_nowhere(path)
