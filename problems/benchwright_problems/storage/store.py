"""Packs on disk, hidden parts sealed apart from public ones.

`DATA/packs/PACK.json` holds everything a solver may see and names the folder below
`DATA/sealed/` that holds the hidden part of each problem, mode 0600 in folders of mode 0700,
outside every workspace. Writing that file is what makes a pack visible, so after a crash the
old pack is there whole or the new one is. A pack of an assignment has no hidden part here: a bench service has it.
Built-in packs are read from the package the same way they would be from the store.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from pathlib import Path

from pydantic import ValidationError

from benchwright_foundation.atomic import sync_folder, write_atomically
from benchwright_foundation.file_lock import file_lock
from benchwright_foundation.home import Home
from benchwright_foundation.model import Model
from benchwright_problems.assignment import Assignment
from benchwright_problems.errors import DatasetError, PackExistsError, StoreError, UnknownProblemError
from benchwright_problems.problem import Hidden, Pack, Problem
from benchwright_problems.repository.tree import Pruning, TreeStore
from benchwright_problems.storage.labels import LabelFile, PackLabels
from benchwright_problems.storage.pack_folder import BUILT_IN, read_built_in

_SEALED = Hidden()
_LOCK = ".lock"
_WRITERS = 16
"""Hidden parts that are written at a time."""


class _StoredPack(Model):
    sealed: str
    """Folder of the hidden parts; empty for an assignment's."""
    pack: Pack
    assignment: Assignment | None = None

    @cached_property
    def problems_by_id(self) -> dict[str, Problem]:
        # Thousands of problems may be asked for one by one.
        return _problems_by_id(self.pack)


