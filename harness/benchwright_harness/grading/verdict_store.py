"""Verdicts that were reached before, by what they depend on.

A key names problem, harness, solution, toolchain, selection, sandbox and our own code (`cluster.task.Task.key`), so a
verdict that is found is the one that a run would reach again. A time-out is never kept. Verdicts hold hidden facts: the
folder is sealed.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

from pydantic import ValidationError

from benchwright_foundation.atomic import write_atomically
from benchwright_foundation.home import Home
from benchwright_harness.execution.process import OutputReceiver
from benchwright_harness.plan.selection import ToolSelection
from benchwright_problems.verdict import Outcome, Reason, Verdict

_KEPT_LOG_BYTES = 200_000


class OutputTail:
    """Passes output on, and keeps the last part of it.

    Args:
        receiver: Output that it is passed on to.
    """

    def __init__(self, receiver: OutputReceiver | None = None) -> None:
        self._log = receiver
        self.last_bytes = b""

    def write(self, content: bytes, /) -> int:
        """See `Output`."""
        self.last_bytes = (self.last_bytes + content)[-_KEPT_LOG_BYTES:]
        return len(content) if self._log is None else self._log.write(content)


class VerdictStore:
    """The verdicts below a folder, a file each.

    Args:
        folder: Made when something is kept.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @classmethod
    def from_home(cls, home: Home) -> VerdictStore:
        """The one beside the packs' hidden parts."""
        return cls(home.data / "sealed" / "@verdicts")

    def find_verdict(self, verdict_key: str) -> Verdict | None:
        """The verdict with this key; `None` if there is none that can be read."""
        with contextlib.suppress(OSError, ValidationError):
            return Verdict.model_validate_json(self._entry_file(verdict_key, "verdict.json").read_bytes())
        return None

    def put_verdict_if_repeatable(self, verdict_key: str, verdict: Verdict) -> None:
        """Keep a verdict, unless it depends on how busy the machine was or decided nothing: another run may differ."""
        if verdict.outcome is not Outcome.ERROR and verdict.reason is not Reason.TIMEOUT:
            self._write_entry(verdict_key, "verdict.json", verdict.model_dump_json().encode())

    @contextlib.contextmanager
    def open_log(self, verdict_key: str) -> Iterator[OutputTail]:
        """Takes a run's raw output, and keeps the last part of it, whatever the verdict is."""
        tail = OutputTail()
        yield tail
        if tail.last_bytes:
            self.put_raw_output(verdict_key, tail.last_bytes)

    def put_raw_output(self, verdict_key: str, raw_output: bytes) -> None:
        """Keep the raw output of a run, for those who may see it."""
        self._write_entry(verdict_key, "log", raw_output)

    def raw_output(self, verdict_key: str) -> bytes:
        """The raw output that was kept; empty if there is none."""
        try:
            return self._entry_file(verdict_key, "log").read_bytes()
        except OSError:
            return b""

    def find_selection(self, selection_key: str) -> ToolSelection | None:
        """The selection that was found right under this key."""
        with contextlib.suppress(OSError, ValidationError):
            return ToolSelection.model_validate_json(self._entry_file(selection_key, "selection.json").read_bytes())
        return None

    def put_selection(self, selection_key: str, selection: ToolSelection) -> None:
        """Keep which selection is right."""
        self._write_entry(selection_key, "selection.json", selection.model_dump_json().encode())

    def _entry_file(self, file_stem: str, suffix: str) -> Path:
        # A folder with a hundred thousand files is slow to list.
        return self._folder / file_stem[:2] / f"{file_stem}.{suffix}"

    def _write_entry(self, file_stem: str, suffix: str, content: bytes) -> None:
        file = self._entry_file(file_stem, suffix)
        if not file.parent.is_dir():
            self._folder.mkdir(parents=True, exist_ok=True)
            self._folder.chmod(0o700)
            file.parent.mkdir(exist_ok=True, mode=0o700)
        # A verdict that a power cut loses is reached again.
        write_atomically(file, content, 0o600, durable=False)
