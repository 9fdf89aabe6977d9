"""A design problem as a task folder of Harbor (https://github.com/laude-institute/harbor).

instruction.md            what an agent reads
task.toml                 limits, and where the problem comes from
environment/Dockerfile    the tools, and the given files in /code
tests/                    test.sh, verify.py with its plan, the hidden files: copied in when the agent is done
solution/                 solve.sh and the files of the reference: copied in for the oracle alone
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from importlib.resources import files
from pathlib import Path

from benchwright_authoring.harbor import verify
from benchwright_foundation.toml_text import toml_table_text
from benchwright_harness.decision.criterion import SIMULATES, Criterion
from benchwright_harness.errors import HarnessError
from benchwright_harness.execution.repository import files_of_run
from benchwright_harness.execution.run import reference_solution_files
from benchwright_harness.plan.image_names import VERIF_EDA, is_replaced_by_toolchain
from benchwright_harness.plan.plan import WORKDIR, HarnessPlan, PlanStep, make_plan
from benchwright_harness.plan.selection import ToolSelection, selections
from benchwright_problems.criterion import OutputScope
from benchwright_problems.datasets.harbor import (
    EDITABLE,
    EXPECTED,
    SOLUTION_FILES,
    WORKSPACE,
    WORKSPACE_FOLDER,
    workspace_note,
)
from benchwright_problems.errors import ProblemsError
from benchwright_problems.problem import Problem, ProblemKind
from benchwright_problems.relative_path import FOLDERS
from benchwright_problems.repository.named_tests import RESULTS_END, RESULTS_START
from benchwright_problems.repository.tree import write_files

SCHEMA_VERSION = "1.0"
_COMMERCIAL = frozenset({"xrun", "imc"})
_COMPAT = "/tests/compat"
_AGENT_S = 3600.0
_MARGIN_S = 120.0
_BUILD_S = 1800.0
_TOOLS = """\
FROM debian:trixie-slim
RUN apt-get update \\
 && apt-get install -y --no-install-recommends g++ iverilog make perl python3 python3-dev python3-pip verilator yosys \\
 && rm -rf /var/lib/apt/lists/*
RUN pip install --break-system-packages --no-cache-dir \\
    cocotb==2.0.1 cocotb-bus==0.3.0 cocotbext-axi==0.1.28 pytest==8.3.2
"""
"""Versions of the Python packages as in the toolchain; simulators are Debian's."""
_TEST = f"""\
#!/bin/sh
exec python3 /tests/verify.py /tests {WORKSPACE} /logs/verifier/reward.txt
"""
_SOLVE = f"""\
#!/bin/sh
cp -R /solution/{SOLUTION_FILES}/. {WORKSPACE}/
"""


class NotExportableError(ProblemsError):
    """A problem can't be a task of Harbor."""


def write_task_folder(problem: Problem, pack_name: str, folder: Path, *, image: str = "", canary: str = "") -> None:
    """Write a problem, hidden part included, as a new task folder.

    Args:
        problem: Unsealed.
        pack_name: Name of its pack.
        folder: Must not be there; only its owner can enter it.
        image: An image that has the tools; without it, a Dockerfile installs them.
        canary: That of the pack.

    Raises:
        NotExportableError: The problem has no form that runs in Harbor; says why.
        OSError: A file can't be written.
    """
    content_by_path = task_files(problem, pack_name, image=image, canary=canary)
    folder.mkdir(mode=0o700, parents=True)
    write_files(folder, content_by_path)


def task_files(problem: Problem, pack_name: str, *, image: str = "", canary: str = "") -> dict[str, bytes]:
    """The files of a task folder, by their paths in it; see `write_task_folder`."""
    if problem.kind is not ProblemKind.DESIGN:
        raise NotExportableError(f"{problem.id} is no design problem, and only these have tests that Harbor can run")
    if not problem.hidden.reference:
        raise NotExportableError(f"{problem.id} has no reference, so its task would have no solution")
    selection = selections(problem)[0]
    try:
        plan = make_plan(
            problem.hidden.harness,
            selection.simulator,
            {},
            table=problem.hidden.criterion,
            tests=problem.hidden.tests,
            is_supervised=False,
        ).for_one_run()
        start_files = files_of_run(problem, {})
        solved = files_of_run(problem, reference_solution_files(problem))
    except HarnessError as error:
        raise NotExportableError(f"{problem.id} can't be exported: {error}") from error
    _require_runnable(problem.id, plan)
    given = {path: text.encode() for path, text in start_files.problem.public.files.items()} | dict(
        start_files.other_files
    )
    given |= {figure.path: figure.content for figure in problem.public.figures}
    if deleted := sorted(set(solved.problem.public.expected) - set(solved.solution)):
        raise NotExportableError(f"{problem.id} has a reference that deletes {deleted[0]}, which can't be exported")
    hidden_files = {path: text for step in plan.steps for path, text in step.files.items()}
    verify_program = Path(verify.__file__).read_bytes()
    content_by_path = {
        "instruction.md": _instruction(problem).encode(),
        "task.toml": _task_toml(problem, pack_name, plan, selection, canary).encode(),
        "environment/Dockerfile": _dockerfile(image, has_files=bool(given)).encode(),
        "tests/test.sh": _TEST.encode(),
        "tests/verify.py": verify_program,
        f"tests/{verify.PLAN}": json.dumps(_verify_plan(problem, plan, selection), indent=1).encode(),
        "solution/solve.sh": _SOLVE.encode(),
    }
    content_by_path |= {f"environment/{WORKSPACE_FOLDER}/{path}": content for path, content in given.items()}
    content_by_path |= {f"tests/{verify.GIVEN}/{path}": content for path, content in given.items()}
    content_by_path |= {f"tests/{verify.HIDDEN}{path}": text.encode() for path, text in hidden_files.items()}
    content_by_path |= {f"solution/{SOLUTION_FILES}/{path}": content for path, content in solved.solution.items()}
    if selection.cocotb == "compat":
        content_by_path |= {f"{_COMPAT.lstrip('/')}/{path}": content for path, content in _compat_files().items()}
    return content_by_path


def _require_runnable(problem_id: str, plan: HarnessPlan) -> None:
    if plan.proved_module:
        raise NotExportableError(f"{problem_id} is decided by a proof, which tasks of Harbor have no programs for")
    if plan.tools & _COMMERCIAL or any(step.image == VERIF_EDA for step in plan.steps):
        raise NotExportableError(f"{problem_id} asks for commercial tools, which no image of free ones has")
    for step in plan.steps:
        if not is_replaced_by_toolchain(step.image):
            raise NotExportableError(f"{problem_id} runs in an image of its own, {step.image}")


def _instruction(problem: Problem) -> str:
    note = workspace_note(problem.public.expected if problem.public.tree is None else (), problem.public.editable)
    return f"{problem.public.statement.rstrip()}\n\n{note}"


def _task_toml(problem: Problem, pack_name: str, plan: HarnessPlan, selection: ToolSelection, canary: str) -> str:
    provenance = problem.provenance
    is_repository = problem.public.tree is not None
    limit_s = problem.limits.wall_s * len(plan.steps) + _MARGIN_S
    return toml_table_text(
        {
            "schema_version": SCHEMA_VERSION,
            "task": {
                "name": f"{pack_name}/{problem.id}",
                "description": problem.title,
                "keywords": ["hardware", *([problem.category.value] if problem.category else [])],
            },
            "metadata": {
                "difficulty": problem.difficulty.value,
                "license": provenance.license,
                "source": provenance.source,
                "version": provenance.version,
                "icarus": selection.icarus,
                **({"canary": canary} if canary else {}),
                **({EDITABLE: [*problem.public.editable]} if is_repository else {EXPECTED: [*problem.public.expected]}),
            },
            "environment": {"build_timeout_sec": _BUILD_S, "memory_mb": problem.limits.memory_mb},
            "agent": {"timeout_sec": _AGENT_S},
            "verifier": {"timeout_sec": limit_s},
        }
    )


def _dockerfile(image: str, *, has_files: bool) -> str:
    tools = f"FROM {image}\n" if image else _TOOLS
    copy = f"COPY {WORKSPACE_FOLDER}/ {WORKSPACE}/\n" if has_files else ""
    return f"{tools}WORKDIR {WORKSPACE}\n{copy}"


def _verify_plan(problem: Problem, plan: HarnessPlan, selection: ToolSelection) -> dict[str, object]:
    """The plan that `verify.py` carries out."""
    is_repository = problem.public.tree is not None
    return {
        "expected": [] if is_repository else [*problem.public.expected],
        "editable": [*problem.public.editable],
        "folders": [*FOLDERS],
        "steps": [
            {
                "argv": [*step.argv],
                "env": _step_environment(step, selection),
                "limit_s": problem.limits.wall_s,
            }
            for step in plan.steps
        ],
        "simulates": plan.criterion.simulates,
        "patterns": _pattern_plan(problem.id, plan.criterion),
        "tests": _named_test_plan(plan.criterion),
    }


def _step_environment(step: PlanStep, selection: ToolSelection) -> dict[str, str]:
    compat = [_COMPAT] if selection.cocotb == "compat" else []
    python_path = ":".join(filter(None, (*compat, step.env.get("PYTHONPATH"))))
    return {
        "LANG": "C.UTF-8",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONHASHSEED": "0",
        "PYTEST_ADDOPTS": f"--junitxml={WORKDIR}/{verify.PYTEST_RESULTS}",
        **step.env,
        **({"PYTHONPATH": python_path} if python_path else {}),
        "HOME": WORKDIR,
        "PWD": WORKDIR,
    }


def _pattern_plan(problem_id: str, criterion: Criterion) -> dict[str, object] | None:
    table = criterion.table
    if table is None:
        return None
    patterns = table.effective_patterns
    _require_plain_patterns(problem_id, (*patterns.passes, *patterns.fails))
    return {
        "pass": [*patterns.passes],
        "fail": [*patterns.fails],
        "count": patterns.count,
        "exit": table.exit,
        "file": table.file,
        "begin": SIMULATES if criterion.is_testbench else "",
        "reads_all": table.scope is OutputScope.LOG,
    }


def _require_plain_patterns(problem_id: str, patterns: Sequence[str]) -> None:
    for pattern in patterns:
        try:
            re.compile(pattern)
        except re.error as error:
            raise NotExportableError(
                f"{problem_id} has a criterion with {pattern!r}, which Python's own expressions don't know: {error}"
            ) from error


def _named_test_plan(criterion: Criterion) -> dict[str, object] | None:
    tests = criterion.tests
    if tests is None:
        return None
    names = [*tests.fail_to_pass, *tests.pass_to_pass]
    return {"names": names, "printed": tests.printed, "marks": [RESULTS_START, RESULTS_END]}


def _compat_files() -> Mapping[str, bytes]:
    """The layer with the names of older versions of cocotb."""
    folder = Path(str(files("benchwright_harness"))) / "inside" / "compat"
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in sorted(folder.rglob("*.py"))}
