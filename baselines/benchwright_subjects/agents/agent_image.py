"""Agents in images of their own, as CVDP runs them: the task in `/code/prompt.json`, the files in four folders.

What an agent leaves becomes answers for `benchwright grade`, and a patch between before and after. Nothing hidden is in
its container.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

import yaml
from pydantic import JsonValue

from benchwright_attempts.errors import EvaluationError
from benchwright_foundation.atomic import write_atomically
from benchwright_foundation.model import Model
from benchwright_harness.errors import HarnessError
from benchwright_harness.sandbox.docker.engine import (
    LABEL,
    connect_engine_and_remove_dead_containers,
    engine_errors_as_unavailable,
    process_identity,
    remove_container,
)
from benchwright_problems.problem import Problem, ProblemKind
from benchwright_problems.repository.changes import unified_diff_of_text
from benchwright_subjects.agent_workspace import plain_files_below

if TYPE_CHECKING:
    from docker import APIClient

FOLDERS = ("docs", "rtl", "verif", "rundir")
"""Folders of `/code` that an agent sees and may change."""
_COMPARED = ("docs/", "rtl/", "verif/")
_PROMPT, _COMPOSE, _LOG, _PATCH, _RUN = (
    *("prompt.json", "docker-compose-agent.yml", "agent.log", "agent_changes.patch"),
    "run.json",
)
_BEFORE = "before.json"
_LOG_BYTES = 1 << 20
_POLL_S = 0.2


@dataclass(frozen=True)
class AgentImage:
    """An agent's image, and how its containers are run."""

    name: str
    network: str = "none"
    variables: Sequence[str] = ()
    """Names of environment variables that are passed on."""
    time_limit_s: float = 3600.0
    memory_mb: int = 8192

    def compose_document(self) -> Mapping[str, JsonValue]:
        """The service, with which Compose runs it in a sample's folder."""
        service: dict[str, JsonValue] = {
            "image": self.name,
            "volumes": [f"./{name}:/code/{name}" for name in (*FOLDERS, _PROMPT)],
            "working_dir": "/code",
            "network_mode": self.network,
            "environment": list(self.variables),
        }
        return {"services": {"agent": service}}


class AgentRun(Model):
    """One agent's work on one problem, when it has ended."""

    problem: str
    sample: int
    exit_code: int | None
    """None if the time limit ended it."""
    seconds: float
    changed: tuple[str, ...]
    """Files of docs, rtl and verif that differ from before."""
    uncounted: tuple[str, ...]
    """Those of them that the problem does not ask for."""


def write_image_template(folder: Path) -> None:
    """Write the files of a base image and of an agent's image.

    Raises:
        EvaluationError: The folder holds something.
    """
    if folder.exists() and any(folder.iterdir()):
        raise EvaluationError(f"{folder} is not empty. Name a new folder.")
    folder.mkdir(parents=True, exist_ok=True)
    template = resources.files("benchwright_subjects") / "agents" / "image_template"
    for name in ("Dockerfile-base", "Dockerfile", "agent.py"):
        (folder / name).write_bytes((template / name).read_bytes())


def run_image_on_problems(
    image: AgentImage, problems: Sequence[Problem], folder: Path, samples_per_problem: int, most_containers: int
) -> list[AgentRun]:
    """Let an agent work on each problem; what an earlier call has finished in the folder is not repeated.

    Args:
        image: The agent.
        problems: Public parts.
        folder: Gets a folder for each sample of each problem, and `answers.jsonl`.
        samples_per_problem: Of each problem.
        most_containers: Containers at a time.

    Raises:
        EvaluationError: No engine answers, it has no such image, or a problem is a whole repository.
    """
    if unfit := next((problem for problem in problems if problem.public.tree is not None), None):
        raise EvaluationError(
            f"{unfit.id} is a whole repository, which has no docs, rtl and verif. Name others by --problem."
        )
    designs = [problem for problem in problems if problem.kind is ProblemKind.DESIGN]
    if not designs:
        raise EvaluationError("An agent's image works on designs, and there is none among these problems.")
    with _reported_engine_errors():
        engine = connect_engine_and_remove_dead_containers(os.environ, None)
        if engine.copies_folder:
            raise EvaluationError("The Docker engine runs elsewhere, and can't show an agent folders of this machine.")
        _refuse_missing_image(engine.api, image.name)
        samples_of_problems = [(problem, sample) for problem in designs for sample in range(1, samples_per_problem + 1)]

        def run_task(problem_and_sample: tuple[Problem, int]) -> AgentRun:
            problem, sample = problem_and_sample
            return _finished_or_new_run(engine.api, image, problem, sample, folder / f"sample_{sample}" / problem.id)

        with ThreadPoolExecutor(most_containers) as pool:
            agent_runs = list(pool.map(run_task, samples_of_problems))
    lines = [
        json.dumps({"id": problem.id, "files": answer_files(problem, folder / f"sample_{sample}" / problem.id)})
        for problem, sample in samples_of_problems
    ]
    write_atomically(folder / "answers.jsonl", "".join(f"{line}\n" for line in lines).encode())
    return agent_runs


