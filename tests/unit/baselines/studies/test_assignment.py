"""Properties of every plan, over many shapes of studies and seeds."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchwright_problems.problem import Difficulty
from benchwright_studies.plan.assignment import AssignedTask, Plan, draw_plan, williams_square
from benchwright_studies.plan.seeded_random import SeededRandom
from benchwright_studies.plan.study import Study

LEVELS = list(Difficulty)


def study_of(people: int, problems: int, conditions: int, order: str, seed: int = 1, unit: str = "task") -> Study:
    return Study.model_validate(
        {
            "study": "s",
            "title": "S",
            "problems": [f"p/{number}" for number in range(problems)],
            "conditions": [{"name": f"c{number}", "solver": "human"} for number in range(conditions)],
            "participants": people,
            "randomisation": {"seed": seed, "order": order, "unit": unit},
            "consent": {"version": "1", "text": "I agree to everything there."},
        }
    )


def plan_of(drawn_study: Study) -> Plan:
    return draw_plan(
        drawn_study, "0" * 64, {f"p/{number}": LEVELS[number % 3] for number in range(len(drawn_study.problems))}
    )


SHAPES = st.builds(
    study_of,
    people=st.integers(1, 40),
    problems=st.integers(1, 13),
    conditions=st.integers(1, 5),
    order=st.sampled_from(["latin-square", "blocked", "random"]),
    seed=st.integers(0, 2**63 - 1),
)


@settings(max_examples=150, deadline=None)
@given(SHAPES)
def test_everybody_does_every_problem_once_and_conditions_are_balanced(made: Study) -> None:
    planned = plan_of(made)
    assert plan_of(made) == planned
    problems = sorted(task.problem for task in made.problems)
    names = {condition.name for condition in made.conditions}
    assert [assignment.participant for assignment in planned.assignments] == list(made.pseudonyms)
    for assignment in planned.assignments:
        assert sorted(task.problem for task in assignment.tasks) == problems
        assert [task.position for task in assignment.tasks] == list(range(1, len(problems) + 1))
        assert _count_spread(Counter(task.condition for task in assignment.tasks), names) <= 1
    for problem in problems:
        condition_counts = Counter(
            t.condition for assignment in planned.assignments for t in assignment.tasks if t.problem == problem
        )
        # A last group that is not full may add one to each.
        assert _count_spread(condition_counts, names) <= 1
    for position in range(1, len(problems) + 1):
        condition_counts = Counter(
            t.condition for assignment in planned.assignments for t in assignment.tasks if t.position == position
        )
        assert _count_spread(condition_counts, names) <= 1


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 30), st.integers(1, 12), st.integers(1, 4), st.integers(0, 10**9))
def test_blocks_are_whole_and_balanced_within(people: int, problems: int, conditions: int, seed: int) -> None:
    drawn_study = study_of(people, problems, conditions, "blocked", seed)
    for assignment in plan_of(drawn_study).assignments:
        levels = [LEVELS.index(task.difficulty) for task in assignment.tasks]
        assert levels == sorted(levels)
        for level in Difficulty:
            condition_counts = Counter(task.condition for task in assignment.tasks if task.difficulty is level)
            assert _count_spread(condition_counts, {condition.name for condition in drawn_study.conditions}) <= 1


@pytest.mark.parametrize("size", range(1, 14))
def test_a_williams_square_balances_places_and_neighbours(size: int) -> None:
    rows = williams_square(size)
    for position in range(size):
        assert set(Counter(row[position] for row in rows).values()) == {len(rows) // size}
    neighbours = Counter(pair for row in rows for pair in pairwise(row))
    assert len(neighbours) == size * (size - 1)
    assert len(set(neighbours.values())) <= 1


def test_a_full_latin_square_puts_each_problem_at_each_place_equally_often() -> None:
    planned = plan_of(study_of(2 * 4 * 3, 4, 2, "latin-square"))
    position_counts = Counter(
        (task.problem, task.position) for assignment in planned.assignments for task in assignment.tasks
    )
    assert set(position_counts.values()) == {6}


@pytest.mark.parametrize("order", ["latin-square", "blocked", "random"])
def test_between_persons_everybody_has_one_condition_and_they_are_balanced(order: str) -> None:
    planned = plan_of(study_of(20, 4, 3, order, unit="person"))
    of_each = [{task.condition for task in assignment.tasks} for assignment in planned.assignments]
    assert all(len(names) == 1 for names in of_each)
    assert sorted(Counter(next(iter(names)) for names in of_each).values()) == [6, 7, 7]


def test_everybody_of_a_cluster_has_its_condition_and_clusters_are_balanced() -> None:
    people = study_of(21, 4, 2, "latin-square", unit="person")
    clusters = {f"site-{number}": people.pseudonyms[number::7] for number in range(7)}
    fields = people.model_dump() | {"clusters": clusters, "randomisation": {"seed": 1, "unit": "cluster"}}
    planned = plan_of(Study.model_validate(fields))
    conditions_of_site = {
        site: {task.condition for name in members for task in _assigned(planned, name)}
        for site, members in clusters.items()
    }
    assert all(len(names) == 1 for names in conditions_of_site.values())
    assert sorted(Counter(next(iter(names)) for names in conditions_of_site.values()).values()) == [3, 4]


def _assigned(planned: Plan, participant: str) -> tuple[AssignedTask, ...]:
    assignment = planned.assignment_of(participant)
    assert assignment is not None
    return assignment.tasks


def test_the_plan_of_a_seed_never_changes() -> None:
    """Pinned: a plan that was published must come out again with any later release."""
    planned = plan_of(study_of(3, 3, 2, "latin-square", seed=7))
    task_codes = [
        [f"{task.problem[-1]}{task.condition}" for task in assignment.tasks] for assignment in planned.assignments
    ]
    assert task_codes == PINNED
    assert planned.sha256 != plan_of(study_of(3, 3, 2, "latin-square", seed=8)).sha256


PINNED = [["2c1", "1c0", "0c1"], ["0c0", "1c1", "2c0"], ["0c1", "1c0", "2c1"]]


def test_dice_are_fair_and_shuffles_reach_every_order() -> None:
    dice = SeededRandom(1, "x")
    counts = Counter(dice.number_below(6) for _ in range(6000))
    # Chi-square with 5 degrees of freedom: 20.5 is exceeded once in a thousand.
    assert sum((count - 1000) ** 2 / 1000 for count in counts.values()) < 20.5
    orders = Counter("".join(dice.shuffled("abc")) for _ in range(600))
    assert len(orders) == 6 and min(orders.values()) > 60
    assert [SeededRandom(1, "x").number_below(10) for _ in range(2)] == [SeededRandom(1, "x").number_below(10)] * 2
    assert [SeededRandom(s, p).number_below(10**9) for s, p in ((1, "x"), (1, "y"), (2, "x"))] != [
        SeededRandom(1, "x").number_below(10**9)
    ] * 3


def _count_spread(counts: Counter[str], names: set[str]) -> int:
    values = [counts[name] for name in names]
    return max(values) - min(values)
