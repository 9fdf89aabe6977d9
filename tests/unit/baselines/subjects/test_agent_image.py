"""Files that an agent in an image of its own gets, and the answers that are made of what it leaves."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml

from benchwright_attempts.errors import EvaluationError
from benchwright_problems.datasets.cvdp import import_cvdp
from benchwright_problems.problem import Problem
from benchwright_subjects.agents.agent_image import (
    AgentImage,
    answer_files,
    patch_between,
    texts_below,
    write_image_template,
    write_workspace,
)

IMAGE = AgentImage("my-agent", variables=("MODEL_KEY",))
AGENTIC = {
    "id": "cvdp_agentic_inverter_0002",
    "categories": ["cid016", "medium"],
    "system_message": "You are a hardware engineer.",
    "prompt": "Repair the inverter.",
    "context": {"rtl/inverter.sv": "assign y = a;\n", "docs/spec.md": "y is not a\n"},
    "patch": {"rtl/inverter.sv": "@@ -1 +1 @@\n-assign y = a;\n+assign y = ~a;\n"},
    "harness": {"docker-compose.yml": "services: {}\n", "src/secret.py": "CANARY"},
}
PLAIN = {
    "id": "cvdp_copilot_inverter_0001",
    "categories": ["cid003", "easy"],
    "input": {"prompt": "Write an inverter.", "context": {}},
    "output": {"response": "", "context": {"rtl/inverter.sv": "assign y = ~a;\n"}},
    "harness": {"files": {"docker-compose.yml": "services: {}\n"}},
}


def problem(record: object, folder: Path) -> Problem:
    file = folder / "set_v1.1.0.jsonl"
    file.write_text(json.dumps(record))
    return import_cvdp([file], "p").problems[0]


def test_an_agent_gets_the_task_and_the_files_and_nothing_hidden(tmp_path: Path) -> None:
    work = tmp_path / "work"
    write_workspace(problem(AGENTIC, tmp_path), IMAGE, work)
    assert json.loads((work / "prompt.json").read_text()) == {"prompt": "Repair the inverter."}
    assert (work / "rtl" / "inverter.sv").read_text() == "assign y = a;\n"
    assert all((work / name).is_dir() for name in ("docs", "rtl", "verif", "rundir"))
    assert not any("CANARY" in file.read_text() for file in work.rglob("*") if file.is_file())
    service = yaml.safe_load((work / "docker-compose-agent.yml").read_text())["services"]["agent"]
    assert service["image"] == "my-agent" and service["working_dir"] == "/code"
    assert "./prompt.json:/code/prompt.json" in service["volumes"] and "./rundir:/code/rundir" in service["volumes"]
    assert (service["environment"], service["network_mode"]) == (["MODEL_KEY"], "none")


def test_a_task_that_was_made_for_one_answer_says_which_files_count(tmp_path: Path) -> None:
    write_workspace(problem(PLAIN, tmp_path), IMAGE, tmp_path / "work")
    prompt = json.loads((tmp_path / "work" / "prompt.json").read_text())["prompt"]
    assert prompt.startswith("Write an inverter.") and prompt.endswith("- rtl/inverter.sv\n")


def test_only_files_that_count_are_answers_and_the_patch_has_all_others_too(tmp_path: Path) -> None:
    work, agentic = tmp_path / "work", problem(AGENTIC, tmp_path)
    write_workspace(agentic, IMAGE, work)
    before = texts_below(work)
    (work / "rtl" / "inverter.sv").write_text("assign y = ~a;")
    (work / "rtl" / "src").mkdir()
    (work / "rtl" / "src" / "more.sv").write_text("module more; endmodule\n")
    (work / "rundir" / "a.vcd").write_text("$end\n")
    (work / "verif" / "link.sv").symlink_to("/etc/hostname")
    (work / "docs" / "spec.md").unlink()
    after = texts_below(work)
    assert answer_files(agentic, work) == {"rtl/inverter.sv": "assign y = ~a;"}
    assert patch_between(before, after) == (
        "--- a/docs/spec.md\n+++ /dev/null\n@@ -1 +0,0 @@\n-y is not a\n"
        "--- a/rtl/inverter.sv\n+++ b/rtl/inverter.sv\n@@ -1 +1 @@\n-assign y = a;\n+assign y = ~a;\n"
        "\\ No newline at end of file\n"
        "--- /dev/null\n+++ b/rtl/src/more.sv\n@@ -0,0 +1 @@\n+module more; endmodule\n"
    )
    (work / "rtl" / "inverter.sv").unlink()
    assert answer_files(agentic, work) == {"rtl/inverter.sv": ""}, "what was deleted is not what it was before"


def test_a_template_has_a_base_and_an_agent_and_is_not_written_over_anything(tmp_path: Path) -> None:
    write_image_template(tmp_path / "mine")
    assert "FROM ${BASE}" in (tmp_path / "mine" / "Dockerfile").read_text()
    with pytest.raises(EvaluationError, match="not empty"):
        write_image_template(tmp_path / "mine")
