"""A real Neovim with the configuration of the how-to, at one problem from start to submission."""

from __future__ import annotations

import re
from typing import Any

import pytest

from ..support.editor.neovim import configuration, play_script, pytestmark
from ..support.editor.other_editors import open_problem
from .session import reference

__all__ = ["pytestmark"]

PROBLEM = "sync-fifo"


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Results that one session showed."""
    folder = tmp_path_factory.mktemp("neovim")
    variables = open_problem(folder, PROBLEM, reference(PROBLEM))
    return play_script(folder, configuration(), "neovim_session.lua", **variables)


def test_mistakes_are_marked_while_typing(seen: dict[str, Any]) -> None:
    assert any("nowhere" in message for message in seen["diagnostics"])


def test_a_name_is_explained(seen: dict[str, Any]) -> None:
    assert "output logic almost_full" in re.sub(r" +", " ", seen["hover"])


def test_the_hierarchy_of_instances_is_a_list_of_places(seen: dict[str, Any]) -> None:
    assert seen["hierarchy"] == "sync_fifo (sync_fifo)"


def test_a_name_is_completed(seen: dict[str, Any]) -> None:
    assert "level" in {item["word"] for item in seen["completions"]}


def test_a_port_is_renamed_everywhere(seen: dict[str, Any]) -> None:
    assert seen["renamed"] == re.sub(r"\bwr_data\b", "written", reference(PROBLEM))


def test_the_file_is_formatted(seen: dict[str, Any]) -> None:
    assert re.search(r"^ +assign empty = 1;$", seen["formatted"], re.MULTILINE)


def test_the_line_above_the_module_tells_the_verdict(seen: dict[str, Any]) -> None:
    assert re.match(r"▶ Run hidden tests · ✓ (\d+)/\1 passed", seen["lens"])


def test_a_save_runs_the_hidden_tests_and_the_attempt_is_submitted(seen: dict[str, Any]) -> None:
    *_, last = seen["notified"]
    assert re.fullmatch(r"FIFO with level flags: submitted\. All hidden tests passed\.", last)
