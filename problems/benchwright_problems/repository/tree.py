"""The files that a repository problem starts with.

A tree is named by the digest of its listing, path → sha256, and its contents are kept by their digests: problems of
one repository share what is the same in them. All of it is public. Contents are copied into workspaces and runs,
never linked, so nothing that is edited there changes what is kept here.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import os
import time
import zipfile
import zlib
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Annotated

from pydantic import Field, TypeAdapter, ValidationError, ValidationInfo, field_validator

from benchwright_foundation.atomic import write_atomically
from benchwright_foundation.home import Home
from benchwright_foundation.model import Model
from benchwright_problems.errors import ProblemsError
from benchwright_problems.relative_path import RelativePath, WorkspacePath

Sha256 = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
MOST_FILES = 50_000
LARGEST_TREE_BYTES = 1 << 30
_LISTING = TypeAdapter(dict[RelativePath, Sha256])
_PATH = TypeAdapter(WorkspacePath)
_YOUNG_S = 3600
"""Age in seconds below which nothing is deleted: a pack with it may be on its way into the store."""
_SCRIPT = b"#!"
_EXECUTABLE = 0o755


class TreeError(ProblemsError):
    """The files of a repository can't be taken, or are no longer there."""


class Tree(Model):
    """The files of one tree, which are read when they are needed."""

    id: Sha256
    """Digest of the listing."""
    folder: Path | None = Field(default=None, exclude=True, repr=False, validate_default=True)
    """Where trees are kept on this machine; no part of a problem's text."""

    @field_validator("folder")
    @classmethod
    def _folder_from_context(cls, folder: Path | None, info: ValidationInfo) -> Path | None:
        return folder or (info.context or {}).get("trees")

    @cached_property
    def digest_by_path(self) -> Mapping[str, str]:
        """The listing: path → sha256 of the content.

        Raises:
            TreeError: The tree is not on this machine, or was changed.
        """
        try:
            if self.folder is None:
                raise FileNotFoundError
            content = _listing_file(self.folder, self.id).read_bytes()
            listing = _LISTING.validate_json(content)
        except (OSError, ValidationError) as error:
            raise TreeError(
                f"The files of repository {self.id[:12]} are not on this machine. Import the problem's pack here again."
            ) from error
        if _listing_digest(listing) != self.id:
            raise self._damaged_error()
        return listing

    def read(self, path: str) -> bytes:
        """The content of a file of the tree.

        Raises:
            TreeError: It is not on this machine, or was changed.
        """
        digest = self.digest_by_path[path]
        try:
            content = _content_file(self.folder or Path(), digest).read_bytes()
        except OSError as error:
            raise self._damaged_error() from error
        if hashlib.sha256(content).hexdigest() != digest:
            raise self._damaged_error()
        return content

    def read_all(self) -> dict[str, bytes]:
        """All files; see `read`."""
        return {path: self.read(path) for path in self.digest_by_path}

    def write_below(self, folder: Path) -> None:
        """Copy all files into a folder. What begins with `#!` can be executed.

        Raises:
            TreeError: See `read`.
            OSError: A file can't be written.
        """
        write_files(folder, self.read_all())

    def packed_as_zip(self) -> bytes:
        """A ZIP archive of all files; see `read`."""
        archive_bytes = io.BytesIO()
        with zipfile.ZipFile(archive_bytes, "w", zipfile.ZIP_DEFLATED) as archive:
            for path in self.digest_by_path:
                archive.writestr(zipfile.ZipInfo(path), self.read(path), zipfile.ZIP_DEFLATED)
        return archive_bytes.getvalue()

    def _damaged_error(self) -> TreeError:
        return TreeError(
            f"The files of repository {self.id[:12]} were changed or deleted. Import the problem's pack again."
        )


