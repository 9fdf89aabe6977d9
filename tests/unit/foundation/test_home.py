from __future__ import annotations

import os
from pathlib import Path

import pytest

from benchwright_foundation.home import Home
from benchwright_foundation.workspaces_folder import repository_or_pack_in


def test_one_variable_moves_everything_but_the_cache() -> None:
    home = Home.from_environment({"BENCHWRIGHT_HOME": "/somewhere"})
    assert (home.data, home.state, home.workspaces) == (
        Path("/somewhere/data"),
        Path("/somewhere/state"),
        Path("/somewhere/workspaces"),
    )
    assert not home.cache.is_relative_to("/somewhere")


def test_a_relative_home_becomes_absolute(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert Home.from_environment({"BENCHWRIGHT_HOME": "here"}).data == tmp_path / "here" / "data"


def test_the_cache_has_a_variable_of_its_own() -> None:
    assert Home.from_environment({"BENCHWRIGHT_CACHE": "/c"}).cache == Path("/c")


def test_the_cache_of_root_can_be_reached_by_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    assert Home.from_environment({}).cache == Path("/var/cache/benchwright")


def test_finding_creates_nothing(tmp_path: Path) -> None:
    Home.from_environment({"BENCHWRIGHT_HOME": str(tmp_path / "h"), "BENCHWRIGHT_CACHE": str(tmp_path / "c")})
    assert list(tmp_path.iterdir()) == []


def test_no_clone_of_the_repository_is_called_like_the_workspaces() -> None:
    assert Home.from_environment({}).workspaces.parent == Path.home()
    assert Home.from_environment({}).workspaces.name != "benchwright"


@pytest.mark.parametrize("sign", [".git", "pack.toml", "benchwright/.git", "mine/pack.toml"])
def test_a_repository_or_a_pack_is_no_folder_for_workspaces(tmp_path: Path, sign: str) -> None:
    marker = tmp_path / sign
    marker.parent.mkdir(exist_ok=True)
    marker.touch()
    assert repository_or_pack_in(tmp_path) == marker.parent


def test_a_solvers_own_repository_in_a_workspace_is_allowed(tmp_path: Path) -> None:
    (tmp_path / "starter" / "sync-fifo" / ".git").mkdir(parents=True)
    assert repository_or_pack_in(tmp_path) is None
    assert repository_or_pack_in(tmp_path / "absent") is None
