"""Fixtures and helpers of the tests of acp agents."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from .eval import COUNTER

DOUBLE = Path(__file__).with_name("acp_double.py")


@pytest.fixture
def programs() -> Iterator[Path]:
    """A folder with the double, as an agent would be installed: everybody may read it."""
    with tempfile.TemporaryDirectory() as temporary_folder:
        folder = Path(temporary_folder)
        folder.chmod(0o755)
        (folder / "bin").mkdir(mode=0o755)
        shutil.copy(DOUBLE, folder / "bin" / "double")
        (folder / "bin" / "double").chmod(0o755)
        (folder / "counter.sv").write_text(COUNTER)
        (folder / "counter.sv").chmod(0o644)
        yield folder
