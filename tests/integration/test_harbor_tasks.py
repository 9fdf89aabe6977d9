"""Tasks in real containers: Harbor's oracle solves what was exported, what is imported is proved, as is HWE-Bench."""

from __future__ import annotations

import contextlib
import io
import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import docker as sdk
import pytest

from benchwright_authoring.harbor.task_folder import write_task_folder
from benchwright_foundation.home import Home
from benchwright_harness.execution.run import reference_solution_files, run_harness, starting_solution_files
from benchwright_harness.sandbox.bwrap import BWRAP
from benchwright_harness.sandbox.docker import DockerSandbox
from benchwright_harness.toolchain import Toolchain
from benchwright_problems.datasets.harbor import import_harbor
from benchwright_problems.datasets.hwebench import import_hwebench
from benchwright_problems.problem import Problem
from benchwright_problems.repository.changes import diff_of_files
from benchwright_problems.storage.store import Store
from benchwright_problems.verdict import Outcome
from benchwright_server.doctor import examine

from ..support.machine.harbor_root import HarborMissingError, HarborRoot, harbor_root
from ..support.machine.tools_image import TOOLS_IMAGE, build_tools_image
from ..support.repository_pack import BENCH, BUGS, TREE, VERIFIER

EXPORTED = ("starter/sync-fifo", "architecture-labs/alu-flags", "small-core/wrong-sums")


@pytest.fixture
def home(open_folder: Path, monkeypatch: pytest.MonkeyPatch, docker_host: str) -> Home:
    monkeypatch.setenv("BENCHWRIGHT_HOME", str(open_folder / "home"))
    monkeypatch.setenv("DOCKER_HOST", docker_host)
    return Home.from_environment()


@pytest.fixture
def tools(docker: DockerSandbox, docker_host: str, toolchain: Toolchain) -> str:
    return build_tools_image(docker, docker_host, toolchain)


@pytest.fixture
def harbor() -> Iterator[HarborRoot]:
    with contextlib.ExitStack() as running:
        try:
            debian = running.enter_context(harbor_root())
        except HarborMissingError as error:
            pytest.skip(str(error))
        yield debian


def export(home: Home, folder: Path, names: tuple[str, ...]) -> Path:
    for name in names:
        problem = Store(home).unseal(name)
        write_task_folder(problem, name.partition("/")[0], folder / problem.id, image=TOOLS_IMAGE)
    return folder


async def outcomes(problem: Problem, docker: DockerSandbox, toolchain: Toolchain) -> tuple[Outcome, Outcome]:
    """Of the reference and of the starting files."""
    sides = []
    for solution in (reference_solution_files(problem), starting_solution_files(problem)):
        log = io.BytesIO()
        verdict = await run_harness(problem, solution, sandbox=docker, toolchain=toolchain, log=log)
        assert verdict.outcome is not Outcome.ERROR, (verdict, log.getvalue().decode())
        sides.append(verdict.outcome)
    return sides[0], sides[1]


def build_folder(docker_host: str, image: str, folder: Path, dockerfile: Path | None = None) -> None:
    # BuildKit is a plug-in of the client, which not every machine has.
    environment = {**os.environ, "DOCKER_HOST": docker_host, "DOCKER_BUILDKIT": "0"}
    options = ["--file", str(dockerfile)] if dockerfile else []
    command = ["docker", "build", "--quiet", "--network", "none", "--tag", image, *options, str(folder)]
    subprocess.run(command, env=environment, check=True, capture_output=True)


def committed(folder: Path, text_by_path: dict[str, str]) -> Path:
    """A repository with one commit."""
    for path, text in text_by_path.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    for arguments in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "Start"]):
        subprocess.run(["git", "-C", folder, "-c", "user.name=t", "-c", "user.email=t@t", *arguments], check=True)
    return folder


@pytest.mark.nightly
def test_harbors_oracle_solves_exported_tasks_and_who_does_nothing_fails(
    home: Home, harbor: HarborRoot, docker_host: str, tools: str, open_folder: Path
) -> None:
    tasks_folder = export(home, open_folder / "tasks", EXPORTED)
    rewards = {
        agent: harbor.rewards(agent, tasks_folder, open_folder / agent, docker_host) for agent in ("oracle", "nop")
    }
    assert rewards == {"oracle": [1.0] * len(EXPORTED), "nop": [0.0] * len(EXPORTED)}


@pytest.mark.nightly
async def test_an_exported_task_that_is_imported_is_proved_in_its_image(
    home: Home, docker: DockerSandbox, docker_host: str, toolchain: Toolchain, tools: str, open_folder: Path
) -> None:
    tasks_folder = export(home, open_folder / "tasks", EXPORTED[1:])
    for problem in import_harbor([tasks_folder], "back").problems:
        build_folder(docker_host, f"harbor/{problem.id}", tasks_folder / problem.id / "environment")
        assert await outcomes(problem, docker, toolchain) == (Outcome.PASSED, Outcome.FAILED)


@pytest.mark.nightly
async def test_a_case_of_hwe_bench_is_proved_in_its_image_and_doctor_names_one_that_is_missing(
    home: Home, docker: DockerSandbox, docker_host: str, toolchain: Toolchain, tools: str, open_folder: Path
) -> None:
    path, wrong_text, _ = BUGS["sum"]
    repository = committed(open_folder / "repositories" / "core", {**TREE, path: wrong_text})
    # In the image, the repository has what its build has left.
    dockerfile = f"FROM {tools}\nWORKDIR /home/core\nCOPY . .\nRUN touch built\n"
    (open_folder / "Dockerfile").write_text(dockerfile)
    build_folder(docker_host, "hwebench/lab_m_core:pr-1", repository, open_folder / "Dockerfile")
    script = VERIFIER.replace("/code/rundir", "/home/core").replace("/code/", "/home/core/")
    bench = f"test -e built || exit 1\ncat > /tmp/bench.sv <<'END'\n{BENCH}\nEND\n"
    record = {
        "org": "lab",
        "repo": "core",
        "number": 1,
        "base": {"sha": "HEAD"},
        "fix_patch": diff_of_files({path: wrong_text.encode()}, {path: TREE[path].encode()}),
        "tb_script": bench + script.replace("/src/bench.sv", "/tmp/bench.sv"),
        "problem_statement": "It does not add.",
    }
    records_file = open_folder / "hwe.jsonl"
    records_file.write_text("".join(json.dumps({**record, "number": number}) + "\n" for number in (1, 2)))
    pack = import_hwebench([records_file], "hwe", repositories=repository.parent)
    Store(home).add(pack)
    assert await outcomes(pack.problems[0], docker, toolchain) == (Outcome.PASSED, Outcome.FAILED)
    (image_finding,) = [check for check in examine(home).items if check.name == "Images of hwe"]
    assert image_finding.status == "warning"
    assert image_finding.hint == "the Docker engine lacks hwebench/lab_m_core:pr-2: pull or build them"
    with contextlib.closing(sdk.APIClient(docker_host)) as engine:
        assert engine.containers(all=True) == []
    in_bwrap = await run_harness(pack.problems[0], {}, sandbox=BWRAP.open(), toolchain=toolchain, log=io.BytesIO())
    assert (in_bwrap.outcome, "in an image of their own" in in_bwrap.detail) == (Outcome.ERROR, True)
