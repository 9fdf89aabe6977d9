"""Every starter problem from all its sides, on the real simulators in the real sandbox."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path

import pytest

from benchwright_harness.execution.run import starting_solution_files
from benchwright_harness.toolchain import Toolchain
from benchwright_judges.judgement import JudgementStatus
from benchwright_judges.score import judge_key_and_empty_answer
from benchwright_problems.problem import Problem, ProblemKind
from benchwright_problems.storage.pack_folder import read_built_in, wrong_solutions_by_name
from benchwright_problems.verdict import Outcome, Reason

from ..support.packs.solution_runs import as_bytes, run_all

PACK = read_built_in("starter")
FOLDER = Path(str(files("benchwright_problems") / "packs" / "starter"))
DESIGNS = [problem for problem in PACK.problems if problem.kind is ProblemKind.DESIGN]
QUESTIONS = [problem for problem in PACK.problems if problem.kind is ProblemKind.QUESTION]


def id_of(problem: Problem) -> str:
    return problem.id


@pytest.mark.parametrize("problem", DESIGNS, ids=id_of)
async def test_the_reference_passes_and_everything_else_fails(problem: Problem, toolchain: Toolchain) -> None:
    starting = starting_solution_files(problem)
    wrong_texts = wrong_solutions_by_name(FOLDER, problem.id)
    assert wrong_texts, "a problem without a wrong solution proves little"
    solutions: dict[str, Mapping[str, bytes]] = {
        "reference": starting | as_bytes(problem.hidden.reference),
        "starting": starting,
        **{f"wrong/{name}": starting | as_bytes(texts) for name, texts in wrong_texts.items()},
    }
    runs_by_solution = await run_all(problem, solutions, toolchain)
    reference, log = runs_by_solution.pop("reference")
    assert reference.outcome is Outcome.PASSED, log
    assert reference.tests
    assert all(test.passed for test in reference.tests)
    outcomes = {name: verdict.outcome for name, (verdict, _) in runs_by_solution.items()}
    assert outcomes == dict.fromkeys(runs_by_solution, Outcome.FAILED)
    unbuilt = {name for name, (verdict, _) in runs_by_solution.items() if verdict.reason is Reason.BUILD_FAILED}
    # A design that does not even build is no plausible wrong one; a cheat is refused before it runs.
    assert {name for name in unbuilt if name.startswith("wrong/")} <= {"wrong/forges-results"}


@pytest.mark.parametrize("problem", DESIGNS, ids=id_of)
def test_wrong_solutions_say_in_their_first_line_what_is_wrong(problem: Problem) -> None:
    for name, texts in wrong_solutions_by_name(FOLDER, problem.id).items():
        assert any(text.startswith("//") for text in texts.values()), name
        assert set(texts) <= set(problem.public.expected), name


@pytest.mark.parametrize("problem", DESIGNS, ids=id_of)
def test_no_hidden_text_is_given_away(problem: Problem) -> None:
    public = problem.public.model_dump_json()
    hidden_texts = [*problem.hidden.harness.values(), *problem.hidden.reference.values()]
    assert all(text not in public for text in hidden_texts if len(text) > 40)


@pytest.mark.parametrize("problem", QUESTIONS, ids=id_of)
def test_the_key_of_a_question_is_right_and_an_empty_answer_is_not(problem: Problem) -> None:
    key, empty = judge_key_and_empty_answer(problem)
    assert (key.passed, empty.status) == (True, JudgementStatus.EMPTY)


async def test_an_empty_design_fails_to_build(toolchain: Toolchain) -> None:
    problem = DESIGNS[0]
    runs_by_solution = await run_all(problem, {"empty": {}}, toolchain)
    assert runs_by_solution["empty"][0].reason is Reason.BUILD_FAILED
