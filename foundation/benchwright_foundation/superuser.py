"""Checks of the user that a process runs as; Windows says nothing of it."""

from __future__ import annotations

import os
import sys
from pathlib import Path


def is_superuser() -> bool:
    """True if this is root, who may do everything on this machine."""
    return sys.platform != "win32" and os.geteuid() == 0


def belongs_to_another_user(path: Path) -> bool:
    """True if a file or folder is not of the user that this process runs as."""
    return sys.platform != "win32" and path.stat().st_uid != os.geteuid()
