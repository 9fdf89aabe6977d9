"""A container image of this machine's own Debian packages: what a test builds on where no registry can be asked."""

from __future__ import annotations

import io
import os
import re
import shutil
import subprocess
import tarfile
from collections.abc import Iterator, Mapping
from pathlib import Path

_FIELDS = "${Package}\t${Essential}\t${Depends}, ${Pre-Depends}\n"
_ACCOUNTS = {
    "passwd": "root:x:0:0:root:/root:/bin/sh\n",
    "group": "root:x:0:\n",
    "shadow": "root:*:19000:0:99999:7:::\n",
    "gshadow": "root:*::\n",
}
_WHOLE = ("etc/alternatives", "etc/ld.so.cache")
_NOT_TAKEN = ("usr/share/doc/", "usr/share/man/", "usr/share/locale/", *_WHOLE)
"""Paths that no image needs, or that are taken as they are here."""


class DebianMissingError(Exception):
    """Reason why there can be no such image."""


def root_file_system(
    archive_file: Path, *package_names: str, added_files: Mapping[str, Path | str], left_out_pattern: str = ""
) -> None:
    """Packs it, for `docker import`.

    Args:
        archive_file: Tar file to write.
        package_names: Beside the essential ones; with what they depend on.
        added_files: Files and folders of this machine, or text, by their place in the image.
        left_out_pattern: Regular expression for files of the packages that are left out.

    Raises:
        DebianMissingError: A package is not installed, or this is no Debian.
    """
    if shutil.which("dpkg-query") is None:
        raise DebianMissingError("dpkg is not installed")
    names = _names_with_dependencies(package_names)
    with tarfile.open(archive_file, "w") as packed:
        for link in ("bin", "sbin", "lib", "lib64"):
            packed.add(f"/{link}", link, recursive=False)
        for path in sorted(set(_paths_of_packages(names))):
            if not path.startswith(_NOT_TAKEN) and not (left_out_pattern and re.search(left_out_pattern, path)):
                packed.add(f"/{path}", path, recursive=False)
        for folder in _WHOLE:
            packed.add(f"/{folder}", folder)
        for target, content in (*((f"etc/{name}", text) for name, text in _ACCOUNTS.items()), *added_files.items()):
            _add_file(packed, target, content)


def _add_file(archive: tarfile.TarFile, path_in_archive: str, content: Path | str) -> None:
    if isinstance(content, Path):
        archive.add(content, path_in_archive)
        return
    tar_member = tarfile.TarInfo(path_in_archive)
    tar_member.size, tar_member.mode = len(content.encode()), 0o644
    archive.addfile(tar_member, io.BytesIO(content.encode()))


def _names_with_dependencies(package_names: tuple[str, ...]) -> set[str]:
    listing = subprocess.run(["dpkg-query", "-W", "-f", _FIELDS], check=True, capture_output=True, text=True).stdout
    installed = [line.split("\t") for line in listing.splitlines()]
    needs = {name: re.findall(r"[a-z0-9][a-z0-9.+-]+(?=[ :,|(]|$)", depends) for name, _, depends in installed}
    if missing := set(package_names) - needs.keys():
        raise DebianMissingError(f"not installed: {', '.join(sorted(missing))}")
    closure: set[str] = set()
    pending_names = [*package_names, *(name for name, essential, _ in installed if essential == "yes")]
    while pending_names:
        name = pending_names.pop()
        if name in needs and name not in closure:
            closure.add(name)
            pending_names += needs[name]
    return closure


def _paths_of_packages(package_names: set[str]) -> Iterator[str]:
    file_listing = subprocess.run(["dpkg-query", "-L", *sorted(package_names)], capture_output=True, text=True).stdout
    for line in set(file_listing.splitlines()):
        if line.startswith("/") and line != "/." and os.path.lexists(line):
            # Packages name files through /bin, /lib and /sbin, which are links.
            listed_path = Path(line)
            path = str(listed_path.parent.resolve() / listed_path.name).lstrip("/")
            if path not in ("bin", "sbin", "lib", "lib64"):
                yield path
