"""Fixtures and helpers of the tests of bench service backup."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

BENCHWRIGHT = str(Path(sys.executable).with_name("benchwright"))


def command(home: Path, *words: str) -> subprocess.CompletedProcess[str]:
    environment = {"BENCHWRIGHT_HOME": str(home), "PATH": "/usr/bin:/bin"}
    return subprocess.run([BENCHWRIGHT, "course", *words], env=environment, capture_output=True, text=True, timeout=60)
