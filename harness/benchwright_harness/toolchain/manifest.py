"""Manifest of a toolchain: its parts, and the digest that names it."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterator
from pathlib import Path

from benchwright_foundation.model import Model
from benchwright_harness.plan import tool_versions

MANIFEST = "toolchain.json"
CONTENT = "content"
"""The file that holds the list of all others."""

_CHUNK = 1 << 20


class ToolchainManifest(Model):
    """Describes a built toolchain; the file is beside its tree."""

    digest: str
    """sha256 of the list of its files."""
    recipe: str
    """sha256 of everything that determined how it was built."""
    machine: str
    """The processor's architecture, as `uname -m` prints it."""
    versions: dict[str, str]
    """Each part → its version."""
    packages: dict[str, str]
    """Each Debian package, with the prefix that it is in if it is not the system → its version."""


def content(root_folder: Path, *, excluded_folder: str = "") -> str:
    """The list of a tree's files: one line each with its kind, sha256 (of a link, its target's), and path.

    Args:
        root_folder: The tree.
        excluded_folder: The name of folders to leave out.
    """
    path_lines = []
    for folder, folders, names in os.walk(root_folder):
        folders[:] = [name for name in folders if name != excluded_folder]
        for name in [*folders, *names]:
            path = Path(folder, name)
            mode = path.lstat().st_mode
            relative = path.relative_to(root_folder).as_posix()
            if stat.S_ISLNK(mode):
                link_target = os.fsencode(path.readlink())
                path_lines.append((relative, f"link {hashlib.sha256(link_target).hexdigest()}"))
            elif stat.S_ISDIR(mode):
                path_lines.append((relative, "folder -"))
            else:
                kind = "program" if mode & stat.S_IXUSR else "file"
                path_lines.append((relative, f"{kind} {_sha256(path)}"))
    return "".join(f"{description} {path}\n" for path, description in sorted(path_lines))


def differences_from_list(root_folder: Path, recorded_content_list: str) -> list[str]:
    """Differences from a list of `content`, one sentence each."""
    recorded_files = dict(_entry_by_path(recorded_content_list))
    current_files = dict(_entry_by_path(content(root_folder)))
    return [
        f"{path}: "
        f"{'is missing' if path not in current_files else 'is new' if path not in recorded_files else 'has changed'}"
        for path in sorted(recorded_files.keys() | current_files.keys())
        if recorded_files.get(path) != current_files.get(path)
    ]


def _entry_by_path(content_list: str) -> Iterator[tuple[str, str]]:
    for line in content_list.split("\n")[:-1]:
        kind, value, path = line.split(" ", 2)
        yield path, f"{kind} {value}"


def recipe() -> str:
    """sha256 of everything that determines how this version of Benchwright builds a toolchain."""
    package = Path(__file__).parent
    total = hashlib.sha256()
    for file in [tool_versions.FILE, package / "tree.py", *sorted((package / "build").rglob("*"))]:
        if file.is_file() and file.suffix != ".pyc":
            total.update(file.read_bytes())
    return total.hexdigest()


def digest_of(content_list: str) -> str:
    """The digest of a toolchain whose files are these."""
    return hashlib.sha256(content_list.encode(errors="surrogateescape")).hexdigest()


def _sha256(path: Path) -> str:
    total = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            total.update(chunk)
    return total.hexdigest()
