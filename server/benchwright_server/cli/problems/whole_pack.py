"""The pack or problem that a command is about: an installed one, or one in the folder that its author works on."""

from __future__ import annotations

from pathlib import Path

from benchwright_foundation.home import Home
from benchwright_problems.errors import PackExistsError, UnknownProblemError
from benchwright_problems.problem import Pack, Problem
from benchwright_problems.storage.pack_folder import PACK_FILE, read_pack_folder
from benchwright_problems.storage.pack_signature import PackSigners, public_key_base64, read_or_make_author_key
from benchwright_problems.storage.store import Store


def author_folder_if_any(folder_or_pack_name: str) -> Path | None:
    """The folder that a name means; None if it is a pack's name."""
    return Path(folder_or_pack_name) if (Path(folder_or_pack_name) / PACK_FILE).is_file() else None


def pack_with_hidden_parts(store: Store, folder_or_pack_name: str) -> Pack:
    """A pack with its hidden parts.

    Raises:
        DatasetError: The folder can't be read as a pack.
        UnknownProblemError: No such pack exists, or its hidden parts are at a service.
    """
    folder = author_folder_if_any(folder_or_pack_name)
    if folder is not None:
        return read_pack_folder(folder)
    pack = store.public_pack(folder_or_pack_name)
    return pack.model_copy(
        update={"problems": tuple(store.unseal(f"{folder_or_pack_name}/{problem.id}") for problem in pack.problems)}
    )


class PackProblems:
    """The problems of a pack that answers are graded against: each is unsealed only when it is asked for.

    Args:
        store: Has the installed packs.
        folder_or_pack_name: The pack's name, or its author's folder.

    Raises:
        DatasetError: The folder can't be read as a pack.
        UnknownProblemError: No such pack exists.
    """

    def __init__(self, store: Store, folder_or_pack_name: str) -> None:
        self._store = store
        folder = author_folder_if_any(folder_or_pack_name)
        self._folder_pack = read_pack_folder(folder) if folder is not None else None
        pack = self._folder_pack or store.public_pack(folder_or_pack_name)
        self._source = folder_or_pack_name
        self.pack_name = pack.name if folder is not None else folder_or_pack_name
        self.public_by_id = {problem.id: problem for problem in pack.problems}

    def unseal(self, problem_id: str) -> Problem:
        """A problem with its hidden part.

        Raises:
            UnknownProblemError: The pack has none of this id, or its hidden part is at a service.
        """
        if self._folder_pack is None:
            return self._store.unseal(f"{self._source}/{problem_id}")
        if problem_id not in self.public_by_id:
            raise UnknownProblemError(
                f"the pack in {self._source} has no problem {problem_id!r}; its {PACK_FILE} orders: "
                f"{', '.join(self.public_by_id)}"
            )
        return self.public_by_id[problem_id]


def problem_with_hidden_part(store: Store, problem_ref: str) -> Problem:
    """The problem called PACK/ID or FOLDER/ID, with its hidden part.

    Raises:
        DatasetError: The folder can't be read as a pack.
        UnknownProblemError: No such problem exists, or its hidden part is at a service.
    """
    folder, problem_id = author_folder_and_id(problem_ref)
    return store.unseal(problem_ref) if folder is None else PackProblems(store, str(folder)).unseal(problem_id)


def author_folder_and_id(problem_ref: str) -> tuple[Path | None, str]:
    """The pack's folder and the problem's id that FOLDER/ID means; no folder if it is PACK/ID."""
    folder_name, _, problem_id = problem_ref.rstrip("/").rpartition("/")
    return (author_folder_if_any(folder_name) if folder_name else None), problem_id


def install_author_folder(home: Home, folder: Path) -> Pack:
    """Install the pack that an author works on as one of the author's own, and instead of an older state of it.

    Raises:
        DatasetError: The folder can't be read as a pack.
        PackExistsError: A pack of that name came from somebody else.
        StoreError: The pack can't be written.
    """
    pack = read_pack_folder(folder)
    store, signers, own_key = Store(home), PackSigners(home), public_key_base64(read_or_make_author_key(home))
    if pack.name in store.pack_names() and signers.find_key(pack.name) != own_key:
        raise PackExistsError(
            f"a pack called {pack.name!r} is installed, and not from a folder of yours; give the one in {folder} "
            f"another name in its {PACK_FILE}, or open the installed one as {pack.name}/ID"
        )
    store.add(pack, replace=True)
    signers.store_key(pack.name, own_key)
    return pack
