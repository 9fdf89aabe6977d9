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


def root_file_system(file: Path, *packages: str, added_files: Mapping[str, Path | str], left_out: str = "") -> None:
    """Packs it, for `docker import`.

    Args:
        file: Tar file to write.
        packages: Beside the essential ones; with what they depend on.
        added_files: Files and folders of this machine, or text, by their place in the image.
        left_out: Regular expression for files of the packages that are left out.

    Raises:
        DebianMissingError: A package is not installed, or this is no Debian.
    """
    if shutil.which("dpkg-query") is None:
        raise DebianMissingError("dpkg is not installed")
    names = _closure(packages)
    with tarfile.open(file, "w") as packed:
        for link in ("bin", "sbin", "lib", "lib64"):
            packed.add(f"/{link}", link, recursive=False)
        for path in sorted(set(_files(names))):
            if not path.startswith(_NOT_TAKEN) and not (left_out and re.search(left_out, path)):
                packed.add(f"/{path}", path, recursive=False)
        for folder in _WHOLE:
            packed.add(f"/{folder}", folder)
        for target, content in (*((f"etc/{name}", text) for name, text in _ACCOUNTS.items()), *added_files.items()):
            _add(packed, target, content)


def _add(packed: tarfile.TarFile, target: str, content: Path | str) -> None:
    if isinstance(content, Path):
        packed.add(content, target)
        return
    tar_member = tarfile.TarInfo(target)
    tar_member.size, tar_member.mode = len(content.encode()), 0o644
    packed.addfile(tar_member, io.BytesIO(content.encode()))


def _closure(package_names: tuple[str, ...]) -> set[str]:
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


def _files(packages: set[str]) -> Iterator[str]:
    file_listing = subprocess.run(["dpkg-query", "-L", *sorted(packages)], capture_output=True, text=True).stdout
    for line in set(file_listing.splitlines()):
        if line.startswith("/") and line != "/." and os.path.lexists(line):
            # Packages name files through /bin, /lib and /sbin, which are links.
            listed_path = Path(line)
            path = str(listed_path.parent.resolve() / listed_path.name).lstrip("/")
            if path not in ("bin", "sbin", "lib", "lib64"):
                yield path
