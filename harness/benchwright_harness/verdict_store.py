"""Verdicts that were reached before, by what they depend on.

A key names problem, harness, solution, toolchain, selection, sandbox and our own code (`cluster.task.Task.key`), so a
verdict that is found is the one that a run would reach again. Verdicts hold hidden facts: the folder is sealed.
"""

from __future__ import annotations

import contextlib
from pathlib import Path

from pydantic import ValidationError

from benchwright_harness.selection import Selection
from benchwright_problems.atomic import write_atomically
from benchwright_problems.home import Home
from benchwright_problems.verdict import Outcome, Verdict


class VerdictStore:
    """The verdicts below a folder, a file each.

    Args:
        folder: Made when something is kept.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @classmethod
    def of(cls, home: Home) -> VerdictStore:
        """The one beside the packs' hidden parts."""
        return cls(home.data / "sealed" / "@verdicts")

    def get(self, key: str) -> Verdict | None:
        """The verdict with this key; `None` if there is none that can be read."""
        with contextlib.suppress(OSError, ValidationError):
            return Verdict.model_validate_json(self._file(key, "verdict.json").read_bytes())
        return None

    def put(self, key: str, verdict: Verdict, log: bytes = b"") -> None:
        """Keep a verdict; not one that decided nothing, for another run may.

        Args:
            key: What it depends on.
            verdict: To keep.
            log: Raw output of its run, for those who may see it.
        """
        if verdict.outcome is not Outcome.ERROR:
            if log:
                self._write(key, "log", log)
            self._write(key, "verdict.json", verdict.model_dump_json().encode())

    def log(self, key: str) -> bytes:
        """The raw output that was kept with a verdict."""
        try:
            return self._file(key, "log").read_bytes()
        except OSError:
            return b""

    def selection(self, key: str) -> Selection | None:
        """The selection that was found right under this key."""
        with contextlib.suppress(OSError, ValidationError):
            return Selection.model_validate_json(self._file(key, "selection.json").read_bytes())
        return None

    def put_selection(self, key: str, selection: Selection) -> None:
        """Keep which selection is right."""
        self._write(key, "selection.json", selection.model_dump_json().encode())

    def _file(self, key: str, kind: str) -> Path:
        # A folder with a hundred thousand files is slow to list.
        return self._folder / key[:2] / f"{key}.{kind}"

    def _write(self, key: str, kind: str, content: bytes) -> None:
        file = self._file(key, kind)
        if not file.parent.is_dir():
            self._folder.mkdir(parents=True, exist_ok=True)
            self._folder.chmod(0o700)
            file.parent.mkdir(exist_ok=True, mode=0o700)
        # A verdict that a power cut loses is reached again.
        write_atomically(file, content, 0o600, durable=False)
