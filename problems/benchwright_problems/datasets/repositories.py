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
        tree_store: Where their files are kept; those of the present home, if not given.
    """

    def __init__(self, folder: Path | None, tree_store: TreeStore | None = None) -> None:
        self._folder = folder
        self.trees = tree_store or TreeStore.from_home(Home.from_environment())
        self._clones = tempfile.TemporaryDirectory(prefix="benchwright-clones-")
        self._readers: dict[str, CommitReader] = {}
        self._files: dict[tuple[str, str], dict[str, bytes]] = {}

    def files(self, repository_name: str, revision: str) -> dict[str, bytes]:
        """The files of a commit.

        Raises:
            TreeError: The repository is not there, or the commit can't be read.
        """
        if (repository_name, revision) not in self._files:
            reader = self._commit_reader(repository_name)
            self._files[repository_name, revision] = reader.files(reader.commit_id(revision)).files
        return self._files[repository_name, revision]

    def _commit_reader(self, repository_name: str) -> CommitReader:
        if repository_name not in self._readers:
            self._readers[repository_name] = CommitReader(self._clone_or_folder(repository_name))
        return self._readers[repository_name]

    def _clone_or_folder(self, repository_name: str) -> Path:
        if "://" in repository_name or repository_name.startswith("git@"):
            last_name = PurePosixPath(repository_name).name.removesuffix(".git")
            if self._folder is None or not self._has_repository(last_name):
                raise TreeError(
                    f"is the address {repository_name!r}: clone it as {last_name} into the folder of --repositories"
                )
            repository_name = last_name
        if self._folder is None or "/" in repository_name or repository_name in ("", ".", ".."):
            raise TreeError(
                f"is {repository_name!r}: --repositories has to name the folder that has {repository_name}/"
                f" or {repository_name}.bundle"
            )
        if not self._has_repository(repository_name):
            raise TreeError(
                f"is {repository_name!r}: {self._folder} has neither {repository_name}/ nor {repository_name}.bundle"
            )
        if (self._folder / repository_name).is_dir():
            return self._folder / repository_name
        clone = Path(self._clones.name, repository_name)
        command = [
            "git",
            "clone",
            "--quiet",
            "--mirror",
            "--",
            str(self._folder / f"{repository_name}.bundle"),
            str(clone),
        ]
        process = subprocess.run(command, capture_output=True, text=True, timeout=_LIMIT_S, check=False)
        if process.returncode != 0:
            raise TreeError(
                f"is {repository_name!r}: Git can't read {repository_name}.bundle: {process.stderr.strip()}"
            )
        return clone

    def _has_repository(self, repository_name: str) -> bool:
        folder = self._folder or Path()
        return (folder / repository_name).is_dir() or (folder / f"{repository_name}.bundle").is_file()