class Store:
    """All packs of one user."""

    def __init__(self, home: Home) -> None:
        self._home = home
        self._packs = home.data / "packs"
        self._sealed = home.data / "sealed"
        self._built_in: dict[str, Pack] = {}
        self._public_packs: dict[str, _StoredPack] = {}
        """The public side of built-in packs."""
        self._read: dict[str, tuple[tuple[int, int], _StoredPack]] = {}

    @property
    def trees(self) -> TreeStore:
        """The files of its repository problems."""
        return TreeStore.from_home(self._home)

    def pack_names(self) -> Sequence[str]:
        """Built-in packs, then imported ones by name."""
        imported = sorted(file.stem for file in self._packs.glob("*.json")) if self._packs.is_dir() else []
        return [*BUILT_IN, *imported]

    def public_pack(self, pack_name: str) -> Pack:
        """A pack with every hidden part empty.

        Raises:
            UnknownProblemError: No pack has this name.
        """
        if pack_name in BUILT_IN:
            return self._public_built_in_pack(pack_name).pack
        return self._stored_pack(pack_name).pack

    def assignment_if_any(self, pack_name: str) -> Assignment | None:
        """Return what a bench service says of a pack; None if its hidden part is on this machine.

        Raises:
            UnknownProblemError: No pack has this name.
        """
        return None if pack_name in BUILT_IN else self._stored_pack(pack_name).assignment

    def question_labels(self, pack_name: str) -> PackLabels:
        """Return the labels that models and people gave a pack's questions; empty if nobody did.

        Raises:
            DatasetError: The file of labels is damaged.
        """
        return LabelFile(self._home, pack_name).read()

    def problem(self, problem_ref: str) -> Problem:
        """The public side of the problem called `pack/id`.

        Raises:
            UnknownProblemError: No pack or problem has this name.
        """
        name, slash, problem_id = problem_ref.partition("/")
        if not slash:
            raise UnknownProblemError(
                f"{problem_ref!r} is not the name of a problem; write PACK/PROBLEM, such as starter/fifo"
            )
        by_id = (self._public_built_in_pack(name) if name in BUILT_IN else self._stored_pack(name)).problems_by_id
        if problem_id in by_id:
            return by_id[problem_id]
        raise UnknownProblemError(
            f"pack {name!r} has no problem {problem_id!r}; `benchwright problems list {name}` shows all"
        )

    def unseal(self, problem_ref: str) -> Problem:
        """A problem with its hidden part, for a harness or a judge only."""
        problem = self.problem(problem_ref)
        name = problem_ref.partition("/")[0]
        if name in BUILT_IN:
            return next(p for p in self._built_in_pack(name).problems if p.id == problem.id)
        if (assignment := self.assignment_if_any(name)) is not None:
            raise UnknownProblemError(
                f"the hidden part of {problem_ref} is on {assignment.service}; "
                "open the problem in an editor to run its tests"
            )
        file = self._sealed / self._stored_pack(name).sealed / f"{problem.id}.json"
        try:
            hidden_part = Hidden.model_validate_json(file.read_bytes())
        except OSError as error:
            raise UnknownProblemError(
                f"the hidden part of {problem_ref} can't be read; import the pack again"
            ) from error
        except ValidationError as error:
            raise DatasetError.from_validation(file, error) from error
        return problem.model_copy(update={"hidden": hidden_part})

    def add(self, pack: Pack, replace: bool = False) -> None:
        """Store a pack, sealing its hidden parts; all or nothing.

        Raises:
            PackExistsError: A pack of that name is there and `replace` is false, or it is built in.
            StoreError: The pack can't be written.
        """
        file = self._packs / f"{pack.name}.json"
        if pack.name in BUILT_IN:
            raise PackExistsError(f"{pack.name!r} is a built-in pack; choose another name")
        try:
            with self._import_lock():
                if file.exists() and not replace:
                    hint = "--replace puts this one in its place"
                    raise PackExistsError(f"a pack called {pack.name!r} is there already; {hint}")
                self._write_public_and_sealed_parts(file, pack)
        except OSError as error:
            raise _error_of_failed_pack_write(self._packs.parent, error) from error

    def add_assigned(self, pack: Pack, assignment: Assignment) -> None:
        """Store the public part of an assignment's pack, instead of an older one.

        Args:
            pack: Its name is that of the assignment here; its problems have no hidden part.
            assignment: The service's statement about the assignment.

        Raises:
            PackExistsError: Another pack has this name.
            StoreError: The pack can't be written.
        """
        file = self._packs / f"{pack.name}.json"
        try:
            with self._import_lock():
                stored_assignment = self.assignment_if_any(pack.name) if pack.name in self.pack_names() else assignment
                if stored_assignment is None or (stored_assignment.service, stored_assignment.id) != (
                    assignment.service,
                    assignment.id,
                ):
                    raise PackExistsError(f"there is another pack called {pack.name!r}")
                content = (
                    _StoredPack(sealed="", pack=_without_hidden_parts(pack), assignment=assignment)
                    .model_dump_json()
                    .encode()
                )
                if not file.exists() or file.read_bytes() != content:
                    write_atomically(file, content)
        except OSError as error:
            raise _error_of_failed_pack_write(self._packs.parent, error) from error

    def prune_trees(self, *, deletes: bool) -> Pruning:
        """Delete the files of repositories that no pack has; without `deletes`, only say what could be deleted.

        Raises:
            ProblemsError: A pack can't be read, so that nobody knows what it needs.
            StoreError: A file can't be deleted.
        """
        problems = (problem for name in self.pack_names() for problem in self.public_pack(name).problems)
        try:
            needed_ids = {problem.public.tree.id for problem in problems if problem.public.tree is not None}
            return self.trees.prune(needed_ids, deletes=deletes)
        except OSError as error:
            raise StoreError(f"{self.trees.folder} can't be emptied: {error.strerror}") from error

    @contextlib.contextmanager
    def _import_lock(self) -> Iterator[None]:
        """Keeps other imports out: one would take the other's sealed half for an old one."""
        self._packs.mkdir(parents=True, exist_ok=True)
        self._sealed.mkdir(parents=True, exist_ok=True)
        self._sealed.chmod(0o700)
        with file_lock(self._packs / _LOCK):
            yield

    def _write_public_and_sealed_parts(self, public_file: Path, pack: Pack) -> None:
        sealed = Path(tempfile.mkdtemp(dir=self._sealed, prefix=f"{pack.name}@"))
        try:
            # A disk syncs several files in hardly more time than one.
            with ThreadPoolExecutor(_WRITERS) as writers:
                for _ in writers.map(lambda problem: _write_hidden_part(sealed, problem), pack.problems):
                    pass
            sync_folder(sealed)
            stored = _StoredPack(sealed=sealed.name, pack=_without_hidden_parts(pack))
            write_atomically(public_file, stored.model_dump_json().encode())
        except BaseException:
            if not self._is_sealed_pack_visible(public_file, sealed):
                shutil.rmtree(sealed, ignore_errors=True)
            raise
        for old_folder in self._sealed.glob(f"{pack.name}@*"):
            if old_folder != sealed:
                shutil.rmtree(old_folder, ignore_errors=True)

    def _is_sealed_pack_visible(self, public_file: Path, sealed_folder: Path) -> bool:
        with contextlib.suppress(OSError, ValidationError):
            return _StoredPack.model_validate_json(public_file.read_bytes()).sealed == sealed_folder.name
        return False

    def _public_built_in_pack(self, pack_name: str) -> _StoredPack:
        if pack_name not in self._public_packs:
            self._public_packs[pack_name] = _StoredPack(
                sealed="", pack=_without_hidden_parts(self._built_in_pack(pack_name))
            )
        return self._public_packs[pack_name]

    def _built_in_pack(self, pack_name: str) -> Pack:
        if pack_name not in self._built_in:
            self._built_in[pack_name] = read_built_in(pack_name)
        return self._built_in[pack_name]

    def _stored_pack(self, pack_name: str) -> _StoredPack:
        file = self._packs / f"{pack_name}.json"
        try:
            status = file.stat()
            # Two writes within a tick of the file system's clock have one time, but not one inode.
            file_state = (status.st_mtime_ns, status.st_ino)
            if pack_name not in self._read or self._read[pack_name][0] != file_state:
                trees = self.trees.folder
                stored = _StoredPack.model_validate_json(file.read_bytes(), context={"trees": trees})
                self._read[pack_name] = (file_state, stored)
        except (OSError, ValueError) as error:
            if isinstance(error, ValidationError):
                raise DatasetError.from_validation(file, error) from error
            known_packs = ", ".join(self.pack_names())
            raise UnknownProblemError(f"there is no pack {pack_name!r}; there are: {known_packs}") from None
        return self._read[pack_name][1]


def _write_hidden_part(sealed_folder: Path, problem: Problem) -> None:
    file = sealed_folder / f"{problem.id}.json"
    with os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as stream:
        stream.write(problem.hidden.model_dump_json().encode())
        stream.flush()
        os.fsync(stream.fileno())


def _error_of_failed_pack_write(unwritable_folder: Path, os_error: OSError) -> StoreError:
    return StoreError(
        f"the pack can't be written to {unwritable_folder}: {os_error.strerror}; free some space or change the folder's"
        " permissions, then import it again"
    )


def _problems_by_id(pack: Pack) -> dict[str, Problem]:
    return {problem.id: problem for problem in pack.problems}


def _without_hidden_parts(pack: Pack) -> Pack:
    problems = tuple(problem.model_copy(update={"hidden": _SEALED}) for problem in pack.problems)
    return pack.model_copy(update={"problems": problems})
