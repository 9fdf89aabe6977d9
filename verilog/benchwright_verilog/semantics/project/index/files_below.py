"""All plain files below a folder."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator
from pathlib import Path

BUILD_FOLDERS = frozenset({"node_modules", "obj_dir", "sim_build", "__pycache__", "venv"})
"""Folders of tools, which hold no sources."""


def files_below(folder: Path, left_out: Collection[str] = BUILD_FOLDERS) -> Iterator[os.DirEntry[str]]:
    """All plain files below a folder, without following links; hidden files and folders are left out.

    Args:
        folder: The folder; parts of it that can't be listed are left out.
        left_out: Names of folders that are left out too.
    """
    waiting = [os.fspath(folder)]
    while waiting:
        try:
            with os.scandir(waiting.pop()) as listing:
                items = sorted(listing, key=lambda item: item.name)
        except OSError:
            continue
        for item in items:
            try:
                if item.is_symlink() or item.name.startswith("."):
                    continue
                if item.is_dir(follow_symlinks=False):
                    if item.name not in left_out:
                        waiting.append(item.path)
                elif item.is_file(follow_symlinks=False):
                    yield item
            except OSError:
                continue
