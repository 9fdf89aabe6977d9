"""A toy version of a tool, listed in a copy of `tool_versions.json`, can be chosen for a problem."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from pydantic import ValidationError

from benchwright_foundation.home import Home
from benchwright_harness.plan import selection, tool_versions
from benchwright_harness.plan.selection import ToolSelection, selections
from benchwright_harness.toolchain import tree
from benchwright_harness.toolchain.manifest import recipe
from benchwright_problems.storage.store import Store

RULES = [{"choose": [{"icarus": "14", "reason": "a toy"}]}]


@pytest.fixture
def listed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = json.loads(tool_versions.FILE.read_text())
    data["icarus"]["14"] = {"suites": ["duke"]}
    data["yosys"]["0.99"] = {"lock": "yosys-0.99.lock"}
    versions = tmp_path / "tool_versions.json"
    versions.write_text(json.dumps(data))
    rule_file = tmp_path / "selection.json"
    rule_file.write_text(json.dumps(RULES))
    monkeypatch.setattr(tool_versions, "FILE", versions)
    monkeypatch.setattr(selection, "FILE", rule_file)


@pytest.mark.usefixtures("listed")
def test_a_rule_chooses_it_for_a_problem(tmp_path: Path) -> None:
    problem = Store(Home.from_environment({"BENCHWRIGHT_HOME": str(tmp_path)})).unseal("starter/sync-fifo")
    chosen_tools, *_ = selections(problem)
    assert chosen_tools.icarus == "14"
    assert "/opt/benchwright/icarus-14/bin" in tree.program_folders(chosen_tools)


@pytest.mark.usefixtures("listed")
def test_a_yosys_of_python_packages_has_a_prefix_of_its_own() -> None:
    assert "/opt/benchwright/yosys-0.99/bin" in tree.program_folders(ToolSelection(yosys="0.99"))
    assert tool_versions.tool_versions().packaged_yosys["0.99"] == "yosys-0.99.lock"


def test_a_version_that_is_not_listed_is_refused() -> None:
    with pytest.raises(ValidationError, match=r"14 is not among the versions of tool_versions.json: 12, 13"):
        ToolSelection(icarus="14")


def test_another_version_makes_another_toolchain(listed: None, monkeypatch: pytest.MonkeyPatch) -> None:
    with_toys = recipe()
    monkeypatch.undo()
    assert recipe() != with_toys
