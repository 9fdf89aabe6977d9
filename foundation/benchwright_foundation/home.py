"""The folders of a user: the system's own (on Linux XDG's), or all of them below `BENCHWRIGHT_HOME`."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import platformdirs

from benchwright_foundation.superuser import is_superuser
from benchwright_foundation.workspaces_folder import DEFAULT_FOLDER_NAME


@dataclass(frozen=True)
class Home:
    """The folders Benchwright writes to."""

    data: Path
    """Packs, their sealed hidden parts, and the event log."""
    state: Path
    """Raw logs of runs, the editor's own state."""
    workspaces: Path
    """Folder that problems open into."""
    cache: Path
    """Toolchains; can be deleted and is made again."""

    @classmethod
    def from_environment(cls, environ: Mapping[str, str] = os.environ) -> Home:
        """The folders for this user and environment; creates nothing."""
        base_folder = environ.get("BENCHWRIGHT_HOME")
        cache = environ.get("BENCHWRIGHT_CACHE")
        if cache:
            cache_dir = Path(cache).absolute()
        elif is_superuser():
            # Runs drop to an unprivileged user, who could not reach a toolchain below /root.
            cache_dir = Path("/var/cache/benchwright")
        else:
            cache_dir = platformdirs.user_cache_path("benchwright")
        if base_folder:
            root = Path(base_folder).absolute()
            return cls(root / "data", root / "state", root / "workspaces", cache_dir)
        return cls(
            platformdirs.user_data_path("benchwright"),
            platformdirs.user_state_path("benchwright"),
            Path.home() / DEFAULT_FOLDER_NAME,
            cache_dir,
        )
