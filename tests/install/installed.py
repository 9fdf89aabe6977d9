"""A Benchwright that was installed into an environment of its own, used by a person who has no checkout."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import folders

ROOT = folders.ROOT
_PATIENCE_S = 300


class Installed:
    """An installed Benchwright.

    Args:
        folder: Holds the environment as `venv`; gets a home folder and a folder to work in.
    """

    def __init__(self, folder: Path) -> None:
        self.bin = folder / "venv" / "bin"
        self.home = folder / "home"
        self.working_folder = folder / "here"
        self.home.mkdir()
        self.working_folder.mkdir()
        self.environment = {
            "HOME": str(self.home),
            "PATH": f"{self.bin}:/usr/local/bin:/usr/bin:/bin",
            "LANG": "C.UTF-8",
            "COLUMNS": "200",
            # The toolchain that is built already: it takes minutes.
            "BENCHWRIGHT_CACHE": str(folders.cache()),
        }

    def packages(self) -> Path:
        """The environment's folder of packages."""
        (folder,) = self.bin.parent.glob("lib/python3*/site-packages")
        return folder

    def run(self, *arguments: str | Path, program: str = "benchwright") -> subprocess.CompletedProcess[str]:
        """Run a command to its end, whatever its exit status."""
        return subprocess.run(
            [self.bin / program, *arguments],
            cwd=self.working_folder,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=_PATIENCE_S,
            check=False,
        )

    def ask(self, *arguments: str | Path, status: int = 0) -> Any:
        """The JSON that a command prints; an assertion fails if it ends with another exit status."""
        process = self.run(*arguments, "--json")
        assert process.returncode == status, process.stdout + process.stderr
        return json.loads(process.stdout)