class TreeStore:
    """All trees below a folder.

    Args:
        folder: Made when the first tree is added.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @classmethod
    def from_home(cls, home: Home) -> TreeStore:
        """The one beside the packs."""
        return cls(home.data / "trees")

    def add(self, content_by_path: Mapping[str, bytes]) -> Tree:
        """Keep a tree; contents that are there already are not written again.

        Raises:
            TreeError: A path can't be opened by every editor, or the tree is too large.
            OSError: A file can't be written.
        """
        require_usable_files(content_by_path)
        listing = _listing_of(content_by_path)
        for path, digest in listing.items():
            file = _content_file(self.folder, digest)
            with contextlib.suppress(OSError):
                if file.stat().st_size == len(content_by_path[path]):
                    # Young again, so that nobody deletes it before it is listed.
                    os.utime(file)
                    continue
            file.parent.mkdir(parents=True, exist_ok=True)
            # What a power cut loses is found by its digest, and imported again.
            write_atomically(file, content_by_path[path], 0o644, durable=False)
        tree = Tree(id=_listing_digest(listing), folder=self.folder)
        file = _listing_file(self.folder, tree.id)
        if not file.exists():
            file.parent.mkdir(parents=True, exist_ok=True)
            write_atomically(file, json.dumps(listing).encode())
        return tree

    def find(self, tree_id: str) -> Tree | None:
        """The tree of this id; None if not all of it is here."""
        tree = Tree(id=tree_id, folder=self.folder)
        try:
            is_here = all(_content_file(self.folder, digest).is_file() for digest in tree.digest_by_path.values())
        except TreeError:
            return None
        return tree if is_here else None

    def add_zip(self, tree_zip: bytes, tree_id: str) -> Tree:
        """Keep the tree of this id, as another machine has packed it.

        Raises:
            TreeError: The archive can't be read, or is of another tree.
            OSError: A file can't be written.
        """
        try:
            with zipfile.ZipFile(io.BytesIO(tree_zip)) as archive:
                members = archive.infolist()
                if len(members) > MOST_FILES or sum(member.file_size for member in members) > LARGEST_TREE_BYTES:
                    raise _foreign_archive_error(tree_id)
                files = {member.filename: archive.read(member) for member in members}
        # What zipfile raises of a damaged archive is no one class.
        except (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, NotImplementedError, ValueError) as error:
            raise _foreign_archive_error(tree_id) from error
        if _listing_digest(_listing_of(files)) != tree_id:
            raise _foreign_archive_error(tree_id)
        return self.add(files)

    def prune(self, needed_ids: Collection[str], *, deletes: bool) -> Pruning:
        """Delete the trees that nobody needs, and contents that are in no other; what is young stays.

        Args:
            needed_ids: Trees that stay.
            deletes: False to delete nothing, and only say what could be.

        Raises:
            OSError: A file can't be deleted.
        """
        oldest_kept_s = time.time() - _YOUNG_S
        superfluous: list[Path] = []
        needed_digests: set[str] = set()
        for listing in self.folder.glob("*.json"):
            if listing.stem not in needed_ids and listing.stat().st_mtime < oldest_kept_s:
                superfluous.append(listing)
                continue
            with contextlib.suppress(TreeError):
                needed_digests.update(Tree(id=listing.stem, folder=self.folder).digest_by_path.values())
        tree_count = len(superfluous)
        for content_file in self.folder.glob("contents/*/*"):
            if content_file.name not in needed_digests and content_file.stat().st_mtime < oldest_kept_s:
                superfluous.append(content_file)
        freed_bytes = sum(file.stat().st_size for file in superfluous)
        for file in superfluous if deletes else ():
            file.unlink(missing_ok=True)
        return Pruning(tree_count, freed_bytes)


@dataclass(frozen=True)
class Pruning:
    """Trees and bytes that were deleted, or can be."""

    tree_count: int
    freed_bytes: int


def write_files(folder: Path, content_by_path: Mapping[str, bytes]) -> None:
    """Write files below a folder. What begins with `#!` can be executed.

    Raises:
        OSError: A file can't be written.
    """
    for parent in {path.rpartition("/")[0] for path in content_by_path}:
        (folder / parent).mkdir(parents=True, exist_ok=True)
    for path, content in content_by_path.items():
        mode = _EXECUTABLE if content.startswith(_SCRIPT) else 0o644
        with os.fdopen(os.open(folder / path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode), "wb") as stream:
            stream.write(content)


def require_usable_files(content_by_path: Mapping[str, bytes]) -> None:
    """Refuse files that not every workspace can hold.

    Raises:
        TreeError: Names the first, with the reason.
    """
    if not content_by_path:
        raise TreeError("The repository holds no file.")
    if len(content_by_path) > MOST_FILES or sum(map(len, content_by_path.values())) > LARGEST_TREE_BYTES:
        raise TreeError(f"The repository has more than {MOST_FILES} files or {LARGEST_TREE_BYTES >> 20} MiB.")
    parents = {parent for path in content_by_path for parent in folders_around(path)}
    for path in content_by_path:
        if reason := unusable_path_reason(path):
            raise TreeError(reason)
        if path in parents:
            raise TreeError(f"{path!r} is a file and a folder.")


def unusable_path_reason(path: str) -> str:
    """The reason why no workspace can hold a file of this path; empty if it can."""
    try:
        _PATH.validate_python(path)
    except ValidationError as error:
        return error.errors(include_url=False)[0]["msg"].removeprefix("Value error, ")
    return ""


def folders_around(path: str) -> list[str]:
    """The folders that a path is in, relative."""
    parts = path.split("/")[:-1]
    return ["/".join(parts[:number]) for number in range(1, len(parts) + 1)]


def _foreign_archive_error(tree_id: str) -> TreeError:
    return TreeError(f"What was sent as the files of repository {tree_id[:12]} is something else. Ask again.")


def _listing_of(content_by_path: Mapping[str, bytes]) -> dict[str, str]:
    return {path: hashlib.sha256(content).hexdigest() for path, content in sorted(content_by_path.items())}


def _listing_digest(digest_by_path: Mapping[str, str]) -> str:
    text = json.dumps(dict(digest_by_path), sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def _listing_file(store_folder: Path, tree_id: str) -> Path:
    return store_folder / f"{tree_id}.json"


def _content_file(store_folder: Path, content_digest: str) -> Path:
    # A folder with a hundred thousand files is slow to list.
    return store_folder / "contents" / content_digest[:2] / content_digest
