"""`benchwright eval agent-image` with a real Docker engine, and an image built from the template without a network."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest
from typer.testing import CliRunner

from benchwright_server.cli.app import app_with_commands

from ..support.service.service_image import import_packages

AGENT = """\
import json, sys
from pathlib import Path
task = json.loads(Path("/code/prompt.json").read_text())["prompt"]
print(task)
if "slow" in task:
    import time
    time.sleep(600)
Path("/code/rtl/a.sv").write_text("module right; endmodule\\n" if "right" in task else "module wrong; endmodule\\n")
Path("/code/rundir/wave.vcd").write_text("$end\\n")
sys.exit(3 if "exits" in task else 0)
"""


def record(name: str, task: str) -> dict[str, object]:
    harness = "services: {a: {image: i, command: [sh, -c, 'grep -q right /code/rtl/a.sv']}}"
    return {
        "id": name,
        "categories": ["cid003", "easy"],
        "input": {"prompt": task, "context": {}},
        "output": {"response": "", "context": {"rtl/a.sv": "module right; endmodule\n"}},
        "harness": {"files": {"docker-compose.yml": harness}},
    }


def invoke(*arguments: str) -> tuple[int, str, str]:
    cli_run = CliRunner().invoke(app_with_commands(), [*arguments], catch_exceptions=False)
    return cli_run.exit_code, cli_run.stdout, cli_run.stderr


@pytest.mark.nightly
def test_an_agent_of_the_template_works_on_designs_which_are_graded(
    docker_host: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BENCHWRIGHT_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("DOCKER_HOST", docker_host)
    monkeypatch.setenv("COLUMNS", "300")
    monkeypatch.chdir(tmp_path)
    record_rows = [
        record("good", "Do it right."),
        record("bad", "Do it."),
        record("odd", "It exits."),
        record("late", "Be slow."),
    ]
    Path("set.jsonl").write_text("".join(json.dumps(line) + "\n" for line in record_rows))
    assert invoke("problems", "import", "cvdp", "set.jsonl", "--pack", "cvdp")[0] == 0
    refusal = invoke("eval", "agent-image", "my-agent", "--pack", "cvdp", "--out", "work")
    assert refusal[0] == 2 and "has no image my-agent" in refusal[2]
    assert invoke("eval", "agent-image-template", "mine")[0] == 0
    Path("mine/agent.py").write_text(AGENT)
    import_packages(docker_host, tmp_path, "agent-base", "python3-minimal", "libpython3-stdlib", added_files={})
    docker = ("docker", "build", "--network", "none", "-t", "my-agent", "mine")
    subprocess.run(docker, check=True, env=os.environ | {"DOCKER_BUILDKIT": "0"}, capture_output=True)
    image_command = (
        "eval",
        "agent-image",
        "my-agent",
        "--pack",
        "cvdp",
        "--out",
        "work",
        "--time-limit",
        "5",
        "--json",
    )
    status, stdout, stderr = invoke(*image_command)
    assert status == 1, stderr
    run_by_problem = {agent_run["problem"]: agent_run for agent_run in json.loads(stdout)["runs"]}
    assert {name: agent_run["exit_code"] for name, agent_run in run_by_problem.items()} == {
        "good": 0,
        "bad": 0,
        "odd": 3,
        "late": None,
    }
    assert run_by_problem["good"]["changed"] == ["rtl/a.sv"] and run_by_problem["good"]["uncounted"] == []
    sample = Path("work/sample_1/good")
    assert (sample / "agent.log").read_text().startswith("Do it right.")
    assert "+module right; endmodule" in (sample / "agent_changes.patch").read_text()
    assert json.loads(invoke(*image_command)[1])["runs"] == list(run_by_problem.values()), (
        "what is finished is not run again"
    )
    grade_arguments = ("--responses", "work/answers.jsonl", "--solver", "my-agent", "--out", "graded", "--json")
    status, stdout, stderr = invoke("grade", "cvdp", *grade_arguments)
    graded = json.loads(stdout)
    assert (status, graded["right"], graded["wrong"]) == (0, 1, 3), stderr
