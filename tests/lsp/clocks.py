"""Clocks of a server that run ahead of the machine's, as far as a test wants."""

from __future__ import annotations

import shutil
import struct
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest


def built_shim(folder: Path) -> Path:
    """Shim between a server and the kernel's clocks, compiled; skips the test where nothing compiles it."""
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("there is no C compiler")
    library = folder / "clocks.so"
    source = Path(__file__).with_name("clocks.c")
    subprocess.run([compiler, "-shared", "-fPIC", "-O1", "-o", library, source, "-ldl"], check=True)
    return library


@dataclass
class Clocks:
    """The clocks of a server, which a test lets run ahead."""

    shim: Path
    file: Path
    passed_s: int = 0
    slept_s: int = 0

    def __post_init__(self) -> None:
        self._write()

    @property
    def environment(self) -> dict[str, str]:
        """The variables of a server that goes by these clocks."""
        return {"LD_PRELOAD": str(self.shim), "CLOCKS_AHEAD": str(self.file)}

    def pass_time(self, seconds: int) -> None:
        """Time goes by; a server that waits for it notices with the next message that it gets."""
        self.passed_s += seconds
        self._write()

    def sleep(self, seconds: int) -> None:
        """The computer sleeps: wall time goes by, and monotonic clocks stand."""
        self.slept_s += seconds
        self._write()

    def _write(self) -> None:
        # In place: the server has the file in its memory.
        with self.file.open("r+b" if self.file.exists() else "wb") as file:
            file.write(struct.pack("=qq", self.passed_s, self.slept_s))
