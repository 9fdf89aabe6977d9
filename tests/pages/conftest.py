from __future__ import annotations

from pathlib import Path

import pytest

from .walk import Reader


@pytest.fixture
def reader(tmp_path: Path) -> Reader:
    """Somebody with an empty home folder."""
    folder = tmp_path / "me"
    folder.mkdir()
    return Reader(folder)
