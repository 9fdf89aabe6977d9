"""With the core dependencies alone, everything but the features of an extra works, and those name the extra."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
from importlib import metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from benchwright_foundation.distribution import NAME, install_command

PROJECT = Path(__file__).parents[3] / "pyproject.toml"
PROGRAM = """
import json, sys
blocked = set(json.loads(sys.argv.pop(1)))

class Core:
    def __init__(self, finders):
        self.finders = finders

    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in blocked:
            return None
        return next(filter(None, (finder.find_spec(name, path, target) for finder in self.finders)), None)

    def find_distributions(self, *context):
        for finder in self.finders:
            yield from getattr(finder, "find_distributions", lambda *_: ())(*context)

sys.meta_path[:] = [Core(list(sys.meta_path))]
"""
COMMANDS = """
from typer.main import get_command
from typer.testing import CliRunner
from benchwright_server.cli.app import app_with_commands, load_command_modules

def paths(command, path):
    yield path
    for name, inner in getattr(command, "commands", {}).items():
        yield from paths(inner, [*path, name])

app = app_with_commands(load_command_modules())
for path in paths(get_command(app), []):
    ran = CliRunner().invoke(app, [*path, "--help"])
    assert ran.exit_code == 0, (path, ran.output, ran.exception)
    print(*path)
"""

EXAM_FILES = """
import sys
from pathlib import Path
from benchwright_exams.items import ExamItems
from benchwright_foundation.home import Home
from benchwright_foundation.stage_file import StageFile
from benchwright_server.authoring.exam_files import review_remarks

folder, form = Path(sys.argv[1]), 'decision = "accepted"\\nformat = "assertion"\\n'
question = folder / "items" / "1"
question.mkdir(parents=True)
StageFile(folder / "items.json", ExamItems).write_output(ExamItems(made_from="", items=()))
(folder / "exam.toml").write_text("")
(question / "review.toml").write_text(form)
(question / "statement.md").write_text("# SRAM is volatile\\n")
for remark in review_remarks(question, form, Home.from_environment({"BENCHWRIGHT_HOME": str(folder)})):
    print(remark.message)
"""


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def closure(requirements: list[str]) -> set[str]:
    """The distributions that pip would install for these requirements."""
    distributions: set[tuple[str, str]] = set()
    pending_requirements = [(Requirement(text), "") for text in requirements]
    while pending_requirements:
        requirement, extra = pending_requirements.pop()
        if requirement.marker and not requirement.marker.evaluate({"extra": extra}):
            continue
        for chosen_extra in ("", *requirement.extras):
            requirement_key = (normal(requirement.name), chosen_extra)
            if requirement_key in distributions:
                continue
            distributions.add(requirement_key)
            try:
                inner_requirements = metadata.requires(requirement.name) or []
            except metadata.PackageNotFoundError:
                inner_requirements = []
            pending_requirements += [(Requirement(text), chosen_extra) for text in inner_requirements]
    return {name for name, _ in distributions}


@pytest.fixture(scope="module")
def blocked() -> str:
    """The importable packages of this environment that the core dependencies do not bring."""
    project = tomllib.loads(PROJECT.read_text())["project"]
    core = closure(project["dependencies"])
    module_owners = metadata.packages_distributions()
    missing = [
        module
        for module, owners in module_owners.items()
        if not module.startswith("benchwright_") and not core & {normal(owner) for owner in owners}
    ]
    assert {"docker", "inspect_ai", "fastapi", "numpy", "pandas"} <= set(missing)
    return json.dumps(missing)


def run(blocked: str, program: str, *arguments: str, home: Path) -> subprocess.CompletedProcess[str]:
    environ = {"BENCHWRIGHT_HOME": str(home), "PATH": "/usr/bin:/bin", "COLUMNS": "300"}
    command = [sys.executable, "-c", PROGRAM + program, blocked, *arguments]
    return subprocess.run(command, capture_output=True, text=True, env=environ, timeout=120, check=False)


def benchwright(blocked: str, home: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return run(blocked, "from benchwright_server.cli import main; main()", *arguments, home=home)


@pytest.mark.nightly
def test_every_help_is_shown(blocked: str, tmp_path: Path) -> None:
    completed_process = run(blocked, COMMANDS, home=tmp_path)
    assert completed_process.returncode == 0, completed_process.stderr
    assert {"grade", "eval", "judge serve", "problems audit", "report"} <= set(completed_process.stdout.splitlines())


@pytest.mark.parametrize(
    "command",
    ["problems list --json", "problems show starter/sync-fifo", "attempts list --json", "study init new"],
)
def test_what_needs_no_extra_works(command: str, blocked: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    completed_process = benchwright(blocked, tmp_path, *command.split())
    assert completed_process.returncode == 0, completed_process.stderr


def test_doctor_names_the_extras_that_are_missing(blocked: str, tmp_path: Path) -> None:
    completed_process = benchwright(blocked, tmp_path, "doctor", "--json")
    assert completed_process.returncode in (0, 1), completed_process.stderr
    assert completed_process.stdout, completed_process.stderr
    hints_by_name = {item["name"]: item["hint"] for item in json.loads(completed_process.stdout)["items"]}
    assert {hints_by_name[f"{NAME}[{extra}]"] for extra in ("harness", "baselines", "judges")} == {
        install_command(extra) for extra in ("harness", "baselines", "judges")
    }


def test_the_language_server_loads(blocked: str, tmp_path: Path) -> None:
    completed_process = run(blocked, "import benchwright_server.server", home=tmp_path)
    assert completed_process.returncode == 0, completed_process.stderr


def test_an_accepted_question_of_an_exam_is_checked_without_what_reads_an_exam(blocked: str, tmp_path: Path) -> None:
    completed_process = run(blocked, EXAM_FILES, str(tmp_path / "exam"), home=tmp_path)
    assert completed_process.returncode == 0, completed_process.stderr
    assert completed_process.stdout == 'answer: is empty; write the answer, or decision = "left out" in review.toml.\n'


@pytest.mark.parametrize(
    ("command", "feature", "extra"),
    [
        ("eval --pack starter --model mockllm/model", "benchwright eval", "baselines"),
        ("eval export-prompts prompts.jsonl --pack starter", "benchwright eval export-prompts", "baselines"),
        ("report --out report", "benchwright report", "baselines"),
        ("report --demo --out report", "benchwright report", "baselines"),
        ("judge serve", "benchwright judge serve", "judges"),
        ("judge agreement", "benchwright judge agreement", "judges"),
    ],
)
def test_a_command_that_needs_an_extra_says_which(
    command: str, feature: str, extra: str, blocked: str, tmp_path: Path
) -> None:
    completed_process = benchwright(blocked, tmp_path, *command.split())
    assert (completed_process.returncode, completed_process.stderr.strip()) == (
        2,
        f"error: `{feature}` needs packages that are not installed. Install them: {install_command(extra)}",
    )


def test_a_cluster_needs_an_extra_too(blocked: str, tmp_path: Path) -> None:
    completed_process = benchwright(blocked, tmp_path, "problems", "check", "starter", "--cluster", "local")
    assert completed_process.returncode == 2 and install_command("harness") in completed_process.stderr, (
        completed_process.stderr
    )
