"""The folder of a problem that somebody is writing: what is open in an editor takes precedence over the disk."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from benchwright_foundation.plain_file import FileTooLargeError, NotPlainFileError, read_plain_file
from benchwright_problems.storage.pack_folder import PACK_FILE

PROBLEM_FILE = "problem.toml"
STATEMENT = "statement.md"
_LARGEST = 4 * 1024**2
_MOST_FILES = 2_000
_DEEPEST = 8
"""Greatest depth of files below a problem's folder."""


def is_authored_problem_folder(problem_folder: Path) -> bool:
    """True if a folder is that of a problem in the folder of its pack, as its author has it."""
    return (problem_folder / PROBLEM_FILE).is_file() and (problem_folder.parent / PACK_FILE).is_file()


def authored_problem_folder(file_or_folder: Path) -> Path | None:
    """The folder of the problem that a file or folder belongs to, as its author has it; None if it belongs to none."""
    folders = (file_or_folder, *file_or_folder.parents)[:_DEEPEST]
    nearest = next((folder for folder in folders if (folder / PROBLEM_FILE).is_file()), None)
    return nearest if nearest is not None and is_authored_problem_folder(nearest) else None


class ProblemFolder:
    """A problem and its pack.

    Args:
        problem_folder: Folder of the problem; its pack's is the one above.
        open_text_by_path_in_pack: Path below the pack's folder → text in the editor.
    """

    def __init__(self, problem_folder: Path, open_text_by_path_in_pack: Mapping[str, str]) -> None:
        self.folder = problem_folder
        self._open = open_text_by_path_in_pack

    def text(self, path_in_problem: str) -> str:
        """A file of the problem; empty if there is none that can be read."""
        return self.pack_text(f"{self.folder.name}/{path_in_problem}")

    def pack_text(self, path_in_pack: str) -> str:
        """The same, of a path below the pack's folder."""
        return self._open[path_in_pack] if path_in_pack in self._open else self._text_on_disk_or_empty(path_in_pack)

    def texts(self, subfolder: str) -> dict[str, str]:
        """The files below a folder of the problem, by their path there."""
        base_folder = self.folder / subfolder
        files = (file for file in sorted(base_folder.rglob("*")) if file.is_file() and "__pycache__" not in file.parts)
        paths = [file.relative_to(base_folder).as_posix() for file, _ in zip(files, range(_MOST_FILES), strict=False)]
        return {path: self.text(f"{subfolder}/{path}") for path in paths}

    @property
    def is_saved(self) -> bool:
        """True if the disk has what the editor has."""
        return all(text == self._text_on_disk_or_empty(path) for path, text in self._open.items())

    def _text_on_disk_or_empty(self, path_in_pack: str) -> str:
        try:
            return read_plain_file(self.folder.parent, path_in_pack, _LARGEST).decode()
        except (OSError, NotPlainFileError, FileTooLargeError, UnicodeDecodeError):
            return ""