@contextlib.contextmanager
def _reported_engine_errors() -> Iterator[None]:
    try:
        with engine_errors_as_unavailable():
            yield
    except HarnessError as error:
        raise EvaluationError(f"{error}.") from error


def _refuse_missing_image(api: APIClient, name: str) -> None:
    from docker.errors import ImageNotFound

    try:
        api.inspect_image(name)
    except ImageNotFound as error:
        raise EvaluationError(
            f"The Docker engine has no image {name}. Build it, or fetch it with `docker pull {name}`; "
            "`benchwright eval agent-image-template DIR` writes the files of one."
        ) from error


def _finished_or_new_run(api: APIClient, image: AgentImage, problem: Problem, sample: int, folder: Path) -> AgentRun:
    finished = folder / _RUN
    if finished.exists():
        return AgentRun.model_validate_json(finished.read_bytes())
    if folder.exists():
        shutil.rmtree(folder)
    write_workspace(problem, image, folder)
    began = time.monotonic()
    exit_code = _run_container(api, image, folder)
    before = json.loads((folder / _BEFORE).read_text(encoding="utf-8"))
    after = texts_below(folder)
    (folder / _PATCH).write_text(patch_between(before, after), encoding="utf-8")
    changed = tuple(path for path in sorted({*before, *after}) if before.get(path) != after.get(path))
    agent_run = AgentRun(
        problem=problem.id,
        sample=sample,
        exit_code=exit_code,
        seconds=round(time.monotonic() - began, 3),
        changed=changed,
        uncounted=tuple(path for path in changed if path not in problem.public.expected),
    )
    write_atomically(finished, agent_run.model_dump_json(indent=2).encode())
    return agent_run


def write_workspace(problem: Problem, image: AgentImage, folder: Path) -> None:
    """Write what an agent gets, what it was before, and the file with which Compose runs it by hand."""
    for name in FOLDERS:
        (folder / name).mkdir(parents=True)
    for path, text in problem.public.files.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    # An image may run as any user.
    for name in FOLDERS:
        for inside in (folder / name, *(folder / name).rglob("*")):
            inside.chmod(0o777 if inside.is_dir() else 0o666)
    (folder / _PROMPT).write_text(json.dumps({"prompt": _prompt(problem)}, indent=2), encoding="utf-8")
    (folder / _BEFORE).write_text(json.dumps(texts_below(folder)), encoding="utf-8")
    (folder / _COMPOSE).write_text(yaml.safe_dump(dict(image.compose_document()), sort_keys=False), encoding="utf-8")


def _prompt(problem: Problem) -> str:
    if problem.public.system_message is not None:
        return problem.public.statement
    # A problem that was made for one answer does not say which files count.
    listing = "\n".join(f"- {path}" for path in problem.public.expected)
    return f"{problem.public.statement.rstrip()}\n\nCreate or change these files, and no others:\n{listing}\n"


def texts_below(folder: Path) -> dict[str, str]:
    """Path → text of the files of a sample, without `rundir` and without those that are no text."""
    texts = {}
    for path, content in plain_files_below(folder).items():
        if path.startswith(_COMPARED):
            with contextlib.suppress(UnicodeDecodeError):
                texts[path] = content.decode()
    return texts


def patch_between(before: Mapping[str, str], after: Mapping[str, str]) -> str:
    """The unified difference of all files, as git shows it."""
    return "".join(unified_diff_of_text(path, before.get(path), after.get(path)) for path in sorted({*before, *after}))


def answer_files(problem: Problem, folder: Path) -> dict[str, str]:
    """Path → text of the files that count, as the agent left them; a file that it deleted is empty."""
    texts = texts_below(folder)
    return {
        path: texts.get(path, "") for path in problem.public.expected if path in texts or path in problem.public.files
    }


def _run_container(api: APIClient, image: AgentImage, folder: Path) -> int | None:
    """Exit status; None if the time limit ended it. What it printed is in the folder."""
    absolute_folder = folder.absolute()
    binds: dict[str, Mapping[str, str]] = {
        str(absolute_folder / name): {"bind": f"/code/{name}", "mode": "rw"} for name in FOLDERS
    }
    binds[str(absolute_folder / _PROMPT)] = {"bind": f"/code/{_PROMPT}", "mode": "ro"}
    container = api.create_container(
        image.name,
        working_dir="/code",
        environment={name: os.environ[name] for name in image.variables if name in os.environ},
        labels={LABEL: process_identity()},
        host_config=api.create_host_config(
            binds=binds,
            network_mode=image.network,
            mem_limit=f"{image.memory_mb}m",
            pids_limit=512,
            cap_drop=["ALL"],
            security_opt=["no-new-privileges"],
        ),
    )["Id"]
    try:
        api.start(container)
        deadline = time.monotonic() + image.time_limit_s
        while (state := api.inspect_container(container)["State"])["Running"] and time.monotonic() < deadline:
            time.sleep(_POLL_S)
        output = api.logs(container, tail=20_000)
        (folder / _LOG).write_bytes(output[-_LOG_BYTES:])
        return None if state["Running"] else int(state["ExitCode"])
    finally:
        remove_container(api, container)
