"""The repositories that a data set's records name, in a folder: `NAME/`, or `NAME.bundle` as `git bundle` writes it."""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path, PurePosixPath

from benchwright_foundation.home import Home
from benchwright_problems.datasets.dataset_format import FileOption
from benchwright_problems.repository.commits import CommitReader
from benchwright_problems.repository.tree import TreeError, TreeStore

_LIMIT_S = 600
REPOSITORIES = FileOption("repositories", "Folder of the repositories that records name: NAME/ or NAME.bundle.")
"""The option of every format whose records name repositories."""


class RepositoryFolder:
    """Finds repositories, and reads each commit once.

    Args:
        folder: The folder that has them; None if none was given.
        trees: Where their files are kept; those of the present home, if not given.
    """

    def __init__(self, folder: Path | None, trees: TreeStore | None = None) -> None:
        self._folder = folder
        self.trees = trees or TreeStore.from_home(Home.from_environment())
        self._clones = tempfile.TemporaryDirectory(prefix="benchwright-clones-")
        self._readers: dict[str, CommitReader] = {}
        self._files: dict[tuple[str, str], dict[str, bytes]] = {}

    def files(self, name: str, commit: str) -> dict[str, bytes]:
        """The files of a commit.

        Raises:
            TreeError: The repository is not there, or the commit can't be read.
        """
        if (name, commit) not in self._files:
            reader = self._reader(name)
            self._files[name, commit] = reader.files(reader.commit_id(commit)).files
        return self._files[name, commit]

    def _reader(self, name: str) -> CommitReader:
        if name not in self._readers:
            self._readers[name] = CommitReader(self._clone_or_folder(name))
        return self._readers[name]

    def _clone_or_folder(self, name: str) -> Path:
        if "://" in name or name.startswith("git@"):
            last_name = PurePosixPath(name).name.removesuffix(".git")
            if self._folder is None or not self._has(last_name):
                raise TreeError(f"is the address {name!r}: clone it as {last_name} into the folder of --repositories")
            name = last_name
        if self._folder is None or "/" in name or name in ("", ".", ".."):
            raise TreeError(f"is {name!r}: --repositories has to name the folder that has {name}/ or {name}.bundle")
        if not self._has(name):
            raise TreeError(f"is {name!r}: {self._folder} has neither {name}/ nor {name}.bundle")
        if (self._folder / name).is_dir():
            return self._folder / name
        clone = Path(self._clones.name, name)
        command = ["git", "clone", "--quiet", "--mirror", "--", str(self._folder / f"{name}.bundle"), str(clone)]
        process = subprocess.run(command, capture_output=True, text=True, timeout=_LIMIT_S, check=False)
        if process.returncode != 0:
            raise TreeError(f"is {name!r}: Git can't read {name}.bundle: {process.stderr.strip()}")
        return clone

    def _has(self, name: str) -> bool:
        folder = self._folder or Path()
        return (folder / name).is_dir() or (folder / f"{name}.bundle").is_file()
