from __future__ import annotations

import os
from pathlib import Path

import pytest

from benchwright_problems.home import Home


def test_one_variable_moves_everything_but_the_cache() -> None:
    home = Home.find({"BENCHWRIGHT_HOME": "/somewhere"})
    assert (home.data, home.state, home.workspaces) == (
        Path("/somewhere/data"),
        Path("/somewhere/state"),
        Path("/somewhere/workspaces"),
    )
    assert not home.cache.is_relative_to("/somewhere")


def test_a_relative_home_becomes_absolute(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert Home.find({"BENCHWRIGHT_HOME": "here"}).data == tmp_path / "here" / "data"


def test_the_cache_has_a_variable_of_its_own() -> None:
    assert Home.find({"BENCHWRIGHT_CACHE": "/c"}).cache == Path("/c")


def test_the_cache_of_root_can_be_reached_by_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    assert Home.find({}).cache == Path("/var/cache/benchwright")


def test_finding_creates_nothing(tmp_path: Path) -> None:
    Home.find({"BENCHWRIGHT_HOME": str(tmp_path / "h"), "BENCHWRIGHT_CACHE": str(tmp_path / "c")})
    assert list(tmp_path.iterdir()) == []
