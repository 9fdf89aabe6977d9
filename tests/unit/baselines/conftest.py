from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from benchwright_attempts.attempts import Attempts
from benchwright_attempts.events.file_text import FileText
from benchwright_studies.conduct.study_log import StudyLog

TOP = b"module counter;\r\nendmodule\n"


@dataclass
class SetTime:
    """Wall and monotonic clock that stand still until told otherwise."""

    wall: datetime = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)
    mono_ns: int = 5_000_000_000

    def pass_s(self, seconds: float) -> None:
        self.wall += timedelta(seconds=seconds)
        self.mono_ns += round(seconds * 1e9)

    def now(self) -> datetime:
        return self.wall

    def monotonic_ns(self) -> int:
        return self.mono_ns


@pytest.fixture
def time() -> SetTime:
    return SetTime()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "state" / "attempts.sqlite"


@pytest.fixture
def log(path: Path, time: SetTime) -> Iterator[StudyLog]:
    with StudyLog(path, wall_clock=time.now, monotonic_ns=time.monotonic_ns, process="first") as log:
        yield log


@pytest.fixture
def attempts(log: StudyLog) -> Attempts:
    return Attempts(log)


@pytest.fixture
def attempt(attempts: Attempts) -> str:
    """A fresh attempt at `starter/counter` with one file."""
    files = {"rtl/counter.sv": FileText.of_bytes(TOP)}
    return attempts.create("starter/counter", "d" * 64, Path("/workspaces/counter"), files).id
