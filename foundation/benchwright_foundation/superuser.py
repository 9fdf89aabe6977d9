"""Check for a process that may do everything on this machine."""

from __future__ import annotations

import os
import sys


def is_superuser() -> bool:
    """True if this is root; Windows has none."""
    return sys.platform != "win32" and os.geteuid() == 0
