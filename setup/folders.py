"""Folders on this machine. The installed server finds them by the same rules."""

import os
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent / "foundation"))
from benchwright_foundation.workspaces_folder import DEFAULT_FOLDER_NAME

ROOT = Path(__file__).resolve().parent.parent
"""The checkout."""

VENV = ROOT / ".venv"
"""Benchwright's Python environment."""

SETUP_STATE = ROOT / ".setup"
"""Logs and stamps of the set-up; the folder ignores itself in git."""


def _from_environment(variable: str) -> Path | None:
    value = os.environ.get(variable)
    return Path(value).expanduser().absolute() if value else None


def cache() -> Path:
    """The folder for large files that can be made again: simulators, Node, the editor."""
    if chosen := _from_environment("BENCHWRIGHT_CACHE"):
        return chosen
    if os.geteuid() == 0:
        # Sandboxed runs drop to a user that can't pass through root's home folder.
        return Path("/var/cache/benchwright")
    return (_from_environment("XDG_CACHE_HOME") or Path.home() / ".cache") / "benchwright"


def data() -> Path:
    """The folder for packs and attempts."""
    if home := _from_environment("BENCHWRIGHT_HOME"):
        return home / "data"
    return (_from_environment("XDG_DATA_HOME") or Path.home() / ".local" / "share") / "benchwright"


def state() -> Path:
    """The folder for state that can be deleted without loss of work, such as the editor's window layout."""
    if home := _from_environment("BENCHWRIGHT_HOME"):
        return home / "state"
    return (_from_environment("XDG_STATE_HOME") or Path.home() / ".local" / "state") / "benchwright"


def workspaces() -> Path:
    """The folder that problems open into."""
    if home := _from_environment("BENCHWRIGHT_HOME"):
        return home / "workspaces"
    return Path.home() / DEFAULT_FOLDER_NAME
