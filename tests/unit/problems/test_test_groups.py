"""Groups of hidden tests: what a run brings, and groups that make no sense."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from benchwright_problems.problem import Problem
from benchwright_problems.storage.pack_folder import read_built_in
from benchwright_problems.test_groups import TestGroup, group_scores, share_of_points
from benchwright_problems.verdict import TestResult

GROUPS = (TestGroup(title="Sums", points=1, tests=("adds",)), TestGroup(title="Rest", points=3, tests=("a", "b")))


@pytest.mark.parametrize(
    ("passed_names", "failed_names", "share"),
    [
        (["adds [W4]", "adds [W8]", "a", "b"], [], 1.0),
        (["adds [W4]", "a", "b"], ["adds [W8]"], 0.75),
        (["adds [W4]", "a"], ["b"], 0.25),
        (["adds"], [], 0.25),
        (["a"], ["adds", "b"], 0.0),
    ],
)
def test_a_group_brings_its_points_once_all_of_its_tests_pass_with_all_parameters(
    passed_names: list[str], failed_names: list[str], share: float
) -> None:
    test_results = [TestResult(name=name, passed=name in passed_names) for name in (*passed_names, *failed_names)]
    assert share_of_points(group_scores(GROUPS, test_results)) == share


def test_a_run_whose_tests_are_not_shown_has_no_groups() -> None:
    assert group_scores(GROUPS, []) == []


def test_groups_are_no_part_of_the_task() -> None:
    problem = read_built_in("architecture-labs").problems[0]
    bare_problem = problem.model_copy(update={"public": problem.public.model_copy(update={"test_groups": ()})})
    assert problem.public.test_groups
    assert bare_problem.public_digest == problem.public_digest
    assert bare_problem.harness_digest == problem.harness_digest


@pytest.mark.parametrize(
    ("changed_fields", "message"),
    [
        ({"public": {"test_groups": [{"title": "a", "tests": ["x", "x"]}]}}, "the test 'x' is there twice"),
        ({"public": {"test_groups": [{"title": "a", "tests": []}]}}, "at least 1 item"),
        ({"public": {"test_groups": [{"title": "a", "points": 0, "tests": ["x"]}]}}, "greater than 0"),
        ({"reveal": "verdict"}, "only a design problem with reveal names or more"),
    ],
)
def test_groups_that_make_no_sense_are_refused(changed_fields: dict[str, object], message: str) -> None:
    fields = read_built_in("architecture-labs").problems[0].model_dump()
    for name, value in changed_fields.items():
        fields[name] = {**fields[name], **value} if isinstance(value, dict) else value
    with pytest.raises(ValidationError, match=message):
        Problem.model_validate(fields)
