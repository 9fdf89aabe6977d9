"""The architecture labs from all their sides, on both simulators, and a term of them at a service."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from importlib.resources import files
from pathlib import Path

import pytest
from typer.testing import CliRunner

from benchwright_foundation.home import Home
from benchwright_harness.execution.run import starting_solution_files
from benchwright_harness.own_tests.running import run_own_tests
from benchwright_harness.own_tests.simulation import OwnSimulation
from benchwright_harness.sandbox.registry import open_sandbox, toolchain_for
from benchwright_harness.toolchain import Toolchain
from benchwright_problems.problem import Problem, ProblemKind
from benchwright_problems.storage.pack_folder import (
    read_built_in,
    right_solutions_by_name,
    wrong_solutions_by_name,
)
from benchwright_problems.verdict import Outcome, Reason
from benchwright_server.cli.app import app_with_commands
from benchwright_service.bench import open_bench
from benchwright_service.courses.course_file import read_course_file
from benchwright_teaching.points import GradingRules

from ..support.packs.solution_runs import as_bytes, run_all

NAME = "architecture-labs"
PACK = read_built_in(NAME)
FOLDER = Path(str(files("benchwright_problems") / "packs" / NAME))
DESIGNS = {problem.id: problem for problem in PACK.problems if problem.kind is ProblemKind.DESIGN}
SAMPLE = "frame-detector"


def on_simulator(problem: Problem, simulator: str) -> Problem:
    """The problem, with its harness on another simulator."""
    harness = {
        path: text.replace("SIM=icarus", f"SIM={simulator}") if path == "src/.env" else text
        for path, text in problem.hidden.harness.items()
    }
    assert f"SIM={simulator}" in harness["src/.env"]
    return problem.model_copy(update={"hidden": problem.hidden.model_copy(update={"harness": harness})})


async def prove(problem: Problem, toolchain: Toolchain, wrong_texts: Mapping[str, Mapping[str, str]]) -> None:
    """Every right solution passes, and every other one fails."""
    starting = starting_solution_files(problem)
    right_texts = {"reference": problem.hidden.reference, **right_solutions_by_name(FOLDER, problem.id)}
    solutions: dict[str, Mapping[str, bytes]] = {
        "starting": starting,
        **{f"right/{name}": starting | as_bytes(texts) for name, texts in right_texts.items()},
        **{f"wrong/{name}": starting | as_bytes(texts) for name, texts in wrong_texts.items()},
    }
    runs_by_solution = await run_all(problem, solutions, toolchain)
    for name, (verdict, log) in runs_by_solution.items():
        wanted_outcome = Outcome.PASSED if name.startswith("right/") else Outcome.FAILED
        assert verdict.outcome is wanted_outcome, (name, log)
        assert verdict.reason is not Reason.BUILD_FAILED, (name, log)


async def test_right_designs_of_a_lab_pass_and_a_wrong_one_fails(toolchain: Toolchain) -> None:
    wrong_texts = wrong_solutions_by_name(FOLDER, SAMPLE)
    await prove(DESIGNS[SAMPLE], toolchain, dict([next(iter(wrong_texts.items()))]))


@pytest.mark.nightly
@pytest.mark.parametrize("simulator", ["icarus", "verilator"])
@pytest.mark.parametrize("problem", DESIGNS.values(), ids=DESIGNS)
async def test_right_designs_pass_and_all_wrong_ones_fail(
    problem: Problem, simulator: str, toolchain: Toolchain
) -> None:
    await prove(on_simulator(problem, simulator), toolchain, wrong_solutions_by_name(FOLDER, problem.id))


def run_public_tests(problem: Problem, design: Mapping[str, str]) -> dict[str, str]:
    """The reason of each test that a student begins with, for a design."""
    (test_path,) = (path for path in problem.public.files if path.startswith("tests/"))
    files = {**problem.public.files, **design}
    sources = tuple(path for path in files if path.endswith(".sv"))
    top = Path(test_path).stem.removeprefix("test_")
    simulation = OwnSimulation(as_bytes(files), sources, top, module=test_path)
    public_run = asyncio.run(
        run_own_tests(
            simulation,
            sandbox=open_sandbox("bwrap"),
            toolchain=toolchain_for("bwrap", Home.from_environment().cache),
        )
    )
    return {outcome.name: outcome.reason.value for outcome in public_run.outcomes}


@pytest.mark.sampled
@pytest.mark.parametrize("problem", DESIGNS.values(), ids=DESIGNS)
def test_the_tests_to_extend_pass_with_the_reference_and_fail_with_the_starting_files(problem: Problem) -> None:
    assert set(run_public_tests(problem, problem.hidden.reference).values()) == {"passed"}
    starting = {path: problem.public.files[path] for path in problem.public.expected}
    assert "passed" not in run_public_tests(problem, starting).values()


def command(home: Path, *arguments: str) -> str:
    """What a command prints."""
    result = CliRunner().invoke(app_with_commands(), arguments, env={"BENCHWRIGHT_HOME": str(home)})
    assert result.exit_code == 0, result.output
    return result.stdout


def test_a_term_of_twelve_weeks_is_assigned_by_commands(tmp_path: Path) -> None:
    command(tmp_path, "course", "create", "arch", "--title", "Computer architecture")
    printed = command(tmp_path, "course", "assign-weeks", "arch", NAME, "--starts", "2027-02-01T08:00:00")
    ids = re.findall(r"^[0-9a-f]{32}$", printed, re.MULTILINE)
    course_file = read_course_file(NAME)
    assert len(ids) == len(course_file.weeks)

    home = Home.from_environment({"BENCHWRIGHT_HOME": str(tmp_path)})

    async def read() -> tuple[list[tuple[object, ...]], list[GradingRules]]:
        async with open_bench(home, None, "http://localhost") as parts:
            assignments = await parts.courses.all_assignments("arch")
            rules = await parts.grades.gradebooks.grading_rules_by_assignment("arch")
        return [(view.title, list(view.problems), view.opens, view.due, view.closes) for view in assignments], [
            rules[view.id] for view in assignments
        ]

    assigned_weeks, rules = asyncio.run(read())
    starts = datetime(2027, 2, 1, 8, tzinfo=UTC)
    assert assigned_weeks == [
        (
            week.title,
            list(week.problems),
            starts + timedelta(weeks=week.week - 1),
            starts + timedelta(weeks=week.week),
            starts + timedelta(weeks=week.week + 1),
        )
        for week in course_file.weeks
    ]
    assert rules == [GradingRules(points=week.points, partial=True) for week in course_file.weeks]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('pack = "architecture-labs"\nweeks = []', "weeks"),
        ('pack = "architecture-labs"\n[[weeks]]\nweek = 0\ntitle = "a"\nproblems = ["alu-flags"]', "week"),
        (
            'pack = "architecture-labs"\n' + '[[weeks]]\nweek = 1\ntitle = "a"\nproblems = ["alu-flags"]\n' * 2,
            "the week 1 is there twice",
        ),
        ('pack = "architecture-labs"\n[[weeks]]\nweek = 1\ntitle = "a"\nproblems = ["nix"]', "no problem 'nix'"),
        ("pack = ", "is not TOML"),
    ],
)
def test_a_wrong_course_file_is_refused_and_assigns_nothing(tmp_path: Path, text: str, message: str) -> None:
    command(tmp_path, "course", "create", "arch", "--title", "Computer architecture")
    file = tmp_path / "term.toml"
    file.write_text(text)
    arguments = ("course", "assign-weeks", "arch", str(file), "--starts", "2027-02-01T08:00:00")
    result = CliRunner().invoke(
        app_with_commands(), arguments, env={"BENCHWRIGHT_HOME": str(tmp_path), "COLUMNS": "300"}
    )
    assert result.exit_code != 0
    assert message in result.output
